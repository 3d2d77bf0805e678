#include <halyard/kernel.h>

/* Each row becomes its cumulative sums. */
void running_sums(const float *x, float *out, int64_t x_rows, int64_t x_columns, int64_t out_rows, int64_t out_columns,
                  int64_t rows, int64_t columns, const hal_workgroup_t *wg) {
  for (int64_t i = 0; i < rows; ++i) {
    float sum = 0;
    for (int64_t j = 0; j < columns; ++j) out[i * columns + j] = sum += x[i * columns + j];
  }
}
