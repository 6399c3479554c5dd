; rsqrt(x) = 1 / sqrt(x). libclc's takes twice as long on GPUs.

declare double @__pykc_inverse_of_root_f64(double)
declare double @llvm.sqrt.f64(double)
declare float @__pykc_reciprocal_f32(float)
declare float @__pykc_root_f32(float)
declare float @llvm.sqrt.f32(float)

define internal float @any_rsqrt_f32(float %x) cold {
  %is.small = fcmp olt float %x, 1.0
  %factor = select i1 %is.small, float 0x4770000000000000, float 0x3870000000000000
  %last = select i1 %is.small, float 0x43B0000000000000, float 0x3C30000000000000
  %scaled = fmul float %x, %factor
  %root = call float @llvm.sqrt.f32(float %scaled)
  %inverse = fdiv float 1.0, %root
  %result = fmul float %inverse, %last
  ret float %result
}

define float @__pykc_rsqrt_f32(float %x) {
  %root = call float @__pykc_root_f32(float %x)
  %near = call float @__pykc_reciprocal_f32(float %root)
  %bits = bitcast float %x to i32
  %from.least = sub i32 %bits, 226492416                             ; the bits of 2^-100; up to 2^100
  %is.near = icmp ult i32 %from.least, 1677721600
  br i1 %is.near, label %done, label %rarely

rarely:
  %any = call float @any_rsqrt_f32(float %x)
  br label %done

done:
  %result = phi float [ %near, %0 ], [ %any, %rarely ]
  ret float %result
}

define internal double @any_rsqrt_f64(double %x) cold {
  %is.small = fcmp olt double %x, 1.0
  %factor = select i1 %is.small, double 0x58F0000000000000, double 0x26F0000000000000
  %last = select i1 %is.small, double 0x4C70000000000000, double 0x3370000000000000
  %scaled = fmul double %x, %factor
  %root = call double @llvm.sqrt.f64(double %scaled)
  %inverse = fdiv double 1.0, %root
  %result = fmul double %inverse, %last
  ret double %result
}

define double @__pykc_rsqrt_f64(double %x) {
  %near = call double @__pykc_inverse_of_root_f64(double %x)
  %bits = bitcast double %x to i64
  %from.least = sub i64 %bits, 553942754166571008                             ; the bits of 2^-900; up to 2^900
  %is.plain = icmp ult i64 %from.least, 8106479329266892800
  ; the root is no 2^n (2 - 2^-52) unless x is 4^n (4 - 2^-50) or more: the last bit of the exponent and the mantissa
  %of.four = shl i64 %bits, 11
  %is.lower = icmp slt i64 %of.four, 9223372032559808512
  %is.near = and i1 %is.plain, %is.lower
  br i1 %is.near, label %done, label %rarely

rarely:
  %any = call double @any_rsqrt_f64(double %x)
  br label %done

done:
  %result = phi double [ %near, %0 ], [ %any, %rarely ]
  ret double %result
}
