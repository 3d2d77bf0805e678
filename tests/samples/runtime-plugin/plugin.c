#include <halyard/plugin.h>
#include <math.h>

HAL_PLUGIN

/* log(1 + exp(x)), which a library of one's own may do faster. */
HAL_PLUGIN_EXPORT float softplus(float x) { return x > 20 ? x : log1pf(expf(x)); }
