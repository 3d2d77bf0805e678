/* Functions of the C library for CUDA that is compiled by clang without the headers of CUDA: device.c beside says how exact
 * they are. */
#pragma once
#pragma clang force_cuda_host_device begin
#define FUNCTION [[maybe_unused]] static
#include "device.c"

// Under the names that the C library has for them; the last ones are instructions.
#define AS(to, name)                                     \
  FUNCTION double name(double x) { return to##name(x); } \
  FUNCTION float name##f(float x) { return to##name##f(x); }
#define AS2(to, name)                                                 \
  FUNCTION double name(double x, double y) { return to##name(x, y); } \
  FUNCTION float name##f(float x, float y) { return to##name##f(x, y); }
AS(hal_, exp)
AS(hal_, exp2)
AS(hal_, exp10)
AS(hal_, expm1)
AS(hal_, log)
AS(hal_, log2)
AS(hal_, log10)
AS(hal_, log1p)
AS(hal_, cbrt)
AS(hal_, sin)
AS(hal_, cos)
AS(hal_, tan)
AS(hal_, atan)
AS(hal_, asin)
AS(hal_, acos)
AS(hal_, sinh)
AS(hal_, cosh)
AS(hal_, tanh)
AS(hal_, asinh)
AS(hal_, acosh)
AS(hal_, atanh)
AS(hal_, erf)
AS(hal_, erfc)
AS2(hal_, pow)
AS2(hal_, atan2)
AS2(hal_, fmod)
AS(__builtin_, sqrt)
AS(__builtin_, fabs)
AS(__builtin_, floor)
AS(__builtin_, ceil)
AS(__builtin_, trunc)
AS(__builtin_, rint)
AS(__builtin_, round)
AS2(__builtin_, fmax)
AS2(__builtin_, fmin)
AS2(__builtin_, copysign)
FUNCTION double fma(double x, double y, double z) { return FMA(x, y, z); }
FUNCTION float fmaf(float x, float y, float z) { return __builtin_fmaf(x, y, z); }
#define isinf __builtin_isinf
#define isfinite __builtin_isfinite
#define INFINITY __builtin_inff()
#define NAN __builtin_nanf("")
#pragma clang force_cuda_host_device end
