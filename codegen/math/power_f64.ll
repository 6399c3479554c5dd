; pow, exp2, exp10, log2 and log10 for f64, as for f32 (exponential.ll): pow(x, y) = 2^(y log2 |x|), with the sign of
; an odd power. No branches where the arguments and the result are normal. libclc's look logarithms and powers up in
; tables.

declare double @__pykc_reciprocal_f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.trunc.f64(double)

%logarithm.f64 = type { double, double }

; log2(m 2^e) and what its rounding takes away
define internal %logarithm.f64 @logarithm_of_power(double %m, double %e) {
  ; s and the rest of s
  %above = fsub double %m, 1.0  ; exact
  %below = fadd double %m, 1.0
  %inverse = call double @__pykc_reciprocal_f64(double %below)
  %s = fmul double %above, %inverse
  %s.negated = fneg double %s
  %missing.high = call double @llvm.fma.f64(double %s, double -2.0, double %above)              ; exact
  %missing = call double @llvm.fma.f64(double %s.negated, double %above, double %missing.high)  ; above - s (m + 1)
  %s.rest = fmul double %missing, %inverse

  ; s^2 / 3 + s^4 q(s^2), q by minimax approximation to 2^-73 in all; s.rest counts by the slope, 1 / (1 - s^2)
  %square = fmul double %s, %s
  %square.negated = fneg double %square
  %square.rest = call double @llvm.fma.f64(double %s, double %s, double %square.negated)
  %q.6 = call double @llvm.fma.f64(double %square, double 0x3FAEAC373C08DDA0, double 0x3FADE3DBA021E651)
  %q.5 = call double @llvm.fma.f64(double %square, double %q.6, double 0x3FB11206D5078CD4)
  %q.4 = call double @llvm.fma.f64(double %square, double %q.5, double 0x3FB3B1364D5D8CA8)
  %q.3 = call double @llvm.fma.f64(double %square, double %q.4, double 0x3FB745D18292892F)
  %q.2 = call double @llvm.fma.f64(double %square, double %q.3, double 0x3FBC71C71C596E5A)
  %q.1 = call double @llvm.fma.f64(double %square, double %q.2, double 0x3FC2492492492F4F)
  %q = call double @llvm.fma.f64(double %square, double %q.1, double 0x3FC9999999999996)
  %third = fmul double %square, 0x3FD5555555555555
  %third.negated = fneg double %third
  %third.exact = call double @llvm.fma.f64(double %square, double 0x3FD5555555555555, double %third.negated)
  %fourth = fmul double %square, %square
  %third.low = call double @llvm.fma.f64(double %square, double 0x3C75555555555555, double %third.exact)
  %third.lower = call double @llvm.fma.f64(double %square.rest, double 0x3FD5555555555555, double %third.low)
  %third.rest = call double @llvm.fma.f64(double %fourth, double %q, double %third.lower)
  %slope.most = fadd double %square, 1.0
  %slope = fadd double %slope.most, %fourth

  ; plus 1, times s, times 2 / log(2), plus e: the logarithm
  %product = call double @llvm.fma.f64(double %s, double %third, double %s)
  %product.left = fsub double %s, %product
  %product.exact = call double @llvm.fma.f64(double %s, double %third, double %product.left)
  %product.low = call double @llvm.fma.f64(double %s, double %third.rest, double %product.exact)
  %product.rest = call double @llvm.fma.f64(double %s.rest, double %slope, double %product.low)
  %sum = call double @llvm.fma.f64(double %product, double 0x40071547652B82FE, double %e)
  %sum.left = fsub double %e, %sum
  %sum.exact = call double @llvm.fma.f64(double %product, double 0x40071547652B82FE, double %sum.left)
  %sum.low = call double @llvm.fma.f64(double %product, double 0x3C8777D0FFDA0D24, double %sum.exact)
  %sum.rest = call double @llvm.fma.f64(double %product.rest, double 0x40071547652B82FE, double %sum.low)
  %with.sum = insertvalue %logarithm.f64 poison, double %sum, 0
  %result = insertvalue %logarithm.f64 %with.sum, double %sum.rest, 1
  ret %logarithm.f64 %result
}

