; tanh, sinh, cosh and expm1 for f32 and f64, without branches, so that loops over many x become vector code.
;
; x = k ln2 + r with a whole k and |r| <= ln2 / 2, as for exp (exponential.ll).

declare double @__pykc_exp_f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.minimum.f64(double, double)
declare double @__pykc_reciprocal_f64(double)
declare float @__pykc_reciprocal_f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.maximum.f32(float, float)
declare float @llvm.minimum.f32(float, float)
declare i32 @llvm.smax.i32(i32, i32)
declare i64 @llvm.smax.i64(i64, i64)

; r and the two that it is the sum of, and the bits of k + `origin`, which is 1.5 * 2^23 and little more: the last are
; those of k and the little. ln2 is subtracted in two parts, the first of which has so few bits that k times it is exact.
%reduced = type { float, float, float, i32 }
define internal %reduced @without_ln2(float %x, float %origin) {
  %shifted = call float @llvm.fma.f32(float %x, float 0x3FF7154760000000, float %origin) ; x / ln2
  %k = fsub float %shifted, %origin
  %high = call float @llvm.fma.f32(float %k, float 0xBFE62E4000000000, float %x)
  %low = fmul float %k, 0xBEB7F7D1C0000000
  %r = fadd float %high, %low
  %bits = bitcast float %shifted to i32
  %result.with.0 = insertvalue %reduced poison, float %r, 0
  %result.with.1 = insertvalue %reduced %result.with.0, float %high, 1
  %result.with.2 = insertvalue %reduced %result.with.1, float %low, 2
  %result = insertvalue %reduced %result.with.2, i32 %bits, 3
  ret %reduced %result
}

; tanh of a small size is a polynomial t. That of any other is 1 - (1 - t) / (1 + (e - 1) (1 + t) / 2) with the same t of
; r, where 2x = k ln2 + 2r, and e = 2^k.
define float @__pykc_tanh_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %is.large = fcmp ogt float %size, 0x3FE6666660000000
  %bounded = call float @llvm.minimum.f32(float %size, float 10.0)     ; the result is 1 from 9.1 on; a NaN stays
  %shifted = call float @llvm.fma.f32(float %bounded, float 0x4007154760000000, float 12583038.0)
  %k.any = fsub float %shifted, 12583038.0
  %k = select i1 %is.large, float %k.any, float 0.0
  %r = call float @llvm.fma.f32(float %k, float 0xBFD62E4300000000, float %bounded) ; right to 2^-30 k
  ; r + r^3 p(r^2), p by minimax approximation to 2^-26
  %s = fmul float %r, %r
  %p.3 = call float @llvm.fma.f32(float %s, float 0xBF750E2BC0000000, float 0x3F94939C20000000)
  %p.2 = call float @llvm.fma.f32(float %s, float %p.3, float 0xBFAB6C3620000000)
  %p.1 = call float @llvm.fma.f32(float %s, float %p.2, float 0x3FC10FB0A0000000)
  %p = call float @llvm.fma.f32(float %s, float %p.1, float 0xBFD5554F60000000)
  %cube = fmul float %r, %s
  %t = call float @llvm.fma.f32(float %cube, float %p, float %r)
  %bits = bitcast float %shifted to i32
  %half.bits = shl i32 %bits, 23                                       ; 126 more than k: those of e / 2
  %half = bitcast i32 %half.bits to float
  %less = fsub float %half, 0.5
  %more = fadd float %half, 0.5
  %below = call float @llvm.fma.f32(float %less, float %t, float %more)
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %opposite = fsub float %t, 1.0
  %of.large = call float @llvm.fma.f32(float %inverse, float %opposite, float 1.0)
  %of.size = select i1 %is.large, float %of.large, float %t
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; exp(x) - 1 = (e - 1) + e r + e r^2 q(r) with e = 2^k, q by minimax approximation to 2^-31 of r. Products with e are
; exact; so is e - 1 but for what is put back. e is halved until the end, since it may be infinite where the result is
; not.
define float @__pykc_expm1_f32(float %any) {
  %not.low = call float @llvm.maximum.f32(float %any, float -30.0)     ; the result is -1 from -17.4 on
  %x = call float @llvm.minimum.f32(float %not.low, float 89.0)
  %reduced = call %reduced @without_ln2(float %x, float 12583038.0)
  %r = extractvalue %reduced %reduced, 0
  %r.high = extractvalue %reduced %reduced, 1
  %r.low = extractvalue %reduced %reduced, 2
  %bits = extractvalue %reduced %reduced, 3
  %q.4 = call float @llvm.fma.f32(float %r, float 0x3F2A29CF40000000, float 0x3F56D438C0000000)
  %q.3 = call float @llvm.fma.f32(float %r, float %q.4, float 0x3F8110FDC0000000)
  %q.2 = call float @llvm.fma.f32(float %r, float %q.3, float 0x3FA5554F00000000)
  %q.1 = call float @llvm.fma.f32(float %r, float %q.2, float 0x3FC5555560000000)
  %q = call float @llvm.fma.f32(float %r, float %q.1, float 0.5)
  %square = fmul float %r, %r
  %p = call float @llvm.fma.f32(float %square, float %q, float %r.low)
  %e.bits = shl i32 %bits, 23                                          ; 126 more than k: those of 2^k / 2
  %e = bitcast i32 %e.bits to float
  %less = fsub float %e, 0.5
  %less.left = fsub float %e, %less
  %less.rest = fsub float %less.left, 0.5
  %high = call float @llvm.fma.f32(float %e, float %r.high, float %less)
  %left = fsub float %less, %high
  %part = call float @llvm.fma.f32(float %e, float %r.high, float %left)
  %parts = fadd float %part, %less.rest
  %rest = call float @llvm.fma.f32(float %e, float %p, float %parts)
  %half = fadd float %high, %rest
  %all = fadd float %half, %half
  %size = call float @llvm.fabs.f32(float %any)
  %is.small = fcmp olt float %size, 0x3E45798EE0000000
  %result = select i1 %is.small, float %any, float %all
  ret float %result
}

