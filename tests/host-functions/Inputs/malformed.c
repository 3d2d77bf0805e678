#include <halyard/module.h>

static int nothing(hal_call_t *call, void *state) {
  (void)call, (void)state;
  return 0;
}

#ifdef NO_FUNCTION
static const hal_function_entry_t functions[] = {{"f", "() -> ()", NULL}};
#elif defined NO_NAME
static const hal_function_entry_t functions[] = {{"a-b", "() -> ()", nothing}};
#elif defined TWICE
static const hal_function_entry_t functions[] = {{"f", "() -> ()", nothing}, {"f", "(i8) -> ()", nothing}};
#elif defined SIGNATURE
static const hal_function_entry_t functions[] = {{"f", SIGNATURE, nothing}};
#else
static const hal_function_entry_t functions[] = {{"f", "() -> ()", nothing}};
#endif

#ifdef ABI
HAL_MODULE_EXPORT const hal_module_t hal_module;
const hal_module_t hal_module = {ABI, 1, "bad", 1, functions, NULL, NULL};
#elif defined NO_MODULE_NAME
HAL_MODULE_EXPORT const hal_module_t hal_module;
const hal_module_t hal_module = {HAL_MODULE_ABI, 1, NULL, 1, functions, NULL, NULL};
#else
HAL_MODULE(bad, 1, functions)
#endif
