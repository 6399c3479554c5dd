; sin, cos and tan for f64, as for f32 (trigonometric.ll): x = k pi/2 + r with a whole k, and pi/2 in three parts; from
; 2^27 on, as many bits of 2/pi as x needs. libclc's take ten times as long on the CPU device, and are twice as far off.

declare double @__pykc_reciprocal_f64(double)
declare double @llvm.fabs.f64(double)
declare double @llvm.fma.f64(double, double, double)
declare i64 @llvm.fshl.i64(i64, i64, i64)

; 64 zeros, and 1216 bits of 2/pi
@two.over.pi.f64 = internal unnamed_addr addrspace(1) constant [20 x i64] [
  i64 0, i64 -6703182060581546711, i64 -277156292786332224, i64 -2638381946312093631, i64 -121206125134887583,
  i64 -5249950069107600672, i64 452944820249399836, i64 -135693905287338178, i64 -1692731182770600828,
  i64 -1613291254968254911, i64 4148332274289687028, i64 -7168499653074671557, i64 2303758334597371919,
  i64 -1211730484530615009, i64 7869616827067468215, i64 5712322887342352941, i64 8441921394348257659,
  i64 4397547296490951402, i64 7780917995555872008, i64 6197850593633725355]

%turned = type { double, double, i64 }
; r = high + low, and the last bits of k, of |x| below 2^27. x less the first part of k pi/2 is exact, and so is what
; the difference from the second rounds away: where that is larger than the first, the first has few bits. Of -0 both
; are -0.
define internal %turned @quarter_turns_f64(double %x) {
  %shifted = call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 6755399441055744.0)  ; x / (pi/2)
  %k = fsub double %shifted, 6755399441055744.0
  %bits = bitcast double %shifted to i64
  %first = call double @llvm.fma.f64(double %k, double 0xBFF921FB54442D18, double %x)
  %second = fmul double %k, 0x3C91A62633145C07
  %second.negated = fneg double %second
  %second.rest = call double @llvm.fma.f64(double %k, double 0x3C91A62633145C07, double %second.negated)
  %high = fsub double %first, %second
  %taken = fsub double %first, %high
  %left = fsub double %second, %taken
  %lacks = fadd double %left, %second.rest
  %has = fneg double %lacks
  %low = call double @llvm.fma.f64(double %k, double 0xB91F1976B7ED8FBC, double %has)
  %result.with.0 = insertvalue %turned poison, double %high, 0
  %result.with.1 = insertvalue %turned %result.with.0, double %low, 1
  %result = insertvalue %turned %result.with.1, i64 %bits, 2
  ret %turned %result
}

; The same without the third part, and whether that is enough: where |x| is not too large, and `high` not so small that
; the third part counts in it, or x has no quarter turns. There, what rounding leaves of the first part is exact.
%near.turned = type { double, double, i64, i1 }
define internal %near.turned @quarter_turns_for_sine(double %x) {
  %shifted = call double @llvm.fma.f64(double %x, double 0x3FE45F306DC9C883, double 6755399441055744.0)
  %k = fsub double %shifted, 6755399441055744.0
  %bits = bitcast double %shifted to i64
  %first = call double @llvm.fma.f64(double %k, double 0xBFF921FB54442D18, double %x)
  %high = call double @llvm.fma.f64(double %k, double 0xBC91A62633145C07, double %first)
  %taken = fsub double %high, %first
  %lacks = call double @llvm.fma.f64(double %k, double 0x3C91A62633145C07, double %taken)
  %size = call double @llvm.fabs.f64(double %x)
  %high.size = call double @llvm.fabs.f64(double %high)
  %is.below = fcmp olt double %size, 134217728.0
  %is.first = fcmp olt double %size, 0.5
  %is.tiny = fcmp olt double %high.size, 0x3E50000000000000
  %is.large = xor i1 %is.tiny, true
  %has.all = or i1 %is.first, %is.large
  %is.near = and i1 %is.below, %has.all
  %result.with.0 = insertvalue %near.turned poison, double %high, 0
  %result.with.1 = insertvalue %near.turned %result.with.0, double %lacks, 1
  %result.with.2 = insertvalue %near.turned %result.with.1, i64 %bits, 2
  %result = insertvalue %near.turned %result.with.2, i1 %is.near, 3
  ret %near.turned %result
}

