#include <math.h>
float squash(float x) { return x / (1.0f + fabsf(x)); }
