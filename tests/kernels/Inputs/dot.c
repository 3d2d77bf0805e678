#include <stdint.h>
float dot(const float *a, const float *b, int64_t step) {
  float sum = 0;
  for (int k = 0; k < 8; ++k) sum += a[k] * b[k * step];
  return sum;
}