; With e = exp(r), sinh(x) = (2^k e - 2^-k / e) / 2 and cosh likewise. e and 1 / e are cosh(r) + sinh(r) and cosh(r) -
; sinh(r), which leaves of sinh(x) = small cosh(r) + large sinh(r) and cosh(x) = large cosh(r) + small sinh(r), where
; small and large are the difference and the sum of the powers of 2. Both are rounded once they are summed, but for
; little.
%halves = type { float, float, float, float, float, float, float }
define internal %halves @halves(float %size, i32 %unit) {
  %reduced = call %reduced @without_ln2(float %size, float 12582912.0)
  %r = extractvalue %reduced %reduced, 0
  %r.high = extractvalue %reduced %reduced, 1
  %r.low = extractvalue %reduced %reduced, 2
  %bits = extractvalue %reduced %reduced, 3
  %s = fmul float %r, %r
  ; cosh(r) = 1 + s p(s) and sinh(r) = r + r s q(s), p and q by minimax approximation to 2^-33
  %p.1 = call float @llvm.fma.f32(float %s, float 0x3F56D51680000000, float 0x3FA5554E40000000)
  %p = call float @llvm.fma.f32(float %s, float %p.1, float 0.5)
  %cosine = fmul float %s, %p
  %q.1 = call float @llvm.fma.f32(float %s, float 0x3F2A293AA0000000, float 0x3F8110FE00000000)
  %q = call float @llvm.fma.f32(float %s, float %q.1, float 0x3FC5555560000000)
  %cube = fmul float %r, %s
  %sine = call float @llvm.fma.f32(float %cube, float %q, float %r.low)
  %exponent = shl i32 %bits, 23
  %up.bits = add i32 %unit, %exponent
  %down.any = sub i32 %unit, %exponent
  %down.bits = call i32 @llvm.smax.i32(i32 %down.any, i32 0)
  %up = bitcast i32 %up.bits to float
  %down = bitcast i32 %down.bits to float
  %large = fadd float %up, %down
  %small = fsub float %up, %down
  %small.left = fsub float %up, %small
  %small.rest = fsub float %small.left, %down
  %large.left = fsub float %up, %large
  %large.rest = fadd float %large.left, %down
  %result.with.0 = insertvalue %halves poison, float %r.high, 0
  %result.with.1 = insertvalue %halves %result.with.0, float %cosine, 1
  %result.with.2 = insertvalue %halves %result.with.1, float %sine, 2
  %result.with.3 = insertvalue %halves %result.with.2, float %large, 3
  %result.with.4 = insertvalue %halves %result.with.3, float %small, 4
  %result.with.5 = insertvalue %halves %result.with.4, float %large.rest, 5
  %result = insertvalue %halves %result.with.5, float %small.rest, 6
  ret %halves %result
}

