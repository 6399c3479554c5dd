; sin, cos and tan for f32: libclc's take more than twice as long, and are three times as far off.
;
; x = k pi/2 + r with a whole k. pi/2 is subtracted in three parts, the first of which has so few bits that the
; difference is exact; what the others round away stays in `low`, so that r = high + low has some 48 bits. k is rounded
; by adding 1.5 * 2^23, behind which a float has no fraction: its last bits are then k. Larger x are multiplied by as
; many bits of 2/pi as they need, in integers: a cold function (codegen/cpu/passes/rare_calls.h).

declare float @__pykc_reciprocal_f32(float)
declare float @llvm.fma.f32(float, float, float)
declare float @llvm.fabs.f32(float)
declare i32 @llvm.fshl.i32(i32, i32, i32)

; 32 zeros, and 224 bits of 2/pi
@two.over.pi = internal unnamed_addr addrspace(1) constant [8 x i32] [
  i32 0, i32 -1560706194, i32 1313084713, i32 -64530479, i32 -181084736, i32 -614296167, i32 1011060801, i32 -28220501]

; high, low and the last bits of k, of |x| below 2^17. What the difference from `second` rounds away is exact: where
; that is larger than `first`, this is a multiple of 2^-24, and has few bits. Of -0 both are -0.
define internal { float, float, i32 } @near_quarter_turns(float %x) {
  %shifted = call float @llvm.fma.f32(float %x, float 0x3FE45F3060000000, float 12582912.0)
  %k = fsub float %shifted, 12582912.0
  %bits = bitcast float %shifted to i32
  %first = call float @llvm.fma.f32(float %k, float 0xBFF921FB40000000, float %x)
  %second = fmul float %k, 0x3E74442D00000000
  %second.negated = fneg float %second
  %second.rest = call float @llvm.fma.f32(float %k, float 0x3E74442D00000000, float %second.negated)
  %high = fsub float %first, %second
  %taken = fsub float %first, %high
  %left = fsub float %second, %taken
  %lacks = fadd float %left, %second.rest
  %has = fneg float %lacks
  %low = call float @llvm.fma.f32(float %k, float 0xBCF84698A0000000, float %has)
  %result.with.0 = insertvalue { float, float, i32 } poison, float %high, 0
  %result.with.1 = insertvalue { float, float, i32 } %result.with.0, float %low, 1
  %result = insertvalue { float, float, i32 } %result.with.1, i32 %bits, 2
  ret { float, float, i32 } %result
}

; The same of larger x = mantissa 2^exponent. Bits of 2/pi that stand for whole turns are skipped; the next 96,
; multiplied by the mantissa, are a turn in units of 2^-96, of which 64 bits are enough. k is the nearest quarter.
define internal { float, float, i32 } @far_quarter_turns(float %x) cold {
  %x.bits = bitcast float %x to i32
  %biased = lshr i32 %x.bits, 23
  %exponent = and i32 %biased, 255
  %skipped = sub i32 %exponent, 120                                    ; of the 32 zeros and the bits: the exponent + 30
  %word = lshr i32 %skipped, 5                                         ; at most 4, of an infinity and a NaN, too
  %fraction = and i32 %x.bits, 8388607
  %mantissa = or i32 %fraction, 8388608
  %factor = zext i32 %mantissa to i64
  %place = zext i32 %word to i64
  %p0 = getelementptr i32, ptr addrspace(1) @two.over.pi, i64 %place
  %p1 = getelementptr i32, ptr addrspace(1) %p0, i64 1
  %p2 = getelementptr i32, ptr addrspace(1) %p0, i64 2
  %p3 = getelementptr i32, ptr addrspace(1) %p0, i64 3
  %t0 = load i32, ptr addrspace(1) %p0
  %t1 = load i32, ptr addrspace(1) %p1
  %t2 = load i32, ptr addrspace(1) %p2
  %t3 = load i32, ptr addrspace(1) %p3
  %w0 = call i32 @llvm.fshl.i32(i32 %t0, i32 %t1, i32 %skipped)
  %w1 = call i32 @llvm.fshl.i32(i32 %t1, i32 %t2, i32 %skipped)
  %w2 = call i32 @llvm.fshl.i32(i32 %t2, i32 %t3, i32 %skipped)
  %w0.wide = zext i32 %w0 to i64
  %w1.wide = zext i32 %w1 to i64
  %w2.wide = zext i32 %w2 to i64
  %m0 = mul i64 %factor, %w0.wide
  %m1 = mul i64 %factor, %w1.wide
  %m2 = mul i64 %factor, %w2.wide
  %upper = shl i64 %m0, 32
  %lower = lshr i64 %m2, 32
  %most = add i64 %upper, %m1
  %turn = add i64 %most, %lower
  %raised = add i64 %turn, 2305843009213693952                         ; an eighth of a turn
  %quarters = lshr i64 %raised, 62
  %whole = shl i64 %quarters, 62
  %rest = sub i64 %turn, %whole
  %rest.high = sitofp i64 %rest to float
  %rest.back = fptosi float %rest.high to i64
  %rest.less = sub i64 %rest, %rest.back
  %rest.low = sitofp i64 %rest.less to float
  ; times pi/2 2^-62
  %size = fmul float %rest.high, 0x3C1921FB60000000
  %size.negated = fneg float %size
  %size.rest = call float @llvm.fma.f32(float %rest.high, float 0x3C1921FB60000000, float %size.negated)
  %size.part = call float @llvm.fma.f32(float %rest.high, float 0xBA8777A5C0000000, float %size.rest)
  %size.low = call float @llvm.fma.f32(float %rest.low, float 0x3C1921FB60000000, float %size.part)
  %nothing = fsub float %x, %x                                         ; a NaN where x is infinite
  %size.high = fadd float %size, %nothing
  %k = trunc i64 %quarters to i32
  %is.negative = icmp slt i32 %x.bits, 0
  %opposite.high = fneg float %size.high
  %opposite.low = fneg float %size.low
  %opposite.k = sub i32 0, %k
  %high = select i1 %is.negative, float %opposite.high, float %size.high
  %low = select i1 %is.negative, float %opposite.low, float %size.low
  %signed.k = select i1 %is.negative, i32 %opposite.k, i32 %k
  %with.high = insertvalue { float, float, i32 } poison, float %high, 0
  %with.low = insertvalue { float, float, i32 } %with.high, float %low, 1
  %result = insertvalue { float, float, i32 } %with.low, i32 %signed.k, 2
  ret { float, float, i32 } %result
}

