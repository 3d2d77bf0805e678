// Compares a product with numbers of 4 bits, packed in panels, with one that is written out in double precision.
#include <halyard/kernel.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void blocks(const float *, const uint8_t *, const float *, const uint8_t *, float *, const hal_workgroup_t *);

enum { M = 3, N = 40, K = 64, BLOCK = 32, ROWS = 32, PANELS = 2, BLOCKS = K / BLOCK };
_Alignas(64) static float x[M * K], scale[PANELS * BLOCKS * ROWS], y[M * N];
_Alignas(64) static uint8_t number[PANELS][BLOCKS][BLOCK / 8][ROWS][4], zero[PANELS][1][ROWS];

int main(void) {
  for (int i = 0; i < M * K; i++) x[i] = (float)(rand() % 2000 - 1000) / 7;
  for (int i = 0; i < PANELS * BLOCKS * ROWS; i++) scale[i] = (float)(rand() % 100 + 1) / 64;
  for (unsigned i = 0; i < sizeof number; i++) ((uint8_t *)number)[i] = rand() >> 7;
  for (unsigned i = 0; i < sizeof zero; i++) ((uint8_t *)zero)[i] = rand() >> 7;
  hal_workgroup_t workgroup = {.count = {1, 1, 1}};
  blocks(x, (uint8_t *)number, scale, (uint8_t *)zero, y, &workgroup);
  double worst = 0;
  for (int m = 0; m < M; m++) {
    for (int n = 0; n < N; n++) {
      double sum = 0, size = 0;
      for (int k = 0; k < K; k++) {
        int panel = n / ROWS, block = k / BLOCK, byte = k % BLOCK / 2;
        int q = number[panel][block][byte / 4][n % ROWS][byte % 4] >> (k % 2 * 4) & 15;
        int z = zero[panel][0][n % ROWS] >> (block % 2 * 4) & 15;
        double product = (double)x[m * K + k] * (q - z) * scale[(panel * BLOCKS + block) * ROWS + n % ROWS];
        sum += product;
        size += fabs(product);
      }
      worst = fmax(worst, fabs(sum - y[m * N + n]) / size);
    }
  }
  printf("%s\n", worst < 5e-7 ? "as exact as floats" : "wrong");
  return worst >= 5e-7;
}
