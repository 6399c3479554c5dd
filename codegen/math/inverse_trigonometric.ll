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

; base + u + u^3 p(u^2), where u_rest is what u lacks; p by minimax approximation to 2^-29 of the arc tangent, |u| <= 1.
define internal float @turned(float %base, float %base.rest, float %u, float %u.rest) {
  %z = fmul float %u, %u
  %p.7 = call float @llvm.fma.f32(float %z, float 0xBF5D5559A0000000, float 0x3F86528200000000)
  %p.6 = call float @llvm.fma.f32(float %z, float %p.7, float 0xBF9FE57440000000)
  %p.5 = call float @llvm.fma.f32(float %z, float %p.6, float 0x3FADA89E60000000)
  %p.4 = call float @llvm.fma.f32(float %z, float %p.5, float 0xBFB5820EA0000000)
  %p.3 = call float @llvm.fma.f32(float %z, float %p.4, float 0x3FBC092DC0000000)
  %p.2 = call float @llvm.fma.f32(float %z, float %p.3, float 0xBFC2420FA0000000)
  %p.1 = call float @llvm.fma.f32(float %z, float %p.2, float 0x3FC9991EA0000000)
  %p = call float @llvm.fma.f32(float %z, float %p.1, float 0xBFD55553E0000000)
  %cube = fmul float %u, %z
  %high = fadd float %base, %u
  %part = fsub float %base, %high
  %high.rest = fadd float %part, %u
  %steepness = call float @llvm.fma.f32(float %z, float -0.5, float 1.0) ; roughly 1 / (1 + z)
  %rests = call float @llvm.fma.f32(float %u.rest, float %steepness, float %base.rest)
  ; what z rounds away counts where u is near 1
  %z.negated = fneg float %z
  %z.rest = call float @llvm.fma.f32(float %u, float %u, float %z.negated)
  %of.z.rest = fmul float %z.rest, -0.171875
  %more.rests = call float @llvm.fma.f32(float %u, float %of.z.rest, float %rests)
  %low.part = call float @llvm.fma.f32(float %cube, float %p, float %more.rests)
  %low = fadd float %low.part, %high.rest
  %result = fadd float %high, %low
  ret float %result
}

; atan(x) = base + atan(u) with u = x up to 0.6, (x - 1) / (x + 1) from there up to 1.667, and -1 / x behind it, so that
; |u| <= 0.6, and <= 1/4 where the base is pi/4, whose sum with it is then rounded little before the last step;
; atan(u) = u + u z p(z) with z = u^2, p by minimax approximation to 2^-29 of u.
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
  %z = fmul float %u, %u
  %p.4 = call float @llvm.fma.f32(float %z, float 0x3F9F151320000000, float 0xBFB2BFB9E0000000)
  %p.3 = call float @llvm.fma.f32(float %z, float %p.4, float 0x3FBB84DF40000000)
  %p.2 = call float @llvm.fma.f32(float %z, float %p.3, float 0xBFC23CA1E0000000)
  %p.1 = call float @llvm.fma.f32(float %z, float %p.2, float 0x3FC99901A0000000)
  %p = call float @llvm.fma.f32(float %z, float %p.1, float 0xBFD5555440000000)
  %curve = fmul float %z, %p
  %base.rest = fmul float %eighths, 0xBE5777A5C0000000
  %rest = call float @llvm.fma.f32(float %u, float %curve, float %base.rest)
  %turned = fadd float %u, %rest
  %of.size = call float @llvm.fma.f32(float %eighths, float 0x3FE921FB60000000, float %turned)
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; above / below, of zeros and infinities, too, and what it lacks
define internal { float, float } @any_ratio(float %any.above, float %any.below) cold {
  %is.large = fcmp ogt float %any.below, 1.0
  %factor = select i1 %is.large, float 0x3BF0000000000000, float 0x43F0000000000000
  %above = fmul float %any.above, %factor
  %below = fmul float %any.below, %factor
  %quotient = fdiv float %any.above, %any.below
  %are.same = fcmp oeq float %any.above, %any.below
  %of.same = select i1 %are.same, float 1.0, float %quotient
  %is.zero = fcmp oeq float %any.below, 0.0
  %ratio = select i1 %is.zero, float 0.0, float %of.same
  %ratio.negated = fneg float %ratio
  %left = call float @llvm.fma.f32(float %ratio.negated, float %below, float %above)
  %lacks = fdiv float %left, %below
  %is.number = fcmp ord float %lacks, 0.0
  %is.large.enough = fcmp ogt float %ratio, 0x3E10000000000000          ; below 2^-30 it does not matter
  %counts = and i1 %is.number, %is.large.enough
  %missing = select i1 %counts, float %lacks, float 0.0
  %with.ratio = insertvalue { float, float } poison, float %ratio, 0
  %result = insertvalue { float, float } %with.ratio, float %missing, 1
  ret { float, float } %result
}

