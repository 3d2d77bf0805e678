// Functions of the C library for code on GPUs, which have none, and memory. `llvm/device.ll` of hal-translate is made of this:
//
//   clang-22 --target=nvptx64-nvidia-cuda -ffreestanding -fno-builtin -fno-inline -ffp-contract=off -fno-ident \
//     -Os -S -emit-llvm device.c
//
// and `vulkan/functions.mlir`, where multiplication and addition may not be fused and nothing has an address, by
// `scripts/device-functions`, with PLAIN defined (the test of that defines SINGLE, too).
//
// Each function is computed in `double`, to within 2.5 ulp (erf: 4, erfc: 16; measured by
// tests/cuda/device-functions.test); those on `float` round that once, and are right but for ties.
// clang-format off: formulas and tables are laid out by hand.
#ifndef FUNCTION
#define FUNCTION
#endif
typedef unsigned long long u64;
typedef long long i64;

#define ABS __builtin_fabs
#define INLINE static inline __attribute__((always_inline))
#ifdef PLAIN
#define FMA fused
#define MAD(a, b, c) ((a) * (b) + (c))
#define PART INLINE
#define UNROLL _Pragma("clang loop unroll(full)")
#else
// With one rounding, because the result would be wrong without, and because that is fast.
#define FMA __builtin_fma
#define MAD __builtin_fma
#define PART static
#define UNROLL
#endif

static const double INF = __builtin_inf(), NOT_A_NUMBER = __builtin_nan("");
static const double LN2_HI = 0x1.62e42fefa39efp-1, LN2_LO = 0x1.abc9e3b39803fp-56, INV_LN2 = 0x1.71547652b82fep+0;
static const double PIO2_HI = 0x1.921fb54442d18p+0, PIO2_MID = 0x1.1a62633145c07p-54, PIO2_LO = -0x1.f1976b7ed8fbcp-110;

/// A number as a sum of two.
typedef struct { double hi, lo; } pair;

INLINE u64 bits(double x) { u64 b; __builtin_memcpy(&b, &x, 8); return b; }
INLINE double of_bits(u64 b) { double x; __builtin_memcpy(&x, &b, 8); return x; }
INLINE int is_nan(double x) { return x != x; }
INLINE double with_sign(double magnitude, double sign) {
  return of_bits((bits(magnitude) & ~(1ull << 63)) | (bits(sign) & (1ull << 63)));
}
/// To the nearest whole number, for |x| below 2^51.
INLINE double nearest(double x) { return (x + 0x1.8p52) - 0x1.8p52; }
INLINE pair fast_sum(double a, double b) { double s = a + b; return (pair){s, b - (s - a)}; }
#ifdef PLAIN
/// As two numbers of 26 and 27 bits.
INLINE pair halves(double x) { double hi = of_bits(bits(x) >> 27 << 27); return (pair){hi, x - hi}; }
INLINE pair product(double a, double b) {
  double p = a * b;
  pair x = halves(a), y = halves(b);
  return (pair){p, ((x.hi * y.hi - p) + x.hi * y.lo + x.lo * y.hi) + x.lo * y.lo};
}
INLINE double fused(double a, double b, double c) {
  pair p = product(a, b);
  double s = p.hi + c, of_c = s - p.hi;
  return s + (((p.hi - (s - of_c)) + (c - of_c)) + p.lo);
}
#else
INLINE pair product(double a, double b) { double p = a * b; return (pair){p, FMA(a, b, -p)}; }
#endif

/// An element of a table.
#ifdef PLAIN
#define OF(type, table, i)                                                                                                     \
  ({                                                                                                                           \
    type chosen_ = 0;                                                                                                          \
    UNROLL for (int k_ = 0; k_ < (int)(sizeof table / sizeof *table); k_++) chosen_ = (i) == k_ ? table[k_] : chosen_;         \
    chosen_;                                                                                                                   \
  })
#else
#define OF(type, table, i) table[i]
#endif

/// The upper half of a product.
INLINE u64 upper(u64 a, u64 b) {
#ifdef PLAIN
  u64 a1 = a >> 32, a0 = (unsigned)a, b1 = b >> 32, b0 = (unsigned)b;
  u64 middle = a1 * b0 + (a0 * b0 >> 32), other = a0 * b1 + (unsigned)middle;
  return a1 * b1 + (middle >> 32) + (other >> 32);
#else
  return (u64)((unsigned __int128)a * b >> 64);
#endif
}

