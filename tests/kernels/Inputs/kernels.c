#include <halyard/kernel.h>

/* out[i] = a[i] + b[i], 1024 elements a workgroup. */
void add(const float *a, const float *b, float *out, int64_t a0, int64_t b0, int64_t out0, int64_t n,
         const hal_workgroup_t *wg) {
  int64_t begin = (int64_t)wg->id[0] * 1024, end = begin + 1024 < n ? begin + 1024 : n;
  for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
}

/* Rows of a 4x8 and columns of an 8x16 matrix; a workgroup a row. */
float dot(const float *a, const float *b, int64_t step);
void matmul(const float *a, const float *b, float *out, const hal_workgroup_t *wg) {
  uint32_t i = wg->id[0];
  for (int j = 0; j < 16; ++j) out[i * 16 + j] = dot(a + i * 8, b + j, 16);
}

/* In place: x *= factor. */
void scale(float *x, int64_t factor_bits, const hal_workgroup_t *wg) {
  union {
    int64_t bits;
    float value;
  } factor = {factor_bits};
  for (int i = 0; i < 4; ++i) x[i] *= factor.value;
}

/* Which variant was chosen. */
#ifndef WHICH
#define WHICH 1
#endif
void which(float *out, const hal_workgroup_t *wg) { out[0] = WHICH; }
