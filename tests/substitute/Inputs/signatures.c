#include <halyard/kernel.h>
#include <string.h>

/* Sizes of x and of the result, n, and the scalar as its bits. */
#if defined(RIGHT)
void k(const float *x, float *out, int64_t x0, int64_t out0, int64_t n, int64_t bits, const hal_workgroup_t *wg) {
  float s;
  memcpy(&s, &bits, sizeof s);
  for (int64_t i = 0; i < n; ++i) out[i] = 4 * x[i] + s;
}
#elif defined(ELEMENT)
void k(const double *x, double *out, int64_t x0, int64_t out0, int64_t n, int64_t bits, const hal_workgroup_t *wg) {}
#elif defined(SIZES)
void k(const float *x, float *out, int n, const hal_workgroup_t *wg) {}
#elif defined(NARROW)
void k(const float *x, float *out, int x0, int out0, int n, int64_t bits, const hal_workgroup_t *wg) {}
#elif defined(SCALAR)
void k(const float *x, float *out, int64_t x0, int64_t out0, int64_t n, float s, const hal_workgroup_t *wg) {}
#elif defined(RETURNS)
int k(const float *x, float *out, int64_t x0, int64_t out0, int64_t n, int64_t bits, const hal_workgroup_t *wg) {
  return 0;
}
#endif
