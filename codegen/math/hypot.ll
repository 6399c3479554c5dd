; hypot: libclc's is more than an ulp off.
;
; The two squares are summed with what each operation rounds away, and the root is corrected by a step of Newton's with
; the rest, so that the result is nearly always the number next to the exact one. Both sides are scaled by a power of
; two where a square would overflow or lose bits. No branch: loops over many x become vector code.

declare float @llvm.fabs.f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)

define float @__pykc_hypot_f32(float %x, float %y) {
  %x.size = call float @llvm.fabs.f32(float %x)
  %y.size = call float @llvm.fabs.f32(float %y)
  %is.x.larger = fcmp ogt float %x.size, %y.size
  %larger = select i1 %is.x.larger, float %x.size, float %y.size
  %smaller = select i1 %is.x.larger, float %y.size, float %x.size
  %is.small = fcmp olt float %larger, 0x3D70000000000000                  ; 2^-40
  %is.large = fcmp ogt float %larger, 0x43B0000000000000                  ; 2^60
  %down = select i1 %is.large, float 0x3B90000000000000, float 1.0      ; 2^-70
  %scale = select i1 %is.small, float 0x4590000000000000, float %down     ; 2^90
  %up = select i1 %is.large, float 0x4450000000000000, float 1.0
  %back = select i1 %is.small, float 0x3A50000000000000, float %up
  %a = fmul float %larger, %scale
  %b = fmul float %smaller, %scale
  %a.square = fmul float %a, %a
  %b.square = fmul float %b, %b
  %a.square.negated = fneg float %a.square
  %b.square.negated = fneg float %b.square
  %a.rest = call float @llvm.fma.f32(float %a, float %a, float %a.square.negated)
  %b.rest = call float @llvm.fma.f32(float %b, float %b, float %b.square.negated)
  %sum = fadd float %a.square, %b.square
  %a.left = fsub float %a.square, %sum
  %sum.rest = fadd float %a.left, %b.square
  %rests = fadd float %a.rest, %b.rest
  %rest = fadd float %sum.rest, %rests
  %root = call float @llvm.sqrt.f32(float %sum)
  %root.negated = fneg float %root
  %root.rest = call float @llvm.fma.f32(float %root.negated, float %root, float %sum)
  %missing = fadd float %root.rest, %rest
  %twice = fadd float %root, %root
  %correction = fdiv float %missing, %twice
  %better = fadd float %root, %correction
  %result = fmul float %better, %back
  %is.zero = fcmp oeq float %sum, 0.0
  %x.infinite = fcmp oeq float %x.size, 0x7FF0000000000000
  %y.infinite = fcmp oeq float %y.size, 0x7FF0000000000000
  %is.infinite = or i1 %x.infinite, %y.infinite
  %exact = select i1 %is.infinite, float 0x7FF0000000000000, float 0.0
  %is.exact = or i1 %is.zero, %is.infinite
  %chosen = select i1 %is.exact, float %exact, float %result
  ret float %chosen
}

define double @__pykc_hypot_f64(double %x, double %y) {
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.size = call double @llvm.fabs.f64(double %y)
  %is.x.larger = fcmp ogt double %x.size, %y.size
  %larger = select i1 %is.x.larger, double %x.size, double %y.size
  %smaller = select i1 %is.x.larger, double %y.size, double %x.size
  %is.small = fcmp olt double %larger, 0x26F0000000000000                  ; 2^-400
  %is.large = fcmp ogt double %larger, 0x5F30000000000000                  ; 2^500
  %down = select i1 %is.large, double 0x1A70000000000000, double 1.0      ; 2^-600
  %scale = select i1 %is.small, double 0x6BB0000000000000, double %down     ; 2^700
  %up = select i1 %is.large, double 0x6570000000000000, double 1.0
  %back = select i1 %is.small, double 0x1430000000000000, double %up
  %a = fmul double %larger, %scale
  %b = fmul double %smaller, %scale
  %a.square = fmul double %a, %a
  %b.square = fmul double %b, %b
  %a.square.negated = fneg double %a.square
  %b.square.negated = fneg double %b.square
  %a.rest = call double @llvm.fma.f64(double %a, double %a, double %a.square.negated)
  %b.rest = call double @llvm.fma.f64(double %b, double %b, double %b.square.negated)
  %sum = fadd double %a.square, %b.square
  %a.left = fsub double %a.square, %sum
  %sum.rest = fadd double %a.left, %b.square
  %rests = fadd double %a.rest, %b.rest
  %rest = fadd double %sum.rest, %rests
  %root = call double @llvm.sqrt.f64(double %sum)
  %root.negated = fneg double %root
  %root.rest = call double @llvm.fma.f64(double %root.negated, double %root, double %sum)
  %missing = fadd double %root.rest, %rest
  %twice = fadd double %root, %root
  %correction = fdiv double %missing, %twice
  %better = fadd double %root, %correction
  %result = fmul double %better, %back
  %is.zero = fcmp oeq double %sum, 0.0
  %x.infinite = fcmp oeq double %x.size, 0x7FF0000000000000
  %y.infinite = fcmp oeq double %y.size, 0x7FF0000000000000
  %is.infinite = or i1 %x.infinite, %y.infinite
  %exact = select i1 %is.infinite, double 0x7FF0000000000000, double 0.0
  %is.exact = or i1 %is.zero, %is.infinite
  %chosen = select i1 %is.exact, double %exact, double %result
  ret double %chosen
}
