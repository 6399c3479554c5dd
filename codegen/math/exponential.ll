; exp and exp2 for f32: libclc's flush results below the smallest normal number to 0.
;
; x = k ln2 + r with a whole k and |r| <= ln2 / 2, so exp(x) = 2^k exp(r). ln2 is subtracted in two parts, the first of
; which has so few bits that k times it is exact. 2^k is multiplied in two halves: each is a normal number, and only the
; last product rounds, once, into the subnormal range. No branch: loops over many x become vector code. k is rounded by
; adding 1.5 * 2^23, behind which a float has no fraction: its last bits are then k, and no conversion is needed, which
; GPUs do at an eighth of the speed of an addition.

declare float @llvm.fma.f32(float, float, float)
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

define float @__pykc_exp_f32(float %any) {
  %x = call float @bounded(float %any)
  %shifted = call float @llvm.fma.f32(float %x, float 0x3FF7154760000000, float 12582912.0)  ; x / ln2
  %k = fsub float %shifted, 12582912.0
  %k.negated = fneg float %k
  %r.high = call float @llvm.fma.f32(float %k.negated, float 0x3FE62E4000000000, float %x)
  %r = call float @llvm.fma.f32(float %k.negated, float 0x3EB7F7D1C0000000, float %r.high)
  ; exp(r) = 1 + r (1 + r q(r)), q by Chebyshev approximation to 8e-9
  %q3 = call float @llvm.fma.f32(float %r, float 0x3F56D12540000000, float 0x3F8120CBA0000000)
  %q2 = call float @llvm.fma.f32(float %r, float %q3, float 0x3FA5555180000000)
  %q1 = call float @llvm.fma.f32(float %r, float %q2, float 0x3FC5554DC0000000)
  %q0 = call float @llvm.fma.f32(float %r, float %q1, float 0.5)
  %slope = call float @llvm.fma.f32(float %r, float %q0, float 1.0)
  %power = call float @llvm.fma.f32(float %r, float %slope, float 1.0)
  %result = call float @scale(float %power, float %shifted)
  ret float %result
}

define float @__pykc_exp2_f32(float %any) {
  %x = call float @bounded(float %any)
  %shifted = fadd float %x, 12582912.0
  %k = fsub float %shifted, 12582912.0
  %r = fsub float %x, %k                                             ; exact
  ; 2^r = 1 + r q(r), q by Chebyshev approximation to 8e-11
  %q5 = call float @llvm.fma.f32(float %r, float 0x3EF00A5820000000, float 0x3F24440000000000)
  %q4 = call float @llvm.fma.f32(float %r, float %q5, float 0x3F55D879E0000000)
  %q3 = call float @llvm.fma.f32(float %r, float %q4, float 0x3F83B2A1C0000000)
  %q2 = call float @llvm.fma.f32(float %r, float %q3, float 0x3FAC6B08E0000000)
  %q1 = call float @llvm.fma.f32(float %r, float %q2, float 0x3FCEBFBE00000000)
  %q0 = call float @llvm.fma.f32(float %r, float %q1, float 0x3FE62E4300000000)
  %power = call float @llvm.fma.f32(float %r, float %q0, float 1.0)
  %result = call float @scale(float %power, float %shifted)
  ret float %result
}