; the angle of (|x|, |y|) or (|y|, |x|) below pi/4, and from there the angle of (x, y)
define float @__pykc_atan2_f32(float %y, float %x) {
  %y.size = call float @llvm.fabs.f32(float %y)
  %x.size = call float @llvm.fabs.f32(float %x)
  %y.bits = bitcast float %y.size to i32
  %x.bits = bitcast float %x.size to i32
  %is.steep = icmp sgt i32 %y.bits, %x.bits
  %above = select i1 %is.steep, float %x.size, float %y.size
  %below = select i1 %is.steep, float %y.size, float %x.size
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %plain.ratio = fmul float %above, %inverse
  %plain.negated = fneg float %plain.ratio
  %missing = call float @llvm.fma.f32(float %plain.negated, float %below, float %above)
  %plain.missing = fmul float %missing, %inverse
  ; from 2^-60 up to 2^60, and no quotient so small that it has fewer bits
  %below.bits = bitcast float %below to i32
  %from.least = sub i32 %below.bits, 562036736
  %is.near = icmp ult i32 %from.least, 1006632960
  %above.bits = bitcast float %above to i32
  %less.one = sub i32 %above.bits, 1
  %has.all.bits = icmp uge i32 %less.one, 226492415                    ; 0, or from 2^-100 on
  %is.done = and i1 %is.near, %has.all.bits
  br i1 %is.done, label %done, label %rarely

rarely:
  %any = call { float, float } @any_ratio(float %above, float %below)
  %any.ratio = extractvalue { float, float } %any, 0
  %any.missing = extractvalue { float, float } %any, 1
  br label %done

done:
  %ratio = phi float [ %plain.ratio, %0 ], [ %any.ratio, %rarely ]
  %missing.ratio = phi float [ %plain.missing, %0 ], [ %any.missing, %rarely ]
  %ratio.negated = fneg float %ratio
  %bits = bitcast float %x to i32
  %is.behind = icmp slt i32 %bits, 0
  %base.flat = select i1 %is.behind, float 0x400921FB60000000, float 0.0
  %base = select i1 %is.steep, float 0x3FF921FB60000000, float %base.flat
  %base.flat.rest = select i1 %is.behind, float 0xBE7777A5C0000000, float 0.0
  %base.rest = select i1 %is.steep, float 0xBE6777A5C0000000, float %base.flat.rest
  %is.backward = xor i1 %is.steep, %is.behind
  %opposite.rest = fneg float %missing.ratio
  %u = select i1 %is.backward, float %ratio.negated, float %ratio
  %u.rest = select i1 %is.backward, float %opposite.rest, float %missing.ratio
  %angle = call float @turned(float %base, float %base.rest, float %u, float %u.rest)
  %result = call float @llvm.copysign.f32(float %angle, float %y)
  ret float %result
}

; atan for f64, as for f32, p to 2^-55
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
  %base.rest.large = select i1 %is.middle, double 0x3C81A62633145C07, double 0x3C91A62633145C07
  %base.rest = select i1 %is.small, double 0.0, double %base.rest.large
  %z = fmul double %u, %u
  %p.11 = call double @llvm.fma.f64(double %z, double 0xBF7324AEE7BC2209, double 0x3F9132191D2E86A4)
  %p.10 = call double @llvm.fma.f64(double %z, double %p.11, double 0xBFA017785350A502)
  %p.9 = call double @llvm.fma.f64(double %z, double %p.10, double 0x3FA614941C42E04D)
  %p.8 = call double @llvm.fma.f64(double %z, double %p.9, double 0xBFAA545A9E0BF163)
  %p.7 = call double @llvm.fma.f64(double %z, double %p.8, double 0x3FADFF866BBF4ABA)
  %p.6 = call double @llvm.fma.f64(double %z, double %p.7, double 0xBFB10EF3BD1D4F56)
  %p.5 = call double @llvm.fma.f64(double %z, double %p.6, double 0x3FB3B10688E56197)
  %p.4 = call double @llvm.fma.f64(double %z, double %p.5, double 0xBFB745CDFC435EA6)
  %p.3 = call double @llvm.fma.f64(double %z, double %p.4, double 0x3FBC71C6F695C6FB)
  %p.2 = call double @llvm.fma.f64(double %z, double %p.3, double 0xBFC2492491CEE55B)
  %p.1 = call double @llvm.fma.f64(double %z, double %p.2, double 0x3FC9999999980B1E)
  %p = call double @llvm.fma.f64(double %z, double %p.1, double 0xBFD5555555555472)
  %curve = fmul double %z, %p
  %rest = call double @llvm.fma.f64(double %u, double %curve, double %base.rest)
  %turned = fadd double %u, %rest
  %of.size = call double @llvm.fma.f64(double %eighths, double 0x3FE921FB54442D18, double %turned)
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

