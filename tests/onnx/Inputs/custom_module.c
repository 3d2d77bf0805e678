#include <halyard/module.h>

/* The elements above the first of the bounds, and how many. */
static int above(hal_call_t *call, void *state) {
  const hal_tensor_t *x = &call->inputs[0];
  const float *data = x->data;
  float bound = *(const float *)call->inputs[1].data;
  int64_t count = 0;
  (void)state;
  for (int64_t i = 0; i < x->shape[0]; ++i) count += data[i] > bound;
  float *out = hal_allocate(call, 0, 1, &count);
  if (!out) return 1;
  for (int64_t i = 0; i < x->shape[0]; ++i)
    if (data[i] > bound) *out++ = data[i];
  *(int64_t *)call->results[1].data = count;
  return 0;
}

static const hal_function_entry_t functions[] = {
    {"above", "(tensor<?xf32>, tensor<?xf32>) -> (tensor<?xf32>, tensor<i64>)", above}};
HAL_MODULE(example, 1, functions)