; value * 2^k, rounded once; the bits of `shifted` are k more than those of 1.5 * 2^52
define internal double @scale_f64(double %value, double %shifted) {
  %bits = bitcast double %shifted to i64
  %half = ashr i64 %bits, 1
  %other = sub i64 %bits, %half
  %half.exponent = shl i64 %half, 52
  %half.bits = add i64 %half.exponent, 4607182418800017408  ; the bits of 1.0
  %half.factor = bitcast i64 %half.bits to double
  %other.exponent = shl i64 %other, 52
  %other.bits = add i64 %other.exponent, 4607182418800017408
  %other.factor = bitcast i64 %other.bits to double
  %partly = fmul double %value, %half.factor
  %scaled = fmul double %partly, %other.factor
  ret double %scaled
}

%binary.f64 = type { double, double }

; A size above 0 as m 2^e with m from sqrt(1/2) to sqrt(2).
define internal %binary.f64 @split_f64(double %size) {
  %is.subnormal = fcmp olt double %size, 0x0010000000000000
  %raised = fmul double %size, 0x4350000000000000
  %normal = select i1 %is.subnormal, double %raised, double %size
  %added = select i1 %is.subnormal, double -54.0, double 0.0
  %bits = bitcast double %normal to i64
  %from.root = sub i64 %bits, 4604544271217802189  ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448  ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e.plain = fsub double %e.shifted, 6755399441055744.0
  %e = fadd double %e.plain, %added
  %with.m = insertvalue %binary.f64 poison, double %m, 0
  %result = insertvalue %binary.f64 %with.m, double %e, 1
  ret %binary.f64 %result
}

; 2^r of |r| <= 1/2
define internal double @power_of_two_near_zero_f64(double %r) {
  ; 2^r = 1 + r log(2) + r^2 q(r), q by minimax approximation to 2^-58, by pairs of terms: few wait for another; what
  ; the first sum rounds away is put back
  %square = fmul double %r, %r
  %q.8.9 = call double @llvm.fma.f64(double %r, double 0x3DFE7C7D0E735D8D, double 0x3E3E617AAB7F09C0)
  %q.6.7 = call double @llvm.fma.f64(double %r, double 0x3E7B5265230D580B, double 0x3EB62BFC9FBE0933)
  %q.4.5 = call double @llvm.fma.f64(double %r, double 0x3EEFFCBFBC81C6C7, double 0x3F24309130DC285E)
  %q.2.3 = call double @llvm.fma.f64(double %r, double 0x3F55D87FE78C362E, double 0x3F83B2AB6FBA07A3)
  %q.0.1 = call double @llvm.fma.f64(double %r, double 0x3FAC6B08D704A046, double 0x3FCEBFBDFF82C5A1)
  %q.6 = call double @llvm.fma.f64(double %square, double %q.8.9, double %q.6.7)
  %q.4 = call double @llvm.fma.f64(double %square, double %q.6, double %q.4.5)
  %q.2 = call double @llvm.fma.f64(double %square, double %q.4, double %q.2.3)
  %q = call double @llvm.fma.f64(double %square, double %q.2, double %q.0.1)
  %sum = call double @llvm.fma.f64(double %r, double 0x3FE62E42FEFA39EF, double 1.0)
  %sum.left = fsub double 1.0, %sum
  %sum.exact = call double @llvm.fma.f64(double %r, double 0x3FE62E42FEFA39EF, double %sum.left)
  %sum.rest = call double @llvm.fma.f64(double %r, double 0x3C7ABC9E3B39803F, double %sum.exact)
  %rest = call double @llvm.fma.f64(double %square, double %q, double %sum.rest)
  %power = fadd double %sum, %rest
  ret double %power
}

