// A kernel that is compiled twice, with a helper of the same name in both objects.
#include <halyard/kernel.h>

int factor(void) { return FACTOR; }

void scale_2(const float *x, float *out, const hal_workgroup_t *wg) {
  for (uint32_t i = wg->id[0]; i < 2; i += wg->count[0]) out[i] = factor() * x[i];
}
