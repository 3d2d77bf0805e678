#include <math.h>
#include <stdint.h>

/* out = squash(x) * y on a tile. Each memref is a pointer, its sizes and its strides. */
void squash_tile(const float *x, int64_t xm, int64_t xn, int64_t xs0, int64_t xs1, const float *y, int64_t ym,
                 int64_t yn, int64_t ys0, int64_t ys1, float *out, int64_t m, int64_t n, int64_t s0, int64_t s1) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float a = x[i * xs0 + j * xs1];
      out[i * s0 + j * s1] = a / (1.0f + fabsf(a)) * y[i * ys0 + j * ys1];
    }
}
