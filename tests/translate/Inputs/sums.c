#include <halyard/kernel.h>

void sums(const float *a, const unsigned char *keep, float *out, int64_t a0, int64_t a1, int64_t keep0, int64_t out0,
          int64_t scale, int64_t n, const hal_workgroup_t *wg);

void run(float *out, const hal_workgroup_t *wg) {
  _Alignas(64) float a[15];
  _Alignas(64) unsigned char keep[3] = {1, 0, 1};
  for (int i = 0; i < 15; ++i) a[i] = i;
  union {
    float f;
    uint32_t bits;
  } scale = {.f = 0.5f};
  sums(a, keep, out, 3, 5, 3, 3, scale.bits, 3, wg);
}

int result_count(void) { return 3; }
