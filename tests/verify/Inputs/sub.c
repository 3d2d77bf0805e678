/* The kernel of sub.mlir, right and wrong in many ways. */
#include <halyard/kernel.h>
void sub(const float *a, const float *b, float *r, const hal_workgroup_t *wg) {
  for (int i = 0; i < 1000; ++i) r[i] = a[i] - b[i];
#if defined(SWAPPED)
  for (int i = 0; i < 1000; ++i) r[i] = b[i] - a[i];
#elif defined(SHORT)
  r[999] = 0;
#elif defined(BEYOND)
  for (int i = 0; i < 5000; ++i) ((volatile float *)r)[i] = 0;
#elif defined(NEXT)
  ((volatile float *)r)[1000] = 1;
#elif defined(READS)
  r[0] += ((volatile const float *)a)[-1] * 0;
#elif defined(WRITES)
  ((volatile float *)b)[17] = 1;
#elif defined(NOWHERE)
  *(volatile int *)8 = 1;
#elif defined(ENDS)
  __asm__ volatile("syscall" ::"a"(231), "D"(0));
#elif defined(FOREVER)
  for (volatile int i = 0;; ++i) {}
#endif
}
