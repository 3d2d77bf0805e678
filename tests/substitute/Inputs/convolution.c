#include <halyard/kernel.h>

#ifdef LAYOUT
HAL_PACKED_WEIGHTS(KERNEL, LAYOUT)
#endif

/* y[1][32][12][12]: x[1][16][14][14] by w[32][16][3][3], or with BLOCKS by w[1][16][3][3][32]. */
void KERNEL(const float *x, const float *w, float *y, const hal_workgroup_t *wg) {
  (void)wg;
  for (int k = 0; k < 32; k++)
    for (int h = 0; h < 12; h++)
      for (int v = 0; v < 12; v++) {
        float sum = 0;
        for (int t = 0; t < 16 * 9; t++) {
          int c = t / 9, i = t / 3 % 3, j = t % 3;
#ifdef BLOCKS
          float f = w[t * 32 + k];
#else
          float f = w[k * 144 + t];
#endif
          sum += x[(c * 14 + h + i) * 14 + v + j] * f;
        }
        y[(k * 12 + h) * 12 + v] = sum;
      }
}
