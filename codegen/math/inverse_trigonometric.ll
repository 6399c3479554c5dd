; asin, acos, atan and atan2 for f32 and f64, without branches, so that loops over many x
; become vector code.

declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.minimum.f32(float, float)
declare double @llvm.sqrt.f64(double)
declare double @__pykc_quotient_f64(double, double)
declare float @__pykc_quotient_f32(float, float)
declare float @__pykc_root_f32(float)
declare double @__pykc_reciprocal_f64(double)
declare float @__pykc_reciprocal_f32(float)

; asin(x) = s + s z p(z) with s = |x| and z = s^2 up to 1/2, and pi/2 less twice that of s^2 = z = (1 - |x|) / 2 from
; there on; p by minimax approximation to 2^-28 in all. What the root's rounding takes away is (z - s^2) / 2s, for which
; a rough 1 / s is good enough: halving the exponent makes one.
%arc = type { float, float, float, float, i1 }
define internal %arc @arc(float %size) {
  %is.large = fcmp ogt float %size, 0.5
  %distance = call float @llvm.fma.f32(float %size, float -0.5, float 0.5) ; exact
  %square = fmul float %size, %size
  %z = select i1 %is.large, float %distance, float %square
  %root = call float @__pykc_root_f32(float %distance)
  %s = select i1 %is.large, float %root, float %size
  %p.3 = call float @llvm.fma.f32(float %z, float 0x3FA5959AA0000000, float 0x3F98C415A0000000)
  %p.2 = call float @llvm.fma.f32(float %z, float %p.3, float 0x3FA747B720000000)
  %p.1 = call float @llvm.fma.f32(float %z, float %p.2, float 0x3FB3302060000000)
  %p = call float @llvm.fma.f32(float %z, float %p.1, float 0x3FC5555C80000000)
  %cube = fmul float %s, %z
  %rest = fmul float %p, %cube
  %root.negated = fneg float %root
  %missing = call float @llvm.fma.f32(float %root.negated, float %root, float %distance)
  %bits = bitcast float %distance to i32
  %half = lshr i32 %bits, 1
  %inverse.bits = sub i32 1597463007, %half
  %inverse = bitcast i32 %inverse.bits to float
  %twice.root.rest = fmul float %missing, %inverse
  %result.with.0 = insertvalue %arc poison, float %s, 0
  %result.with.1 = insertvalue %arc %result.with.0, float %rest, 1
  %result.with.2 = insertvalue %arc %result.with.1, float %root, 2
  %result.with.3 = insertvalue %arc %result.with.2, float %twice.root.rest, 3
  %result = insertvalue %arc %result.with.3, i1 %is.large, 4
  ret %arc %result
}

