#include <stdint.h>
/* c += a * b on a tile; each tensor is a pointer, sizes and strides. */
void tile(const float *a, int64_t am, int64_t ak, int64_t as0, int64_t as1, const float *b, int64_t bk, int64_t bn,
          int64_t bs0, int64_t bs1, float *c, int64_t cm, int64_t cn, int64_t cs0, int64_t cs1) {
  for (int64_t i = 0; i < cm; ++i)
    for (int64_t j = 0; j < cn; ++j)
      for (int64_t k = 0; k < ak; ++k) c[i * cs0 + j * cs1] += a[i * as0 + k * as1] * b[k * bs0 + j * bs1];
}
void triple(const float *x, int64_t n, int64_t s, float *out, int64_t m, int64_t t) {
  for (int64_t i = 0; i < m; ++i) out[i * t] = 3 * x[i * s];
}
