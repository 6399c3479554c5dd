; f16 to f32 and back, for processors without instructions for it (F16C).

declare float @llvm.fabs.f32(float)

; The ten bits of mantissa in the place of f32's, and 2^112 for the difference of the exponents' biases; exact, subnormal
; numbers included. An exponent of all ones stays that.
define float @__pykc_from_half(i16 %half) {
  %bits = zext i16 %half to i32
  %size = and i32 %bits, 32767
  %moved = shl i32 %size, 13
  %unscaled = bitcast i32 %moved to float
  %scaled = fmul float %unscaled, 0x46F0000000000000
  %scaled.bits = bitcast float %scaled to i32
  %is.special = icmp uge i32 %size, 31744
  %special = or i32 %moved, 2139095040
  %chosen = select i1 %is.special, i32 %special, i32 %scaled.bits
  %sign = and i32 %bits, 32768
  %sign.moved = shl i32 %sign, 16
  %result.bits = or i32 %chosen, %sign.moved
  %result = bitcast i32 %result.bits to float
  ret float %result
}

; Rounds to nearest, ties to even: a normal result by adding just under half of its last place to the bits (one more where
; that place is odd), a subnormal one by adding 0.5, whose last place in f32 is f16's smallest number.
define i16 @__pykc_to_half(float %value) {
  %magnitude = call float @llvm.fabs.f32(float %value)
  %size = bitcast float %magnitude to i32
  %last.moved = lshr i32 %size, 13
  %last = and i32 %last.moved, 1
  %rebased = add i32 %size, -939520001                                ; (15 - 127) << 23, and 0xfff
  %rounded = add i32 %rebased, %last
  %normal = lshr i32 %rounded, 13
  %shifted = fadd float %magnitude, 0.5
  %shifted.bits = bitcast float %shifted to i32
  %subnormal = sub i32 %shifted.bits, 1056964608
  %is.subnormal = icmp ult i32 %size, 947912704                       ; 2^-14
  %finite = select i1 %is.subnormal, i32 %subnormal, i32 %normal
  %is.nan = icmp ugt i32 %size, 2139095040
  %special = select i1 %is.nan, i32 32256, i32 31744
  %is.special = icmp uge i32 %size, 1199570944                        ; 2^16
  %chosen = select i1 %is.special, i32 %special, i32 %finite
  %bits = bitcast float %value to i32
  %sign.moved = lshr i32 %bits, 16
  %sign = and i32 %sign.moved, 32768
  %with.sign = or i32 %chosen, %sign
  %result = trunc i32 %with.sign to i16
  ret i16 %result
}
