#include <halyard/module.h>

/* The rows whose score is within `margin` of the best one, in order, with their scores. */
static int best(hal_call_t *call, void *state) {
  const hal_tensor_t *scores = &call->inputs[0];
  const float *score = scores->data;
  float margin = *(const float *)call->inputs[1].data;
  int64_t rows = scores->shape[0], count = 0;
  float top = -1.0f / 0.0f;
  (void)state;
  if (!(margin >= 0)) return hal_fail(call, "the margin is %g, not at least 0", margin);
  for (int64_t i = 0; i < rows; ++i) top = score[i] > top ? score[i] : top;
  for (int64_t i = 0; i < rows; ++i) count += score[i] >= top - margin;
  int64_t *row = hal_allocate(call, 0, 1, &count);
  float *value = hal_allocate(call, 1, 1, &count);
  if (!row || !value) return 1;
  for (int64_t i = 0; i < rows; ++i) {
    if (score[i] < top - margin) continue;
    *row++ = i;
    *value++ = score[i];
  }
  return 0;
}

static const hal_function_entry_t functions[] = {
    {"best", "(tensor<?xf32>, f32) -> (tensor<?xi64>, tensor<?xf32>)", best},
};
HAL_MODULE(search, 1, functions)
