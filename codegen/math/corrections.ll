; Functions of libclc that are right but for some arguments.

declare double @llvm.fabs.f64(double)
declare double @llvm.trunc.f64(double)
declare double @llvm.copysign.f64(double, double)
declare double @_Z3powdd(double, double)
declare double @_Z5ldexpdi(double, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)
declare double @_Z4asind(double)
declare double @_Z4atand(double)
declare double @_Z5expm1d(double)
declare double @_Z3erfd(double)

; libclc's pow for f64 goes astray where the exponent is so large that the result's own exponent does not fit an i32.
; An exponent of 4096 / min(||x| - 1|, 1) overflows, or vanishes, already: ||x| - 1| is at most |log2 |x|| up to 2, and 1
; is from there on. The sign comes from the exponent as it was.
define double @__pykc_pow_f64(double %x, double %y) {
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.size = call double @llvm.fabs.f64(double %y)
  %from.one = fsub double %x.size, 1.0
  %distance = call double @llvm.fabs.f64(double %from.one)
  %is.far = fcmp ogt double %distance, 1.0
  %slope = select i1 %is.far, double 1.0, double %distance
  %bound = fdiv double 4096.0, %slope
  %exceeds = fcmp ogt double %y.size, %bound
  %y.bound = call double @llvm.copysign.f64(double %bound, double %y)
  %y.used = select i1 %exceeds, double %y.bound, double %y
  %power = call double @_Z3powdd(double %x.size, double %y.used)

  %y.whole = call double @llvm.trunc.f64(double %y)
  %is.fraction = fcmp une double %y, %y.whole
  %y.half = fmul double %y, 0.5
  %y.half.whole = call double @llvm.trunc.f64(double %y.half)
  %is.odd.or.fraction = fcmp une double %y.half, %y.half.whole
  %x.bits = bitcast double %x to i64
  %is.negative = icmp slt i64 %x.bits, 0
  %not.fraction = xor i1 %is.fraction, true
  %is.odd = and i1 %is.odd.or.fraction, %not.fraction
  %flips = and i1 %is.negative, %is.odd
  %opposite = fneg double %power
  %signed = select i1 %flips, double %opposite, double %power

  ; A root of a negative number, but not of -0 or -inf, is none.
  %below.zero = fcmp olt double %x, 0.0
  %is.finite = fcmp one double %x.size, 0x7FF0000000000000
  %root = and i1 %below.zero, %is.finite
  %is.nan = and i1 %root, %is.fraction
  %result = select i1 %is.nan, double 0x7FF8000000000000, double %signed
  ret double %result
}

; libclc's odd functions for f64 lose the sign of -0.

define double @__pykc_asin_f64(double %x) {
  %value = call double @_Z4asind(double %x)
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double %x, double %value
  ret double %result
}

define double @__pykc_atan_f64(double %x) {
  %value = call double @_Z4atand(double %x)
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double %x, double %value
  ret double %result
}

define double @__pykc_expm1_f64(double %x) {
  %value = call double @_Z5expm1d(double %x)
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double %x, double %value
  ret double %result
}

define double @__pykc_erf_f64(double %x) {
  %value = call double @_Z3erfd(double %x)
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double %x, double %value
  ret double %result
}

; libclc's ldexp for f32 flushes results below the smallest normal number to 0. In f64 the product is exact, and it is
; rounded once on the way back.
define float @__pykc_ldexp_f32(float %x, i32 %n) {
  %low = call i32 @llvm.smax.i32(i32 %n, i32 -500)
  %bounded = call i32 @llvm.smin.i32(i32 %low, i32 500)
  %biased = add i32 %bounded, 1023
  %exponent = zext i32 %biased to i64
  %bits = shl i64 %exponent, 52
  %factor = bitcast i64 %bits to double
  %wide = fpext float %x to double
  %product = fmul double %wide, %factor
  %result = fptrunc double %product to float
  ret float %result
}

; libclc's ldexp for f64 adds n to the exponent and may overflow there; of a NaN it makes an infinity.
define double @__pykc_ldexp_f64(double %x, i32 %n) {
  %low = call i32 @llvm.smax.i32(i32 %n, i32 -5000)
  %bounded = call i32 @llvm.smin.i32(i32 %low, i32 5000)
  %value = call double @_Z5ldexpdi(double %x, i32 %bounded)
  %is.nan = fcmp uno double %x, %x
  %result = select i1 %is.nan, double %x, double %value
  ret double %result
}
