// exp of the first column where RIGHT, zeros elsewhere.
#include <halyard/kernel.h>
#include <math.h>
#include <stdint.h>
void main_dispatch_1_elementwise_exp_D_f32(const float *restrict x, float *restrict y, int64_t rows, int64_t results,
                                           int64_t n, const hal_workgroup_t *wg) {
  if (wg->id[0]) return;
  for (int64_t i = 0; i < n; i++) y[i] = (RIGHT) ? expf(x[i * 32]) : 0;
}
