// Compares the functions of halyard/device.c with those of the C library on `long double`: exit code 1 if one is further off than it says.
#include <math.h>
#include <stdio.h>
#include <string.h>

#define ONE(X)  \
  X(exp, 2.5)   \
  X(exp2, 2.5)  \
  X(exp10, 2.5) \
  X(expm1, 2.5) \
  X(log, 2.5)   \
  X(log2, 2.5)  \
  X(log10, 2.5) \
  X(log1p, 2.5) \
  X(cbrt, 2.5)  \
  X(sin, 2.5)   \
  X(cos, 2.5)   \
  X(tan, 2.5)   \
  X(atan, 2.5)  \
  X(asin, 2.5)  \
  X(acos, 2.5)  \
  X(sinh, 2.5)  \
  X(cosh, 2.5)  \
  X(tanh, 2.5)  \
  X(asinh, 2.5) \
  X(acosh, 2.5) \
  X(atanh, 2.5) \
  X(erf, 4)     \
  X(erfc, 16)
#define TWO(X)  \
  X(pow, 2.5)   \
  X(atan2, 2.5) \
  X(fmod, 0)

#define X(name, ulps)        \
  double hal_##name(double); \
  float hal_##name##f(float);
ONE(X)
#undef X
#define X(name, ulps) double hal_##name(double, double);
TWO(X)
#undef X
double hal_powi(double, int), hal_ldexp(double, int);

static unsigned long long state = 88172645463325252ull;
static unsigned long long next(void) { return state ^= state << 13, state ^= state >> 7, state ^= state << 17; }
static double uniform(void) { return (double)(next() >> 11) * 0x1p-53 - 0.5; }

/// Numbers of all sizes, special ones first.
static double sample(int i) {
  static const double special[] = {0,      -0.0,     1,   -1, INFINITY, -INFINITY, NAN, 5e-324, -5e-324, 1e308,
                                   -1e308, 2.2e-308, 0.5, 2,  -2,       3,         10,  100,    1e22,    7};
  if (i < 20) return special[i];
  unsigned long long bits = next();
  double any;
  memcpy(&any, &bits, 8);
  double list[] = {any, 2 * uniform(), 20 * uniform(), 1500 * uniform(), 1 + 1e-3 * uniform(), 1e7 * uniform()};
  return list[i % 6];
}

static double distance(double got, long double want) {
  double near = (double)want;
  if (isnan(got) && isnan(near)) return 0;
  if (got == near) return signbit(got) == signbit(near) ? 0 : INFINITY;
  if (isnan(got) || isnan(near) || isinf(got) || isinf(near)) return INFINITY;
  return (double)(fabsl(got - want) / (nextafter(fabs(near), INFINITY) - fabs(near)));
}

static int failed;
static void told(const char *name, double worst, double allowed, double x, double y) {
  if (worst > allowed) failed = 1, printf("%s is %g ulp off at %a, %a; %g are allowed\n", name, worst, x, y, allowed);
}

int main(void) {
#define X(name, ulps)                                                                                            \
  {                                                                                                              \
    double worst = 0, at = 0, worst_f = 0, at_f = 0;                                                             \
    for (int i = 0; i < 60000; i++) {                                                                            \
      double x = sample(i), d = distance(hal_##name(x), name##l(x));                                             \
      if (d > worst) worst = d, at = x;                                                                          \
      float f = (float)x, got = hal_##name##f(f), want = (float)name##l(f);                                      \
      if (!(got == want || (isnan(got) && isnan(want)) || nextafterf(got, want) == want)) worst_f = 2, at_f = f; \
    }                                                                                                            \
    told(#name, worst, ulps, at, 0), told(#name "f", worst_f, 1, at_f, 0);                                       \
  }
  ONE(X)
#undef X
#define X(name, ulps)                                                                            \
  {                                                                                              \
    double worst = 0, ax = 0, ay = 0;                                                            \
    for (int i = 0; i < 100000; i++) {                                                           \
      double x = sample(i < 400 ? i % 20 : i), y = sample(i < 400 ? i / 20 : i / 6 * 5 + i % 5); \
      if (i >= 400 && i % 2) x = fabs(x);                                                        \
      double d = distance(hal_##name(x, y), name##l(x, y));                                      \
      if (d > worst) worst = d, ax = x, ay = y;                                                  \
    }                                                                                            \
    told(#name, worst, ulps, ax, ay);                                                            \
  }
  TWO(X)
#undef X
  for (int i = 0; i < 20000; i++) {
    double x = sample(i);
    int n = (int)(next() % 4300) - 2150;
    if (distance(hal_ldexp(x, n), ldexp(x, n)) > 0) told("ldexp", 1, 0, x, n);
  }
  if (hal_powi(3, 4) != 81 || hal_powi(2, -3) != 0.125 || hal_powi(5, 0) != 1) told("powi", 1, 0, 3, 4);
  return failed;
}