; first + factor r + rest, rounded once but for little; first is not the smaller of the first two, or it is 0.
define internal float @sum_of(float %first, float %factor, float %r, float %rest) {
  %product = fmul float %factor, %r
  %product.negated = fneg float %product
  %product.rest = call float @llvm.fma.f32(float %factor, float %r, float %product.negated)
  %sum = fadd float %first, %product
  %left = fsub float %first, %sum
  %part = fadd float %left, %product
  %sum.rest = fadd float %part, %product.rest
  %all = fadd float %sum.rest, %rest
  %result = fadd float %sum, %all
  ret float %result
}

define internal float @sinh_of_f32(float %size, i32 %unit) {
  %halves = call %halves @halves(float %size, i32 %unit)
  %r = extractvalue %halves %halves, 0
  %cosine = extractvalue %halves %halves, 1
  %sine = extractvalue %halves %halves, 2
  %large = extractvalue %halves %halves, 3
  %small = extractvalue %halves %halves, 4
  %small.rest = extractvalue %halves %halves, 6
  %rest.high = call float @llvm.fma.f32(float %large, float %sine, float %small.rest)
  %rest = call float @llvm.fma.f32(float %small, float %cosine, float %rest.high)
  %sum = call float @sum_of(float %small, float %large, float %r, float %rest)
  ret float %sum
}

; From 88 on, 2^k is too large: all is divided by 4 until the end.
define internal float @far_sinh_of_f32(float %size) cold {
  %bounded = call float @llvm.minimum.f32(float %size, float 89.75)    ; infinite from 89.5 on; a NaN stays
  %sum = call float @sinh_of_f32(float %bounded, i32 1040187392)        ; the bits of 1/8
  %result = fmul float %sum, 4.0
  ret float %result
}

define float @__pykc_sinh_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %near = call float @sinh_of_f32(float %size, i32 1056964608)          ; the bits of 1/2
  %is.near = fcmp olt float %size, 87.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_sinh_of_f32(float %size)
  br label %done

done:
  %of.size = phi float [ %near, %0 ], [ %far, %rarely ]
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

define internal float @cosh_of_f32(float %size, i32 %unit) {
  %halves = call %halves @halves(float %size, i32 %unit)
  %r = extractvalue %halves %halves, 0
  %cosine = extractvalue %halves %halves, 1
  %sine = extractvalue %halves %halves, 2
  %large = extractvalue %halves %halves, 3
  %small = extractvalue %halves %halves, 4
  %large.rest = extractvalue %halves %halves, 5
  %of.large = call float @llvm.fma.f32(float %large, float %cosine, float %large.rest)
  %of.both = call float @llvm.fma.f32(float %small, float %sine, float %of.large)
  %rest = call float @llvm.fma.f32(float %small, float %r, float %of.both)
  %sum = fadd float %large, %rest
  ret float %sum
}