/// The zeros before the first bit of a number that is not zero.
INLINE int zeros_of(u64 x) {
#ifdef PLAIN
  int zeros = 0;
  UNROLL for (int by = 32; by; by /= 2) if (!(x >> (64 - by))) zeros += by, x <<= by;
  return zeros;
#else
  return __builtin_clzll(x);
#endif
}

FUNCTION double hal_ldexp(double x, int n) {
  UNROLL for (int i = 0; i < 3; i++)
    if (n > 1023) x *= 0x1p1023, n -= 1023;
  // In steps that leave 53 bits until the last one.
  UNROLL for (int i = 0; i < 3; i++)
    if (n < -969) x *= 0x1p-969, n += 969;
  n = n > 1023 ? 1023 : n < -1022 ? -1022 : n;
  return x * of_bits((u64)(n + 1023) << 52);
}

/// e^(r + lo) - 1 for |r| up to 0.36 and a small `lo`: a Taylor series.
INLINE double expm1_small(double r, double lo) {
  static const double c[] = {1. / 6227020800, 1. / 479001600, 1. / 39916800, 1. / 3628800, 1. / 362880, 1. / 40320,
                             1. / 5040,       1. / 720,       1. / 120,      1. / 24,      1. / 6,      1. / 2};
  double p = 1. / 87178291200;
  UNROLL for (int i = 0; i < 12; i++) p = MAD(p, r, c[i]);
  return r + MAD(r * r, p, MAD(lo, r, lo));
}

/// e^(x + lo).
static double exp_pair(double x, double lo) {
  if (is_nan(x)) return x;
  if (x > 710) return INF;
  if (x < -746) return 0;
  double n = nearest(x * INV_LN2);
  double r = FMA(-n, LN2_HI, x);
  double tail = FMA(-n, LN2_LO, lo);
  double whole = r + tail;
  return hal_ldexp(1 + expm1_small(whole, tail - (whole - r)), (int)n);
}
FUNCTION double hal_exp(double x) { return exp_pair(x, 0); }

FUNCTION double hal_exp2(double x) {
  if (is_nan(x)) return x;
  if (x > 1025) return INF;
  if (x < -1080) return 0;
  double n = nearest(x), r = x - n;
  pair t = product(r, LN2_HI);
  return hal_ldexp(1 + expm1_small(t.hi, FMA(r, LN2_LO, t.lo)), (int)n);
}

FUNCTION double hal_exp10(double x) {
  if (is_nan(x)) return x;
  if (x > 310) return INF;
  if (x < -330) return 0;
  double n = nearest(x * 0x1.a934f0979a371p+1);
  double r = FMA(-n, -0x1.9dc1da994fd21p-59, FMA(-n, 0x1.34413509f79ffp-2, x));
  pair t = product(r, 0x1.26bb1bbb55516p+1);
  return hal_ldexp(1 + expm1_small(t.hi, FMA(r, -0x1.f48ad494ea3e9p-53, t.lo)), (int)n);
}

FUNCTION double hal_expm1(double x) {
  if (is_nan(x) || x == 0) return x;
  if (x > 710) return INF;
  if (x < -40) return -1;
  double n = nearest(x * INV_LN2);
  if (n == 0) return expm1_small(x, 0);
  double r = FMA(-n, LN2_HI, x), tail = -n * LN2_LO, whole = r + tail;
  double e = expm1_small(whole, tail - (whole - r));
  if (n > 1000) return hal_ldexp(1 + e, (int)n);
  double power = hal_ldexp(1, (int)n);
  if (n > 54) return power * (1 + e - 1 / power);
  pair sum = n > 0 ? fast_sum(power, -1) : fast_sum(-1, power);
  return sum.hi + (power * e + sum.lo);
}

/// x = 2^k (1 + f) with 1 + f between sqrt(1/2) and sqrt(2), for a positive finite x.
INLINE double mantissa(double x, int *k) {
  int e = 0;
  if (x < 0x1p-1022) { x *= 0x1p54; e = -54; }
  u64 b = bits(x);
  e += (int)(b >> 52) - 1023;
  double m = of_bits((b & 0xfffffffffffffull) | 0x3ff0000000000000ull);
  if (m > 0x1.6a09e667f3bcdp+0) { m /= 2; e++; }
  *k = e;
  return m - 1;
}