define float @__pykc_asin_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %arc = call %arc @arc(float %size)
  %s = extractvalue %arc %arc, 0
  %rest = extractvalue %arc %arc, 1
  %root = extractvalue %arc %arc, 2
  %twice.root.rest = extractvalue %arc %arc, 3
  %is.large = extractvalue %arc %arc, 4
  %of.small = fadd float %s, %rest
  %high = call float @llvm.fma.f32(float %root, float -2.0, float 0x3FF921FB60000000)
  %high.part = fsub float 0x3FF921FB60000000, %high
  %high.rest = call float @llvm.fma.f32(float %root, float -2.0, float %high.part)
  %low.part = call float @llvm.fma.f32(float %rest, float -2.0, float 0xBE6777A5C0000000)
  %low.more = fsub float %low.part, %twice.root.rest
  %low = fadd float %low.more, %high.rest
  %of.large = fadd float %high, %low
  %of.size = select i1 %is.large, float %of.large, float %of.small
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; acos(x) = base - asin: pi/2 - (s + rest) with the sign of x, or twice what stands for 1 - |x|, or pi less that.
define float @__pykc_acos_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %arc = call %arc @arc(float %size)
  %s = extractvalue %arc %arc, 0
  %rest = extractvalue %arc %arc, 1
  %root.rest = extractvalue %arc %arc, 3
  %is.large = extractvalue %arc %arc, 4
  %is.negative = fcmp olt float %x, 0.0
  %turn = select i1 %is.negative, float 0x400921FB60000000, float 0.0
  %turn.rest = select i1 %is.negative, float 0xBE7777A5C0000000, float 0.0
  %base = select i1 %is.large, float %turn, float 0x3FF921FB60000000
  %base.rest = select i1 %is.large, float %turn.rest, float 0xBE6777A5C0000000
  %factor = select i1 %is.large, float 2.0, float -1.0
  %more = select i1 %is.large, float %root.rest, float 0.0
  %opposite = fneg float %factor
  %sign = select i1 %is.negative, float %opposite, float %factor
  %more.opposite = fneg float %more
  %more.signed = select i1 %is.negative, float %more.opposite, float %more
  %high = call float @llvm.fma.f32(float %sign, float %s, float %base)
  %part = fsub float %base, %high
  %high.rest = call float @llvm.fma.f32(float %sign, float %s, float %part)
  %low.part = call float @llvm.fma.f32(float %sign, float %rest, float %base.rest)
  %low.more = fadd float %low.part, %more.signed
  %low = fadd float %low.more, %high.rest
  %result = fadd float %high, %low
  ret float %result
}

; asin and acos for f64, as for f32, p by minimax approximation to 2^-56 in all
%arc.f64 = type { double, double, double, double, i1 }
define internal %arc.f64 @arc_f64(double %size) {
  %is.large = fcmp ogt double %size, 0.5
  %distance = call double @llvm.fma.f64(double %size, double -0.5, double 0.5)  ; exact
  %square = fmul double %size, %size
  %z = select i1 %is.large, double %distance, double %square
  %root = call double @llvm.sqrt.f64(double %distance)
  %s = select i1 %is.large, double %root, double %size
  %p.10 = call double @llvm.fma.f64(double %z, double 0x3FA05C7631578AA3, double 0xBF90AE0684FD4621)
  %p.9 = call double @llvm.fma.f64(double %z, double %p.10, double 0x3F940A4D5CBE9AAD)
  %p.8 = call double @llvm.fma.f64(double %z, double %p.9, double 0x3F7AAC6B46423781)
  %p.7 = call double @llvm.fma.f64(double %z, double %p.8, double 0x3F88EE2779FD37A7)
  %p.6 = call double @llvm.fma.f64(double %z, double %p.7, double 0x3F8C6F8D17B4E788)
  %p.5 = call double @llvm.fma.f64(double %z, double %p.6, double 0x3F91C6C23A0B5E52)
  %p.4 = call double @llvm.fma.f64(double %z, double %p.5, double 0x3F96E89EFBC43BC6)
  %p.3 = call double @llvm.fma.f64(double %z, double %p.4, double 0x3F9F1C72C6AC58DC)
  %p.2 = call double @llvm.fma.f64(double %z, double %p.3, double 0x3FA6DB6DB41DA88A)
  %p.1 = call double @llvm.fma.f64(double %z, double %p.2, double 0x3FB333333336F816)
  %p = call double @llvm.fma.f64(double %z, double %p.1, double 0x3FC5555555555387)
  %cube = fmul double %s, %z
  %rest = fmul double %p, %cube
  %root.negated = fneg double %root
  %missing = call double @llvm.fma.f64(double %root.negated, double %root, double %distance)
  %bits = bitcast double %distance to i64
  %half = lshr i64 %bits, 1
  %inverse.bits = sub i64 6910469410427058090, %half
  %inverse = bitcast i64 %inverse.bits to double
  %twice.root.rest = fmul double %missing, %inverse
  %result.with.0 = insertvalue %arc.f64 poison, double %s, 0
  %result.with.1 = insertvalue %arc.f64 %result.with.0, double %rest, 1
  %result.with.2 = insertvalue %arc.f64 %result.with.1, double %root, 2
  %result.with.3 = insertvalue %arc.f64 %result.with.2, double %twice.root.rest, 3
  %result = insertvalue %arc.f64 %result.with.3, i1 %is.large, 4
  ret %arc.f64 %result
}

