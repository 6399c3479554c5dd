; fmod and remainder: libclc's f32 ones flush results below the smallest normal number to 0.
;
; Long division, many quotient bits a step. The divisor is |y| times a power of two, at first so large that |x| divided
; by it fits the mantissa with two bits to spare; then it shrinks back to |y|. Every step is exact: the quotient, rounded,
; is at most one too large; the difference is then negative, smaller than the divisor, and has no more bits than it.
;
; remainder starts from |x| modulo 2|y|, which leaves the quotient's last bit in the rest, and subtracts |y| once more
; where the rest is above |y| / 2, twice where it is then still at least that (ties go to the even quotient).

declare float @llvm.fabs.f32(float)
declare double @llvm.fabs.f64(double)
declare float @llvm.trunc.f32(float)
declare double @llvm.trunc.f64(double)
declare float @llvm.fma.f32(float, float, float)
declare double @llvm.fma.f64(double, double, double)
declare float @llvm.copysign.f32(float, float)
declare double @llvm.copysign.f64(double, double)

define float @__pykc_fmod_f32(float %x, float %y) {
entry:
  %x.size = call float @llvm.fabs.f32(float %x)
  %y.size = call float @llvm.fabs.f32(float %y)
  %x.finite = fcmp olt float %x.size, 0x7FF0000000000000
  %y.valid = fcmp ogt float %y.size, 0.0
  %valid = and i1 %x.finite, %y.valid
  br i1 %valid, label %compare, label %invalid

invalid:
  ret float 0x7FF8000000000000

compare:
  %is.less = fcmp olt float %x.size, %y.size
  br i1 %is.less, label %unchanged, label %grow

unchanged:
  ret float %x

grow:
  %divisor = phi float [ %y.size, %compare ], [ %larger, %grow ]
  %larger = fmul float %divisor, 0x4150000000000000
  %fits = fcmp ole float %larger, %x.size
  br i1 %fits, label %grow, label %divide

divide:
  %rest = phi float [ %x.size, %grow ], [ %rest.next, %shrink ]
  %step = phi float [ %divisor, %grow ], [ %step.next, %shrink ]
  %ratio = fdiv float %rest, %step
  %quotient = call float @llvm.trunc.f32(float %ratio)
  %minus.quotient = fneg float %quotient
  %difference = call float @llvm.fma.f32(float %minus.quotient, float %step, float %rest)
  %is.negative = fcmp olt float %difference, 0.0
  %corrected = fadd float %difference, %step
  %rest.next = select i1 %is.negative, float %corrected, float %difference
  %is.last = fcmp oeq float %step, %y.size
  br i1 %is.last, label %done, label %shrink

shrink:
  %step.next = fmul float %step, 0x3E90000000000000
  br label %divide

done:
  %result = call float @llvm.copysign.f32(float %rest.next, float %x)
  ret float %result
}

define float @__pykc_remainder_f32(float %x, float %y) {
  %x.size = call float @llvm.fabs.f32(float %x)
  %y.size = call float @llvm.fabs.f32(float %y)
  %y.twice = fadd float %y.size, %y.size
  %rest = call float @__pykc_fmod_f32(float %x.size, float %y.twice)
  %rest.twice = fadd float %rest, %rest
  %takes.one = fcmp ogt float %rest.twice, %y.size
  %less.one = fsub float %rest, %y.size
  %less.one.twice = fadd float %less.one, %less.one
  %takes.two = fcmp oge float %less.one.twice, %y.size
  %less.two = fsub float %less.one, %y.size
  %reduced = select i1 %takes.two, float %less.two, float %less.one
  %size = select i1 %takes.one, float %reduced, float %rest
  %bits = bitcast float %x to i32
  %flips = icmp slt i32 %bits, 0
  %opposite = fneg float %size
  %result = select i1 %flips, float %opposite, float %size
  ret float %result
}

define double @__pykc_fmod_f64(double %x, double %y) {
entry:
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.size = call double @llvm.fabs.f64(double %y)
  %x.finite = fcmp olt double %x.size, 0x7FF0000000000000
  %y.valid = fcmp ogt double %y.size, 0.0
  %valid = and i1 %x.finite, %y.valid
  br i1 %valid, label %compare, label %invalid

invalid:
  ret double 0x7FF8000000000000

compare:
  %is.less = fcmp olt double %x.size, %y.size
  br i1 %is.less, label %unchanged, label %grow

unchanged:
  ret double %x

grow:
  %divisor = phi double [ %y.size, %compare ], [ %larger, %grow ]
  %larger = fmul double %divisor, 0x4320000000000000
  %fits = fcmp ole double %larger, %x.size
  br i1 %fits, label %grow, label %divide

divide:
  %rest = phi double [ %x.size, %grow ], [ %rest.next, %shrink ]
  %step = phi double [ %divisor, %grow ], [ %step.next, %shrink ]
  %ratio = fdiv double %rest, %step
  %quotient = call double @llvm.trunc.f64(double %ratio)
  %minus.quotient = fneg double %quotient
  %difference = call double @llvm.fma.f64(double %minus.quotient, double %step, double %rest)
  %is.negative = fcmp olt double %difference, 0.0
  %corrected = fadd double %difference, %step
  %rest.next = select i1 %is.negative, double %corrected, double %difference
  %is.last = fcmp oeq double %step, %y.size
  br i1 %is.last, label %done, label %shrink

shrink:
  %step.next = fmul double %step, 0x3CC0000000000000
  br label %divide

done:
  %result = call double @llvm.copysign.f64(double %rest.next, double %x)
  ret double %result
}

define double @__pykc_remainder_f64(double %x, double %y) {
  %x.size = call double @llvm.fabs.f64(double %x)
  %y.size = call double @llvm.fabs.f64(double %y)
  %y.twice = fadd double %y.size, %y.size
  %rest = call double @__pykc_fmod_f64(double %x.size, double %y.twice)
  %rest.twice = fadd double %rest, %rest
  %takes.one = fcmp ogt double %rest.twice, %y.size
  %less.one = fsub double %rest, %y.size
  %less.one.twice = fadd double %less.one, %less.one
  %takes.two = fcmp oge double %less.one.twice, %y.size
  %less.two = fsub double %less.one, %y.size
  %reduced = select i1 %takes.two, double %less.two, double %less.one
  %size = select i1 %takes.one, double %reduced, double %rest
  %bits = bitcast double %x to i64
  %flips = icmp slt i64 %bits, 0
  %opposite = fneg double %size
  %result = select i1 %flips, double %opposite, double %size
  ret double %result
}
