; erf and erfc for f32, without branches, so that loops over many x become vector code.

declare float @__pykc_reciprocal_f32(float)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.minimum.f32(float, float)

; Up to 0.9, erf(x) = x + x p(x^2), p by minimax approximation to 2^-30; from there on, 1 - 2^(x q(x)), where x q(x) is
; the logarithm of erfc(x), by minimax approximation to 2^-30 of the result. 2^r = 1 + r s(r), s to 2^-28.
define float @__pykc_erf_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %square = fmul float %size, %size
  %p.5 = call float @llvm.fma.f32(float %square, float 0x3F15FFF4C0000000, float 0xBF4AAFD0A0000000)
  %p.4 = call float @llvm.fma.f32(float %square, float %p.5, float 0x3F754D5A20000000)
  %p.3 = call float @llvm.fma.f32(float %square, float %p.4, float 0xBF9B80EE80000000)
  %p.2 = call float @llvm.fma.f32(float %square, float %p.3, float 0x3FBCE2DFA0000000)
  %p.1 = call float @llvm.fma.f32(float %square, float %p.2, float 0xBFD8127420000000)
  %p = call float @llvm.fma.f32(float %square, float %p.1, float 0x3FC06EBA80000000)
  %of.small = call float @llvm.fma.f32(float %size, float %p, float %size)
  %bounded = call float @llvm.minimum.f32(float %size, float 4.0)      ; the result is 1 from 3.9 on; a NaN stays
  %slope.5 = call float @llvm.fma.f32(float %bounded, float 0xBEDF2E2540000000, float 0x3F123D1A00000000)
  %slope.4 = call float @llvm.fma.f32(float %bounded, float %slope.5, float 0x3F0B303240000000)
  %slope.3 = call float @llvm.fma.f32(float %bounded, float %slope.4, float 0xBF7116E620000000)
  %slope.2 = call float @llvm.fma.f32(float %bounded, float %slope.3, float 0x3FA0B3C280000000)
  %slope.1 = call float @llvm.fma.f32(float %bounded, float %slope.2, float 0xBFC36D5CE0000000)
  %slope = call float @llvm.fma.f32(float %bounded, float %slope.1, float 0xBFED588BE0000000)
  %product = fmul float %bounded, %slope
  %product.opposite = fneg float %product
  %product.rest = call float @llvm.fma.f32(float %bounded, float %slope, float %product.opposite)
  %factor = fadd float %product, 0xBFFA0CE2E0000000
  %factor.left = fsub float 0xBFFA0CE2E0000000, %factor
  %factor.part = fadd float %factor.left, %product
  %factor.rest = fadd float %factor.part, %product.rest
  %shifted = call float @llvm.fma.f32(float %bounded, float %factor, float 12583039.0)
  %k = fsub float %shifted, 12583039.0
  %k.opposite = fneg float %k
  %r.high = call float @llvm.fma.f32(float %bounded, float %factor, float %k.opposite)
  %r = call float @llvm.fma.f32(float %bounded, float %factor.rest, float %r.high)
  %s.4 = call float @llvm.fma.f32(float %r, float 0x3F24709FE0000000, float 0x3F55F0DCC0000000)
  %s.3 = call float @llvm.fma.f32(float %r, float %s.4, float 0x3F83B25F60000000)
  %s.2 = call float @llvm.fma.f32(float %r, float %s.3, float 0x3FAC6AF720000000)
  %s.1 = call float @llvm.fma.f32(float %r, float %s.2, float 0x3FCEBFBE60000000)
  %s = call float @llvm.fma.f32(float %r, float %s.1, float 0x3FE62E4300000000)
  %bits = bitcast float %shifted to i32
  %scale.bits = shl i32 %bits, 23                                      ; 127 more than k: those of 2^k
  %scale = bitcast i32 %scale.bits to float
  %of.r = fmul float %scale, %r
  %left = fsub float 1.0, %scale
  %s.negated = fneg float %s
  %of.large = call float @llvm.fma.f32(float %of.r, float %s.negated, float %left)
  %is.small = fcmp olt float %size, 0x3FECCCCCC0000000
  %of.size = select i1 %is.small, float %of.small, float %of.large
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; With s = |x|, erfc(s) = exp(-s^2) p(q) with q = (s - 3) / (s + 3), p by minimax approximation to 2^-27; of a negative
; x, 2 - erfc(s). What s^2 rounds away is subtracted from r.
define float @__pykc_erfc_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %s = call float @llvm.minimum.f32(float %size, float 10.5)           ; the result is 0 from 10.1 on; a NaN stays
  %below = fadd float %s, 3.0
  %above = fsub float %s, 3.0
  %inverse = call float @__pykc_reciprocal_f32(float %below)
  %q = fmul float %above, %inverse
  %q.opposite = fneg float %q
  %below.part = fsub float %below, 3.0
  %below.rest = fsub float %s, %below.part
  %above.part = fadd float %above, 3.0
  %above.rest = fsub float %s, %above.part
  %missing.exact = call float @llvm.fma.f32(float %q.opposite, float %below, float %above)
  %missing.high = fadd float %missing.exact, %above.rest
  %missing = call float @llvm.fma.f32(float %q.opposite, float %below.rest, float %missing.high)
  %q.rest = fmul float %missing, %inverse
  %slope.high = call float @llvm.fma.f32(float %q, float 0xBFE3333340000000, float 0.75) ; roughly p's
  %slope = call float @llvm.fma.f32(float %q, float %slope.high, float 0xBFD51EB860000000)
  %p.above.8 = call float @llvm.fma.f32(float %q, float 0x3F0DB4F3C0000000, float 0x3F00593220000000)
  %p.above.7 = call float @llvm.fma.f32(float %q, float %p.above.8, float 0xBF436DA460000000)
  %p.above.6 = call float @llvm.fma.f32(float %q, float %p.above.7, float 0x3F476ABE20000000)
  %p.above.5 = call float @llvm.fma.f32(float %q, float %p.above.6, float 0x3F717AAE20000000)
  %p.above.4 = call float @llvm.fma.f32(float %q, float %p.above.5, float 0xBF98FAC8C0000000)
  %p.above.3 = call float @llvm.fma.f32(float %q, float %p.above.4, float 0x3FB258B880000000)
  %p.above.2 = call float @llvm.fma.f32(float %q, float %p.above.3, float 0xBFC336FE40000000)
  %p.above.1 = call float @llvm.fma.f32(float %q, float %p.above.2, float 0x3FCF6FF1A0000000)
  %p.above = call float @llvm.fma.f32(float %q, float %p.above.1, float 0xBFD4E102C0000000)
  %p = call float @llvm.fma.f32(float %q, float %p.above, float 0x3FC6E98280000000)
  %p.left = fsub float 0x3FC6E98280000000, %p
  %p.exact = call float @llvm.fma.f32(float %q, float %p.above, float %p.left)
  %p.rest = call float @llvm.fma.f32(float %q.rest, float %slope, float %p.exact)
  %square = fmul float %s, %s
  %opposite = fneg float %square
  %square.rest = call float @llvm.fma.f32(float %s, float %s, float %opposite)
  %shifted = call float @llvm.fma.f32(float %opposite, float 0x3FF7154760000000, float 12582912.0)
  %k = fsub float %shifted, 12582912.0
  %r.high = call float @llvm.fma.f32(float %k, float 0xBFE62E4000000000, float %opposite)
  %r.low = fsub float %r.high, %square.rest
  %r = call float @llvm.fma.f32(float %k, float 0xBEB7F7D1C0000000, float %r.low)
  ; exp(r) - 1 = r e(r), e by minimax approximation to 2^-31
  %e.4 = call float @llvm.fma.f32(float %r, float 0x3F56D5F4E0000000, float 0x3F8123BFE0000000)
  %e.3 = call float @llvm.fma.f32(float %r, float %e.4, float 0x3FA5554D80000000)
  %e.2 = call float @llvm.fma.f32(float %r, float %e.3, float 0x3FC55548E0000000)
  %e.1 = call float @llvm.fma.f32(float %r, float %e.2, float 0.5)
  %e = call float @llvm.fma.f32(float %r, float %e.1, float 1.0)
  %less.one = fmul float %r, %e
  %p.rest.power = call float @llvm.fma.f32(float %less.one, float %p.rest, float %p.rest)
  %more = call float @llvm.fma.f32(float %less.one, float %p, float %p.rest.power)
  %power = fadd float %p, %more
  %bits = bitcast float %shifted to i32
  %half = ashr i32 %bits, 1
  %rest = sub i32 %bits, %half
  %half.exponent = shl i32 %half, 23
  %half.bits = add i32 %half.exponent, 1065353216
  %half.factor = bitcast i32 %half.bits to float
  %rest.exponent = shl i32 %rest, 23
  %rest.bits = add i32 %rest.exponent, 1065353216
  %rest.factor = bitcast i32 %rest.bits to float
  %partly = fmul float %power, %half.factor
  %of.size = fmul float %partly, %rest.factor
  %of.opposite = fsub float 2.0, %of.size
  %is.negative = fcmp olt float %x, 0.0
  %result = select i1 %is.negative, float %of.opposite, float %of.size
  ret float %result
}
