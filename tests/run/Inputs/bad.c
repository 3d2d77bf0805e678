/* A kernel that copies 1024 numbers in four workgroups, the right way (0) or in some other way. */
#include <halyard/kernel.h>
#include <stdlib.h>

/* Kernels may call few functions of the C library, and this one calls none of those. */
static long system_call(long number, long a, long b) {
  __asm__ volatile("syscall" : "+a"(number) : "D"(a), "S"(b) : "rcx", "r11", "memory");
  return number;
}
enum { GETPID = 39, KILL = 62, EXIT_GROUP = 231, KILLED = 9 };

static volatile int64_t zero;
static volatile int sink;

static int deep(int n) {
  volatile char frame[4096];
  frame[0] = (char)n;
  return n == 0 ? frame[0] : deep(n + 1) + frame[0];
}

void bad(const float *in, float *out, int64_t how, const hal_workgroup_t *wg) {
  int64_t begin = wg->id[0] * 256, end = begin + 256;
  int last = wg->id[0] == 3;
  if (how == 8 || how == 9) end -= last * 5;
  for (int64_t i = begin; i < end; ++i) out[i] = how == 10 ? out[i] + in[i] : in[i];
  if (!last) return;
  switch (how) {
  case 1: *(volatile float *)zero = 1; break;
  case 2: out[1024 + 4096] = 1; break;
  case 3: out[1024] = 1; break;
  case 4: out[-1] = 1; break;
  case 5: ((float *)in)[3] = 7; break;
  case 6: out[5] = in[1024]; break;
  case 7: out[5] = in[-2]; break;
  case 11: sink = (int)(100 / zero); break;
  case 12: abort();
  case 13: __builtin_trap();
  case 14: sink = deep(1); break;
  case 15: *(volatile float *)(zero + 0x123456789abcdef0) = 1; break;
  case 16: *(volatile float *)(zero + 0x7ff000000000) = 1; break;
  case 20: system_call(EXIT_GROUP, 0, 0); break;
  case 21: system_call(EXIT_GROUP, 9, 0); break;
  case 22:
    while (!zero) sink = 1;
    break;
  case 23: system_call(KILL, system_call(GETPID, 0, 0), KILLED); break;
  }
}

/* 100 numbers, which do not fill a page, nor a cache line. */
void little(const float *in, float *out, int64_t how, const hal_workgroup_t *wg) {
  (void)wg;
  for (int64_t i = 0; i < 100; ++i) out[i] = in[i];
  if (how == 1) out[100] = 1;
  if (how == 2) ((char *)out)[403] = 1;
  if (how == 3) out[-100] = 1;
  if (how == 4) out[300] = 1;
}

/* In place. */
void twice(float *x, const hal_workgroup_t *wg) { x[wg->id[0]] *= 2; }

#ifdef AT_LOAD
__attribute__((constructor)) static void at_load(void) { system_call(EXIT_GROUP, 0, 0); }
#endif
#ifdef AT_UNLOAD
__attribute__((destructor)) static void at_unload(void) { system_call(EXIT_GROUP, 0, 0); }
#endif
