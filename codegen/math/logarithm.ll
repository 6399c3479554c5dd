; log, log1p, asinh, acosh and atanh. libclc's are up to 2.5 ulp off, and take several times as long.

declare double @__pykc_quotient_f64(double, double)
declare double @__pykc_reciprocal_f64(double)
declare double @__pykc_root_f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare float @__pykc_quotient_f32(float, float)
declare float @__pykc_reciprocal_f32(float)
declare float @__pykc_root_f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)

; log(1 + f) + lacks + e ln2 of a 1 + f from sqrt(1/2) to sqrt(2). With s = f / (2 + f), log(1 + f) = f - h + s (h + s^2
; q(s^2)) with h = f^2 / 2, q by minimax approximation to 2^-58 of s. e ln2 is added in two parts, the first of which has
; so few bits that it is exact.
define internal double @logarithm_of_f64(double %f, double %lacks, double %e) {
  %below = fadd double %f, 2.0
  %s = call double @__pykc_quotient_f64(double %f, double %below)
  %z = fmul double %s, %s
  %q.5 = call double @llvm.fma.f64(double %z, double 0x3FC2F03EB4B19FCC, double 0x3FC39A1E568366A6)
  %q.4 = call double @llvm.fma.f64(double %z, double %q.5, double 0x3FC74663CFFBFF97)
  %q.3 = call double @llvm.fma.f64(double %z, double %q.4, double 0x3FCC71C521440A6B)
  %q.2 = call double @llvm.fma.f64(double %z, double %q.3, double 0x3FD24924941E11AC)
  %q.1 = call double @llvm.fma.f64(double %z, double %q.2, double 0x3FD999999997FF20)
  %q = call double @llvm.fma.f64(double %z, double %q.1, double 0x3FE5555555555592)
  %f.half = fmul double %f, 0.5
  %h = fmul double %f, %f.half
  %h.q = call double @llvm.fma.f64(double %z, double %q, double %h)
  %e.low = call double @llvm.fma.f64(double %e, double 0x3D53DE6AF278ECE6, double %lacks)
  %low = call double @llvm.fma.f64(double %s, double %h.q, double %e.low)
  %high = call double @llvm.fma.f64(double %e, double 0x3FE62E42FEFA3000, double %f)
  %high.part = call double @llvm.fma.f64(double %e, double 0xBFE62E42FEFA3000, double %high)
  %high.rest = fsub double %f, %high.part
  %sum = fsub double %high, %h
  %sum.left = fsub double %high, %sum
  %sum.rest = fsub double %sum.left, %h
  %rests = fadd double %sum.rest, %high.rest
  %rest = fadd double %rests, %low
  %result = fadd double %sum, %rest
  ret double %result
}

; log(m) + (e + added) ln2 with m from sqrt(1/2) to sqrt(2), where m 2^e has these bits.
define internal double @logarithm_f64(i64 %bits, double %added) {
  %from.root = sub i64 %bits, 4604544271217802189                      ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448                    ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e.plain = fsub double %e.shifted, 6755399441055744.0
  %e = fadd double %e.plain, %added
  %f = fsub double %m, 1.0
  %result = call double @logarithm_of_f64(double %f, double -0.0, double %e)
  ret double %result
}

define internal double @any_logarithm(double %x) cold {
  %raised = fmul double %x, 0x4350000000000000                         ; 2^54
  %bits = bitcast double %raised to i64
  %of.subnormal = call double @logarithm_f64(i64 %bits, double -54.0)
  %is.number = fcmp olt double %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, double %of.subnormal, double %x
  %below.zero = fcmp olt double %x, 0.0
  %of.any = select i1 %below.zero, double 0x7FF8000000000000, double %of.large
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double 0xFFF0000000000000, double %of.any
  ret double %result
}

