; 1 / x, x / y and the square root of x, correctly rounded, where arguments and results are far from the ends of the
; range, and the root of 0 for f32; else anything. GPUs have shorter code for these than for those that look at the ends
; (codegen/math/library.cpp).

declare double @llvm.sqrt.f64(double)
declare float @llvm.sqrt.f32(float)

define float @__pykc_reciprocal_f32(float %x) {
  %result = fdiv float 1.0, %x
  ret float %result
}

define double @__pykc_reciprocal_f64(double %x) {
  %result = fdiv double 1.0, %x
  ret double %result
}

define float @__pykc_quotient_f32(float %x, float %y) {
  %result = fdiv float %x, %y
  ret float %result
}

define double @__pykc_quotient_f64(double %x, double %y) {
  %result = fdiv double %x, %y
  ret double %result
}

define float @__pykc_root_f32(float %x) {
  %result = call float @llvm.sqrt.f32(float %x)
  ret float %result
}

define double @__pykc_root_f64(double %x) {
  %result = call double @llvm.sqrt.f64(double %x)
  ret double %result
}

; 1 / the root, where that is not 2^n (2 - 2^-52): its inverse is too near the middle between two numbers.
define double @__pykc_inverse_of_root_f64(double %x) {
  %root = call double @llvm.sqrt.f64(double %x)
  %result = fdiv double 1.0, %root
  ret double %result
}
