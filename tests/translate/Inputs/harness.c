/* Calls a kernel for every workgroup of a count and prints its result. */
#include <halyard/kernel.h>
#include <stdio.h>

void run(float *out, const hal_workgroup_t *wg);
int result_count(void);

int main(void) {
  _Alignas(64) float out[64] = {0};
  hal_workgroup_t wg = {{0, 0, 0}, {1, 1, 1}};
  run(out, &wg);
  for (int i = 0; i < result_count(); ++i) printf("%g%c", out[i], i + 1 == result_count() ? '\n' : ' ');
  return 0;
}