define internal float @far_cosh_of_f32(float %size) cold {
  %bounded = call float @llvm.minimum.f32(float %size, float 89.75)
  %sum = call float @cosh_of_f32(float %bounded, i32 1040187392)        ; the bits of 1/8
  %result = fmul float %sum, 4.0
  ret float %result
}

define float @__pykc_cosh_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %near = call float @cosh_of_f32(float %size, i32 1056964608)          ; the bits of 1/2
  %is.near = fcmp olt float %size, 87.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_cosh_of_f32(float %size)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

; tanh for f64: with e = exp(2x) - 1, it is e / (e + 2), of small x, too. What rounding takes from e, the sum and the
; ratio is put back.
define double @__pykc_tanh_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  ; from there on, where e has as many bits as a number, up to 19.06, the result stays; behind it is 1
  %is.large = fcmp ogt double %size, 18.53125
  %bounded = select i1 %is.large, double 18.53125, double %size  ; a NaN stays
  ; 2x = k ln2 + 2r
  %shifted = call double @llvm.fma.f64(double %bounded, double 0x40071547652B82FE, double 6755399441056767.0)
  %k = fsub double %shifted, 6755399441056767.0
  %r.high = call double @llvm.fma.f64(double %k, double 0xBFD62E42FEFA3000, double %bounded)  ; exact
  %r = call double @llvm.fma.f64(double %k, double 0xBD43DE6AF278ECE6, double %r.high)
  ; exp(2r) = 1 + 2r + r^2 q(r), q by minimax approximation to 2^-64 in all, by pairs of terms: few wait for another
  %square = fmul double %r, %r
  %q.9.10 = call double @llvm.fma.f64(double %r, double 0x3EE1F932D9ECBBCD, double 0x3F0AF6EA762CFAAA)
  %q.7.8 = call double @llvm.fma.f64(double %r, double 0x3F327E4C73A8C50C, double 0x3F571DDEE5D608BC)
  %q.5.6 = call double @llvm.fma.f64(double %r, double 0x3F7A01A01AFC9B51, double 0x3F9A01A01B44C47D)
  %q.3.4 = call double @llvm.fma.f64(double %r, double 0x3FB6C16C16C148B5, double 0x3FD111111110E9ED)
  %q.1.2 = call double @llvm.fma.f64(double %r, double 0x3FE5555555555559, double 0x3FF555555555555C)
  %q.7 = call double @llvm.fma.f64(double %square, double %q.9.10, double %q.7.8)
  %q.5 = call double @llvm.fma.f64(double %square, double %q.7, double %q.5.6)
  %q.3 = call double @llvm.fma.f64(double %square, double %q.5, double %q.3.4)
  %q.1 = call double @llvm.fma.f64(double %square, double %q.3, double %q.1.2)
  %q = call double @llvm.fma.f64(double %r, double %q.1, double 2.0)
  %twice = fadd double %r.high, %r.high
  %power = call double @llvm.fma.f64(double %square, double %q, double %twice)
  %power.left = fsub double %twice, %power
  %power.low = call double @llvm.fma.f64(double %square, double %q, double %power.left)
  %power.rest = call double @llvm.fma.f64(double %k, double 0xBD53DE6AF278ECE6, double %power.low)
  %bits = bitcast double %shifted to i64
  %scale.bits = shl i64 %bits, 52                                      ; 1023 more than k: those of 2^k
  %scale = bitcast i64 %scale.bits to double
  %scale.less = fadd double %scale, -1.0
  %e = call double @llvm.fma.f64(double %power, double %scale, double %scale.less)
  %e.left = fsub double %scale.less, %e
  %e.low = call double @llvm.fma.f64(double %power, double %scale, double %e.left)
  %e.rest = call double @llvm.fma.f64(double %power.rest, double %scale, double %e.low)
  %below = fadd double %e, 2.0
  %below.part = fadd double %below, -2.0
  %below.low = fsub double %e, %below.part
  %below.rest = fadd double %below.low, %e.rest
  %inverse = call double @__pykc_reciprocal_f64(double %below)
  %ratio = fmul double %e, %inverse
  %ratio.negated = fneg double %ratio
  %missing.high = call double @llvm.fma.f64(double %ratio.negated, double %below, double %e)
  %missing.low = call double @llvm.fma.f64(double %ratio.negated, double %below.rest, double %e.rest)
  %missing = fadd double %missing.high, %missing.low
  %below.one = call double @llvm.fma.f64(double %missing, double %inverse, double %ratio)
  %is.one = fcmp ogt double %size, 19.0625
  %of.size = select i1 %is.one, double 1.0, double %below.one
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

