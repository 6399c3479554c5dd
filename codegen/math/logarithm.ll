; log for f64. libclc's is 1.5 ulp off, by way of tables.

declare double @__pykc_quotient_f64(double, double)
declare double @llvm.fma.f64(double, double, double)

; log(m) + e ln2 with m from sqrt(1/2) to sqrt(2) that has these bits, where e is `added` more. With f = m - 1 and s = f
; / (2 + f), log(m) = f - h + s (h + s^2 q(s^2)) with h = f^2 / 2, q by minimax approximation to 2^-58 of s. e ln2 is
; added in two parts, the first of which has so few bits that it is exact.
define internal double @logarithm_f64(i64 %bits, double %added) {
  %from.root = sub i64 %bits, 4604544271217802189                      ; the bits of sqrt(1/2)
  %e.whole = ashr i64 %from.root, 52
  %e.bits = shl i64 %e.whole, 52
  %m.bits = sub i64 %bits, %e.bits
  %m = bitcast i64 %m.bits to double
  %e.scaled = add i64 %e.whole, 4843621399236968448                    ; the bits of 1.5 * 2^52
  %e.shifted = bitcast i64 %e.scaled to double
  %e.plain = fsub double %e.shifted, 6755399441055744.0
  %e = fadd double %e.plain, %added
  %f = fsub double %m, 1.0
  %below = fadd double %f, 2.0
  %s = call double @__pykc_quotient_f64(double %f, double %below)
  %z = fmul double %s, %s
  %q.5 = call double @llvm.fma.f64(double %z, double 0x3FC2F03EB4B19FCC, double 0x3FC39A1E568366A6)
  %q.4 = call double @llvm.fma.f64(double %z, double %q.5, double 0x3FC74663CFFBFF97)
  %q.3 = call double @llvm.fma.f64(double %z, double %q.4, double 0x3FCC71C521440A6B)
  %q.2 = call double @llvm.fma.f64(double %z, double %q.3, double 0x3FD24924941E11AC)
  %q.1 = call double @llvm.fma.f64(double %z, double %q.2, double 0x3FD999999997FF20)
  %q = call double @llvm.fma.f64(double %z, double %q.1, double 0x3FE5555555555592)
  %f.half = fmul double %f, 0.5
  %h = fmul double %f, %f.half
  %h.q = call double @llvm.fma.f64(double %z, double %q, double %h)
  %e.low = fmul double %e, 0x3D53DE6AF278ECE6
  %low = call double @llvm.fma.f64(double %s, double %h.q, double %e.low)
  %h.negated = fneg double %h
  %h.rest = call double @llvm.fma.f64(double %f, double %f.half, double %h.negated)
  %low.more = fsub double %low, %h.rest
  %e.high = fmul double %e, 0x3FE62E42FEFA3000
  %high = fadd double %e.high, %f
  %high.part = fsub double %high, %e.high
  %high.rest = fsub double %f, %high.part
  %sum = fsub double %high, %h
  %sum.left = fsub double %high, %sum
  %sum.rest = fsub double %sum.left, %h
  %rests = fadd double %sum.rest, %high.rest
  %rest = fadd double %rests, %low.more
  %result = fadd double %sum, %rest
  ret double %result
}

define internal double @any_logarithm(double %x) cold {
  %raised = fmul double %x, 0x4350000000000000                         ; 2^54
  %bits = bitcast double %raised to i64
  %of.subnormal = call double @logarithm_f64(i64 %bits, double -54.0)
  %is.number = fcmp olt double %x, 0x7FF0000000000000
  %of.large = select i1 %is.number, double %of.subnormal, double %x
  %below.zero = fcmp olt double %x, 0.0
  %of.any = select i1 %below.zero, double 0x7FF8000000000000, double %of.large
  %is.zero = fcmp oeq double %x, 0.0
  %result = select i1 %is.zero, double 0xFFF0000000000000, double %of.any
  ret double %result
}

define double @__pykc_log_f64(double %x) {
  %bits = bitcast double %x to i64
  %of.normal = call double @logarithm_f64(i64 %bits, double 0.0)
  %from.normal = sub i64 %bits, 4503599627370496
  %is.normal = icmp ult i64 %from.normal, 9214364837600034816
  br i1 %is.normal, label %done, label %rarely

rarely:
  %of.any = call double @any_logarithm(double %x)
  br label %done

done:
  %result = phi double [ %of.normal, %0 ], [ %of.any, %rarely ]
  ret double %result
}
