; acosh: libclc's is up to 2 ulp off.
;
; With t = x - 1, acosh(x) = log(1 + t + sqrt(2t + t^2)). What the steps before the logarithm round away is divided by
; its argument and added behind it. Of a large x it is log(2x).

declare float @llvm.fma.f32(float, float, float)
declare float @llvm.sqrt.f32(float)
declare float @__pykc_log1p_f32(float)
declare double @llvm.fma.f64(double, double, double)
declare double @llvm.sqrt.f64(double)
declare double @__pykc_log1p_f64(double)

define float @__pykc_acosh_f32(float %x) {
  %t = fsub float %x, 1.0
  %t.twice = fadd float %t, %t
  %square = call float @llvm.fma.f32(float %t, float %t, float %t.twice)
  %square.left = fsub float %t.twice, %square
  %square.rest = call float @llvm.fma.f32(float %t, float %t, float %square.left)
  %root = call float @llvm.sqrt.f32(float %square)
  %root.negated = fneg float %root
  %root.left = call float @llvm.fma.f32(float %root.negated, float %root, float %square)
  %root.missing = fadd float %root.left, %square.rest
  %root.twice = fadd float %root, %root
  %root.rest = fdiv float %root.missing, %root.twice
  %sum = fadd float %root, %t
  %sum.part = fsub float %sum, %root
  %sum.left = fsub float %t, %sum.part
  %sum.rest = fadd float %sum.left, %root.rest
  %slope = fadd float %sum, 1.0
  %of.rest = fdiv float %sum.rest, %slope
  %is.large = fcmp ogt float %x, 0x4180000000000000                          ; 2^25
  %argument = select i1 %is.large, float %x, float %sum
  %correction = select i1 %is.large, float 0x3FE62E4300000000, float %of.rest  ; log(2)
  %logarithm = call float @__pykc_log1p_f32(float %argument)
  %better = fadd float %logarithm, %correction
  %is.one = fcmp oeq float %x, 1.0
  %value = select i1 %is.one, float 0.0, float %better
  %is.below = fcmp olt float %x, 1.0
  %result = select i1 %is.below, float 0x7FF8000000000000, float %value
  ret float %result
}

define double @__pykc_acosh_f64(double %x) {
  %t = fsub double %x, 1.0
  %t.twice = fadd double %t, %t
  %square = call double @llvm.fma.f64(double %t, double %t, double %t.twice)
  %square.left = fsub double %t.twice, %square
  %square.rest = call double @llvm.fma.f64(double %t, double %t, double %square.left)
  %root = call double @llvm.sqrt.f64(double %square)
  %root.negated = fneg double %root
  %root.left = call double @llvm.fma.f64(double %root.negated, double %root, double %square)
  %root.missing = fadd double %root.left, %square.rest
  %root.twice = fadd double %root, %root
  %root.rest = fdiv double %root.missing, %root.twice
  %sum = fadd double %root, %t
  %sum.part = fsub double %sum, %root
  %sum.left = fsub double %t, %sum.part
  %sum.rest = fadd double %sum.left, %root.rest
  %slope = fadd double %sum, 1.0
  %of.rest = fdiv double %sum.rest, %slope
  %is.large = fcmp ogt double %x, 0x4350000000000000                          ; 2^54
  %argument = select i1 %is.large, double %x, double %sum
  %correction = select i1 %is.large, double 0x3FE62E42FEFA39EF, double %of.rest  ; log(2)
  %logarithm = call double @__pykc_log1p_f64(double %argument)
  %better = fadd double %logarithm, %correction
  %is.one = fcmp oeq double %x, 1.0
  %value = select i1 %is.one, double 0.0, double %better
  %is.below = fcmp olt double %x, 1.0
  %result = select i1 %is.below, double 0x7FF8000000000000, double %value
  ret double %result
}
