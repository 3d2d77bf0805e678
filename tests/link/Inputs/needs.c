// A kernel that needs a function from elsewhere.
#include <halyard/kernel.h>

float helper(float x);

void triple_2(const float *x, float *out, const hal_workgroup_t *wg) {
  for (int i = 0; i < 2; ++i) out[i] = helper(x[i]);
}
