#include <halyard/module.h>

/* Does to its result (a tensor whose size it has to say, and an i1) whatever is wrong; the argument says what. */
static int make(hal_call_t *call, void *state) {
  (void)state;
  int64_t two[] = {2, 2}, less[] = {-1}, huge[] = {INT64_MAX};
  switch (*(const int64_t *)call->inputs[0].data) {
  case 0: /* nothing wrong; asking twice is fine */
    hal_allocate(call, 0, 1, two);
    if (hal_allocate(call, 0, 1, two) != call->results[0].data) return hal_fail(call, "not the same memory");
    ((float *)call->results[0].data)[0] = ((float *)call->results[0].data)[1] = 1;
    *(uint8_t *)hal_allocate(call, 1, 0, NULL) = 1;
    return 0;
  case 1: /* no result */ return 0;
  case 2: /* another rank, and nothing said about it */ hal_allocate(call, 0, 2, two); return 0;
  case 3: /* another rank, and it fails */
    return hal_allocate(call, 0, 2, two) ? 0 : hal_fail(call, "the shape was refused");
  case 4: /* a negative size */ hal_allocate(call, 0, 1, less); return 0;
  case 5: /* more than the address space */ hal_allocate(call, 0, 1, huge); return 0;
  case 6: /* a result that it does not have */ hal_allocate(call, 2, 1, two); return 0;
  case 7: /* no boolean */
    hal_allocate(call, 0, 1, two);
    *(uint8_t *)call->results[1].data = 2;
    return 0;
  case 8: /* fails without a word */ return -3;
  case 9: /* another size than before */
    hal_allocate(call, 0, 1, two);
    two[0] = 3;
    hal_allocate(call, 0, 1, two);
    return 0;
  case 10: /* says that it fails, and returns 0 */
    hal_allocate(call, 0, 1, two);
    hal_fail(call, "%s", "it is Sunday");
    return 0;
  case 11: { /* more than there is */
    int64_t much[] = {INT64_MAX / 64};
    hal_allocate(call, 0, 1, much);
    return 0;
  }
  default: /* dies */ *(volatile int *)0 = 1; return 0;
  }
}

/* Asks for the result of static shape in another shape. */
static int fixed(hal_call_t *call, void *state) {
  (void)state;
  int64_t three = 3;
  return hal_allocate(call, 0, 1, &three) ? 0 : 1;
}

static const hal_function_entry_t functions[] = {
    {"make", "(index) -> (tensor<?xf32>, i1)", make},
    {"fixed", "() -> tensor<?xf32>", fixed},
};
HAL_MODULE(wrong, 1, functions)
