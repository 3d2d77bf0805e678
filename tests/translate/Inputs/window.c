#include <halyard/kernel.h>

void window(const float *x, const float *f, float *y, const hal_workgroup_t *wg);

/* All ones: 9 · 16 inside, 4 · 16 in a corner. Once without scratch memory, once with too little, once with enough. */
void run(float *out, const hal_workgroup_t *wg) {
  _Alignas(64) static float x[16 * 32 * 32], f[64 * 16 * 9], y[64 * 32 * 32];
  _Alignas(64) static char memory[1 << 20];
  for (int i = 0; i < 16 * 32 * 32; ++i) x[i] = 1;
  for (int i = 0; i < 64 * 16 * 9; ++i) f[i] = 1;
  for (int round = 0; round < 3; ++round) {
    hal_scratch_t scratch = {memory, round == 1 ? 64 : sizeof memory, 0, 0};
    uint32_t count = 2;
    for (int i = 0; i < 64 * 32 * 32; ++i) y[i] = -1;
    for (uint32_t id = 0; id < count; ++id) {
      hal_workgroup_t group = {{id, 0, 0}, {count, 1, 1}, round == 0 ? 0 : &scratch};
      window(x, f, y, &group);
    }
    double sum = 0;
    for (int i = 0; i < 64 * 32 * 32; ++i) sum += y[i];
    out[4 * round] = y[0];
    out[4 * round + 1] = y[64 * 32 * 32 - 40];
    out[4 * round + 2] = sum / 64 / 16;
    /* What it wanted, whether something is held. */
    out[4 * round + 3] = (scratch.wanted > 64) + 10 * (scratch.held != 0);
  }
}

int result_count(void) { return 12; }