; The sine of k quarter turns and r. With s = high^2, that of r is high - (high^3 q(s) - low (1 - s/2)), and its cosine
; is 1 - (s p(s) + low (high - high^3/6)), q and p by minimax approximation to 2^-28 and 2^-33; what s rounds
; away counts where the cosine is far from 1. Of both, one sum remains; of -0, it is -0.
define internal float @sine_of_turns(float %high, float %low, i32 %k) {
  %odd = and i32 %k, 1
  %is.odd = icmp ne i32 %odd, 0
  %s = fmul float %high, %high
  %q.1 = call float @llvm.fma.f32(float %s, float 0x3F29955880000000, float 0xBF811077C0000000)
  %q = call float @llvm.fma.f32(float %s, float %q.1, float 0x3FC5555460000000)
  %p.2 = call float @llvm.fma.f32(float %s, float 0xBEF99E7840000000, float 0x3F56C0C260000000)
  %p.1 = call float @llvm.fma.f32(float %s, float %p.2, float 0xBFA55554A0000000)
  %p = call float @llvm.fma.f32(float %s, float %p.1, float 0x3FE0000000000000)
  %cube = fmul float %high, %s
  %s.negated = fneg float %s
  %s.rest = call float @llvm.fma.f32(float %high, float %high, float %s.negated)
  %of.s.rest.any = fmul float %s.rest, 0x3FDD70A3E0000000
  %of.sine = call float @llvm.fma.f32(float %s, float 0.5, float -1.0)
  %of.cosine = call float @llvm.fma.f32(float %cube, float 0xBFC5555560000000, float %high)
  %slope = select i1 %is.odd, float %of.cosine, float %of.sine
  %of.s.rest = select i1 %is.odd, float %of.s.rest.any, float 0.0
  %of.rests = call float @llvm.fma.f32(float %low, float %slope, float %of.s.rest)
  %base = select i1 %is.odd, float 1.0, float %high
  %factor = select i1 %is.odd, float %s, float %cube
  %curve = select i1 %is.odd, float %p, float %q
  %less = call float @llvm.fma.f32(float %factor, float %curve, float %of.rests)
  %value = fsub float %base, %less
  %bits = bitcast float %value to i32
  %half = shl i32 %k, 30
  %sign = and i32 %half, -2147483648
  %signed.bits = xor i32 %bits, %sign
  %signed = bitcast i32 %signed.bits to float
  ret float %signed
}

define internal float @far_sine_f32(float %x) cold {
  %parts = call { float, float, i32 } @far_quarter_turns(float %x)
  %high = extractvalue { float, float, i32 } %parts, 0
  %low = extractvalue { float, float, i32 } %parts, 1
  %k = extractvalue { float, float, i32 } %parts, 2
  %result = call float @sine_of_turns(float %high, float %low, i32 %k)
  ret float %result
}