; expm1, sinh and cosh for f64, as for f32
%reduced.f64 = type { double, double, i64 }
define internal %reduced.f64 @without_ln2_f64(double %x) {
  %shifted = call double @llvm.fma.f64(double %x, double 0x3FF71547652B82FE, double 6755399441055744.0) ; x / ln2
  %k = fsub double %shifted, 6755399441055744.0
  %r.high = call double @llvm.fma.f64(double %k, double 0xBFE62E42FEFA3000, double %x)
  %r = call double @llvm.fma.f64(double %k, double 0xBD53DE6AF278ECE6, double %r.high)
  %r.left = fsub double %r.high, %r
  %r.rest = call double @llvm.fma.f64(double %k, double 0xBD53DE6AF278ECE6, double %r.left)
  %bits = bitcast double %shifted to i64
  %result.with.0 = insertvalue %reduced.f64 poison, double %r, 0
  %result.with.1 = insertvalue %reduced.f64 %result.with.0, double %r.rest, 1
  %result = insertvalue %reduced.f64 %result.with.1, i64 %bits, 2
  ret %reduced.f64 %result
}

define internal double @power_less_one(double %x) {
  %reduced = call %reduced.f64 @without_ln2_f64(double %x)
  %r = extractvalue %reduced.f64 %reduced, 0
  %r.rest = extractvalue %reduced.f64 %reduced, 1
  %bits = extractvalue %reduced.f64 %reduced, 2
  %q.9 = call double @llvm.fma.f64(double %r, double 0x3E21F8DC5E7EC233, double 0x3E5AF5F4069E3856)
  %q.8 = call double @llvm.fma.f64(double %r, double %q.9, double 0x3E927E4CB0974CA4)
  %q.7 = call double @llvm.fma.f64(double %r, double %q.8, double 0x3EC71DDF804479B8)
  %q.6 = call double @llvm.fma.f64(double %r, double %q.7, double 0x3EFA01A01ADD9FEF)
  %q.5 = call double @llvm.fma.f64(double %r, double %q.6, double 0x3F2A01A01B007677)
  %q.4 = call double @llvm.fma.f64(double %r, double %q.5, double 0x3F56C16C16C14F5D)
  %q.3 = call double @llvm.fma.f64(double %r, double %q.4, double 0x3F8111111110F64E)
  %q.2 = call double @llvm.fma.f64(double %r, double %q.3, double 0x3FA5555555555558)
  %q.1 = call double @llvm.fma.f64(double %r, double %q.2, double 0x3FC5555555555559)
  %q = call double @llvm.fma.f64(double %r, double %q.1, double 0.5)
  %square = fmul double %r, %r
  %p = call double @llvm.fma.f64(double %square, double %q, double %r.rest)
  %exponent = shl i64 %bits, 52
  %e.bits = add i64 %exponent, 4607182418800017408                          ; the bits of 1.0
  %e = bitcast i64 %e.bits to double
  %less = fsub double %e, 1.0
  %less.left = fsub double %e, %less
  %less.rest = fsub double %less.left, 1.0
  %high = call double @llvm.fma.f64(double %e, double %r, double %less)
  %left = fsub double %less, %high
  %part = call double @llvm.fma.f64(double %e, double %r, double %left)
  %parts = fadd double %part, %less.rest
  %rest = call double @llvm.fma.f64(double %e, double %p, double %parts)
  %result = fadd double %high, %rest
  ret double %result
}