/// log(1 + f): `hi` is f, `lo` the rest.
INLINE pair log_mantissa(double f) {
  double s = f / (2 + f), z = s * s, r = 2. / 25;
  UNROLL for (int i = 23; i >= 3; i -= 2) r = MAD(r, z, 2. / i);
  double half = f * f / 2;
  return (pair){f, -(half - s * (half + z * r))};
}

/// What logarithms of numbers that are not positive and finite are.
INLINE int log_special(double x, double *result) {
  if (x > 0 && x < INF) return 0;
  *result = is_nan(x) || x == INF ? x : x == 0 ? -INF : NOT_A_NUMBER;
  return 1;
}

FUNCTION double hal_log(double x) {
  double special;
  if (log_special(x, &special)) return special;
  int k;
  pair l = log_mantissa(mantissa(x, &k));
  // The first 32 bits of log(2), times k, are exact.
  return k * 0x1.62e42fee00000p-1 + (l.hi + (l.lo + k * 0x1.a39ef35793c76p-33));
}

FUNCTION double hal_log2(double x) {
  double special;
  if (log_special(x, &special)) return special;
  int k;
  pair l = log_mantissa(mantissa(x, &k));
  l = fast_sum(l.hi, l.lo);
  pair p = product(l.hi, INV_LN2);
  return k + (p.hi + FMA(l.hi, 0x1.777d0ffda0d24p-56, FMA(l.lo, INV_LN2, p.lo)));
}

FUNCTION double hal_log10(double x) {
  double special;
  if (log_special(x, &special)) return special;
  int k;
  pair l = log_mantissa(mantissa(x, &k));
  l = fast_sum(l.hi, l.lo);
  pair p = product(l.hi, 0x1.bcb7b1526e50ep-2);
  double tail = FMA(l.hi, 0x1.95355baaafad3p-57, FMA(l.lo, 0x1.bcb7b1526e50ep-2, p.lo));
  return k * 0x1.3441350800000p-2 + (p.hi + (tail + k * 0x1.f79fef311f12bp-34));
}

FUNCTION double hal_log1p(double x) {
  if (is_nan(x) || x == INF || ABS(x) < 0x1p-54) return x;
  if (x <= -1) return x == -1 ? -INF : NOT_A_NUMBER;
  if (x > -0.25 && x < 0.4) {
    pair l = log_mantissa(x);
    return l.hi + l.lo;
  }
  double u = 1 + x;
  double lost = x > 1 ? 1 - (u - x) : x - (u - 1);
  return hal_log(u) + lost / u;
}

/// log(x) of a positive finite x, to about 68 bits.
PART pair log_pair(double x) {
  int k;
  double f = mantissa(x, &k), g = 2 + f;
  double s = f / g;
  // s as a pair: what f lacks of s g, over g. g is exact but for the last bit of f.
  double s_lo = (FMA(-s, g, f) - s * (f - (g - 2))) / g;
  pair z = product(s, s);
  z.lo = FMA(2 * s, s_lo, z.lo);
  double r = 2. / 25;
  UNROLL for (int i = 23; i >= 5; i -= 2) r = MAD(r, z.hi, 2. / i);
  // 2 s + (2/3) s^3 + s^5 r.
  pair t = product(z.hi, 0x1.5555555555555p-1);
  t.lo = FMA(z.lo, 0x1.5555555555555p-1, FMA(z.hi, 0x1.5555555555555p-55, FMA(z.hi * z.hi, r, t.lo)));
  pair c = product(t.hi, s);
  c.lo = FMA(t.lo, s, FMA(t.hi, s_lo, c.lo));
  pair m = fast_sum(2 * s, c.hi);
  m.lo += 2 * s_lo + c.lo;
  pair e = product(k, LN2_HI);
  pair sum = k == 0 ? m : fast_sum(e.hi, m.hi);
  if (k != 0) sum.lo += m.lo + FMA((double)k, LN2_LO, e.lo);
  return fast_sum(sum.hi, sum.lo);
}

/// Of a number without its sign: 0 is no whole one, 1 an odd one, 2 an even one.
INLINE int wholeness(double a) {
  i64 n = a < 0x1p53 ? (i64)a : 0;
  return a >= 0x1p53 ? 2 : a != (double)n ? 0 : (n & 1) ? 1 : 2;
}

