; Functions of libclc that are right but for some arguments.

declare double @_Z5ldexpdi(double, i32)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

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
