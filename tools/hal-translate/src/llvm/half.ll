; Conversions between f16, bf16 and wider floats on integers: round to nearest even, NaNs stay NaNs and become quiet.
; The names and signatures are those of the compiler's runtime library (libgcc, compiler-rt).

define float @__extendhfsf2(half %x) {
  %h = bitcast half %x to i16
  %w = zext i16 %h to i32
  %magnitude = and i32 %w, 32767
  %shifted = shl i32 %magnitude, 13
  %exponent = and i32 %shifted, 260046848           ; 0x7c00 << 13
  %rebased = add i32 %shifted, 939524096            ; (127 - 15) << 23
  %top = icmp eq i32 %exponent, 260046848
  %special = add i32 %rebased, 939524096            ; infinities and NaNs: (128 - 16) << 23 more
  %zero = icmp eq i32 %exponent, 0
  %next = add i32 %rebased, 8388608                 ; subnormals: renormalise by a subtraction
  %next.f = bitcast i32 %next to float
  %sub.f = fsub float %next.f, 0x3F10000000000000   ; 2^-14
  %sub = bitcast float %sub.f to i32
  %a = select i1 %top, i32 %special, i32 %rebased
  %b = select i1 %zero, i32 %sub, i32 %a
  %nan.bits = icmp ugt i32 %magnitude, 31744
  %quiet = or i32 %b, 4194304
  %c = select i1 %nan.bits, i32 %quiet, i32 %b
  %sign = and i32 %w, 32768
  %sign.up = shl i32 %sign, 16
  %bits = or i32 %c, %sign.up
  %r = bitcast i32 %bits to float
  ret float %r
}

define half @__truncsfhf2(float %x) {
  %bits = bitcast float %x to i32
  %sign = and i32 %bits, -2147483648
  %u = xor i32 %bits, %sign
  ; 2^16 and more: infinity, or a NaN with what fits of its payload.
  %nan = icmp ugt i32 %u, 2139095040
  %payload.shifted = lshr i32 %u, 13
  %payload = and i32 %payload.shifted, 511
  %quiet = or i32 %payload, 32256
  %top = select i1 %nan, i32 %quiet, i32 31744
  ; Below 2^-14: adding 0.5 lets the hardware round the mantissa into place.
  %u.f = bitcast i32 %u to float
  %added = fadd float %u.f, 5.000000e-01
  %added.bits = bitcast float %added to i32
  %low = sub i32 %added.bits, 1056964608
  ; Between: round to nearest even by carrying.
  %odd.shifted = lshr i32 %u, 13
  %odd = and i32 %odd.shifted, 1
  %rebased = add i32 %u, -939520001                 ; ((15 - 127) << 23) + 0xfff
  %carried = add i32 %rebased, %odd
  %middle = lshr i32 %carried, 13
  %is.top = icmp uge i32 %u, 1199570944             ; (127 + 16) << 23
  %is.low = icmp ult i32 %u, 947912704              ; 113 << 23
  %a = select i1 %is.low, i32 %low, i32 %middle
  %b = select i1 %is.top, i32 %top, i32 %a
  %sign.down = lshr i32 %sign, 16
  %w = or i32 %b, %sign.down
  %h = trunc i32 %w to i16
  %r = bitcast i16 %h to half
  ret half %r
}

define bfloat @__truncsfbf2(float %x) {
  %u = bitcast float %x to i32
  %odd.shifted = lshr i32 %u, 16
  %odd = and i32 %odd.shifted, 1
  %bias = add i32 %odd, 32767
  %rounded = add i32 %u, %bias
  %quiet = or i32 %u, 4194304
  %nan = fcmp uno float %x, 0.0
  %w = select i1 %nan, i32 %quiet, i32 %rounded
  %shifted = lshr i32 %w, 16
  %h = trunc i32 %shifted to i16
  %r = bitcast i16 %h to bfloat
  ret bfloat %r
}

; A double rounded to odd, so that rounding it once more to 16 bits gives what rounding the double gives.
define float @__halyard_round_to_odd(double %x) {
  %near = fptrunc double %x to float
  %bits = bitcast float %near to i32
  %back = fpext float %near to double
  %inexact = fcmp one double %back, %x
  %back.abs = call double @llvm.fabs.f64(double %back)
  %x.abs = call double @llvm.fabs.f64(double %x)
  %beyond = fcmp ogt double %back.abs, %x.abs
  %one = zext i1 %beyond to i32
  %toward.zero = sub i32 %bits, %one
  %odd = or i32 %toward.zero, 1
  %w = select i1 %inexact, i32 %odd, i32 %bits
  %r = bitcast i32 %w to float
  ret float %r
}

declare double @llvm.fabs.f64(double)

define half @__truncdfhf2(double %x) {
  %odd = call float @__halyard_round_to_odd(double %x)
  %r = call half @__truncsfhf2(float %odd)
  ret half %r
}

define bfloat @__truncdfbf2(double %x) {
  %odd = call float @__halyard_round_to_odd(double %x)
  %r = call bfloat @__truncsfbf2(float %odd)
  ret bfloat %r
}