define double @__pykc_asin_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %arc = call %arc.f64 @arc_f64(double %size)
  %s = extractvalue %arc.f64 %arc, 0
  %rest = extractvalue %arc.f64 %arc, 1
  %root = extractvalue %arc.f64 %arc, 2
  %twice.root.rest = extractvalue %arc.f64 %arc, 3
  %is.large = extractvalue %arc.f64 %arc, 4
  %of.small = fadd double %s, %rest
  %high = call double @llvm.fma.f64(double %root, double -2.0, double 0x3FF921FB54442D18)
  %high.part = fsub double 0x3FF921FB54442D18, %high
  %high.rest = call double @llvm.fma.f64(double %root, double -2.0, double %high.part)
  %low.part = call double @llvm.fma.f64(double %rest, double -2.0, double 0x3C91A62633145C07)
  %low.more = fsub double %low.part, %twice.root.rest
  %low = fadd double %low.more, %high.rest
  %of.large = fadd double %high, %low
  %of.size = select i1 %is.large, double %of.large, double %of.small
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

define double @__pykc_acos_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %arc = call %arc.f64 @arc_f64(double %size)
  %s = extractvalue %arc.f64 %arc, 0
  %rest = extractvalue %arc.f64 %arc, 1
  %root.rest = extractvalue %arc.f64 %arc, 3
  %is.large = extractvalue %arc.f64 %arc, 4
  %is.negative = fcmp olt double %x, 0.0
  %turn = select i1 %is.negative, double 0x400921FB54442D18, double 0.0
  %turn.rest = select i1 %is.negative, double 0x3CA1A62633145C07, double 0.0
  %base = select i1 %is.large, double %turn, double 0x3FF921FB54442D18
  %base.rest = select i1 %is.large, double %turn.rest, double 0x3C91A62633145C07
  %factor = select i1 %is.large, double 2.0, double -1.0
  %more = select i1 %is.large, double %root.rest, double 0.0
  %opposite = fneg double %factor
  %sign = select i1 %is.negative, double %opposite, double %factor
  %more.opposite = fneg double %more
  %more.signed = select i1 %is.negative, double %more.opposite, double %more
  %high = call double @llvm.fma.f64(double %sign, double %s, double %base)
  %part = fsub double %base, %high
  %high.rest = call double @llvm.fma.f64(double %sign, double %s, double %part)
  %low.part = call double @llvm.fma.f64(double %sign, double %rest, double %base.rest)
  %low.more = fadd double %low.part, %more.signed
  %low = fadd double %low.more, %high.rest
  %result = fadd double %high, %low
  ret double %result
}

; atan(u) / u - 1 of |u| <= 0.6: z p(z) with z = u^2, p by minimax approximation to 2^-29 of u
define internal float @curve(float %u) {
  %z = fmul float %u, %u
  %p.4 = call float @llvm.fma.f32(float %z, float 0x3F9F151320000000, float 0xBFB2BFB9E0000000)
  %p.3 = call float @llvm.fma.f32(float %z, float %p.4, float 0x3FBB84DF40000000)
  %p.2 = call float @llvm.fma.f32(float %z, float %p.3, float 0xBFC23CA1E0000000)
  %p.1 = call float @llvm.fma.f32(float %z, float %p.2, float 0x3FC99901A0000000)
  %p = call float @llvm.fma.f32(float %z, float %p.1, float 0xBFD5555440000000)
  %curve = fmul float %z, %p
  ret float %curve
}