; exp2 and exp10: x = k + r, and x = k log10(2) + r / log(10), as for exp
define internal { double, double } @octaves_f64(double %x) {
  %shifted = fadd double %x, 6755399441055744.0
  %k = fsub double %shifted, 6755399441055744.0
  %r = fsub double %x, %k  ; exact
  ; 2^r = 1 + r q(r), q by minimax approximation to 2^-58
  %q.9 = call double @llvm.fma.f64(double %r, double 0x3DFE8184030F2E0C, double 0x3E3E61155926341C)
  %q.8 = call double @llvm.fma.f64(double %r, double %q.9, double 0x3E7B526066480BD9)
  %q.7 = call double @llvm.fma.f64(double %r, double %q.8, double 0x3EB62BFCE07CBB0A)
  %q.6 = call double @llvm.fma.f64(double %r, double %q.7, double 0x3EEFFCBFBFCD0640)
  %q.5 = call double @llvm.fma.f64(double %r, double %q.6, double 0x3F24309130BF2883)
  %q.4 = call double @llvm.fma.f64(double %r, double %q.5, double 0x3F55D87FE78B2C67)
  %q.3 = call double @llvm.fma.f64(double %r, double %q.4, double 0x3F83B2AB6FBA1229)
  %q.2 = call double @llvm.fma.f64(double %r, double %q.3, double 0x3FAC6B08D704A0D9)
  %q.1 = call double @llvm.fma.f64(double %r, double %q.2, double 0x3FCEBFBDFF82C59C)
  %q = call double @llvm.fma.f64(double %r, double %q.1, double 0x3FE62E42FEFA39EF)
  %power = call double @llvm.fma.f64(double %r, double %q, double 1.0)
  %with.power = insertvalue { double, double } poison, double %power, 0
  %result = insertvalue { double, double } %with.power, double %shifted, 1
  ret { double, double } %result
}

define internal double @far_exp2_f64(double %any) cold {
  %is.low = fcmp olt double %any, -1100.0
  %not.low = select i1 %is.low, double -1100.0, double %any
  %is.high = fcmp ogt double %any, 1100.0
  %x = select i1 %is.high, double 1100.0, double %not.low
  %octaves = call { double, double } @octaves_f64(double %x)
  %power = extractvalue { double, double } %octaves, 0
  %shifted = extractvalue { double, double } %octaves, 1
  %result = call double @scale_f64(double %power, double %shifted)
  ret double %result
}