; The same of larger x = mantissa 2^exponent, as for f32: bits of 2/pi that stand for whole turns are skipped; the next
; 192, multiplied by the mantissa, are a turn in units of 2^-192, of which 128 bits are enough. k is the nearest
; quarter.
define internal %turned @far_quarter_turns_f64(double %x) cold {
  %x.bits = bitcast double %x to i64
  %biased = lshr i64 %x.bits, 52
  %exponent = and i64 %biased, 2047
  %skipped = sub i64 %exponent, 1013  ; of the 64 zeros and the bits: the exponent + 62
  %word = lshr i64 %skipped, 6  ; at most 16, of an infinity and a NaN, too
  %fraction = and i64 %x.bits, 4503599627370495
  %mantissa = or i64 %fraction, 4503599627370496
  %factor = zext i64 %mantissa to i128
  %p0 = getelementptr i64, ptr addrspace(1) @two.over.pi.f64, i64 %word
  %p1 = getelementptr i64, ptr addrspace(1) %p0, i64 1
  %p2 = getelementptr i64, ptr addrspace(1) %p0, i64 2
  %p3 = getelementptr i64, ptr addrspace(1) %p0, i64 3
  %t0 = load i64, ptr addrspace(1) %p0
  %t1 = load i64, ptr addrspace(1) %p1
  %t2 = load i64, ptr addrspace(1) %p2
  %t3 = load i64, ptr addrspace(1) %p3
  %w0 = call i64 @llvm.fshl.i64(i64 %t0, i64 %t1, i64 %skipped)
  %w1 = call i64 @llvm.fshl.i64(i64 %t1, i64 %t2, i64 %skipped)
  %w2 = call i64 @llvm.fshl.i64(i64 %t2, i64 %t3, i64 %skipped)
  %w0.wide = zext i64 %w0 to i128
  %w1.wide = zext i64 %w1 to i128
  %w2.wide = zext i64 %w2 to i128
  %m0 = mul i128 %factor, %w0.wide
  %m1 = mul i128 %factor, %w1.wide
  %m2 = mul i128 %factor, %w2.wide
  %upper = shl i128 %m0, 64
  %lower = lshr i128 %m2, 64
  %most = add i128 %upper, %m1
  %turn = add i128 %most, %lower
  %eighth = shl i128 1, 125
  %raised = add i128 %turn, %eighth
  %quarters = lshr i128 %raised, 126
  %whole = shl i128 %quarters, 126
  %rest = sub i128 %turn, %whole
  ; its size as a sum of two numbers
  %is.below = icmp slt i128 %rest, 0
  %rest.opposite = sub i128 0, %rest
  %size = select i1 %is.below, i128 %rest.opposite, i128 %rest
  %size.shifted = lshr i128 %size, 64
  %size.most = trunc i128 %size.shifted to i64
  %size.least = trunc i128 %size to i64
  %most.high = sitofp i64 %size.most to double
  %most.back = fptosi double %most.high to i64
  %most.less = sub i64 %size.most, %most.back
  %most.low = sitofp i64 %most.less to double
  %least = uitofp i64 %size.least to double
  %large = fmul double %most.high, 0x43F0000000000000
  %small = call double @llvm.fma.f64(double %most.low, double 0x43F0000000000000, double %least)
  %sum = fadd double %large, %small
  %sum.part = fsub double %sum, %large
  %sum.rest = fsub double %small, %sum.part
  ; times pi/2 2^-126
  %angle = fmul double %sum, 0x381921FB54442D18
  %angle.negated = fneg double %angle
  %angle.rest = call double @llvm.fma.f64(double %sum, double 0x381921FB54442D18, double %angle.negated)
  %angle.part = call double @llvm.fma.f64(double %sum, double 0x34B1A62633145C07, double %angle.rest)
  %nothing = fsub double %x, %x  ; a NaN where x is infinite
  %angle.low.all = call double @llvm.fma.f64(double %sum.rest, double 0x381921FB54442D18, double %angle.part)
  ; `low` is what `high` rounds away, and no more
  %angle.sum = fadd double %angle, %angle.low.all
  %angle.taken = fsub double %angle.sum, %angle
  %angle.low = fsub double %angle.low.all, %angle.taken
  %angle.high = fadd double %angle.sum, %nothing
  %k = trunc i128 %quarters to i64
  %is.negative = icmp slt i64 %x.bits, 0
  %opposite.k = sub i64 0, %k
  %signed.k = select i1 %is.negative, i64 %opposite.k, i64 %k
  %flips = xor i1 %is.negative, %is.below
  %opposite.high = fneg double %angle.high
  %opposite.low = fneg double %angle.low
  %high = select i1 %flips, double %opposite.high, double %angle.high
  %low = select i1 %flips, double %opposite.low, double %angle.low
  %result.with.0 = insertvalue %turned poison, double %high, 0
  %result.with.1 = insertvalue %turned %result.with.0, double %low, 1
  %result = insertvalue %turned %result.with.1, i64 %signed.k, 2
  ret %turned %result
}