; atan(x) = base + atan(u) with u = x up to 0.6, (x - 1) / (x + 1) from there up to 1.667, and -1 / x behind it, so that
; |u| <= 0.6, and <= 1/4 where the base is pi/4, whose sum with it is then rounded little before the last step.
define float @__pykc_atan_f32(float %x) {
  %any.size = call float @llvm.fabs.f32(float %x)
  %size = call float @llvm.minimum.f32(float %any.size, float 0x4190000000000000)  ; the result is pi/2 from there on
  %is.small = fcmp olt float %any.size, 0x3FE3333340000000
  %is.middle = fcmp olt float %any.size, 0x3FFAAAAAA0000000
  %one = select i1 %is.middle, float 1.0, float 0.0
  %above = call float @llvm.fma.f32(float %size, float %one, float -1.0)
  %below = fadd float %size, %one
  %ratio = call float @__pykc_quotient_f32(float %above, float %below)
  %u = select i1 %is.small, float %size, float %ratio
  %eighths.large = select i1 %is.middle, float 1.0, float 2.0  ; of a turn
  %eighths = select i1 %is.small, float 0.0, float %eighths.large
  %curve = call float @curve(float %u)
  %base.rest = fmul float %eighths, 0xBE5777A5C0000000
  %rest = call float @llvm.fma.f32(float %u, float %curve, float %base.rest)
  %turned = fadd float %u, %rest
  %of.size = call float @llvm.fma.f32(float %eighths, float 0x3FE921FB60000000, float %turned)
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; The angle of (x, y), whose sizes are these, before it has y's sign. A turn has eight parts, of which this counts whole
; ones and has an angle u to the nearest of them left, as for atan: up to 0.6, that of the sizes' ratio; from there on,
; that of (short - long) / (short + long). What the ratio lacks counts by the slope, 1 + 3 curve, roughly.
define internal float @angle(float %short, float %long, i1 %is.steep, i1 %is.behind) {
  %above.least = call float @llvm.fma.f32(float %long, float 0xBFE3333340000000, float %short)
  %above.least.bits = bitcast float %above.least to i32
  %is.middle = icmp sge i32 %above.least.bits, 0
  %is.backward = xor i1 %is.steep, %is.behind
  %sign = select i1 %is.backward, i32 -2147483648, i32 0
  %one = select i1 %is.middle, float 1.0, float 0.0
  %one.bits = bitcast float %one to i32
  %one.signed.bits = or i32 %one.bits, %sign
  %one.signed = bitcast i32 %one.signed.bits to float
  %short.bits = bitcast float %short to i32
  %short.signed.bits = or i32 %short.bits, %sign
  %short.signed = bitcast i32 %short.signed.bits to float
  %one.opposite = fneg float %one.signed
  %above = call float @llvm.fma.f32(float %long, float %one.opposite, float %short.signed)
  %below = call float @llvm.fma.f32(float %short, float %one, float %long)
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %u = fmul float %above, %inverse
  %u.negated = fneg float %u
  %missing = call float @llvm.fma.f32(float %u.negated, float %below, float %above)
  %u.rest = fmul float %missing, %inverse
  %eighths.flat = select i1 %is.behind, float 4.0, float 0.0
  %eighths.whole = select i1 %is.steep, float 2.0, float %eighths.flat
  %eighths = fadd float %eighths.whole, %one.signed
  %curve = call float @curve(float %u)
  %u.steep = call float @llvm.fma.f32(float %u.rest, float 3.0, float %u)
  %base.rest = call float @llvm.fma.f32(float %eighths, float 0xBE5777A5C0000000, float %u.rest)
  %rest = call float @llvm.fma.f32(float %u.steep, float %curve, float %base.rest)
  %turned = fadd float %u, %rest
  %angle = call float @llvm.fma.f32(float %eighths, float 0x3FE921FB60000000, float %turned)
  ret float %angle
}

; of zeros, infinities and NaNs, too
define internal float @any_angle(float %y, float %x) cold {
  %y.size = call float @llvm.fabs.f32(float %y)
  %x.size = call float @llvm.fabs.f32(float %x)
  %x.bits = bitcast float %x to i32
  %is.steep = fcmp ogt float %y.size, %x.size
  %is.behind = icmp slt i32 %x.bits, 0
  %short = select i1 %is.steep, float %x.size, float %y.size
  %long = select i1 %is.steep, float %y.size, float %x.size
  %is.large = fcmp ogt float %long, 1.0
  %factor = select i1 %is.large, float 0x3BF0000000000000, float 0x43F0000000000000
  %short.scaled = fmul float %short, %factor
  %long.scaled = fmul float %long, %factor
  %are.same = fcmp oeq float %short, %long
  %short.plain = select i1 %are.same, float 1.0, float %short.scaled
  %long.plain = select i1 %are.same, float 1.0, float %long.scaled
  %angle = call float @angle(float %short.plain, float %long.plain, i1 %is.steep, i1 %is.behind)
  ; a ratio below 2^-30 is its angle, and counts nothing beside others
  %least = fmul float %long, 0x3E10000000000000
  %is.tiny = fcmp olt float %short, %least
  %ratio = fdiv float %short, %long
  %sum = fadd float %short, %long
  %is.zero = fcmp oeq float %sum, 0.0
  %of.flat = select i1 %is.zero, float 0.0, float %ratio
  %of.tiny.flat = select i1 %is.behind, float 0x400921FB60000000, float %of.flat
  %of.tiny = select i1 %is.steep, float 0x3FF921FB60000000, float %of.tiny.flat
  %has.no.angle = or i1 %is.tiny, %is.zero
  %result = select i1 %has.no.angle, float %of.tiny, float %angle
  ret float %result
}

define float @__pykc_atan2_f32(float %y, float %x) {
  %y.size = call float @llvm.fabs.f32(float %y)
  %x.size = call float @llvm.fabs.f32(float %x)
  %y.bits = bitcast float %y.size to i32
  %x.size.bits = bitcast float %x.size to i32
  %x.bits = bitcast float %x to i32
  %is.steep = icmp sgt i32 %y.bits, %x.size.bits
  %is.behind = icmp slt i32 %x.bits, 0
  %short = select i1 %is.steep, float %x.size, float %y.size
  %long = select i1 %is.steep, float %y.size, float %x.size
  %near = call float @angle(float %short, float %long, i1 %is.steep, i1 %is.behind)
  ; from 2^-60 up to 2^60, and no quotient so small that it has fewer bits
  %long.bits = bitcast float %long to i32
  %from.least = sub i32 %long.bits, 562036736
  %is.near = icmp ult i32 %from.least, 1006632960
  %short.bits = bitcast float %short to i32
  %less.one = sub i32 %short.bits, 1
  %has.all.bits = icmp uge i32 %less.one, 226492415                    ; 0, or from 2^-100 on
  %is.done = and i1 %is.near, %has.all.bits
  br i1 %is.done, label %done, label %rarely

rarely:
  %any = call float @any_angle(float %y, float %x)
  br label %done

done:
  %angle = phi float [ %near, %0 ], [ %any, %rarely ]
  %result = call float @llvm.copysign.f32(float %angle, float %y)
  ret float %result
}

; the same for f64, p to 2^-59
define internal double @curve_f64(double %u) {
  %z = fmul double %u, %u
  %p.12 = call double @llvm.fma.f64(double %z, double 0x3F6E3A33808A0AF7, double 0xBF8C834C6AD72351)
  %p.11 = call double @llvm.fma.f64(double %z, double %p.12, double 0x3F9BC90EE19F7167)
  %p.10 = call double @llvm.fma.f64(double %z, double %p.11, double 0xBFA39316FCCB516B)
  %p.9 = call double @llvm.fma.f64(double %z, double %p.10, double 0x3FA793A5FFF6F3D9)
  %p.8 = call double @llvm.fma.f64(double %z, double %p.9, double 0xBFAAC532A3D920E2)
  %p.7 = call double @llvm.fma.f64(double %z, double %p.8, double 0x3FAE16CD726393D1)
  %p.6 = call double @llvm.fma.f64(double %z, double %p.7, double 0xBFB110A3839C981C)
  %p.5 = call double @llvm.fma.f64(double %z, double %p.6, double 0x3FB3B131F9441F10)
  %p.4 = call double @llvm.fma.f64(double %z, double %p.5, double 0xBFB745D0EF6A7AB3)
  %p.3 = call double @llvm.fma.f64(double %z, double %p.4, double 0x3FBC71C71782A66E)
  %p.2 = call double @llvm.fma.f64(double %z, double %p.3, double 0xBFC24924923B2EC0)
  %p.1 = call double @llvm.fma.f64(double %z, double %p.2, double 0x3FC999999999717B)
  %p = call double @llvm.fma.f64(double %z, double %p.1, double 0xBFD5555555555541)
  %curve = fmul double %z, %p
  ret double %curve
}

; atan for f64, as for f32
define double @__pykc_atan_f64(double %x) {
  %any.size = call double @llvm.fabs.f64(double %x)
  %is.huge = fcmp ogt double %any.size, 0x43B0000000000000
  %size = select i1 %is.huge, double 0x43B0000000000000, double %any.size  ; a NaN stays
  %is.small = fcmp olt double %any.size, 0x3FE3333300000000
  %is.middle = fcmp olt double %any.size, 0x3FFAAAAA00000000
  %one = select i1 %is.middle, double 1.0, double 0.0
  %above = call double @llvm.fma.f64(double %size, double %one, double -1.0)
  %below = fadd double %size, %one
  %ratio = call double @__pykc_quotient_f64(double %above, double %below)
  %u = select i1 %is.small, double %size, double %ratio
  %eighths.large = select i1 %is.middle, double 1.0, double 2.0  ; of a turn
  %eighths = select i1 %is.small, double 0.0, double %eighths.large
  %curve = call double @curve_f64(double %u)
  %base.rest = fmul double %eighths, 0x3C81A62633145C07
  %rest = call double @llvm.fma.f64(double %u, double %curve, double %base.rest)
  %turned = fadd double %u, %rest
  %of.size = call double @llvm.fma.f64(double %eighths, double 0x3FE921FB54442D18, double %turned)
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

; atan2 for f64, as for f32
define internal double @angle_f64(double %short, double %long, i1 %is.steep, i1 %is.behind) {
  %above.least = call double @llvm.fma.f64(double %long, double 0xBFE3333333333333, double %short)
  %above.least.bits = bitcast double %above.least to i64
  %is.middle = icmp sge i64 %above.least.bits, 0
  %is.backward = xor i1 %is.steep, %is.behind
  %sign = select i1 %is.backward, i64 -9223372036854775808, i64 0
  %one = select i1 %is.middle, double 1.0, double 0.0
  %one.bits = bitcast double %one to i64
  %one.signed.bits = or i64 %one.bits, %sign
  %one.signed = bitcast i64 %one.signed.bits to double
  %short.bits = bitcast double %short to i64
  %short.signed.bits = or i64 %short.bits, %sign
  %short.signed = bitcast i64 %short.signed.bits to double
  %one.opposite = fneg double %one.signed
  %above = call double @llvm.fma.f64(double %long, double %one.opposite, double %short.signed)
  %below = call double @llvm.fma.f64(double %short, double %one, double %long)
  %inverse = call double @__pykc_reciprocal_f64(double %below)
  %u = fmul double %above, %inverse
  %u.negated = fneg double %u
  %missing = call double @llvm.fma.f64(double %u.negated, double %below, double %above)
  %u.rest = fmul double %missing, %inverse
  %eighths.flat = select i1 %is.behind, double 4.0, double 0.0
  %eighths.whole = select i1 %is.steep, double 2.0, double %eighths.flat
  %eighths = fadd double %eighths.whole, %one.signed
  %curve = call double @curve_f64(double %u)
  %u.steep = call double @llvm.fma.f64(double %u.rest, double 3.0, double %u)
  %base.rest = call double @llvm.fma.f64(double %eighths, double 0x3C81A62633145C07, double %u.rest)
  %rest = call double @llvm.fma.f64(double %u.steep, double %curve, double %base.rest)
  %turned = fadd double %u, %rest
  %angle = call double @llvm.fma.f64(double %eighths, double 0x3FE921FB54442D18, double %turned)
  ret double %angle
}

; of zeros, infinities and NaNs, too
define internal double @any_angle_f64(double %y, double %x) cold {
  %y.size = call double @llvm.fabs.f64(double %y)
  %x.size = call double @llvm.fabs.f64(double %x)
  %x.bits = bitcast double %x to i64
  %is.steep = fcmp ogt double %y.size, %x.size
  %is.behind = icmp slt i64 %x.bits, 0
  %short = select i1 %is.steep, double %x.size, double %y.size
  %long = select i1 %is.steep, double %y.size, double %x.size
  %is.large = fcmp ogt double %long, 1.0
  %factor = select i1 %is.large, double 0x1FF0000000000000, double 0x5FF0000000000000
  %short.scaled = fmul double %short, %factor
  %long.scaled = fmul double %long, %factor
  %are.same = fcmp oeq double %short, %long
  %short.plain = select i1 %are.same, double 1.0, double %short.scaled
  %long.plain = select i1 %are.same, double 1.0, double %long.scaled
  %angle = call double @angle_f64(double %short.plain, double %long.plain, i1 %is.steep, i1 %is.behind)
  ; a ratio below 2^-60 is its angle, and counts nothing beside others
  %least = fmul double %long, 0x3C30000000000000
  %is.tiny = fcmp olt double %short, %least
  %ratio = fdiv double %short, %long
  %sum = fadd double %short, %long
  %is.zero = fcmp oeq double %sum, 0.0
  %of.flat = select i1 %is.zero, double 0.0, double %ratio
  %of.tiny.flat = select i1 %is.behind, double 0x400921FB54442D18, double %of.flat
  %of.tiny = select i1 %is.steep, double 0x3FF921FB54442D18, double %of.tiny.flat
  %has.no.angle = or i1 %is.tiny, %is.zero
  %result = select i1 %has.no.angle, double %of.tiny, double %angle
  ret double %result
}

define double @__pykc_atan2_f64(double %y, double %x) {
  %y.size = call double @llvm.fabs.f64(double %y)
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.bits = bitcast double %y.size to i64
  %x.size.bits = bitcast double %x.size to i64
  %x.bits = bitcast double %x to i64
  %is.steep = icmp sgt i64 %y.bits, %x.size.bits
  %is.behind = icmp slt i64 %x.bits, 0
  %short = select i1 %is.steep, double %x.size, double %y.size
  %long = select i1 %is.steep, double %y.size, double %x.size
  %near = call double @angle_f64(double %short, double %long, i1 %is.steep, i1 %is.behind)
  ; from 2^-500 up to 2^500, and no quotient so small that it has fewer bits
  %long.bits = bitcast double %long to i64
  %from.least = sub i64 %long.bits, 2355382605114769408
  %is.near = icmp ult i64 %from.least, 4503599627370496000
  %short.bits = bitcast double %short to i64
  %is.plain = icmp sgt i64 %short.bits, 1125899906842624000
  %is.zero = icmp eq i64 %short.bits, 0
  %has.all.bits = or i1 %is.plain, %is.zero
  %is.done = and i1 %is.near, %has.all.bits
  br i1 %is.done, label %done, label %rarely

rarely:
  %any = call double @any_angle_f64(double %y, double %x)
  br label %done

done:
  %angle = phi double [ %near, %0 ], [ %any, %rarely ]
  %result = call double @llvm.copysign.f64(double %angle, double %y)
  ret double %result
}