/// a^y of a positive finite a.
static double power(double a, double y) {
  pair l = log_pair(a);
  double rough = y * l.hi;
  if (rough > 800 || rough < -800) return rough > 0 ? INF : 0;
  pair p = product(y, l.hi);
  return exp_pair(p.hi, FMA(y, l.lo, p.lo));
}

FUNCTION double hal_pow(double x, double y) {
  double a = ABS(x), result;
  int whole = wholeness(ABS(y)), endless = ABS(y) == INF;
  if (y == 0 || x == 1 || (a == 1 && endless)) {
    result = 1;
  } else if (is_nan(x) || is_nan(y) || (x < 0 && a < INF && whole == 0)) {
    result = NOT_A_NUMBER;
  } else if (a == 0 || a == INF || endless) {
    result = (a < 1) == (y > 0) ? 0 : INF;
  } else {
    result = power(a, y);
  }
  return (bits(x) >> 63) && whole == 1 ? -result : result;
}

FUNCTION double hal_powi(double x, int n) {
  unsigned left = n < 0 ? -(unsigned)n : (unsigned)n;
  double power = 1;
  for (double square = x; left; left >>= 1, square *= square)
    if (left & 1) power *= square;
  return n < 0 ? 1 / power : power;
}

FUNCTION double hal_cbrt(double x) {
  if (is_nan(x) || x == 0 || ABS(x) == INF) return x;
  double a = ABS(x), scale = 1;
  if (a < 0x1p-900) { a *= 0x1p120; scale = 0x1p-40; }
  double y = hal_exp(hal_log(a) / 3);
  // Newton's step, with the cube as a pair.
  pair square = product(y, y), cube = product(square.hi, y);
  double rest = (a - cube.hi) - FMA(square.lo, y, cube.lo);
  return with_sign((y + rest / (3 * square.hi)) * scale, x);
}

/// 2/pi, the bits after the point.
static const u64 TWO_OVER_PI[] = {
  0xa2f9836e4e441529ull, 0xfc2757d1f534ddc0ull, 0xdb6295993c439041ull, 0xfe5163abdebbc561ull,
  0xb7246e3a424dd2e0ull, 0x06492eea09d1921cull, 0xfe1deb1cb129a73eull, 0xe88235f52ebb4484ull,
  0xe99c7026b45f7e41ull, 0x3991d639835339f4ull, 0x9c845f8bbdf9283bull, 0x1ff897ffde05980full,
  0xef2f118b5a0a6d1full, 0x6d367ecf27cb09b7ull, 0x4f463f669e5fea2dull, 0x7527bac7ebe5f17bull,
  0x3d0739f78a5292eaull, 0x6bfb5fb11f8d5d08ull, 0x56033046fc7b6babull, 0xf0cfbc209af4361dull};

/// 64 bits of 2/pi, of which the first is worth 2^(-1 - first).
INLINE u64 window(int first) {
  if (first < 0) return first <= -64 ? 0 : TWO_OVER_PI[0] >> -first;
  int word = first / 64, shift = first % 64;
  u64 here = OF(u64, TWO_OVER_PI, word);
  return shift ? (here << shift) | (OF(u64, TWO_OVER_PI, word + 1) >> (64 - shift)) : here;
}

/// x - q pi/2 as a pair between -pi/4 and pi/4, of any finite x; q to 2 bits.
PART pair reduce(double x, int *q) {
  if (ABS(x) < 0x1p20) {
    double n = nearest(x * 0x1.45f306dc9c883p-1);
    double r = FMA(-n, PIO2_HI, x); // exact
    pair w = product(n, PIO2_MID);
    double hi = r - w.hi;
    double lo = ((r - hi) - w.hi) - FMA(n, PIO2_LO, w.lo);
    *q = (int)n & 3;
    return fast_sum(hi, lo);
  }
  // Payne and Hanek: of x 2/pi only the bits around the point count.
  u64 b = bits(x), m = (b & 0xfffffffffffffull) | 0x10000000000000ull;
  int e = (int)((b >> 52) & 2047) - 1075; // |x| = m 2^e
  int first = e - 2;                      // so that m * window has two bits before the point
  u64 w0 = window(first), w1 = window(first + 64), w2 = window(first + 128);
  u64 p2 = m * w2, p1 = m * w1, low = p1 + upper(m, w2);
  u64 high = m * w0 + upper(m, w1) + (low < p1);
  int quadrant = (int)(high >> 62);
  // The bits after the point, and then a half of them if that is nearer to zero.
  high = high << 2 | low >> 62, low = low << 2 | p2 >> 62;
  int up = (int)(high >> 63), negative = up;
  quadrant += up;
  if (up) high = ~high + (low == 0), low = -low;
  // To a pair of doubles.
  pair f = {0, 0};
  if (high | low) {
    int zeros = high ? zeros_of(high) : 64 + zeros_of(low);
    if (zeros >= 64) high = low, low = 0;
    int shift = zeros & 63;
    if (shift) high = high << shift | low >> (64 - shift), low <<= shift;
    double scale = of_bits((u64)(1023 - zeros) << 52);
    f.hi = (double)(i64)(high >> 11) * 0x1p-53 * scale;
    f.lo = (double)(i64)((high & 2047) << 42 | low >> 22) * 0x1p-106 * scale;
  }
  pair r = product(f.hi, PIO2_HI);
  r.lo += FMA(f.hi, PIO2_MID, f.lo * PIO2_HI);
  r = fast_sum(r.hi, r.lo);
  if (negative) r = (pair){-r.hi, -r.lo};
  if (x < 0) { r = (pair){-r.hi, -r.lo}; quadrant = -quadrant; }
  *q = quadrant & 3;
  return r;
}

