// Compares a product of unsigned bytes less 7 with unsigned bytes with one that is written out.
#include <halyard/kernel.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void bytes(const uint8_t *, const uint8_t *, int32_t *, const hal_workgroup_t *);

enum { M = 37, N = 41, K = 129 };
_Alignas(64) static uint8_t a[M * K], b[K * N];
_Alignas(64) static int32_t c[M * N];

int main(void) {
  for (int i = 0; i < M * K; i++) a[i] = rand() >> 7;
  for (int i = 0; i < K * N; i++) b[i] = rand() >> 7;
  a[0] = b[0] = 255;
  hal_workgroup_t workgroup = {.count = {1, 1, 1}};
  bytes(a, b, c, &workgroup);
  int wrong = 0;
  for (int i = 0; i < M; i++) {
    for (int j = 0; j < N; j++) {
      int sum = 0;
      for (int k = 0; k < K; k++) sum += (a[i * K + k] - 7) * b[k * N + j];
      wrong += sum != c[i * N + j];
    }
  }
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