; base + u - u^3 / 3 + u^5 q(u^2) as for f32, q by minimax approximation to 2^-60
define internal double @turned_f64(double %base, double %base.rest, double %u, double %u.rest) {
  %z = fmul double %u, %u
  %q.18 = call double @llvm.fma.f64(double %z, double 0xBEE23418299BD679, double 0x3F1B4CE06C0A1435)
  %q.17 = call double @llvm.fma.f64(double %z, double %q.18, double 0xBF43788DF9C97754)
  %q.16 = call double @llvm.fma.f64(double %z, double %q.17, double 0x3F61A86F157AB0BD)
  %q.15 = call double @llvm.fma.f64(double %z, double %q.16, double 0xBF7705808EFE8F3D)
  %q.14 = call double @llvm.fma.f64(double %z, double %q.15, double 0x3F87341E510391B5)
  %q.13 = call double @llvm.fma.f64(double %z, double %q.14, double 0xBF931344E8F554A9)
  %q.12 = call double @llvm.fma.f64(double %z, double %q.13, double 0x3F9ACAC0AAB130A4)
  %q.11 = call double @llvm.fma.f64(double %z, double %q.12, double 0xBFA0CA61462CD8B0)
  %q.10 = call double @llvm.fma.f64(double %z, double %q.11, double 0x3FA390E3263B6B47)
  %q.9 = call double @llvm.fma.f64(double %z, double %q.10, double 0xBFA5F2868498119D)
  %q.8 = call double @llvm.fma.f64(double %z, double %q.9, double 0x3FA84B5C4B28D52D)
  %q.7 = call double @llvm.fma.f64(double %z, double %q.8, double 0xBFAAEDAB54CD6632)
  %q.6 = call double @llvm.fma.f64(double %z, double %q.7, double 0x3FAE1D49B8844D25)
  %q.5 = call double @llvm.fma.f64(double %z, double %q.6, double 0xBFB11103400E4E87)
  %q.4 = call double @llvm.fma.f64(double %z, double %q.5, double 0x3FB3B139BFDB5197)
  %q.3 = call double @llvm.fma.f64(double %z, double %q.4, double 0xBFB745D15D410132)
  %q.2 = call double @llvm.fma.f64(double %z, double %q.3, double 0x3FBC71C71B65FFCA)
  %q.1 = call double @llvm.fma.f64(double %z, double %q.2, double 0xBFC24924924579CD)
  %q = call double @llvm.fma.f64(double %z, double %q.1, double 0x3FC9999999998C6E)
  %cube = fmul double %u, %z
  %fifth = fmul double %cube, %z
  %high = fadd double %base, %u
  %part = fsub double %base, %high
  %high.rest = fadd double %part, %u
  %steepness = call double @llvm.fma.f64(double %z, double -0.5, double 1.0) ; roughly 1 / (1 + z)
  %of.u.rest = call double @llvm.fma.f64(double %u.rest, double %steepness, double %base.rest)
  %z.negated = fneg double %z
  %z.rest = call double @llvm.fma.f64(double %u, double %u, double %z.negated)
  %cube.negated = fneg double %cube
  %cube.part = call double @llvm.fma.f64(double %u, double %z, double %cube.negated)
  %cube.rest = call double @llvm.fma.f64(double %u, double %z.rest, double %cube.part)
  ; what the cube rounds away counts where u is near 1
  %rests = call double @llvm.fma.f64(double %cube.rest, double -0.25, double %of.u.rest)
  %low.least = call double @llvm.fma.f64(double %fifth, double %q, double %rests)
  %low.part = call double @llvm.fma.f64(double %cube, double 0xBFD555555555554D, double %low.least)
  %low = fadd double %low.part, %high.rest
  %result = fadd double %high, %low
  ret double %result
}