define double @__pykc_exp2_f64(double %x) {
  %octaves = call { double, double } @octaves_f64(double %x)
  %power = extractvalue { double, double } %octaves, 0
  %shifted = extractvalue { double, double } %octaves, 1
  %power.bits = bitcast double %power to i64
  %shifted.bits = bitcast double %shifted to i64
  %exponent = shl i64 %shifted.bits, 52
  %near.bits = add i64 %power.bits, %exponent
  %near = bitcast i64 %near.bits to double
  %size = call double @llvm.fabs.f64(double %x)
  %is.near = fcmp olt double %size, 1020.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_exp2_f64(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}

define internal { double, double } @decades_f64(double %x) {
  %shifted = call double @llvm.fma.f64(double %x, double 0x400A934F0979A371, double 6755399441055744.0)  ; x / log10(2)
  %k = fsub double %shifted, 6755399441055744.0
  %left = call double @llvm.fma.f64(double %k, double 0xBFD34413509F7800, double %x)  ; exact
  %k.low = fmul double %k, 0xBD326204CC14DC2D
  %low = call double @llvm.fma.f64(double %left, double 0xBCAF48AD494EA3E9, double %k.low)
  %r = call double @llvm.fma.f64(double %left, double 0x40026BB1BBB55516, double %low)
  ; exp(r) = 1 + r q(r), q by minimax approximation to 2^-58
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
  %with.power = insertvalue { double, double } poison, double %power, 0
  %result = insertvalue { double, double } %with.power, double %shifted, 1
  ret { double, double } %result
}

define internal double @far_exp10_f64(double %any) cold {
  %is.low = fcmp olt double %any, -400.0
  %not.low = select i1 %is.low, double -400.0, double %any
  %is.high = fcmp ogt double %any, 400.0
  %x = select i1 %is.high, double 400.0, double %not.low
  %decades = call { double, double } @decades_f64(double %x)
  %power = extractvalue { double, double } %decades, 0
  %shifted = extractvalue { double, double } %decades, 1
  %result = call double @scale_f64(double %power, double %shifted)
  ret double %result
}

define double @__pykc_exp10_f64(double %x) {
  %decades = call { double, double } @decades_f64(double %x)
  %power = extractvalue { double, double } %decades, 0
  %shifted = extractvalue { double, double } %decades, 1
  %power.bits = bitcast double %power to i64
  %shifted.bits = bitcast double %shifted to i64
  %exponent = shl i64 %shifted.bits, 52
  %near.bits = add i64 %power.bits, %exponent
  %near = bitcast i64 %near.bits to double
  %size = call double @llvm.fabs.f64(double %x)
  %is.near = fcmp olt double %size, 307.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_exp10_f64(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}

; log2 and log10: of the logarithm, s alone has a rest; q by minimax approximation to 2^-59 in all
define internal %logarithm.f64 @half_logarithm_f64(double %m) {
  %above = fsub double %m, 1.0  ; exact
  %below = fadd double %m, 1.0
  %inverse = call double @__pykc_reciprocal_f64(double %below)
  %s = fmul double %above, %inverse
  %s.negated = fneg double %s
  %missing.high = call double @llvm.fma.f64(double %s, double -2.0, double %above)              ; exact
  %missing = call double @llvm.fma.f64(double %s.negated, double %above, double %missing.high)  ; above - s (m + 1)
  %s.rest = fmul double %missing, %inverse
  %square = fmul double %s, %s
  %q.5 = call double @llvm.fma.f64(double %square, double 0x3FB2F03774179661, double 0x3FB39A1EF75D7464)
  %q.4 = call double @llvm.fma.f64(double %square, double %q.5, double 0x3FB74663CABA1F88)
  %q.3 = call double @llvm.fma.f64(double %square, double %q.4, double 0x3FBC71C5215874D4)
  %q.2 = call double @llvm.fma.f64(double %square, double %q.3, double 0x3FC24924941DFFB8)
  %q.1 = call double @llvm.fma.f64(double %square, double %q.2, double 0x3FC999999997FF2B)
  %q = call double @llvm.fma.f64(double %square, double %q.1, double 0x3FD5555555555592)
  %cube = fmul double %s, %square
  %steep.rest = call double @llvm.fma.f64(double %s.rest, double %square, double %s.rest)  ; by the slope, 1 / (1 - s^2)
  %rest = call double @llvm.fma.f64(double %cube, double %q, double %steep.rest)
  %with.s = insertvalue %logarithm.f64 poison, double %s, 0
  %result = insertvalue %logarithm.f64 %with.s, double %rest, 1
  ret %logarithm.f64 %result
}

define internal double @log2_of_f64(double %m, double %e) {
  %logarithm = call %logarithm.f64 @half_logarithm_f64(double %m)
  %s = extractvalue %logarithm.f64 %logarithm, 0
  %rest = extractvalue %logarithm.f64 %logarithm, 1
  %sum = call double @llvm.fma.f64(double %s, double 0x40071547652B82FE, double %e)
  %sum.left = fsub double %e, %sum
  %sum.exact = call double @llvm.fma.f64(double %s, double 0x40071547652B82FE, double %sum.left)
  %sum.low = call double @llvm.fma.f64(double %s, double 0x3C8777D0FFDA0D24, double %sum.exact)
  %sum.rest = call double @llvm.fma.f64(double %rest, double 0x40071547652B82FE, double %sum.low)
  %result = fadd double %sum, %sum.rest
  ret double %result
}

define internal double @any_log2_f64(double %x) cold {
  %parts = call %binary.f64 @split_f64(double %x)
  %m = extractvalue %binary.f64 %parts, 0
  %e = extractvalue %binary.f64 %parts, 1
  %sum = call double @log2_of_f64(double %m, double %e)
  %is.number = fcmp olt double %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, double %sum, double %x
  %below.zero = fcmp olt double %x, 0.0
  %of.any = select i1 %below.zero, double 0x7FF8000000000000, double %of.large
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double 0xFFF0000000000000, double %of.any
  ret double %result
}

define double @__pykc_log2_f64(double %x) {
  %bits = bitcast double %x to i64
  %from.root = sub i64 %bits, 4604544271217802189  ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448  ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e = fsub double %e.shifted, 6755399441055744.0
  %of.normal = call double @log2_of_f64(double %m, double %e)
  %from.normal = sub i64 %bits, 4503599627370496
  %is.normal = icmp ult i64 %from.normal, 9214364837600034816
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call double @any_log2_f64(double %x)
  br label %done

done:
  %result = phi double [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret double %result
}

define internal double @log10_of_f64(double %m, double %e) {
  %logarithm = call %logarithm.f64 @half_logarithm_f64(double %m)
  %s = extractvalue %logarithm.f64 %logarithm, 0
  %rest = extractvalue %logarithm.f64 %logarithm, 1
  %e.high = fmul double %e, 0x3FD34413509F7800  ; exact
  %sum = call double @llvm.fma.f64(double %s, double 0x3FEBCB7B1526E50E, double %e.high)
  %sum.left = fsub double %e.high, %sum
  %sum.exact = call double @llvm.fma.f64(double %s, double 0x3FEBCB7B1526E50E, double %sum.left)
  %sum.part = call double @llvm.fma.f64(double %s, double 0x3C795355BAAAFAD3, double %sum.exact)
  %sum.low = call double @llvm.fma.f64(double %e, double 0x3D1FEF311F12B358, double %sum.part)
  %sum.rest = call double @llvm.fma.f64(double %rest, double 0x3FEBCB7B1526E50E, double %sum.low)
  %result = fadd double %sum, %sum.rest
  ret double %result
}

define internal double @any_log10_f64(double %x) cold {
  %parts = call %binary.f64 @split_f64(double %x)
  %m = extractvalue %binary.f64 %parts, 0
  %e = extractvalue %binary.f64 %parts, 1
  %sum = call double @log10_of_f64(double %m, double %e)
  %is.number = fcmp olt double %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, double %sum, double %x
  %below.zero = fcmp olt double %x, 0.0
  %of.any = select i1 %below.zero, double 0x7FF8000000000000, double %of.large
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double 0xFFF0000000000000, double %of.any
  ret double %result
}

define double @__pykc_log10_f64(double %x) {
  %bits = bitcast double %x to i64
  %from.root = sub i64 %bits, 4604544271217802189  ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448  ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e = fsub double %e.shifted, 6755399441055744.0
  %of.normal = call double @log10_of_f64(double %m, double %e)
  %from.normal = sub i64 %bits, 4503599627370496
  %is.normal = icmp ult i64 %from.normal, 9214364837600034816
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call double @any_log10_f64(double %x)
  br label %done

done:
  %result = phi double [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret double %result
}

; of any x and y, as any_power
define internal double @any_power_f64(double %x, double %y) cold {
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.size = call double @llvm.fabs.f64(double %y)
  %parts = call %binary.f64 @split_f64(double %x.size)
  %m = extractvalue %binary.f64 %parts, 0
  %e = extractvalue %binary.f64 %parts, 1
  %logarithm = call %logarithm.f64 @logarithm_of_power(double %m, double %e)
  %sum = extractvalue %logarithm.f64 %logarithm, 0
  %sum.rest = extractvalue %logarithm.f64 %logarithm, 1

  ; of 0, infinity and NaN
  %is.zero = fcmp oeq double %x.size, 0.0
  %is.finite = fcmp olt double %x.size, 0x7FF0000000000000
  %of.large = select i1 %is.finite, double %sum, double %x.size
  %log = select i1 %is.zero, double 0xFFF0000000000000, double %of.large

  ; y times it; beyond the range of exponents the rest counts for nothing
  %times = fmul double %y, %log
  %times.negated = fneg double %times
  %times.exact = call double @llvm.fma.f64(double %y, double %log, double %times.negated)
  %times.rest = call double @llvm.fma.f64(double %y, double %sum.rest, double %times.exact)
  %times.size = call double @llvm.fabs.f64(double %times)
  %is.near = fcmp olt double %times.size, 1100.0
  %rest = select i1 %is.near, double %times.rest, double 0.0
  %bounded.size = select i1 %is.near, double %times.size, double 1100.0
  %bounded = call double @llvm.copysign.f64(double %bounded.size, double %times)
  %all.times = fadd double %bounded, %rest
  %shifted = fadd double %all.times, 6755399441055744.0
  %k = fsub double %shifted, 6755399441055744.0
  %r.high = fsub double %bounded, %k  ; exact
  %r = fadd double %r.high, %rest
  %near.one = call double @power_of_two_near_zero_f64(double %r)
  %scaled = call double @scale_f64(double %near.one, double %shifted)
  %is.nan.already = fcmp uno double %times, 0.0
  %power = select i1 %is.nan.already, double 0x7FF8000000000000, double %scaled

  ; the sign of an odd power of a negative number; other powers of it are none
  %y.whole = call double @llvm.trunc.f64(double %y)
  %is.fraction = fcmp une double %y, %y.whole
  %y.half = fmul double %y, 0.5
  %y.half.whole = call double @llvm.trunc.f64(double %y.half)
  %is.odd.or.fraction = fcmp une double %y.half, %y.half.whole
  %not.fraction = xor i1 %is.fraction, true
  %is.odd = and i1 %is.odd.or.fraction, %not.fraction
  %x.bits = bitcast double %x to i64
  %is.negative = icmp slt i64 %x.bits, 0
  %flips = and i1 %is.negative, %is.odd
  %opposite = fneg double %power
  %signed = select i1 %flips, double %opposite, double %power
  %below.zero = fcmp olt double %x, 0.0
  %is.negative.number = and i1 %below.zero, %is.finite
  %is.nan = and i1 %is.negative.number, %is.fraction
  %number = select i1 %is.nan, double 0x7FF8000000000000, double %signed

  ; 1 to any power, anything to the power 0, and -1 to an infinite one
  %x.one = fcmp oeq double %x, 1.0
  %y.zero = fcmp oeq double %y, 0.0
  %size.one = fcmp oeq double %x.size, 1.0
  %y.infinite = fcmp oeq double %y.size, 0x7FF0000000000000
  %endless = and i1 %size.one, %y.infinite
  %trivial = or i1 %x.one, %y.zero
  %is.one = or i1 %trivial, %endless
  %result = select i1 %is.one, double 1.0, double %number
  ret double %result
}

; Where x is normal and the result, too, there is less to do, as for f32.
define double @__pykc_pow_f64(double %x, double %y) {
  %x.bits = bitcast double %x to i64
  %size.bits = and i64 %x.bits, 9223372036854775807
  %from.root = sub i64 %size.bits, 4604544271217802189  ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %size.bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448  ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e = fsub double %e.shifted, 6755399441055744.0
  %logarithm = call %logarithm.f64 @logarithm_of_power(double %m, double %e)
  %log = extractvalue %logarithm.f64 %logarithm, 0
  %log.rest = extractvalue %logarithm.f64 %logarithm, 1
  %times = fmul double %y, %log
  %times.negated = fneg double %times
  %times.exact = call double @llvm.fma.f64(double %y, double %log, double %times.negated)
  %times.rest = call double @llvm.fma.f64(double %y, double %log.rest, double %times.exact)
  %all.times = fadd double %times, %times.rest
  %shifted = fadd double %all.times, 6755399441055744.0
  %k = fsub double %shifted, 6755399441055744.0
  %r.high = fsub double %times, %k  ; exact
  %r = fadd double %r.high, %times.rest
  %power = call double @power_of_two_near_zero_f64(double %r)
  %power.bits = bitcast double %power to i64
  %shifted.bits = bitcast double %shifted to i64
  %exponent = shl i64 %shifted.bits, 52
  %result.bits = add i64 %power.bits, %exponent

  %y.shifted = fadd double %y, 6755399441055744.0
  %y.whole = fsub double %y.shifted, 6755399441055744.0
  %y.bits = bitcast double %y.shifted to i64
  %y.last = shl i64 %y.bits, 63
  %sign = and i64 %y.last, %x.bits
  %signed.bits = or i64 %result.bits, %sign
  %of.normal = bitcast i64 %signed.bits to double

  %from.normal = sub i64 %size.bits, 4503599627370496
  %is.normal = icmp ult i64 %from.normal, 9214364837600034816
  %times.size = call double @llvm.fabs.f64(double %times)
  %is.near = fcmp olt double %times.size, 1020.0
  %y.size = call double @llvm.fabs.f64(double %y)
  %y.is.small = fcmp olt double %y.size, 2251799813685248.0
  %y.is.whole = fcmp oeq double %y, %y.whole
  %y.is.plain = and i1 %y.is.small, %y.is.whole
  %is.positive = icmp sge i64 %x.bits, 0
  %has.sign = or i1 %y.is.plain, %is.positive
  %is.plain = and i1 %is.normal, %is.near
  %is.done = and i1 %is.plain, %has.sign
  br i1 %is.done, label %done, label %rarely

rarely:
  %of.any = call double @any_power_f64(double %x, double %y)
  br label %done

done:
  %result = phi double [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret double %result
}