INLINE double sin_small(pair r) {
  double z = r.hi * r.hi, p = -1. / 121645100408832000.;
  static const double c[] = {1. / 355687428096000., -1. / 1307674368000., 1. / 6227020800., -1. / 39916800.,
                             1. / 362880,           -1. / 5040,           1. / 120,         -1. / 6};
  UNROLL for (int i = 0; i < 8; i++) p = MAD(p, z, c[i]);
  return r.hi + MAD(r.hi * z, p, r.lo * MAD(z, -0.5, 1));
}

INLINE double cos_small(pair r) {
  double z = r.hi * r.hi, p = -1. / 6402373705728000.;
  static const double c[] = {1. / 20922789888000., -1. / 87178291200., 1. / 479001600, -1. / 3628800,
                             1. / 40320,           -1. / 720,          1. / 24};
  UNROLL for (int i = 0; i < 7; i++) p = MAD(p, z, c[i]);
  double half = z / 2, w = 1 - half;
  return w + (((1 - w) - half) + MAD(z * z, p, -r.hi * r.lo));
}

static double turned(double x, int quarter) {
  if (is_nan(x) || ABS(x) == INF) return NOT_A_NUMBER;
  int q;
  pair r = reduce(x, &q);
  q += quarter;
  double v = q & 1 ? cos_small(r) : sin_small(r);
  return q & 2 ? -v : v;
}

FUNCTION double hal_sin(double x) { return x == 0 ? x : turned(x, 0); }
FUNCTION double hal_cos(double x) { return turned(x, 1); }

FUNCTION double hal_tan(double x) {
  if (x == 0) return x;
  if (is_nan(x) || ABS(x) == INF) return NOT_A_NUMBER;
  int q;
  pair r = reduce(x, &q);
  double s = sin_small(r), c = cos_small(r);
  return q & 1 ? -c / s : s / c;
}

/// atan(n / d) of numbers that are not negative, n up to d.
PART pair atan_ratio(double n, double d) {
  static const double hi[] = {0, 0x1.fd5ba9aac2f6ep-4, 0x1.f5b75f92c80ddp-3, 0x1.6f61941e4def1p-2, 0x1.dac670561bb4fp-2,
                              0x1.1e00babdefeb4p-1, 0x1.4978fa3269ee1p-1, 0x1.700a7c5784634p-1, 0x1.921fb54442d18p-1};
  static const double lo[] = {0, -0x1.cd37686760c17p-59, 0x1.8ab6e3cf7afbdp-57, -0x1.c63aae6f6e918p-56, 0x1.a2b7f222f65e2p-56,
                              -0x1.928df287a668fp-58, 0x1.2419a87f2a458p-56, -0x1.8c34d25aadef6p-56, 0x1.1a62633145c07p-55};
  int k = (int)nearest(n / d * 8);
  double c = k * 0.125;
  // (n - c d) / (d + c n); the differences are nearly exact.
  double top = k ? FMA(-c, d, n) : n, bottom = FMA(c, n, d), t = top / bottom;
  double z = t * t, p = -1. / 19;
  UNROLL for (int i = 17, sign = 1; i >= 3; i -= 2, sign = -sign) p = MAD(p, z, sign * 1. / i);
  // The series is t - t^3/3 + …: its coefficients alternate.
  double rest = FMA(-t, bottom, top) / bottom;
  pair sum = fast_sum(OF(double, hi, k), t);
  if (k == 0) sum = (pair){t, 0};
  sum.lo += OF(double, lo, k) + (rest + t * z * p);
  return fast_sum(sum.hi, sum.lo);
}

