#include <halyard/kernel.h>
#include <math.h>

/* out = x / sqrt(mean(x * x) + epsilon) * weight, row by row; a workgroup takes 16 rows.
 *
 * The declaration is (x: tensor<?x256xf32>, weight: tensor<256xf32>, rows: index) -> tensor<?x256xf32>. So there are three
 * pointers, then a constant for each `?` (of x, of the result), then `rows`. */
void rms_norm(const float *restrict x, const float *restrict weight, float *restrict out, int64_t x_rows,
              int64_t out_rows, int64_t rows, const hal_workgroup_t *wg) {
  int64_t begin = (int64_t)wg->id[0] * 16, end = begin + 16 < rows ? begin + 16 : rows;
  for (int64_t i = begin; i < end; ++i) {
    float sum = 0;
    for (int j = 0; j < 256; ++j) sum += x[i * 256 + j] * x[i * 256 + j];
    float scale = 1 / sqrtf(sum / 256 + 1e-5f);
    for (int j = 0; j < 256; ++j) out[i * 256 + j] = x[i * 256 + j] * scale * weight[j];
  }
}