; The sine of k quarter turns and r = high - lacks. With s = high^2, that of r is high - (high s q(s) + lacks), and its
; cosine is 1 - high (high p(s) - lacks), q and p by minimax approximation to 2^-58 and 2^-64 in all. To select one of
; the two results costs less than to select what differs on the way. Of -0, it is -0.
define internal double @sine_of(double %high, double %lacks, i64 %k) {
  %s = fmul double %high, %high
  %q.4 = call double @llvm.fma.f64(double %s, double 0xBDE5D9344DB5C26E, double 0x3E5AE5E67908819A)
  %q.3 = call double @llvm.fma.f64(double %s, double %q.4, double 0xBEC71DE357A1C3CC)
  %q.2 = call double @llvm.fma.f64(double %s, double %q.3, double 0x3F2A01A019C1567C)
  %q.1 = call double @llvm.fma.f64(double %s, double %q.2, double 0xBF8111111110F8A4)
  %q = call double @llvm.fma.f64(double %s, double %q.1, double 0x3FC5555555555549)
  %s.q = fmul double %s, %q
  %less = call double @llvm.fma.f64(double %high, double %s.q, double %lacks)
  %sine = fsub double %high, %less
  %p.5 = call double @llvm.fma.f64(double %s, double 0x3DA8FB1BC03F8C1E, double 0xBE21EE9F2527DF46)
  %p.4 = call double @llvm.fma.f64(double %s, double %p.5, double 0x3E927E4F81404FD2)
  %p.3 = call double @llvm.fma.f64(double %s, double %p.4, double 0xBEFA01A019CC0CA4)
  %p.2 = call double @llvm.fma.f64(double %s, double %p.3, double 0x3F56C16C16C15227)
  %p.1 = call double @llvm.fma.f64(double %s, double %p.2, double 0xBFA555555555554C)
  %p = call double @llvm.fma.f64(double %s, double %p.1, double 0.5)
  %has = fneg double %lacks
  %high.p = call double @llvm.fma.f64(double %high, double %p, double %has)
  %opposite = fneg double %high
  %cosine = call double @llvm.fma.f64(double %opposite, double %high.p, double 1.0)
  %odd = and i64 %k, 1
  %is.odd = icmp ne i64 %odd, 0
  %value = select i1 %is.odd, double %cosine, double %sine
  %bits = bitcast double %value to i64
  %whole = lshr i64 %k, 1
  %sign = shl i64 %whole, 63
  %signed.bits = xor i64 %bits, %sign
  %result = bitcast i64 %signed.bits to double
  ret double %result
}

define internal double @far_sine(double %x) cold {
  %turned = call %turned @far_quarter_turns_f64(double %x)
  %high = extractvalue %turned %turned, 0
  %low = extractvalue %turned %turned, 1
  %lacks = fneg double %low
  %k = extractvalue %turned %turned, 2
  %result = call double @sine_of(double %high, double %lacks, i64 %k)
  ret double %result
}

