// A kernel that needs the math library.
#include <halyard/kernel.h>

float expf(float x);

void root_2(const float *x, float *out, const hal_workgroup_t *wg) {
  for (int i = 0; i < 2; ++i) out[i] = expf(x[i]);
}
