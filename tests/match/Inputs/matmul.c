#include <halyard/kernel.h>

/* out = relu(a * b + bias), any sizes; a workgroup a row. */
void my_layer(const float *a, const float *b, const float *bias, float *out, int64_t m, int64_t k, int64_t k2,
              int64_t n, int64_t n2, int64_t out_m, int64_t out_n, int64_t rows, int64_t columns,
              const hal_workgroup_t *wg) {
  int64_t i = wg->id[0];
  for (int64_t j = 0; j < n; ++j) {
    float sum = bias[j];
    for (int64_t p = 0; p < k; ++p) sum += a[i * k + p] * b[p * n + j];
    out[i * n + j] = sum > 0 ? sum : 0;
  }
}

/* out = a * b, 4x8 times 8x16. */
void my_matmul(const float *a, const float *b, float *out, const hal_workgroup_t *wg) {
  int i = wg->id[0];
  for (int j = 0; j < 16; ++j) {
    float sum = 0;
    for (int p = 0; p < 8; ++p) sum += a[i * 8 + p] * b[p * 16 + j];
    out[i * 16 + j] = sum;
  }
}
