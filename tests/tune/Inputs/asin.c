// asin by a quotient of polynomials (as in fdlibm: 2 ulp), which compilers make vectors of; the C library's is called element by element.
#include <halyard/kernel.h>
#include <math.h>
#include <stdint.h>
void EXPORT(const double *restrict x, double *restrict y, const hal_workgroup_t *wg) {
  int64_t each = (128 * 512) / wg->count[0], from = wg->id[0] * each, to = from + each;
  for (int64_t i = from; i < to; i++) {
    double a = fabs(x[i]);
    double z = a > 0.5 ? 0.5 * (1 - a) : a * a;
    double s = a > 0.5 ? sqrt(z) : a;
    double p = z * (1.66666666666666657415e-01 +
                    z * (-3.25565818622400915405e-01 +
                         z * (2.01212532134862925881e-01 +
                              z * (-4.00555345006794114027e-02 +
                                   z * (7.91534994289814532176e-04 + z * 3.47933107596021167570e-05)))));
    double q =
        1 + z * (-2.40339491173441421878 +
                 z * (2.02094576023350569471 + z * (-6.88283971605453293030e-01 + z * 7.70381505559019352791e-02)));
    double r = s + s * (p / q);
    y[i] = copysign(a > 0.5 ? 1.57079632679489661923 - 2 * r : r, x[i]);
  }
}
