// The first answer: it forgets that a row is added up from zero.
#include <halyard/kernel.h>
void EXPORT(const float *a, const float *b, float *c, const hal_workgroup_t *wg) {
  for (int i = 0; i < 64; i++)
    for (int k = 0; k < 64; k++)
      for (int j = 0; j < 64; j++) c[i * 64 + j] += a[i * 64 + k] * b[k * 64 + j];
}
