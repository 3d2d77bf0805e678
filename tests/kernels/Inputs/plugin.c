#include <halyard/plugin.h>
#include <math.h>

#ifdef VERSION
HAL_PLUGIN_EXPORT const uint32_t hal_plugin_version = VERSION;
#else
HAL_PLUGIN
#endif

#ifndef SCALE
#define SCALE 1.0f
#endif

#ifndef WITHOUT
HAL_PLUGIN_EXPORT float squash(float x) { return SCALE * x / (1.0f + fabsf(x)); }
#endif
HAL_PLUGIN_EXPORT float squish(float x) { return x; }
