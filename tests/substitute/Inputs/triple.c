#include <halyard/kernel.h>

void triple(const float *x, float *out, const hal_workgroup_t *wg) {
  for (uint32_t i = wg->id[0]; i < 8; i += wg->count[0]) out[i] = 5.0f * x[i];
}
