; The gamma function: libclc's is off by a thousand ulp for large arguments and wrong for many negative ones; its lgamma
; for f32 overflows near 0 and at -inf.
;
; x = n + u with a whole n and |u| <= 1/2. 1 / gamma has no poles, so a polynomial gives 1 / gamma(1 + u) to the last
; bit, and gamma(x) is gamma(1 + u) times (x - 1) (x - 2) … (1 + u) for x > 1/2, or divided by x (x + 1) … u below that.
; All the factors are exact. Their product is kept as a sum of two numbers, so that up to 170 factors lose nothing; when
; it nears overflow, which only a quotient that ends below the normal numbers does, the rest goes to a second divisor.

declare double @llvm.rint.f64(double)
declare double @llvm.floor.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare i32 @llvm.fptosi.sat.i32.f64(double)
declare double @__pykc_lgamma_f64(double)

; The product of |count| factors first, first + 1, …
define internal double @product(double %first, i32 %count) {
entry:
  %is.empty = icmp slt i32 %count, 1
  br i1 %is.empty, label %done, label %multiply

multiply:
  %high = phi double [ 1.0, %entry ], [ %high.next, %multiply ]
  %low = phi double [ 0.0, %entry ], [ %low.next, %multiply ]
  %index = phi i32 [ 0, %entry ], [ %index.next, %multiply ]
  %step = sitofp i32 %index to double
  %factor = fadd double %first, %step
  %high.product = fmul double %high, %factor
  %minus.product = fneg double %high.product
  %error = call double @llvm.fma.f64(double %high, double %factor, double %minus.product)
  %low.product = call double @llvm.fma.f64(double %low, double %factor, double %error)
  %high.next = fadd double %high.product, %low.product
  %rounded = fsub double %high.product, %high.next
  %low.next = fadd double %rounded, %low.product
  %index.next = add i32 %index, 1
  %is.last = icmp eq i32 %index.next, %count
  br i1 %is.last, label %done, label %multiply

done:
  %result = phi double [ 1.0, %entry ], [ %high.next, %multiply ]
  ret double %result
}

; 1 / gamma(1 + u) for |u| <= 1/2: 1 + u c(u), by Chebyshev approximation to 3e-19
define internal double @reciprocal(double %u) {
  %c14 = call double @llvm.fma.f64(double %u, double 0x3E35EC1275340197, double 0x3E35372033FAB1CB)
  %c13 = call double @llvm.fma.f64(double %u, double %c14, double 0xBE8B9AF0D0892934)
  %c12 = call double @llvm.fma.f64(double %u, double %c13, double 0x3EB3045D6E44720D)
  %c11 = call double @llvm.fma.f64(double %u, double %c12, double 0xBEB4FACA92F845E7)
  %c10 = call double @llvm.fma.f64(double %u, double %c11, double 0xBEF51CEF9E68440B)
  %c9 = call double @llvm.fma.f64(double %u, double %c10, double 0x3F20C8A78A9E1AF1)
  %c8 = call double @llvm.fma.f64(double %u, double %c9, double 0xBF2C364FCCF31D2A)
  %c7 = call double @llvm.fma.f64(double %u, double %c8, double 0xBF5317112CDF1782)
  %c6 = call double @llvm.fma.f64(double %u, double %c7, double 0x3F7D919C527225DD)
  %c5 = call double @llvm.fma.f64(double %u, double %c6, double 0xBF83B4AF284842AC)
  %c4 = call double @llvm.fma.f64(double %u, double %c5, double 0xBFA59AF103C33358)
  %c3 = call double @llvm.fma.f64(double %u, double %c4, double 0x3FC5512320B43FBF)
  %c2 = call double @llvm.fma.f64(double %u, double %c3, double 0xBFA5815E8FA27070)
  %c1 = call double @llvm.fma.f64(double %u, double %c2, double 0xBFE4FCF4026AFA2E)
  %c0 = call double @llvm.fma.f64(double %u, double %c1, double 0x3FE2788CFC6FB619)
  %result = call double @llvm.fma.f64(double %u, double %c0, double 1.0)
  ret double %result
}

define double @__pykc_tgamma_f64(double %x) {
entry:
  %whole = call double @llvm.rint.f64(double %x)
  %n = call i32 @llvm.fptosi.sat.i32.f64(double %whole)
  ; Above 171.624… the result overflows (a NaN comes here too), below -184.5 it is 0 with alternating sign.
  %is.small = fcmp ole double %x, 0x406573FAE561F647
  br i1 %is.small, label %finite, label %large

large:
  %endless = fmul double %x, 0x7FF0000000000000
  ret double %endless

finite:
  %u = fsub double %x, %whole
  %is.whole = fcmp oeq double %x, %whole                             ; -inf too
  %below.zero = fcmp olt double %x, 0.0
  %is.pole = and i1 %is.whole, %below.zero
  br i1 %is.pole, label %pole, label %not.pole

pole:
  ret double 0x7FF8000000000000

not.pole:
  %is.zero = fcmp oeq double %x, 0.0
  br i1 %is.zero, label %zero, label %regular

zero:
  %signed.infinity = fdiv double 1.0, %x
  ret double %signed.infinity

regular:
  %reciprocal = call double @reciprocal(double %u)
  %is.positive = icmp sgt i32 %n, 0
  br i1 %is.positive, label %right, label %left

right:
  %up.first = fadd double %u, 1.0
  %up.count = sub i32 %n, 1
  %up = call double @product(double %up.first, i32 %up.count)
  %up.result = fdiv double %up, %reciprocal
  ret double %up.result

left:
  %is.tiny = fcmp olt double %x, -185.0
  br i1 %is.tiny, label %tiny, label %divide

tiny:
  %floor = call double @llvm.floor.f64(double %x)
  %half = fmul double %floor, 0.5
  %half.floor = call double @llvm.floor.f64(double %half)
  %is.even = fcmp oeq double %half, %half.floor
  %vanished = select i1 %is.even, double 0.0, double -0.0
  ret double %vanished

divide:
  %down.count = sub i32 1, %n
  %is.long = icmp sgt i32 %down.count, 100
  %near.count = select i1 %is.long, i32 100, i32 %down.count
  %far.count = sub i32 %down.count, %near.count
  %far.step = sitofp i32 %far.count to double
  %near.first = fadd double %x, %far.step
  %near = call double @product(double %near.first, i32 %near.count)
  %far = call double @product(double %x, i32 %far.count)
  %near.divisor = fmul double %near, %reciprocal
  %near.result = fdiv double 1.0, %near.divisor
  %down.result = fdiv double %near.result, %far
  ret double %down.result
}


define float @__pykc_tgamma_f32(float %x) {
  %wide = fpext float %x to double
  %gamma = call double @__pykc_tgamma_f64(double %wide)
  %result = fptrunc double %gamma to float
  ret float %result
}

define float @__pykc_lgamma_f32(float %x) {
  %wide = fpext float %x to double
  %gamma = call double @__pykc_lgamma_f64(double %wide)
  %result = fptrunc double %gamma to float
  ret float %result
}