; of large numbers and NaNs
define internal double @far_expm1_f64(double %x) cold {
  %power = call double @__pykc_exp_f64(double %x)
  %is.negative = fcmp olt double %x, 0.0
  %result = select i1 %is.negative, double -1.0, double %power
  ret double %result
}

define double @__pykc_expm1_f64(double %x) {
  %near = call double @power_less_one(double %x)
  %signed = call double @llvm.copysign.f64(double %near, double %x)    ; -0 stays
  %size = call double @llvm.fabs.f64(double %x)
  %is.near = fcmp olt double %size, 700.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_expm1_f64(double %x)
  br label %done

done:
  %result = phi double [ %signed, %0 ], [ %far, %rarely ]
  ret double %result
}

%halves.f64 = type { double, double, double, double, double, double, double }
define internal %halves.f64 @halves_f64(double %size, i64 %unit) {
  %reduced = call %reduced.f64 @without_ln2_f64(double %size)
  %r = extractvalue %reduced.f64 %reduced, 0
  %r.rest = extractvalue %reduced.f64 %reduced, 1
  %bits = extractvalue %reduced.f64 %reduced, 2
  %s = fmul double %r, %r
  ; cosh(r) = 1 + s p(s) and sinh(r) = r + r s q(s), p and q by minimax approximation to 2^-62
  %p.4 = call double @llvm.fma.f64(double %s, double 0x3E21F8BB9941F037, double 0x3E927E4CC246ACB9)
  %p.3 = call double @llvm.fma.f64(double %s, double %p.4, double 0x3EFA01A01AD78080)
  %p.2 = call double @llvm.fma.f64(double %s, double %p.3, double 0x3F56C16C16C15009)
  %p.1 = call double @llvm.fma.f64(double %s, double %p.2, double 0x3FA5555555555558)
  %p = call double @llvm.fma.f64(double %s, double %p.1, double 0.5)
  %cosine = fmul double %s, %p
  %q.3 = call double @llvm.fma.f64(double %s, double 0x3E5AF5F406B105CC, double 0x3EC71DDF80447F44)
  %q.2 = call double @llvm.fma.f64(double %s, double %q.3, double 0x3F2A01A01B007671)
  %q.1 = call double @llvm.fma.f64(double %s, double %q.2, double 0x3F8111111110F64E)
  %q = call double @llvm.fma.f64(double %s, double %q.1, double 0x3FC5555555555559)
  %cube = fmul double %r, %s
  %sine = call double @llvm.fma.f64(double %cube, double %q, double %r.rest)
  %exponent = shl i64 %bits, 52
  %up.bits = add i64 %unit, %exponent
  %down.any = sub i64 %unit, %exponent
  %down.bits = call i64 @llvm.smax.i64(i64 %down.any, i64 0)
  %up = bitcast i64 %up.bits to double
  %down = bitcast i64 %down.bits to double
  %large = fadd double %up, %down
  %small = fsub double %up, %down
  %small.left = fsub double %up, %small
  %small.rest = fsub double %small.left, %down
  %large.left = fsub double %up, %large
  %large.rest = fadd double %large.left, %down
  %result.with.0 = insertvalue %halves.f64 poison, double %r, 0
  %result.with.1 = insertvalue %halves.f64 %result.with.0, double %cosine, 1
  %result.with.2 = insertvalue %halves.f64 %result.with.1, double %sine, 2
  %result.with.3 = insertvalue %halves.f64 %result.with.2, double %large, 3
  %result.with.4 = insertvalue %halves.f64 %result.with.3, double %small, 4
  %result.with.5 = insertvalue %halves.f64 %result.with.4, double %large.rest, 5
  %result = insertvalue %halves.f64 %result.with.5, double %small.rest, 6
  ret %halves.f64 %result
}

