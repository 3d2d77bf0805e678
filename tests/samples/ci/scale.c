/* y[i] = factor[0] * x[i]; workgroups share the rows. */
#include <halyard/kernel.h>

void scale(const float *restrict x, const float *restrict factor, float *restrict y, int64_t x_rows, int64_t y_rows,
           int64_t rows, const hal_workgroup_t *wg) {
  for (int64_t row = wg->id[0]; row < rows; row += wg->count[0])
    for (int i = 0; i < 64; ++i) y[row * 64 + i] = factor[0] * x[row * 64 + i];
}
