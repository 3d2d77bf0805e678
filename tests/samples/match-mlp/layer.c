#include <halyard/kernel.h>

/* out += x * w + b, any sizes; a workgroup per row. The sizes are those of x, w, b, out, and of the result, which is out. */
void layer(const float *restrict x, const float *restrict w, const float *restrict b, float *restrict out, int64_t rows,
           int64_t depth, int64_t w_rows, int64_t columns, int64_t b_size, int64_t out_rows, int64_t out_columns,
           int64_t result_rows, int64_t result_columns, const hal_workgroup_t *wg) {
  x += wg->id[0] * depth;
  out += wg->id[0] * columns;
  for (int64_t j = 0; j < columns; ++j) out[j] += b[j];
  for (int64_t k = 0; k < depth; ++k)
    for (int64_t j = 0; j < columns; ++j) out[j] += x[k] * w[k * columns + j];
}
