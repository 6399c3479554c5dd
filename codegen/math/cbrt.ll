; cbrt, without branches, so that loops over many x become vector code.

declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)

; y = |x|^(-1/3) begins with a third of the exponent, 3.6 % off at most, which leaves r = 1 - |x| y^3 up to 0.104; then
; y (1 + r p(r)) is (1 - r)^(-1/3) y, p by minimax approximation to 2^-16. So c = |x| y^2 is the root to 2^-15; what is
; missing is (|x| - c^3) y^2 / 3, and |x| - c^3 is computed exactly.
define float @__pykc_cbrt_f32(float %x) {
  %any.size = call float @llvm.fabs.f32(float %x)
  %is.tiny = fcmp olt float %any.size, 0x3B70000000000000
  %raised = fmul float %any.size, 0x4470000000000000
  %size = select i1 %is.tiny, float %raised, float %any.size
  %last = select i1 %is.tiny, float 0x3E70000000000000, float 1.0
  %bits = bitcast float %size to i32
  %bits.float = sitofp i32 %bits to float
  ; 2^23 + y's bits / 512
  %start = call float @llvm.fma.f32(float %bits.float, float 0xBF45555560000000, float 11161856.0)
  %start.bits = bitcast float %start to i32
  %y.bits = shl i32 %start.bits, 9
  %y = bitcast i32 %y.bits to float
  %x.y = fmul float %size, %y
  %x.y.y = fmul float %x.y, %y
  %opposite = fneg float %x.y.y
  %r = call float @llvm.fma.f32(float %opposite, float %y, float 1.0)
  %p.1 = call float @llvm.fma.f32(float %r, float 0x3FC65ECB80000000, float 0x3FCC9C6200000000)
  %p = call float @llvm.fma.f32(float %r, float %p.1, float 0x3FD5553BA0000000)
  %y.r = fmul float %y, %r
  %better = call float @llvm.fma.f32(float %y.r, float %p, float %y)
  %square = fmul float %better, %better
  %c = fmul float %size, %square
  %c.square = fmul float %c, %c
  %c.square.opposite = fneg float %c.square
  %c.square.rest = call float @llvm.fma.f32(float %c, float %c, float %c.square.opposite)
  %missing.high = call float @llvm.fma.f32(float %c.square.opposite, float %c, float %size)
  %c.opposite = fneg float %c
  %missing = call float @llvm.fma.f32(float %c.square.rest, float %c.opposite, float %missing.high)
  %slope = fmul float %square, 0x3FD5555560000000
  %root = call float @llvm.fma.f32(float %missing, float %slope, float %c)
  %scaled = fmul float %root, %last
  %is.finite = fcmp olt float %any.size, 0x7FF0000000000000
  %of.size = select i1 %is.finite, float %scaled, float %any.size
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; cbrt for f64, as for f32, with one more step of Newton's method, behind which y is right to 2^-39.
define double @__pykc_cbrt_f64(double %x) {
  %any.size = call double @llvm.fabs.f64(double %x)
  %is.tiny = fcmp olt double %any.size, 0x20B0000000000000
  %raised = fmul double %any.size, 0x6570000000000000
  %size = select i1 %is.tiny, double %raised, double %any.size
  %last = select i1 %is.tiny, double 0x3370000000000000, double 1.0
  %bits = bitcast double %size to i64
  %high.bits = lshr i64 %bits, 12
  %shifted.bits = or i64 %high.bits, 4841369599423283200               ; the bits of 2^52
  %shifted = bitcast i64 %shifted.bits to double
  %bits.number = fsub double %shifted, 4503599627370496.0
  ; 2^52 + y's bits / 2^12
  %start = call double @llvm.fma.f64(double %bits.number, double 0xBFD5555555555555, double 6003259041557163.0)
  %start.bits = bitcast double %start to i64
  %y.bits = shl i64 %start.bits, 12
  %y = bitcast i64 %y.bits to double
  %x.y = fmul double %size, %y
  %x.y.y = fmul double %x.y, %y
  %opposite = fneg double %x.y.y
  %r = call double @llvm.fma.f64(double %opposite, double %y, double 1.0)
  %p.2 = call double @llvm.fma.f64(double %r, double 0x3FC2B092B08A9CAA, double 0x3FC656FC3FC48607)
  %p.1 = call double @llvm.fma.f64(double %r, double %p.2, double 0x3FCC71810605B75C)
  %p = call double @llvm.fma.f64(double %r, double %p.1, double 0x3FD5554275B5087F)
  %y.r = fmul double %y, %r
  %better = call double @llvm.fma.f64(double %y.r, double %p, double %y)
  %better.x = fmul double %size, %better
  %better.x.y = fmul double %better.x, %better
  %better.opposite = fneg double %better.x.y
  %better.r = call double @llvm.fma.f64(double %better.opposite, double %better, double 1.0)
  %better.third = fmul double %better, 0x3FD5555555555555
  %best = call double @llvm.fma.f64(double %better.third, double %better.r, double %better)
  %square = fmul double %best, %best
  %c = fmul double %size, %square
  %c.square = fmul double %c, %c
  %c.square.opposite = fneg double %c.square
  %c.square.rest = call double @llvm.fma.f64(double %c, double %c, double %c.square.opposite)
  %missing.high = call double @llvm.fma.f64(double %c.square.opposite, double %c, double %size)
  %c.opposite = fneg double %c
  %missing = call double @llvm.fma.f64(double %c.square.rest, double %c.opposite, double %missing.high)
  %slope = fmul double %square, 0x3FD5555555555555
  %root = call double @llvm.fma.f64(double %missing, double %slope, double %c)
  %scaled = fmul double %root, %last
  %is.finite = fcmp olt double %any.size, 0x7FF0000000000000
  %of.size = select i1 %is.finite, double %scaled, double %any.size
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}
