// The kernels of these tests, by hand.
#include <halyard/kernel.h>
#include <math.h>

// out = x * w, 2x3 by 3x4; a workgroup is a row.
void matmul_2x4x3(const float *x, const float *w, float *out, const hal_workgroup_t *wg) {
  int64_t i = wg->id[0];
  for (int j = 0; j < 4; ++j) {
    float sum = 0;
    for (int k = 0; k < 3; ++k) sum += x[i * 3 + k] * w[k * 4 + j];
    out[i * 4 + j] = sum;
  }
}

// out = x + y, any length; a workgroup is 4 elements.
void add_n(const float *x, const float *y, float *out, int64_t n, int64_t m, int64_t o, int64_t size,
           const hal_workgroup_t *wg) {
  for (int64_t i = wg->id[0] * 4; i < wg->id[0] * 4 + 4 && i < n; ++i) out[i] = x[i] + y[i];
}

// x += s, in place; a workgroup is an element.
void increment_4(float *x, int64_t s, const hal_workgroup_t *wg) {
  union {
    uint32_t bits;
    float value;
  } u = {(uint32_t)s};
  x[wg->id[0]] += u.value;
}

// out = 2 x.
void twice_4(const float *x, float *out, const hal_workgroup_t *wg) { out[wg->id[0]] = 2 * x[wg->id[0]]; }

// out = exp(x), from the C library.
void exp_4(const float *x, float *out, const hal_workgroup_t *wg) { out[wg->id[0]] = expf(x[wg->id[0]]); }