; first + factor r + rest, rounded once but for little; first is not the smaller of the first two, or it is 0.
define internal double @sum_of_f64(double %first, double %factor, double %r, double %rest) {
  %product = fmul double %factor, %r
  %product.negated = fneg double %product
  %product.rest = call double @llvm.fma.f64(double %factor, double %r, double %product.negated)
  %sum = fadd double %first, %product
  %left = fsub double %first, %sum
  %part = fadd double %left, %product
  %sum.rest = fadd double %part, %product.rest
  %all = fadd double %sum.rest, %rest
  %result = fadd double %sum, %all
  ret double %result
}

define internal double @sinh_of(double %size, i64 %unit) {
  %halves = call %halves.f64 @halves_f64(double %size, i64 %unit)
  %r = extractvalue %halves.f64 %halves, 0
  %cosine = extractvalue %halves.f64 %halves, 1
  %sine = extractvalue %halves.f64 %halves, 2
  %large = extractvalue %halves.f64 %halves, 3
  %small = extractvalue %halves.f64 %halves, 4
  %small.rest = extractvalue %halves.f64 %halves, 6
  %rest.high = call double @llvm.fma.f64(double %large, double %sine, double %small.rest)
  %rest = call double @llvm.fma.f64(double %small, double %cosine, double %rest.high)
  %sum = call double @sum_of_f64(double %small, double %large, double %r, double %rest)
  ret double %sum
}

; From 709.8 on, 2^k is too large: all is divided by 4 until the end.
define internal double @far_sinh_of(double %size) cold {
  %bounded = call double @llvm.minimum.f64(double %size, double 711.0) ; infinite from 710.5 on; a NaN stays
  %sum = call double @sinh_of(double %bounded, i64 4593671619917905920)  ; the bits of 1/8
  %result = fmul double %sum, 4.0
  ret double %result
}

define double @__pykc_sinh_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %near = call double @sinh_of(double %size, i64 4602678819172646912)   ; the bits of 1/2
  %is.near = fcmp olt double %size, 700.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_sinh_of(double %size)
  br label %done

done:
  %of.size = phi double [ %near, %0 ], [ %far, %rarely ]
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}

define internal double @cosh_of(double %size, i64 %unit) {
  %halves = call %halves.f64 @halves_f64(double %size, i64 %unit)
  %r = extractvalue %halves.f64 %halves, 0
  %cosine = extractvalue %halves.f64 %halves, 1
  %sine = extractvalue %halves.f64 %halves, 2
  %large = extractvalue %halves.f64 %halves, 3
  %small = extractvalue %halves.f64 %halves, 4
  %large.rest = extractvalue %halves.f64 %halves, 5
  ; where `large` is rounded, `small` lacks as much
  %r.opposite = fneg double %r
  %lacks = call double @llvm.fma.f64(double %large.rest, double %r.opposite, double %large.rest)
  %of.large = call double @llvm.fma.f64(double %large, double %cosine, double %lacks)
  %of.both = call double @llvm.fma.f64(double %small, double %sine, double %of.large)
  %rest = call double @llvm.fma.f64(double %small, double %r, double %of.both)
  %sum = fadd double %large, %rest
  ret double %sum
}

; From 709.8 on, 2^k is too large: all is divided by 4 until the end.
define internal double @far_cosh_of(double %size) cold {
  %bounded = call double @llvm.minimum.f64(double %size, double 711.0) ; infinite from 710.5 on; a NaN stays
  %sum = call double @cosh_of(double %bounded, i64 4593671619917905920)  ; the bits of 1/8
  %result = fmul double %sum, 4.0
  ret double %result
}

define double @__pykc_cosh_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %near = call double @cosh_of(double %size, i64 4602678819172646912)   ; the bits of 1/2
  %is.near = fcmp olt double %size, 700.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_cosh_of(double %size)
  br label %done

done:
  %of.size = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %of.size
}