; above / below, of zeros and infinities, too, and what it lacks
define internal { double, double } @any_ratio_f64(double %any.above, double %any.below) cold {
  %is.large = fcmp ogt double %any.below, 1.0
  %factor = select i1 %is.large, double 0x1FF0000000000000, double 0x5FF0000000000000
  %above = fmul double %any.above, %factor
  %below = fmul double %any.below, %factor
  %quotient = fdiv double %any.above, %any.below
  %are.same = fcmp oeq double %any.above, %any.below
  %of.same = select i1 %are.same, double 1.0, double %quotient
  %is.zero = fcmp oeq double %any.below, 0.0
  %ratio = select i1 %is.zero, double 0.0, double %of.same
  %ratio.negated = fneg double %ratio
  %left = call double @llvm.fma.f64(double %ratio.negated, double %below, double %above)
  %lacks = fdiv double %left, %below
  %is.number = fcmp ord double %lacks, 0.0
  %is.large.enough = fcmp ogt double %ratio, 0x3E10000000000000          ; below 2^-30 it does not matter
  %counts = and i1 %is.number, %is.large.enough
  %missing = select i1 %counts, double %lacks, double 0.0
  %with.ratio = insertvalue { double, double } poison, double %ratio, 0
  %result = insertvalue { double, double } %with.ratio, double %missing, 1
  ret { double, double } %result
}

; atan2 for f64, as for f32
define double @__pykc_atan2_f64(double %y, double %x) {
  %y.size = call double @llvm.fabs.f64(double %y)
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.bits = bitcast double %y.size to i64
  %x.bits = bitcast double %x.size to i64
  %is.steep = icmp sgt i64 %y.bits, %x.bits
  %above = select i1 %is.steep, double %x.size, double %y.size
  %below = select i1 %is.steep, double %y.size, double %x.size
  %inverse = call double @__pykc_reciprocal_f64(double %below)
  %plain.ratio = fmul double %above, %inverse
  %plain.negated = fneg double %plain.ratio
  %missing = call double @llvm.fma.f64(double %plain.negated, double %below, double %above)
  %plain.missing = fmul double %missing, %inverse
  ; from 2^-500 up to 2^500, and no quotient so small that it has fewer bits
  %below.bits = bitcast double %below to i64
  %from.least = sub i64 %below.bits, 2355382605114769408
  %is.near = icmp ult i64 %from.least, 4503599627370496000
  %above.bits = bitcast double %above to i64
  %is.plain = icmp sgt i64 %above.bits, 1125899906842624000
  %is.zero = icmp eq i64 %above.bits, 0
  %has.all.bits = or i1 %is.plain, %is.zero
  %is.done = and i1 %is.near, %has.all.bits
  br i1 %is.done, label %done, label %rarely

rarely:
  %any = call { double, double } @any_ratio_f64(double %above, double %below)
  %any.ratio = extractvalue { double, double } %any, 0
  %any.missing = extractvalue { double, double } %any, 1
  br label %done

done:
  %ratio = phi double [ %plain.ratio, %0 ], [ %any.ratio, %rarely ]
  %missing.ratio = phi double [ %plain.missing, %0 ], [ %any.missing, %rarely ]
  %ratio.negated = fneg double %ratio
  %bits = bitcast double %x to i64
  %is.behind = icmp slt i64 %bits, 0
  %base.flat = select i1 %is.behind, double 0x400921FB54442D18, double 0.0
  %base = select i1 %is.steep, double 0x3FF921FB54442D18, double %base.flat
  %base.flat.rest = select i1 %is.behind, double 0x3CA1A62633145C07, double 0.0
  %base.rest = select i1 %is.steep, double 0x3C91A62633145C07, double %base.flat.rest
  %is.backward = xor i1 %is.steep, %is.behind
  %opposite.rest = fneg double %missing.ratio
  %u = select i1 %is.backward, double %ratio.negated, double %ratio
  %u.rest = select i1 %is.backward, double %opposite.rest, double %missing.ratio
  %angle = call double @turned_f64(double %base, double %base.rest, double %u, double %u.rest)
  %result = call double @llvm.copysign.f64(double %angle, double %y)
  ret double %result
}