define float @__pykc_sin_f32(float %x) {
  %parts = call { float, float, i32 } @near_quarter_turns(float %x)
  %high = extractvalue { float, float, i32 } %parts, 0
  %low = extractvalue { float, float, i32 } %parts, 1
  %k = extractvalue { float, float, i32 } %parts, 2
  %near = call float @sine_of_turns(float %high, float %low, i32 %k)
  %size = call float @llvm.fabs.f32(float %x)
  %is.near = fcmp olt float %size, 131072.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_sine_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

define internal float @far_cosine_f32(float %x) cold {
  %parts = call { float, float, i32 } @far_quarter_turns(float %x)
  %high = extractvalue { float, float, i32 } %parts, 0
  %low = extractvalue { float, float, i32 } %parts, 1
  %k = extractvalue { float, float, i32 } %parts, 2
  %next = add i32 %k, 1
  %result = call float @sine_of_turns(float %high, float %low, i32 %next)
  ret float %result
}

define float @__pykc_cos_f32(float %x) {
  %parts = call { float, float, i32 } @near_quarter_turns(float %x)
  %high = extractvalue { float, float, i32 } %parts, 0
  %low = extractvalue { float, float, i32 } %parts, 1
  %k = extractvalue { float, float, i32 } %parts, 2
  %next = add i32 %k, 1
  %near = call float @sine_of_turns(float %high, float %low, i32 %next)
  %size = call float @llvm.fabs.f32(float %x)
  %is.near = fcmp olt float %size, 131072.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_cosine_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}

; tan(high + low) = high + (high^3 q(s) + low (1 + s + s^2)) with s = high^2, q by minimax approximation to 2^-30; an
; odd number of quarter turns from there, -1 / tan. What rounding takes from s, the sum and the inverse is put back.
define internal float @tangent_of_turns(float %high, float %low, i32 %k) {
  %s = fmul float %high, %high
  %q.5 = call float @llvm.fma.f32(float %s, float 0x3F71EE8A00000000, float 0x3F17477300000000)
  %q.4 = call float @llvm.fma.f32(float %s, float %q.5, float 0x3F863019C0000000)
  %q.3 = call float @llvm.fma.f32(float %s, float %q.4, float 0x3F95CB8280000000)
  %q.2 = call float @llvm.fma.f32(float %s, float %q.3, float 0x3FABADA620000000)
  %q.1 = call float @llvm.fma.f32(float %s, float %q.2, float 0x3FC110D9C0000000)
  %q = call float @llvm.fma.f32(float %s, float %q.1, float 0x3FD5555600000000)
  %s.opposite = fneg float %s
  %s.rest = call float @llvm.fma.f32(float %high, float %high, float %s.opposite)
  %steepness = call float @llvm.fma.f32(float %s, float %s, float %s)
  %of.low = call float @llvm.fma.f32(float %low, float %steepness, float %low)
  %half = fmul float %high, 0.5
  %of.rests = call float @llvm.fma.f32(float %half, float %s.rest, float %of.low)
  %cube = fmul float %high, %s
  %rest = call float @llvm.fma.f32(float %cube, float %q, float %of.rests)
  %tangent = fadd float %high, %rest
  %opposite = fneg float %tangent
  %inverse = call float @__pykc_reciprocal_f32(float %opposite)
  %missing.high = call float @llvm.fma.f32(float %inverse, float %high, float 1.0)
  %missing = call float @llvm.fma.f32(float %inverse, float %rest, float %missing.high)
  %better = call float @llvm.fma.f32(float %inverse, float %missing, float %inverse)
  %odd = and i32 %k, 1
  %is.odd = icmp ne i32 %odd, 0
  %result = select i1 %is.odd, float %better, float %tangent
  ret float %result
}

define internal float @far_tangent_f32(float %x) cold {
  %parts = call { float, float, i32 } @far_quarter_turns(float %x)
  %high = extractvalue { float, float, i32 } %parts, 0
  %low = extractvalue { float, float, i32 } %parts, 1
  %k = extractvalue { float, float, i32 } %parts, 2
  %result = call float @tangent_of_turns(float %high, float %low, i32 %k)
  ret float %result
}

define float @__pykc_tan_f32(float %x) {
  %parts = call { float, float, i32 } @near_quarter_turns(float %x)
  %high = extractvalue { float, float, i32 } %parts, 0
  %low = extractvalue { float, float, i32 } %parts, 1
  %k = extractvalue { float, float, i32 } %parts, 2
  %near = call float @tangent_of_turns(float %high, float %low, i32 %k)
  %size = call float @llvm.fabs.f32(float %x)
  %is.near = fcmp olt float %size, 131072.0
  br i1 %is.near, label %done, label %rarely

rarely:
  %far = call float @far_tangent_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %far, %rarely ]
  ret float %result
}