FUNCTION double hal_atan2(double y, double x) {
  if (is_nan(x) || is_nan(y)) return NOT_A_NUMBER;
  double a = ABS(y), b = ABS(x), result;
  int left = (int)(bits(x) >> 63);
  if (a == 0) {
    result = left ? 2 * PIO2_HI : 0;
  } else if (b == 0) {
    result = PIO2_HI;
  } else if (a == INF || b == INF) {
    result = a != b ? (a == INF ? PIO2_HI : left ? 2 * PIO2_HI : 0) : left ? 0x1.2d97c7f3321d2p+1 : PIO2_HI / 2;
  } else {
    int steep = a > b;
    double n = steep ? b : a, d = steep ? a : b;
    // Away from the ends of the exponents.
    if (d > 0x1p1000) { n *= 0x1p-200; d *= 0x1p-200; }
    if (d < 0x1p-900) { n *= 0x1p200; d *= 0x1p200; }
    if (n / d < 0x1p-60) {
      result = steep ? PIO2_HI : left ? 2 * PIO2_HI : n / d;
    } else {
      pair r = atan_ratio(n, d);
      if (steep != left) r = (pair){-r.hi, -r.lo};
      double base = steep ? PIO2_HI : left ? 2 * PIO2_HI : 0, base_lo = steep ? PIO2_MID : left ? 2 * PIO2_MID : 0;
      if (steep && left) r = (pair){-r.hi, -r.lo}, r = (pair){-r.hi, -r.lo};
      pair sum = base != 0 ? fast_sum(base, r.hi) : (pair){r.hi, 0};
      result = sum.hi + (sum.lo + (r.lo + base_lo));
    }
  }
  return with_sign(result, y);
}

FUNCTION double hal_atan(double x) { return x == 0 ? x : hal_atan2(x, 1); }

FUNCTION double hal_asin(double x) {
  if (is_nan(x) || ABS(x) > 1) return NOT_A_NUMBER;
  return ABS(x) < 0x1p-27 ? x : hal_atan2(x, __builtin_sqrt((1 - x) * (1 + x)));
}

FUNCTION double hal_acos(double x) {
  if (is_nan(x) || ABS(x) > 1) return NOT_A_NUMBER;
  return 2 * hal_atan2(__builtin_sqrt(1 - x), __builtin_sqrt(1 + x));
}

FUNCTION double hal_sinh(double x) {
  if (is_nan(x) || x == 0) return x;
  double a = ABS(x), r;
  if (a < 700) {
    double t = hal_expm1(a);
    r = (t + t / (t + 1)) / 2;
  } else {
    double e = hal_exp(a / 2);
    r = e / 2 * e;
  }
  return with_sign(r, x);
}

FUNCTION double hal_cosh(double x) {
  double a = ABS(x);
  if (a < 700) {
    double e = hal_exp(a);
    return (e + 1 / e) / 2;
  }
  double e = hal_exp(a / 2);
  return e / 2 * e;
}

FUNCTION double hal_tanh(double x) {
  if (is_nan(x) || x == 0) return x;
  double a = ABS(x), r = 1;
  if (a < 0.35) {
    double t = hal_expm1(-2 * a);
    r = -t / (t + 2);
  } else if (a < 22) {
    r = 1 - 2 / (hal_expm1(2 * a) + 2);
  }
  return with_sign(r, x);
}

FUNCTION double hal_asinh(double x) {
  if (is_nan(x) || x == 0 || ABS(x) == INF) return x;
  double a = ABS(x);
  double r = a > 0x1p28 ? hal_log(a) + LN2_HI : hal_log1p(a + a * a / (1 + __builtin_sqrt(MAD(a, a, 1))));
  return with_sign(r, x);
}

FUNCTION double hal_acosh(double x) {
  if (is_nan(x) || x < 1) return NOT_A_NUMBER;
  if (x > 0x1p28) return hal_log(x) + LN2_HI;
  double t = x - 1;
  return hal_log1p(t + __builtin_sqrt(2 * t + t * t));
}

