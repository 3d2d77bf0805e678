// asin by polynomials (as in Cephes: 2 ulp), which compilers make vectors of; the C library's is called element by element.
#include <halyard/kernel.h>
#include <math.h>
#include <stdint.h>
void EXPORT(const float *restrict x, float *restrict y, const hal_workgroup_t *wg) {
  int64_t each = (128 * 512) / wg->count[0], from = wg->id[0] * each, to = from + each;
  for (int64_t i = from; i < to; i++) {
    float a = fabsf(x[i]);
    float z = a > 0.5f ? 0.5f * (1 - a) : a * a;
    float s = a > 0.5f ? sqrtf(z) : a;
    float p = ((((4.2163199048e-2f * z + 2.4181311049e-2f) * z + 4.5470025998e-2f) * z + 7.4953002686e-2f) * z +
               1.6666752422e-1f) *
                  z * s +
              s;
    y[i] = copysignf(a > 0.5f ? 1.5707963267948966f - 2 * p : p, x[i]);
  }
}
