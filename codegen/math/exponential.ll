; exp and exp2 for f32: libclc's flush results below the smallest normal number to 0.
;
; x = k ln2 + r with a whole k and |r| <= ln2 / 2, so exp(x) = 2^k exp(r). ln2 is subtracted in two parts, the first of
; which has so few bits that k times it is exact. 2^k is multiplied in two halves: each is a normal number, and only the
; last product rounds, once, into the subnormal range. No branch: loops over many x become vector code.

declare float @llvm.rint.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare i32 @llvm.fptosi.sat.i32.f32(float)
declare i32 @llvm.smax.i32(i32, i32)
declare i32 @llvm.smin.i32(i32, i32)

; value * 2^exponent, rounded once.
define internal float @scale(float %value, i32 %exponent) {
  %low = call i32 @llvm.smax.i32(i32 %exponent, i32 -250)
  %bounded = call i32 @llvm.smin.i32(i32 %low, i32 250)
  %half = ashr i32 %bounded, 1
  %rest = sub i32 %bounded, %half
  %half.biased = add i32 %half, 127
  %half.bits = shl i32 %half.biased, 23
  %half.factor = bitcast i32 %half.bits to float
  %rest.biased = add i32 %rest, 127
  %rest.bits = shl i32 %rest.biased, 23
  %rest.factor = bitcast i32 %rest.bits to float
  %partly = fmul float %value, %half.factor
  %scaled = fmul float %partly, %rest.factor
  ret float %scaled
}

define float @__pykc_exp_f32(float %x) {
  %quotient = fmul float %x, 0x3FF7154760000000                      ; 1 / ln2
  %k = call float @llvm.rint.f32(float %quotient)
  %k.negated = fneg float %k
  %r.high = call float @llvm.fma.f32(float %k.negated, float 0x3FE62E4000000000, float %x)
  %r = call float @llvm.fma.f32(float %k.negated, float 0x3EB7F7D1C0000000, float %r.high)
  ; exp(r) = 1 + (r + r^2 q(r)), q by Chebyshev approximation to 8e-9
  %q3 = call float @llvm.fma.f32(float %r, float 0x3F56D12540000000, float 0x3F8120CBA0000000)
  %q2 = call float @llvm.fma.f32(float %r, float %q3, float 0x3FA5555180000000)
  %q1 = call float @llvm.fma.f32(float %r, float %q2, float 0x3FC5554DC0000000)
  %q0 = call float @llvm.fma.f32(float %r, float %q1, float 0.5)
  %square = fmul float %r, %r
  %tail = call float @llvm.fma.f32(float %square, float %q0, float %r)
  %power = fadd float %tail, 1.0
  %exponent = call i32 @llvm.fptosi.sat.i32.f32(float %k)
  %scaled = call float @scale(float %power, i32 %exponent)
  ; Far out the reduction means nothing; a NaN passes both tests and stays.
  %is.small = fcmp olt float %x, -104.0
  %small = select i1 %is.small, float 0.0, float %scaled
  %is.large = fcmp ogt float %x, 89.0
  %result = select i1 %is.large, float 0x7FF0000000000000, float %small
  ret float %result
}

define float @__pykc_exp2_f32(float %x) {
  %k = call float @llvm.rint.f32(float %x)
  %r = fsub float %x, %k                                             ; exact
  ; 2^r = 1 + r q(r), q by Chebyshev approximation to 8e-11
  %q5 = call float @llvm.fma.f32(float %r, float 0x3EF00A5820000000, float 0x3F24440000000000)
  %q4 = call float @llvm.fma.f32(float %r, float %q5, float 0x3F55D879E0000000)
  %q3 = call float @llvm.fma.f32(float %r, float %q4, float 0x3F83B2A1C0000000)
  %q2 = call float @llvm.fma.f32(float %r, float %q3, float 0x3FAC6B08E0000000)
  %q1 = call float @llvm.fma.f32(float %r, float %q2, float 0x3FCEBFBE00000000)
  %q0 = call float @llvm.fma.f32(float %r, float %q1, float 0x3FE62E4300000000)
  %power = call float @llvm.fma.f32(float %r, float %q0, float 1.0)
  %exponent = call i32 @llvm.fptosi.sat.i32.f32(float %k)
  %scaled = call float @scale(float %power, i32 %exponent)
  %is.small = fcmp olt float %x, -151.0
  %small = select i1 %is.small, float 0.0, float %scaled
  %is.large = fcmp oge float %x, 128.0
  %result = select i1 %is.large, float 0x7FF0000000000000, float %small
  ret float %result
}
