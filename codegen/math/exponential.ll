; exp, exp2, exp10, log2, log10 and pow for f32, and exp for f64: libclc's exp and exp2 flush results below the
; smallest normal number to 0.
;
; x = k ln2 + r with a whole k and |r| <= ln2 / 2, so exp(x) = 2^k exp(r). ln2 is subtracted in two parts, the first of
; which has so few bits that k times it is exact. 2^k is multiplied in two halves: each is a normal number, and only the
; last product rounds, once, into the subnormal range. No branch: loops over many x become vector code. k is rounded by
; adding 1.5 * 2^23, behind which a float has no fraction: its last bits are then k, and no conversion is needed, which
; GPUs do at an eighth of the speed of an addition.

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.trunc.f32(float)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare float @__pykc_reciprocal_f32(float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.minimum.f32(float, float)

; value * 2^k, rounded once, of a k within ±250. The bits of `shifted` are k more than those of 1.5 * 2^23, of which
; nothing is left where a number is shifted into the place of an exponent.
define internal float @scale(float %value, float %shifted) {
  %bits = bitcast float %shifted to i32
  %half = ashr i32 %bits, 1
  %rest = sub i32 %bits, %half
  %half.exponent = shl i32 %half, 23
  %half.bits = add i32 %half.exponent, 1065353216                    ; the bits of 1.0
  %half.factor = bitcast i32 %half.bits to float
  %rest.exponent = shl i32 %rest, 23
  %rest.bits = add i32 %rest.exponent, 1065353216
  %rest.factor = bitcast i32 %rest.bits to float
  %partly = fmul float %value, %half.factor
  %scaled = fmul float %partly, %rest.factor
  ret float %scaled
}

; x, but no further out than ±170, where the result has been 0 or infinite for long; a NaN stays.
define internal float @bounded(float %x) {
  %low = call float @llvm.maximum.f32(float %x, float -170.0)
  %bounded = call float @llvm.minimum.f32(float %low, float 170.0)
  ret float %bounded
}

; e^r, and k + 1.5 * 2^23
%power.of.e.f32 = type { float, float }
define internal %power.of.e.f32 @power_of_e_f32(float %x) {
  %shifted = call float @llvm.fma.f32(float %x, float 0x3FF7154760000000, float 12582912.0)  ; x / ln2
  %k = fsub float %shifted, 12582912.0
  %r.high = call float @llvm.fma.f32(float %k, float -0.693145751953125, float %x)
  %r = call float @llvm.fma.f32(float %k, float 0xBEB7F7D1C0000000, float %r.high)
  ; 1 + r q(r), q by minimax approximation to 2^-28 of the result
  %q.4 = call float @llvm.fma.f32(float %r, float 0x3F56BA2220000000, float 0x3F8122E9A0000000)
  %q.3 = call float @llvm.fma.f32(float %r, float %q.4, float 0x3FA5556520000000)
  %q.2 = call float @llvm.fma.f32(float %r, float %q.3, float 0x3FC5554A40000000)
  %q.1 = call float @llvm.fma.f32(float %r, float %q.2, float 0x3FE0000000000000)
  %q = call float @llvm.fma.f32(float %r, float %q.1, float 0x3FF0000000000000)
  %power = call float @llvm.fma.f32(float %r, float %q, float 1.0)
  %with.power = insertvalue %power.of.e.f32 poison, float %power, 0
  %result = insertvalue %power.of.e.f32 %with.power, float %shifted, 1
  ret %power.of.e.f32 %result
}

; Where the result is not a normal number.
define internal float @far_exp_f32(float %any) cold {
  %x = call float @bounded(float %any)
  %parts = call %power.of.e.f32 @power_of_e_f32(float %x)
  %power = extractvalue %power.of.e.f32 %parts, 0
  %shifted = extractvalue %power.of.e.f32 %parts, 1
  %result = call float @scale(float %power, float %shifted)
  ret float %result
}

define float @__pykc_exp_f32(float %x) {
  %parts = call %power.of.e.f32 @power_of_e_f32(float %x)
  %power = extractvalue %power.of.e.f32 %parts, 0
  %shifted = extractvalue %power.of.e.f32 %parts, 1
  %power.bits = bitcast float %power to i32
  %shifted.bits = bitcast float %shifted to i32
  %exponent = shl i32 %shifted.bits, 23
  %near.bits = add i32 %power.bits, %exponent
  %near = bitcast i32 %near.bits to float
  %size = call float @llvm.fabs.f32(float %x)
  %is.near = fcmp olt float %size, 87.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_exp_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

; 2^r of |r| <= 1/2
define internal float @power_of_two_near_zero(float %r) {
  ; 2^r = 1 + r q(r), q by minimax approximation to 2^-28 in all
  %q4 = call float @llvm.fma.f32(float %r, float 0x3F24179D40000000, float 0x3F55F0F6E0000000)
  %q3 = call float @llvm.fma.f32(float %r, float %q4, float 0x3F83B2DDA0000000)
  %q2 = call float @llvm.fma.f32(float %r, float %q3, float 0x3FAC6AF720000000)
  %q1 = call float @llvm.fma.f32(float %r, float %q2, float 0x3FCEBFBDC0000000)
  %q0 = call float @llvm.fma.f32(float %r, float %q1, float 0x3FE62E4300000000)
  %power = call float @llvm.fma.f32(float %r, float %q0, float 1.0)
  ret float %power
}

; 2^(r + k), where `shifted` is k + 1.5 * 2^23
define internal float @power_of_two(float %r, float %shifted) {
  %power = call float @power_of_two_near_zero(float %r)
  %result = call float @scale(float %power, float %shifted)
  ret float %result
}

define internal float @far_exp2_f32(float %any) cold {
  %x = call float @bounded(float %any)
  %shifted = fadd float %x, 12582912.0
  %k = fsub float %shifted, 12582912.0
  %r = fsub float %x, %k  ; exact
  %result = call float @power_of_two(float %r, float %shifted)
  ret float %result
}

define float @__pykc_exp2_f32(float %x) {
  %shifted = fadd float %x, 12582912.0
  %k = fsub float %shifted, 12582912.0
  %r = fsub float %x, %k  ; exact
  %power = call float @power_of_two_near_zero(float %r)
  %power.bits = bitcast float %power to i32
  %shifted.bits = bitcast float %shifted to i32
  %exponent = shl i32 %shifted.bits, 23
  %near.bits = add i32 %power.bits, %exponent
  %near = bitcast i32 %near.bits to float
  %size = call float @llvm.fabs.f32(float %x)
  %is.near = fcmp olt float %size, 126.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_exp2_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

; x = k log10(2) + r / log(10) with a whole k, so 10^x = 2^k exp(r).
define internal { float, float } @decades(float %x) {
  %shifted = call float @llvm.fma.f32(float %x, float 0x400A934F00000000, float 12582912.0)  ; x / log10(2)
  %k = fsub float %shifted, 12582912.0
  %left = call float @llvm.fma.f32(float %k, float 0xBFD3440000000000, float %x)  ; exact
  %k.low = fmul float %k, 0xBEE63CB520000000
  %low = call float @llvm.fma.f32(float %left, float 0xBE612AABA0000000, float %k.low)
  %r = call float @llvm.fma.f32(float %left, float 0x40026BB1C0000000, float %low)
  ; exp(r) as for exp
  %q.4 = call float @llvm.fma.f32(float %r, float 0x3F56BA2220000000, float 0x3F8122E9A0000000)
  %q.3 = call float @llvm.fma.f32(float %r, float %q.4, float 0x3FA5556520000000)
  %q.2 = call float @llvm.fma.f32(float %r, float %q.3, float 0x3FC5554A40000000)
  %q.1 = call float @llvm.fma.f32(float %r, float %q.2, float 0x3FE0000000000000)
  %q = call float @llvm.fma.f32(float %r, float %q.1, float 0x3FF0000000000000)
  %power = call float @llvm.fma.f32(float %r, float %q, float 1.0)
  %with.power = insertvalue { float, float } poison, float %power, 0
  %result = insertvalue { float, float } %with.power, float %shifted, 1
  ret { float, float } %result
}

define internal float @far_exp10(float %any) cold {
  %not.low = call float @llvm.maximum.f32(float %any, float -60.0)
  %x = call float @llvm.minimum.f32(float %not.low, float 60.0)
  %decades = call { float, float } @decades(float %x)
  %power = extractvalue { float, float } %decades, 0
  %shifted = extractvalue { float, float } %decades, 1
  %result = call float @scale(float %power, float %shifted)
  ret float %result
}

define float @__pykc_exp10_f32(float %x) {
  %decades = call { float, float } @decades(float %x)
  %power = extractvalue { float, float } %decades, 0
  %shifted = extractvalue { float, float } %decades, 1
  %power.bits = bitcast float %power to i32
  %shifted.bits = bitcast float %shifted to i32
  %exponent = shl i32 %shifted.bits, 23
  %near.bits = add i32 %power.bits, %exponent
  %near = bitcast i32 %near.bits to float
  %size = call float @llvm.fabs.f32(float %x)
  %is.near = fcmp olt float %size, 37.5
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_exp10(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

%binary = type { float, float }

; A size above 0 as m 2^e with m from sqrt(1/2) to sqrt(2).
define internal %binary @split(float %size) {
  %is.subnormal = fcmp olt float %size, 0x3810000000000000
  %raised = fmul float %size, 16777216.0                         ; 2^24
  %normal = select i1 %is.subnormal, float %raised, float %size
  %added = select i1 %is.subnormal, float -24.0, float 0.0
  %bits = bitcast float %normal to i32
  %from.root = sub i32 %bits, 1060439283                              ; the bits of sqrt(1/2)
  %e.whole = ashr i32 %from.root, 23
  %e.bits = shl i32 %e.whole, 23
  %m.bits = sub i32 %bits, %e.bits
  %m = bitcast i32 %m.bits to float
  %e.unscaled = sitofp i32 %e.whole to float
  %e = fadd float %e.unscaled, %added
  %with.m = insertvalue %binary poison, float %m, 0
  %result = insertvalue %binary %with.m, float %e, 1
  ret %binary %result
}

; pow(x, y) = 2^(y log2 |x|), with the sign of an odd power. libclc's is up to 2.7 ulp off, by way of tables.
;
; |x| = m 2^e with m from sqrt(1/2) to sqrt(2), and log(m) = 2/3 s (3 + s^2 + s^4 q(s^2)) with s = (m - 1) / (m + 1).
; The logarithm is multiplied by up to 2^7, so each step keeps what it rounds away in a second float, all but the small
; q. It is 2^23 times as large as it should be: so is e where it lies in x, as a whole number.
%logarithm = type { float, float }

; 2^23 log2(m 2^e) of an e times 2^23, and what its rounding takes away
define internal %logarithm @logarithm(float %m, float %e) {
  ; s and the rest of s
  %above = fsub float %m, 1.0  ; exact
  %below = fadd float %m, 1.0
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %s = fmul float %above, %inverse
  %s.negated = fneg float %s
  %missing.high = call float @llvm.fma.f32(float %s, float -2.0, float %above)              ; exact
  %missing = call float @llvm.fma.f32(float %s.negated, float %above, float %missing.high)  ; above - s (m + 1)
  %s.rest = fmul float %missing, %inverse

  ; 3 + s^2 + s^4 q(s^2), q by minimax approximation to 2^-36 in all. s.rest counts by the slope, 3 / (1 - s^2)
  %square = fmul float %s, %s
  %q.1 = call float @llvm.fma.f32(float %square, float 0x3FD67BA1C0000000, float 0x3FDB67BB80000000)
  %q = call float @llvm.fma.f32(float %square, float %q.1, float 0x3FE3333800000000)
  %q.square = fmul float %square, %q
  %curve = call float @llvm.fma.f32(float %s, float %s, float 3.0)
  %curve.left = fsub float 3.0, %curve
  %curve.exact = call float @llvm.fma.f32(float %s, float %s, float %curve.left)
  %curve.rest = call float @llvm.fma.f32(float %square, float %q.square, float %curve.exact)
  %slope = call float @llvm.fma.f32(float %square, float 3.0, float 3.0)

  ; times s, times 2 / log(8), plus e: the logarithm
  %product = fmul float %s, %curve
  %product.negated = fneg float %product
  %product.exact = call float @llvm.fma.f32(float %s, float %curve, float %product.negated)
  %product.low = call float @llvm.fma.f32(float %s, float %curve.rest, float %product.exact)
  %product.rest = call float @llvm.fma.f32(float %s.rest, float %slope, float %product.low)
  %sum = call float @llvm.fma.f32(float %product, float 0x415EC709E0000000, float %e)
  %sum.left = fsub float %e, %sum
  %sum.exact = call float @llvm.fma.f32(float %product, float 0x415EC709E0000000, float %sum.left)
  %sum.low = call float @llvm.fma.f32(float %product, float 0xBFAE2FE000000000, float %sum.exact)
  %sum.rest = call float @llvm.fma.f32(float %product.rest, float 0x415EC709E0000000, float %sum.low)
  %with.sum = insertvalue %logarithm poison, float %sum, 0
  %result = insertvalue %logarithm %with.sum, float %sum.rest, 1
  ret %logarithm %result
}

; log2 and log10. x = m 2^e with m from about 0.84 to 1.68, and c is 1 or, of an m above 1.18, 11/8; s = (m - c) / (m + c)
; is so small that s^3 / 3 and what lies behind need no rests. `s.rest` is what s lacks of the ratio, and right, since 2c
; has so few bits. e is 2^23 times as large as it should be, as for pow.
%ratio = type { float, float, float, i1 }
define internal %ratio @ratio_of(i32 %bits, i32 %least, float %added) {
  %from.least = sub i32 %bits, %least
  %e.bits = and i32 %from.least, -8388608
  %m.bits = sub i32 %bits, %e.bits
  %m = bitcast i32 %m.bits to float
  %e.plain = sitofp i32 %e.bits to float
  %e = fadd float %e.plain, %added
  %upper = and i32 %from.least, 4194304
  %is.upper = icmp ne i32 %upper, 0
  %c.twice = select i1 %is.upper, float 2.75, float 2.0
  %above = call float @llvm.fma.f32(float %c.twice, float -0.5, float %m)                   ; exact
  %below = call float @llvm.fma.f32(float %c.twice, float 0.5, float %m)
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %s = fmul float %above, %inverse
  %s.negated = fneg float %s
  %missing.high = call float @llvm.fma.f32(float %s.negated, float %c.twice, float %above)  ; exact
  %missing = call float @llvm.fma.f32(float %s.negated, float %above, float %missing.high)  ; above - s (m + c)
  %s.rest = fmul float %missing, %inverse
  %result.with.0 = insertvalue %ratio poison, float %s, 0
  %result.with.1 = insertvalue %ratio %result.with.0, float %s.rest, 1
  %result.with.2 = insertvalue %ratio %result.with.1, float %e, 2
  %result = insertvalue %ratio %result.with.2, i1 %is.upper, 3
  ret %ratio %result
}

; log2(c) + e + 2 / ln2 (s + s^3 q(s^2)), q by minimax approximation to 2^-36 in all. The first part of log2(c) has so
; few bits that the sum with e is exact. s.rest counts by the slope, which is 1.0042 or little else.
define internal float @log2_of(i32 %bits, float %added) {
  %ratio = call %ratio @ratio_of(i32 %bits, i32 1062677250, float %added)                   ; the bits of 0.8405
  %s = extractvalue %ratio %ratio, 0
  %s.rest = extractvalue %ratio %ratio, 1
  %e = extractvalue %ratio %ratio, 2
  %is.upper = extractvalue %ratio %ratio, 3
  %c.high = select i1 %is.upper, float 0x3FDD674000000000, float 0.0
  %c.low = select i1 %is.upper, float 0x3ED3E032E0000000, float -0.0
  %base = call float @llvm.fma.f32(float %e, float 0x3E80000000000000, float %c.high)        ; exact
  %square = fmul float %s, %s
  %q.1 = call float @llvm.fma.f32(float %square, float 0x3FDAA61400000000, float 0x3FE2774E80000000)
  %q = call float @llvm.fma.f32(float %square, float %q.1, float 0x3FEEC709E0000000)
  %curve = call float @llvm.fma.f32(float %square, float %q, float 0x3E64AE0C00000000)      ; with what 2 / ln2 lacks
  %sum = call float @llvm.fma.f32(float %s, float 0x4007154760000000, float %base)
  %sum.left = fsub float %base, %sum
  %sum.exact = call float @llvm.fma.f32(float %s, float 0x4007154760000000, float %sum.left)
  %of.c = fadd float %sum.exact, %c.low
  %of.rest = call float @llvm.fma.f32(float %s.rest, float 0x40072E1900000000, float %of.c)
  %low = call float @llvm.fma.f32(float %s, float %curve, float %of.rest)
  %result = fadd float %sum, %low
  ret float %result
}

define internal float @any_log2(float %x) cold {
  %raised = fmul float %x, 16777216.0                                  ; 2^24
  %bits = bitcast float %raised to i32
  %of.subnormal = call float @log2_of(i32 %bits, float -201326592.0)             ; -24 2^23
  %is.number = fcmp olt float %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, float %of.subnormal, float %x
  %below.zero = fcmp olt float %x, 0.0
  %of.any = select i1 %below.zero, float 0x7FF8000000000000, float %of.large
  %is.zero = fcmp oeq float %x, 0.0
  %result = select i1 %is.zero, float 0xFFF0000000000000, float %of.any
  ret float %result
}

define float @__pykc_log2_f32(float %x) {
  %bits = bitcast float %x to i32
  %of.normal = call float @log2_of(i32 %bits, float 0.0)
  %from.normal = sub i32 %bits, 8388608
  %is.normal = icmp ult i32 %from.normal, 2130706432
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call float @any_log2(float %x)
  br label %done

done:
  %result = phi float [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret float %result
}

; The same; log10(2) has two parts, too.
define internal float @log10_of(i32 %bits, float %added) {
  %ratio = call %ratio @ratio_of(i32 %bits, i32 1062534644, float %added)                   ; the bits of 0.832
  %s = extractvalue %ratio %ratio, 0
  %s.rest = extractvalue %ratio %ratio, 1
  %e = extractvalue %ratio %ratio, 2
  %is.upper = extractvalue %ratio %ratio, 3
  %c.high = select i1 %is.upper, float 0x3FC1B3E000000000, float 0.0
  %c.low = select i1 %is.upper, float 0x3EAC7B2540000000, float -0.0
  %base = call float @llvm.fma.f32(float %e, float 0x3E63441000000000, float %c.high)       ; exact
  %square = fmul float %s, %s
  %q.1 = call float @llvm.fma.f32(float %square, float 0x3FC0053EA0000000, float 0x3FC63C5000000000)
  %q = call float @llvm.fma.f32(float %square, float %q.1, float 0x3FD287A760000000)
  %curve = call float @llvm.fma.f32(float %square, float %q, float 0xBE55B235E0000000)      ; with what 2 / ln10 lacks
  %sum = call float @llvm.fma.f32(float %s, float 0x3FEBCB7B20000000, float %base)
  %sum.left = fsub float %base, %sum
  %sum.exact = call float @llvm.fma.f32(float %s, float 0x3FEBCB7B20000000, float %sum.left)
  %of.c = fadd float %sum.exact, %c.low
  %of.e = call float @llvm.fma.f32(float %e, float 0x3D3A84FBC0000000, float %of.c)
  %of.rest = call float @llvm.fma.f32(float %s.rest, float 0x3FEBE95DA0000000, float %of.e)
  %low = call float @llvm.fma.f32(float %s, float %curve, float %of.rest)
  %result = fadd float %sum, %low
  ret float %result
}

define internal float @any_log10(float %x) cold {
  %raised = fmul float %x, 16777216.0                                  ; 2^24
  %bits = bitcast float %raised to i32
  %of.subnormal = call float @log10_of(i32 %bits, float -201326592.0)           ; -24 2^23
  %is.number = fcmp olt float %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, float %of.subnormal, float %x
  %below.zero = fcmp olt float %x, 0.0
  %of.any = select i1 %below.zero, float 0x7FF8000000000000, float %of.large
  %is.zero = fcmp oeq float %x, 0.0
  %result = select i1 %is.zero, float 0xFFF0000000000000, float %of.any
  ret float %result
}

define float @__pykc_log10_f32(float %x) {
  %bits = bitcast float %x to i32
  %of.normal = call float @log10_of(i32 %bits, float 0.0)
  %from.normal = sub i32 %bits, 8388608
  %is.normal = icmp ult i32 %from.normal, 2130706432
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call float @any_log10(float %x)
  br label %done

done:
  %result = phi float [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret float %result
}

; of any x and y
define internal float @any_power(float %x, float %y) cold {
  %x.size = call float @llvm.fabs.f32(float %x)
  %y.size = call float @llvm.fabs.f32(float %y)
  %parts = call %binary @split(float %x.size)
  %m = extractvalue %binary %parts, 0
  %e = extractvalue %binary %parts, 1
  %e.raised = fmul float %e, 8388608.0
  %logarithm = call %logarithm @logarithm(float %m, float %e.raised)
  %sum.raised = extractvalue %logarithm %logarithm, 0
  %sum.rest.raised = extractvalue %logarithm %logarithm, 1
  %sum = fmul float %sum.raised, 0x3E80000000000000                  ; 2^-23
  %sum.rest = fmul float %sum.rest.raised, 0x3E80000000000000

  ; of 0, infinity and NaN
  %is.zero = fcmp oeq float %x.size, 0.0
  %is.finite = fcmp olt float %x.size, 0x7FF0000000000000
  %of.large = select i1 %is.finite, float %sum, float %x.size
  %log = select i1 %is.zero, float 0xFFF0000000000000, float %of.large

  ; y times it; beyond the range of exponents the rest counts for nothing
  %times = fmul float %y, %log
  %times.negated = fneg float %times
  %times.exact = call float @llvm.fma.f32(float %y, float %log, float %times.negated)
  %times.rest = call float @llvm.fma.f32(float %y, float %sum.rest, float %times.exact)
  %times.size = call float @llvm.fabs.f32(float %times)
  %is.near = fcmp olt float %times.size, 170.0
  %rest = select i1 %is.near, float %times.rest, float 0.0
  %exponent = call float @bounded(float %times)
  %shifted = fadd float %exponent, 12582912.0
  %k = fsub float %shifted, 12582912.0
  %r.high = fsub float %exponent, %k                                 ; exact
  %r = fadd float %r.high, %rest
  %power = call float @power_of_two(float %r, float %shifted)

  ; the sign of an odd power of a negative number; other powers of it are none
  %y.whole = call float @llvm.trunc.f32(float %y)
  %is.fraction = fcmp une float %y, %y.whole
  %y.half = fmul float %y, 0.5
  %y.half.whole = call float @llvm.trunc.f32(float %y.half)
  %is.odd.or.fraction = fcmp une float %y.half, %y.half.whole
  %not.fraction = xor i1 %is.fraction, true
  %is.odd = and i1 %is.odd.or.fraction, %not.fraction
  %x.bits = bitcast float %x to i32
  %is.negative = icmp slt i32 %x.bits, 0
  %flips = and i1 %is.negative, %is.odd
  %opposite = fneg float %power
  %signed = select i1 %flips, float %opposite, float %power
  %below.zero = fcmp olt float %x, 0.0
  %is.negative.number = and i1 %below.zero, %is.finite
  %is.nan = and i1 %is.negative.number, %is.fraction
  %number = select i1 %is.nan, float 0x7FF8000000000000, float %signed

  ; 1 to any power, anything to the power 0, and -1 to an infinite one
  %x.one = fcmp oeq float %x, 1.0
  %y.zero = fcmp oeq float %y, 0.0
  %size.one = fcmp oeq float %x.size, 1.0
  %y.infinite = fcmp oeq float %y.size, 0x7FF0000000000000
  %endless = and i1 %size.one, %y.infinite
  %trivial = or i1 %x.one, %y.zero
  %is.one = or i1 %trivial, %endless
  %result = select i1 %is.one, float 1.0, float %number
  ret float %result
}

; Where x is normal and the result, too, there is less to do. y + 1.5 * 2^23 has y's last bit as its own if y is whole
; and below 2^22.
define float @__pykc_pow_f32(float %x, float %y) {
  %x.bits = bitcast float %x to i32
  %size.bits = and i32 %x.bits, 2147483647
  %from.root = sub i32 %size.bits, 1060439283                        ; the bits of sqrt(1/2)
  %e.bits = and i32 %from.root, -8388608
  %m.bits = sub i32 %size.bits, %e.bits
  %m = bitcast i32 %m.bits to float
  %e = sitofp i32 %e.bits to float
  %logarithm = call %logarithm @logarithm(float %m, float %e)
  %log = extractvalue %logarithm %logarithm, 0
  %log.rest = extractvalue %logarithm %logarithm, 1
  %times = fmul float %y, %log
  %times.negated = fneg float %times
  %times.exact = call float @llvm.fma.f32(float %y, float %log, float %times.negated)
  %times.rest = call float @llvm.fma.f32(float %y, float %log.rest, float %times.exact)
  %shifted = call float @llvm.fma.f32(float %times, float 0x3E80000000000000, float 12582912.0) ; times 2^-23
  %k = fsub float %shifted, 12582912.0
  %k.negated = fneg float %k
  %r.high = call float @llvm.fma.f32(float %times, float 0x3E80000000000000, float %k.negated)  ; exact
  %r = call float @llvm.fma.f32(float %times.rest, float 0x3E80000000000000, float %r.high)
  %power = call float @power_of_two_near_zero(float %r)
  %power.bits = bitcast float %power to i32
  %shifted.bits = bitcast float %shifted to i32
  %exponent = shl i32 %shifted.bits, 23
  %result.bits = add i32 %power.bits, %exponent

  %y.shifted = fadd float %y, 12582912.0
  %y.whole = fsub float %y.shifted, 12582912.0
  %y.bits = bitcast float %y.shifted to i32
  %y.last = shl i32 %y.bits, 31
  %sign = and i32 %y.last, %x.bits
  %signed.bits = or i32 %result.bits, %sign
  %of.normal = bitcast i32 %signed.bits to float

  %from.normal = sub i32 %size.bits, 8388608
  %is.normal = icmp ult i32 %from.normal, 2130706432
  %times.size = call float @llvm.fabs.f32(float %times)
  %is.near = fcmp olt float %times.size, 1048576000.0                   ; 125 2^23
  %y.size = call float @llvm.fabs.f32(float %y)
  %y.is.small = fcmp olt float %y.size, 4194304.0
  %y.is.whole = fcmp oeq float %y, %y.whole
  %y.is.plain = and i1 %y.is.small, %y.is.whole
  %is.positive = icmp sge i32 %x.bits, 0
  %has.sign = or i1 %y.is.plain, %is.positive
  %is.plain = and i1 %is.normal, %is.near
  %is.done = and i1 %is.plain, %has.sign
  br i1 %is.done, label %done, label %rarely

rarely:
  %of.any = call float @any_power(float %x, float %y)
  br label %done

done:
  %result = phi float [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret float %result
}

; exp for f64, as for f32. libclc's looks 2^(k / 64) up in tables.
;
; e^r, and k + 1.5 * 2^52
%power.of.e = type { double, double }
define internal %power.of.e @power_of_e(double %x) {
  %shifted = call double @llvm.fma.f64(double %x, double 0x3FF71547652B82FE, double 6755399441055744.0)  ; x / ln2
  %k = fsub double %shifted, 6755399441055744.0
  %r.high = call double @llvm.fma.f64(double %k, double 0xBFE62E42FEFA3000, double %x)
  %r = call double @llvm.fma.f64(double %k, double 0xBD53DE6AF278ECE6, double %r.high)
  ; 1 + r q(r), q by minimax approximation to 2^-58 of the result
  %q.9 = call double @llvm.fma.f64(double %r, double 0x3E5AD8956BFF7E2F, double 0x3E928AC78AE35058)
  %q.8 = call double @llvm.fma.f64(double %r, double %q.9, double 0x3EC71DF1D33E020D)
  %q.7 = call double @llvm.fma.f64(double %r, double %q.8, double 0x3EFA0199B3561A4F)
  %q.6 = call double @llvm.fma.f64(double %r, double %q.7, double 0x3F2A01A012EDB113)
  %q.5 = call double @llvm.fma.f64(double %r, double %q.6, double 0x3F56C16C183AE86E)
  %q.4 = call double @llvm.fma.f64(double %r, double %q.5, double 0x3F81111111126C29)
  %q.3 = call double @llvm.fma.f64(double %r, double %q.4, double 0x3FA5555555550B17)
  %q.2 = call double @llvm.fma.f64(double %r, double %q.3, double 0x3FC55555555554FE)
  %q.1 = call double @llvm.fma.f64(double %r, double %q.2, double 0x3FE0000000000009)
  %q = call double @llvm.fma.f64(double %r, double %q.1, double 0x3FF0000000000000)
  %power = call double @llvm.fma.f64(double %r, double %q, double 1.0)
  %with.power = insertvalue %power.of.e poison, double %power, 0
  %result = insertvalue %power.of.e %with.power, double %shifted, 1
  ret %power.of.e %result
}

; Where the result is not a normal number: 2^k is multiplied in two halves, of which only the last rounds.
define internal double @far_exp(double %x) cold {
  %parts = call %power.of.e @power_of_e(double %x)
  %power = extractvalue %power.of.e %parts, 0
  %shifted = extractvalue %power.of.e %parts, 1
  %k = bitcast double %shifted to i64
  %half = ashr i64 %k, 1
  %other = sub i64 %k, %half
  %half.exponent = shl i64 %half, 52
  %half.bits = add i64 %half.exponent, 4607182418800017408  ; the bits of 1.0
  %half.factor = bitcast i64 %half.bits to double
  %other.exponent = shl i64 %other, 52
  %other.bits = add i64 %other.exponent, 4607182418800017408
  %other.factor = bitcast i64 %other.bits to double
  %partly = fmul double %power, %half.factor
  %scaled = fmul double %partly, %other.factor
  %is.large = fcmp ogt double %x, 800.0
  %is.small = fcmp olt double %x, -800.0
  %of.large = select i1 %is.large, double 0x7FF0000000000000, double %scaled
  %result = select i1 %is.small, double 0.0, double %of.large
  ret double %result
}

define double @__pykc_exp_f64(double %x) {
  %parts = call %power.of.e @power_of_e(double %x)
  %power = extractvalue %power.of.e %parts, 0
  %shifted = extractvalue %power.of.e %parts, 1
  %k = bitcast double %shifted to i64
  %power.bits = bitcast double %power to i64
  %exponent = shl i64 %k, 52
  %near.bits = add i64 %power.bits, %exponent
  %near = bitcast i64 %near.bits to double
  %size = call double @llvm.fabs.f64(double %x)
  %is.near = fcmp olt double %size, 708.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_exp(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}
