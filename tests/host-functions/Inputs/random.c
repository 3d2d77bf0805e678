#include <halyard/module.h>

static uint64_t memory;

/* Its results depend on all calls so far; see tests/link/Inputs/random_programs.py. */
static int mix(hal_call_t *call, void *state) {
  const int64_t *s = call->inputs[0].data, *d = call->inputs[1].data, *x = call->inputs[2].data;
  int64_t n = call->inputs[1].shape[0];
  int64_t *t = call->results[0].data, *e = hal_allocate(call, 1, 1, &n);
  (void)state;
  if (!e) return 1;
  memory = memory * 31 + (uint64_t)*x + (uint64_t)s[0] + (uint64_t)d[n - 1];
  for (int i = 0; i < 4; ++i) t[i] = (int64_t)((uint64_t)s[3 - i] + memory);
  for (int64_t i = 0; i < n; ++i) e[i] = d[(i + 1) % n] ^ (int64_t)memory;
  *(int64_t *)call->results[2].data = (int64_t)memory;
  return 0;
}

static const hal_function_entry_t functions[] = {
    {"mix", "(tensor<4xi64>, tensor<?xi64>, i64) -> (tensor<4xi64>, tensor<?xi64>, i64)", mix},
};
HAL_MODULE(random, 1, functions)