define double @__pykc_sin_f64(double %x) {
  %turned = call %near.turned @quarter_turns_for_sine(double %x)
  %high = extractvalue %near.turned %turned, 0
  %lacks = extractvalue %near.turned %turned, 1
  %k = extractvalue %near.turned %turned, 2
  %near = call double @sine_of(double %high, double %lacks, i64 %k)
  %is.near = extractvalue %near.turned %turned, 3
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_sine(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}

define internal double @far_cosine(double %x) cold {
  %turned = call %turned @far_quarter_turns_f64(double %x)
  %high = extractvalue %turned %turned, 0
  %low = extractvalue %turned %turned, 1
  %lacks = fneg double %low
  %k = extractvalue %turned %turned, 2
  %next = add i64 %k, 1
  %result = call double @sine_of(double %high, double %lacks, i64 %next)
  ret double %result
}

define double @__pykc_cos_f64(double %x) {
  %turned = call %near.turned @quarter_turns_for_sine(double %x)
  %high = extractvalue %near.turned %turned, 0
  %lacks = extractvalue %near.turned %turned, 1
  %k = extractvalue %near.turned %turned, 2
  %next = add i64 %k, 1
  %near = call double @sine_of(double %high, double %lacks, i64 %next)
  %is.near = extractvalue %near.turned %turned, 3
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_cosine(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}

; tan(high + low) = high + (high^3 q(s) + low (1 + s + s^2)) with s = high^2, q by minimax approximation to 2^-59; an
; odd number of quarter turns from there, -1 / tan. What rounding takes from s, the sum and the inverse is put back.
define internal double @tangent_of(double %high, double %low, i64 %k) {
  %s = fmul double %high, %high
  %q.13 = call double @llvm.fma.f64(double %s, double 0x3EE4476D534455AA, double 0xBEF8D5ABC1CB3E9C)
  %q.12 = call double @llvm.fma.f64(double %s, double %q.13, double 0x3F08DD3A572967B7)
  %q.11 = call double @llvm.fma.f64(double %s, double %q.12, double 0xBEF953DA21377E88)
  %q.10 = call double @llvm.fma.f64(double %s, double %q.11, double 0x3F114EE94E8C78EB)
  %q.9 = call double @llvm.fma.f64(double %s, double %q.10, double 0x3F1614C7AAFE8721)
  %q.8 = call double @llvm.fma.f64(double %s, double %q.9, double 0x3F2FE9D15678696C)
  %q.7 = call double @llvm.fma.f64(double %s, double %q.8, double 0x3F434C6A7A6AA1F1)
  %q.6 = call double @llvm.fma.f64(double %s, double %q.7, double 0x3F57DB0750AE6966)
  %q.5 = call double @llvm.fma.f64(double %s, double %q.6, double 0x3F6D6D2FC8A602CF)
  %q.4 = call double @llvm.fma.f64(double %s, double %q.5, double 0x3F8226E39F956D83)
  %q.3 = call double @llvm.fma.f64(double %s, double %q.4, double 0x3F9664F4861B2A34)
  %q.2 = call double @llvm.fma.f64(double %s, double %q.3, double 0x3FABA1BA1BAA7998)
  %q.1 = call double @llvm.fma.f64(double %s, double %q.2, double 0x3FC11111111107D1)
  %q = call double @llvm.fma.f64(double %s, double %q.1, double 0x3FD555555555555C)
  %s.negated = fneg double %s
  %s.rest = call double @llvm.fma.f64(double %high, double %high, double %s.negated)
  %steepness = call double @llvm.fma.f64(double %s, double %s, double %s)
  %of.low = call double @llvm.fma.f64(double %low, double %steepness, double %low)
  %half = fmul double %high, 0.5
  %of.rests = call double @llvm.fma.f64(double %half, double %s.rest, double %of.low)
  %cube = fmul double %high, %s
  %rest = call double @llvm.fma.f64(double %cube, double %q, double %of.rests)
  %tangent = fadd double %high, %rest
  %opposite = fneg double %tangent
  %inverse = call double @__pykc_reciprocal_f64(double %opposite)
  %missing.high = call double @llvm.fma.f64(double %inverse, double %high, double 1.0)
  %missing = call double @llvm.fma.f64(double %inverse, double %rest, double %missing.high)
  %better = call double @llvm.fma.f64(double %inverse, double %missing, double %inverse)
  %odd = and i64 %k, 1
  %is.odd = icmp ne i64 %odd, 0
  %result = select i1 %is.odd, double %better, double %tangent
  ret double %result
}

define internal double @far_tangent(double %x) cold {
  %turned = call %turned @far_quarter_turns_f64(double %x)
  %high = extractvalue %turned %turned, 0
  %low = extractvalue %turned %turned, 1
  %k = extractvalue %turned %turned, 2
  %result = call double @tangent_of(double %high, double %low, i64 %k)
  ret double %result
}

define double @__pykc_tan_f64(double %x) {
  %turned = call %turned @quarter_turns_f64(double %x)
  %high = extractvalue %turned %turned, 0
  %low = extractvalue %turned %turned, 1
  %k = extractvalue %turned %turned, 2
  %near = call double @tangent_of(double %high, double %low, i64 %k)
  %size = call double @llvm.fabs.f64(double %x)
  %is.near = fcmp olt double %size, 134217728.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call double @far_tangent(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %far, %rarely ]
  ret double %result
}
