; cbrt, without branches, so that loops over many x become vector code.

declare double @llvm.copysign.f64(double, double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.copysign.f32(float, float)
declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)

; y = |x|^(-1/3) begins with a third of the exponent, 3.6 % off at most, which leaves r = 1 - |x| y^3 up to 0.104; then
; y (1 + r p(r)) is (1 - r)^(-1/3) y, p by minimax approximation to 2^-16. So c = |x| y^2 is the root to 2^-15; what is
; missing is (|x| - c^3) y^2 / 3.
define internal float @cube_root_f32(float %size) {
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
  %missing = call float @llvm.fma.f32(float %c.square.opposite, float %c, float %size)
  %slope = fmul float %square, 0x3FD5555560000000
  %root = call float @llvm.fma.f32(float %missing, float %slope, float %c)
  ret float %root
}

; of tiny numbers, 0, infinities and NaNs
define internal float @any_cube_root_f32(float %size) cold {
  %raised = fmul float %size, 0x4470000000000000
  %root = call float @cube_root_f32(float %raised)
  %scaled = fmul float %root, 0x3E70000000000000
  %is.tiny = fcmp olt float %size, 1.0
  %result = select i1 %is.tiny, float %scaled, float %size
  ret float %result
}

define float @__pykc_cbrt_f32(float %x) {
  %size = call float @llvm.fabs.f32(float %x)
  %near = call float @cube_root_f32(float %size)
  %bits = bitcast float %size to i32
  %from.least = sub i32 %bits, 461373440                               ; the bits of 2^-72
  %is.near = icmp ult i32 %from.least, 1677721600                      ; up to those of infinity
  br i1 %is.near, label %done, label %rarely

rarely:
  %any = call float @any_cube_root_f32(float %size)
  br label %done

done:
  %of.size = phi float [ %near, %0 ], [ %any, %rarely ]
  %result = call float @llvm.copysign.f32(float %of.size, float %x)
  ret float %result
}

; cbrt for f64: y as for f32, but with 26 bits, so that its square is exact. With e = 1 - |x| y^3, the root is
; |x| y^2 (1 - e)^(-2/3), of which four terms are enough.
define internal double @cube_root(double %size) {
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
  %p.1 = call double @llvm.fma.f64(double %r, double 0x3FC65F7EF1EBF6CF, double 0x3FCC9CB164230A11)
  %p = call double @llvm.fma.f64(double %r, double %p.1, double 0x3FD5553B6A4DB329)
  %y.r = fmul double %y, %r
  %any.better = call double @llvm.fma.f64(double %y.r, double %p, double %y)
  %better.bits = bitcast double %any.better to i64
  %short.bits = and i64 %better.bits, -134217728
  %better = bitcast i64 %short.bits to double
  %square = fmul double %better, %better  ; exact
  %c = fmul double %size, %square
  %c.opposite = fneg double %c
  %e = call double @llvm.fma.f64(double %c.opposite, double %better, double 1.0)
  %w.1 = call double @llvm.fma.f64(double %e, double 0x3FDF9ADD3C0CA458, double 0x3FE1C71C71C71C72)
  %w = call double @llvm.fma.f64(double %e, double %w.1, double 0x3FE5555555555555)
  %c.e = fmul double %c, %e
  %root = call double @llvm.fma.f64(double %c.e, double %w, double %c)
  ret double %root
}

; of tiny numbers, 0, infinities and NaNs
define internal double @any_cube_root(double %size) cold {
  %raised = fmul double %size, 0x6570000000000000
  %root = call double @cube_root(double %raised)
  %scaled = fmul double %root, 0x3370000000000000
  %is.tiny = fcmp olt double %size, 1.0
  %of.tiny = select i1 %is.tiny, double %scaled, double %size
  %is.zero = fcmp oeq double %size, 0.0
  %result = select i1 %is.zero, double 0.0, double %of.tiny
  ret double %result
}

define double @__pykc_cbrt_f64(double %x) {
  %size = call double @llvm.fabs.f64(double %x)
  %near = call double @cube_root(double %size)
  %bits = bitcast double %size to i64
  %from.least = sub i64 %bits, 2355382605114769408                     ; the bits of 2^-500
  %is.near = icmp ult i64 %from.least, 6863485832112635904             ; up to those of infinity
  br i1 %is.near, label %done, label %rarely

rarely:
  %any = call double @any_cube_root(double %size)
  br label %done

done:
  %of.size = phi double [ %near, %0 ], [ %any, %rarely ]
  %result = call double @llvm.copysign.f64(double %of.size, double %x)
  ret double %result
}
