#include <stdint.h>
float mix(float a, int64_t n, int32_t k, double d) { return a * (float)d + ((float)n + (float)k); }