define double @__pykc_log_f64(double %x) {
  %bits = bitcast double %x to i64
  %of.normal = call double @logarithm_f64(i64 %bits, double 0.0)
  %from.normal = sub i64 %bits, 4503599627370496
  %is.normal = icmp ult i64 %from.normal, 9214364837600034816
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call double @any_logarithm(double %x)
  br label %done

done:
  %result = phi double [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret double %result
}

; For f32, log(1 + f) = f - f^2/2 + f^3 q(f), q by Chebyshev approximation to 2^-28 in all. e is 2^23 times as large as
; it should be, which is where it lies in a number.
define internal float @logarithm_of_f32(float %f, float %lacks, float %e) {
  %q.7 = call float @llvm.fma.f32(float %f, float 0x3FB1D8EA60000000, float 0xBFBD635BC0000000)
  %q.6 = call float @llvm.fma.f32(float %f, float %q.7, float 0x3FBDEA2820000000)
  %q.5 = call float @llvm.fma.f32(float %f, float %q.6, float 0xBFBFCF4C60000000)
  %q.4 = call float @llvm.fma.f32(float %f, float %q.5, float 0x3FC23D21A0000000)
  %q.3 = call float @llvm.fma.f32(float %f, float %q.4, float 0xBFC555B4A0000000)
  %q.2 = call float @llvm.fma.f32(float %f, float %q.3, float 0x3FC999D5A0000000)
  %q.1 = call float @llvm.fma.f32(float %f, float %q.2, float 0xBFCFFFFFC0000000)
  %q = call float @llvm.fma.f32(float %f, float %q.1, float 0x3FD5555540000000)
  %curve = call float @llvm.fma.f32(float %f, float %q, float -0.5)
  %square = fmul float %f, %f
  %e.low = call float @llvm.fma.f32(float %e, float 0x3D47F7D1C0000000, float %lacks)
  %low = call float @llvm.fma.f32(float %square, float %curve, float %e.low)
  %high = call float @llvm.fma.f32(float %e, float 0x3E762E4000000000, float %f)
  %high.part = call float @llvm.fma.f32(float %e, float 0xBE762E4000000000, float %high)
  %high.rest = fsub float %f, %high.part
  %rest = fadd float %low, %high.rest
  %result = fadd float %high, %rest
  ret float %result
}

define internal float @logarithm_f32(i32 %bits, float %added) {
  %from.root = sub i32 %bits, 1060439283                               ; the bits of sqrt(1/2)
  %e.bits = and i32 %from.root, -8388608
  %m.bits = sub i32 %bits, %e.bits
  %m = bitcast i32 %m.bits to float
  %e.plain = sitofp i32 %e.bits to float
  %e = fadd float %e.plain, %added
  %f = fsub float %m, 1.0
  %result = call float @logarithm_of_f32(float %f, float -0.0, float %e)
  ret float %result
}

define internal float @any_logarithm_f32(float %x) cold {
  %raised = fmul float %x, 16777216.0                                  ; 2^24
  %bits = bitcast float %raised to i32
  %of.subnormal = call float @logarithm_f32(i32 %bits, float -201326592.0)       ; -24 2^23
  %is.number = fcmp olt float %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, float %of.subnormal, float %x
  %below.zero = fcmp olt float %x, 0.0
  %of.any = select i1 %below.zero, float 0x7FF8000000000000, float %of.large
  %is.zero = fcmp oeq float %x, 0.0
  %result = select i1 %is.zero, float 0xFFF0000000000000, float %of.any
  ret float %result
}

define float @__pykc_log_f32(float %x) {
  %bits = bitcast float %x to i32
  %of.normal = call float @logarithm_f32(i32 %bits, float 0.0)
  %from.normal = sub i32 %bits, 8388608
  %is.normal = icmp ult i32 %from.normal, 2130706432
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call float @any_logarithm_f32(float %x)
  br label %done

done:
  %result = phi float [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret float %result
}

; log(1 + u + lacks) of a u from above -1 to 2^1000: what 1 + u rounds away, and what u lacks, is added to f.
define internal double @log_of_one_and(double %u, double %lacks) {
  %w = fadd double %u, 1.0
  %part = fsub double %w, 1.0
  %left = fsub double %u, %part
  %rest = fadd double %left, %lacks
  %bits = bitcast double %w to i64
  %from.root = sub i64 %bits, 4604544271217802189                      ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448                    ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e = fsub double %e.shifted, 6755399441055744.0
  %scale.bits = sub i64 4607182418800017408, %e.bits                   ; those of 2^-e
  %scale = bitcast i64 %scale.bits to double
  %f.high = fsub double %m, 1.0
  %f = call double @llvm.fma.f64(double %rest, double %scale, double %f.high)
  %f.part = fsub double %f.high, %f
  %f.lacks = call double @llvm.fma.f64(double %rest, double %scale, double %f.part)
  %f.opposite = fneg double %f
  %of.lacks = call double @llvm.fma.f64(double %f.lacks, double %f.opposite, double %f.lacks) ; 1 / (1 + f), roughly
  %result = call double @logarithm_of_f64(double %f, double %of.lacks, double %e)
  ret double %result
}

define internal double @far_log1p_f64(double %x) cold {
  %is.one = fcmp oeq double %x, -1.0
  %of.small = select i1 %is.one, double 0xFFF0000000000000, double 0x7FF8000000000000
  %is.large = fcmp ogt double %x, 1.0
  %logarithm = call double @__pykc_log_f64(double %x)
  %result = select i1 %is.large, double %logarithm, double %of.small
  ret double %result
}

define double @__pykc_log1p_f64(double %x) {
  %near = call double @log_of_one_and(double %x, double -0.0)
  %signed = call double @llvm.copysign.f64(double %near, double %x)    ; -0 stays
  %w = fadd double %x, 1.0
  %is.above = fcmp ogt double %w, 0.0
  %is.below = fcmp olt double %w, 0x7E70000000000000
  %is.near = and i1 %is.above, %is.below
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_log1p_f64(double %x)
  br label %done

done:
  %result = phi double [ %signed, %0 ], [ %far, %rarely ]
  ret double %result
}

; log(2x) of large x, of an infinity and a NaN, too
define internal double @log_of_twice(double %x) cold {
  %logarithm = call double @__pykc_log_f64(double %x)
  %result = fadd double %logarithm, 0x3FE62E42FEFA39EF
  ret double %result
}

; With s = |x|, asinh(s) = log(1 + s + s^2 / (1 + sqrt(1 + s^2))).
define double @__pykc_asinh_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %square = fmul double %size, %size
  %sum = fadd double %square, 1.0
  %root = call double @__pykc_root_f64(double %sum)
  %below = fadd double %root, 1.0
  %less = call double @__pykc_quotient_f64(double %square, double %below)
  %u = fadd double %size, %less
  %part = fsub double %u, %size
  %lacks = fsub double %less, %part
  %near = call double @log_of_one_and(double %u, double %lacks)
  %is.near = fcmp olt double %size, 0x5F30000000000000                 ; 2^500
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @log_of_twice(double %size)
  br label %done

done:
  %of.size = phi double [ %near, %0 ], [ %far, %rarely ]
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

define internal double @far_acosh_f64(double %x) cold {
  %is.one = fcmp oeq double %x, 1.0
  %of.small = select i1 %is.one, double 0.0, double 0x7FF8000000000000
  %is.small = fcmp ole double %x, 1.0
  %twice = call double @log_of_twice(double %x)
  %result = select i1 %is.small, double %of.small, double %twice
  ret double %result
}

; With t = x - 1, acosh(x) = log(1 + t + sqrt(2t + t^2)). What the root rounds away is divided by twice the root, of
; which the bits of the square, halved, make an inverse that is 4 % off at most.
define double @__pykc_acosh_f64(double %x) {
  %t = fsub double %x, 1.0
  %t.twice = fadd double %t, %t
  %square = call double @llvm.fma.f64(double %t, double %t, double %t.twice)
  %root = call double @__pykc_root_f64(double %square)
  %root.negated = fneg double %root
  %root.left = call double @llvm.fma.f64(double %root.negated, double %root, double %square)
  %bits = bitcast double %square to i64
  %half = lshr i64 %bits, 1
  %inverse.bits = sub i64 6905965810799686570, %half
  %inverse = bitcast i64 %inverse.bits to double
  %root.rest = fmul double %root.left, %inverse
  %u = fadd double %root, %t
  %part = fsub double %u, %root
  %left = fsub double %t, %part
  %lacks = fadd double %left, %root.rest
  %near = call double @log_of_one_and(double %u, double %lacks)
  %is.above = fcmp ogt double %x, 1.0
  %size = call double @llvm.fabs.f64(double %x)
  %is.below = fcmp olt double %size, 0x5F30000000000000                ; 2^500
  %is.near = and i1 %is.above, %is.below
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_acosh_f64(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}

define internal double @far_atanh_f64(double %size) cold {
  %is.one = fcmp oeq double %size, 1.0
  %result = select i1 %is.one, double 0x7FF0000000000000, double 0x7FF8000000000000
  ret double %result
}

; With s = |x|, atanh(s) = log(1 + 2s / (1 - s)) / 2; what the quotient lacks is added behind the sum.
define double @__pykc_atanh_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %below = fsub double 1.0, %size
  %below.part = fsub double 1.0, %below
  %below.rest = fsub double %below.part, %size
  %inverse = call double @__pykc_reciprocal_f64(double %below)
  %twice = fadd double %size, %size
  %u = fmul double %twice, %inverse
  %u.negated = fneg double %u
  %missing.high = call double @llvm.fma.f64(double %u.negated, double %below, double %twice)
  %missing = call double @llvm.fma.f64(double %u.negated, double %below.rest, double %missing.high)
  %lacks = fmul double %missing, %inverse
  %logarithm = call double @log_of_one_and(double %u, double %lacks)
  %near = fmul double %logarithm, 0.5
  %is.near = fcmp olt double %size, 1.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_atanh_f64(double %size)
  br label %done

done:
  %of.size = phi double [ %near, %0 ], [ %far, %rarely ]
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

; The same for f32.
define internal float @log_of_one_and_f32(float %u, float %lacks) {
  %w = fadd float %u, 1.0
  %part = fsub float %w, 1.0
  %left = fsub float %u, %part
  %rest = fadd float %left, %lacks
  %bits = bitcast float %w to i32
  %from.root = sub i32 %bits, 1060439283                               ; the bits of sqrt(1/2)
  %e.bits = and i32 %from.root, -8388608
  %m.bits = sub i32 %bits, %e.bits
  %m = bitcast i32 %m.bits to float
  %e = sitofp i32 %e.bits to float
  %scale.bits = sub i32 1065353216, %e.bits                   ; those of 2^-e
  %scale = bitcast i32 %scale.bits to float
  %f.high = fsub float %m, 1.0
  %f = call float @llvm.fma.f32(float %rest, float %scale, float %f.high)
  %f.part = fsub float %f.high, %f
  %f.lacks = call float @llvm.fma.f32(float %rest, float %scale, float %f.part)
  %f.opposite = fneg float %f
  %of.lacks = call float @llvm.fma.f32(float %f.lacks, float %f.opposite, float %f.lacks) ; 1 / (1 + f), roughly
  %result = call float @logarithm_of_f32(float %f, float %of.lacks, float %e)
  ret float %result
}

define internal float @far_log1p_f32(float %x) cold {
  %is.one = fcmp oeq float %x, -1.0
  %of.small = select i1 %is.one, float 0xFFF0000000000000, float 0x7FF8000000000000
  %is.large = fcmp ogt float %x, 1.0
  %logarithm = call float @__pykc_log_f32(float %x)
  %result = select i1 %is.large, float %logarithm, float %of.small
  ret float %result
}

define float @__pykc_log1p_f32(float %x) {
  %near = call float @log_of_one_and_f32(float %x, float -0.0)
  %signed = call float @llvm.copysign.f32(float %near, float %x)    ; -0 stays
  %w = fadd float %x, 1.0
  %is.above = fcmp ogt float %w, 0.0
  %is.below = fcmp olt float %w, 0x4630000000000000
  %is.near = and i1 %is.above, %is.below
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_log1p_f32(float %x)
  br label %done

done:
  %result = phi float [ %signed, %0 ], [ %far, %rarely ]
  ret float %result
}

define internal float @log_of_twice_f32(float %x) cold {
  %logarithm = call float @__pykc_log_f32(float %x)
  %result = fadd float %logarithm, 0x3FE62E4300000000
  ret float %result
}

define float @__pykc_asinh_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %square = fmul float %size, %size
  %sum = fadd float %square, 1.0
  %root = call float @__pykc_root_f32(float %sum)
  %below = fadd float %root, 1.0
  %less = call float @__pykc_quotient_f32(float %square, float %below)
  %u = fadd float %size, %less
  %part = fsub float %u, %size
  %lacks = fsub float %less, %part
  %near = call float @log_of_one_and_f32(float %u, float %lacks)
  %is.near = fcmp olt float %size, 0x43B0000000000000                  ; 2^60
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @log_of_twice_f32(float %size)
  br label %done

done:
  %of.size = phi float [ %near, %0 ], [ %far, %rarely ]
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

define internal float @far_acosh_f32(float %x) cold {
  %is.one = fcmp oeq float %x, 1.0
  %of.small = select i1 %is.one, float 0.0, float 0x7FF8000000000000
  %is.small = fcmp ole float %x, 1.0
  %twice = call float @log_of_twice_f32(float %x)
  %result = select i1 %is.small, float %of.small, float %twice
  ret float %result
}

define float @__pykc_acosh_f32(float %x) {
  %t = fsub float %x, 1.0
  %t.twice = fadd float %t, %t
  %square = call float @llvm.fma.f32(float %t, float %t, float %t.twice)
  %root = call float @__pykc_root_f32(float %square)
  %root.negated = fneg float %root
  %root.left = call float @llvm.fma.f32(float %root.negated, float %root, float %square)
  %bits = bitcast float %square to i32
  %half = lshr i32 %bits, 1
  %inverse.bits = sub i32 1589074399, %half
  %inverse = bitcast i32 %inverse.bits to float
  %root.rest = fmul float %root.left, %inverse
  %u = fadd float %root, %t
  %part = fsub float %u, %root
  %left = fsub float %t, %part
  %lacks = fadd float %left, %root.rest
  %near = call float @log_of_one_and_f32(float %u, float %lacks)
  %is.above = fcmp ogt float %x, 1.0
  %size = call float @llvm.fabs.f32(float %x)
  %is.below = fcmp olt float %size, 0x43B0000000000000                 ; 2^60
  %is.near = and i1 %is.above, %is.below
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_acosh_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

define internal float @far_atanh_f32(float %size) cold {
  %is.one = fcmp oeq float %size, 1.0
  %result = select i1 %is.one, float 0x7FF0000000000000, float 0x7FF8000000000000
  ret float %result
}

define float @__pykc_atanh_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %below = fsub float 1.0, %size
  %below.part = fsub float 1.0, %below
  %below.rest = fsub float %below.part, %size
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %twice = fadd float %size, %size
  %u = fmul float %twice, %inverse
  %u.negated = fneg float %u
  %missing.high = call float @llvm.fma.f32(float %u.negated, float %below, float %twice)
  %missing = call float @llvm.fma.f32(float %u.negated, float %below.rest, float %missing.high)
  %lacks = fmul float %missing, %inverse
  %logarithm = call float @log_of_one_and_f32(float %u, float %lacks)
  %near = fmul float %logarithm, 0.5
  %is.near = fcmp olt float %size, 1.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_atanh_f32(float %size)
  br label %done

done:
  %of.size = phi float [ %near, %0 ], [ %far, %rarely ]
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}
