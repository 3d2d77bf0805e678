#include <halyard/module.h>
#include <inttypes.h>
#include <stdio.h>

/* Says what it gets and gives the number of calls so far. The state is that number. */
static int say(hal_call_t *call, void *state) {
  int64_t *calls = state;
  ++*calls;
  printf("say %" PRId64 "\n", *(const int64_t *)call->inputs[0].data);
  fflush(stdout);
  *(int64_t *)call->results[0].data = *calls;
  return 0;
}

/* Says the sum of a tensor, and gives nothing. */
static int sum(hal_call_t *call, void *state) {
  (void)state;
  const float *x = call->inputs[0].data;
  float sum = 0;
  for (int64_t i = 0; i < call->inputs[0].shape[0]; ++i) sum += x[i];
  printf("sum %g\n", sum);
  fflush(stdout);
  return 0;
}

static int64_t count;
static int start(void **state, char *why, size_t size) {
#ifdef REFUSES
  snprintf(why, size, "there is no ink");
  return 7;
#else
  (void)why, (void)size;
  *state = &count;
  printf("start\n");
  fflush(stdout);
  return 0;
#endif
}
static void stop(void *state) {
  printf("stop after %" PRId64 " calls\n", *(int64_t *)state);
  fflush(stdout);
}

static const hal_function_entry_t functions[] = {
    {"say", "(index) -> index", say},
    {"sum", "(tensor<?xf32>) -> ()", sum},
};
HAL_MODULE_WITH_STATE(log, 1, functions, start, stop)