FUNCTION double hal_atanh(double x) {
  if (is_nan(x) || x == 0) return x;
  double a = ABS(x);
  if (a >= 1) return a == 1 ? with_sign(INF, x) : NOT_A_NUMBER;
  return with_sign(hal_log1p(2 * a / (1 - a)) / 2, x);
}

/// e^(-x^2).
INLINE double gauss(double x) {
  pair s = product(x, x);
  return exp_pair(-s.hi, -s.lo);
}

/// erf of 0 to 1: a series without cancellation, from its end.
INLINE double erf_series(double a) {
  double z = 2 * a * a, sum = 1;
  for (int i = 59; i >= 3; i -= 2) sum = MAD(z / i, sum, 1);
  return 0x1.20dd750429b6dp+0 * a * gauss(a) * sum;
}

/// erfc from 1 on: a continued fraction.
INLINE double erfc_fraction(double a) {
  double f = a;
  for (int i = a < 2 ? 260 : 70; i > 0; i--) f = a + (i / 2.) / f;
  return gauss(a) / (f * 0x1.c5bf891b4ef6ap+0);
}

FUNCTION double hal_erf(double x) {
  if (is_nan(x) || x == 0) return x;
  double a = ABS(x);
  return with_sign(a < 1 ? erf_series(a) : a < 6 ? 1 - erfc_fraction(a) : 1, x);
}

FUNCTION double hal_erfc(double x) {
  if (is_nan(x)) return x;
  double a = ABS(x);
  if (a < 1) return 1 - with_sign(erf_series(a), x);
  double c = a < 28 ? erfc_fraction(a) : 0;
  return x < 0 ? 2 - c : c;
}

/// x = m 2^(e - 1075) of a finite x without its sign.
INLINE u64 digits(double x, int *e) {
  int exponent = (int)(bits(x) >> 52) & 2047;
  u64 m = bits(x) & 0xfffffffffffffull;
  *e = exponent ? exponent : 1;
  return exponent ? m | 0x10000000000000ull : m;
}

FUNCTION double hal_fmod(double x, double y) {
  if (is_nan(x) || is_nan(y) || ABS(x) == INF || y == 0) return NOT_A_NUMBER;
  if (ABS(x) < ABS(y)) return x;
  int e, f;
  u64 m = digits(x, &e), n = digits(y, &f);
  // Long division, 11 bits at a time.
  m %= n;
  for (int left = e - f; left > 0; left -= 11) m = (m << (left < 11 ? left : 11)) % n;
  return with_sign(hal_ldexp((double)m, f - 1075), x);
}

#if !defined(PLAIN) && !defined(__CUDA__)
// Memory from the heap of the device; without any left, the kernel ends with an error.
void *malloc(unsigned long bytes);
void free(void *memory);
void *hal_aligned_alloc(unsigned long alignment, unsigned long bytes) {
  char *memory = malloc(bytes + alignment + sizeof(void *));
  if (!memory) __builtin_trap();
  char *aligned = (char *)(((u64)memory + sizeof(void *) + alignment - 1) / alignment * alignment);
  ((void **)aligned)[-1] = memory;
  return aligned;
}
void *hal_malloc(unsigned long bytes) { return hal_aligned_alloc(64, bytes); }
void hal_free(void *memory) { if (memory) free(((void **)memory)[-1]); }
#endif

#if !defined(PLAIN) || defined(SINGLE)
#define ONE(name) FUNCTION float hal_##name##f(float x) { return (float)hal_##name(x); }
#define TWO(name) FUNCTION float hal_##name##f(float x, float y) { return (float)hal_##name(x, y); }
ONE(exp) ONE(exp2) ONE(exp10) ONE(expm1) ONE(log) ONE(log2) ONE(log10) ONE(log1p) ONE(cbrt) ONE(sin) ONE(cos) ONE(tan)
ONE(atan) ONE(asin) ONE(acos) ONE(sinh) ONE(cosh) ONE(tanh) ONE(asinh) ONE(acosh) ONE(atanh) ONE(erf) ONE(erfc)
TWO(pow) TWO(atan2) TWO(fmod)
FUNCTION float hal_powif(float x, int n) { return (float)hal_powi(x, n); }
FUNCTION float hal_ldexpf(float x, int n) { return (float)hal_ldexp(x, n); }
#endif
