; 1 / x, correctly rounded, where both are far from the ends of the range; else anything. GPUs have shorter code for it
; than for a division, which looks at the ends (codegen/math/library.cpp).

define float @__pykc_reciprocal_f32(float %x) {
  %result = fdiv float 1.0, %x
  ret float %result
}
