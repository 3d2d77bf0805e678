#include <halyard/kernel.h>

#ifndef LIST
#define LIST "device.threads,device.cores"
#endif
#ifndef NAMED
#define NAMED k
#endif

/* out[i] = a[i] * 100 + threads, and 0.5 more if the number of cores is not told. */
void k(const float *a, float *out, int64_t n,
#ifndef WITHOUT
       int64_t threads, int64_t cores,
#endif
       const hal_workgroup_t *wg) {
#ifdef WITHOUT
  int64_t threads = 0, cores = 1;
#endif
  if (wg->id[0]) return;
  for (int64_t i = 0; i < n; ++i) out[i] = a[i] * 100 + threads + (cores >= 1 ? 0.0f : 0.5f);
}

#ifndef UNSAID
HAL_LOAD_CONSTANTS(NAMED, LIST)
#endif
