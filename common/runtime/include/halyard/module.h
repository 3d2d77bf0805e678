/* Host libraries: functions that a program calls and the embedder provides.
 *
 * A model declares such a function and calls it:
 *
 *     func.func private @top(tensor<?xf32>, index) -> (tensor<?xf32>, i64) attributes {hal.host_function = "search.top"}
 *
 * A shared library provides it (`hal-run --module=search.so`), or an application that uses libhalyard.so
 * (halyard_loader_add_function in halyard/halyard.h). This file is such a library:
 *
 *     #include <halyard/module.h>
 *
 *     // All elements that are larger than the bound, and how many these are.
 *     static int top(hal_call_t *call, void *state) {
 *       const hal_tensor_t *x = &call->inputs[0];
 *       const float *data = x->data;
 *       int64_t bound = *(const int64_t *)call->inputs[1].data; // a number is a tensor of rank 0
 *       int64_t count = 0;
 *       for (int64_t i = 0; i < x->shape[0]; ++i) count += data[i] > bound;
 *       if (count == 0) return hal_fail(call, "nothing is larger than %lld", (long long)bound);
 *       float *out = hal_allocate(call, 0, 1, &count); // a result whose size only the function knows
 *       if (!out) return 1;
 *       for (int64_t i = 0; i < x->shape[0]; ++i)
 *         if (data[i] > bound) *out++ = data[i];
 *       *(int64_t *)call->results[1].data = count; // a result of static shape has its memory already
 *       return 0;
 *     }
 *
 *     static const hal_function_entry_t functions[] = {
 *         {"top", "(tensor<?xf32>, index) -> (tensor<?xf32>, i64)", top},
 *     };
 *     HAL_MODULE(search, 1, functions)
 *
 * compiled by `clang -O2 -shared -fPIC search.c -o search.so`.
 *
 * - A signature is written as in MLIR. It may be more general than what a program calls: `?` is any size, `tensor<*xf32>`
 *   any rank, `any` any element type. It is checked when a program is loaded.
 * - Tensors are dense and row-major, and valid during the call; those of the program are aligned to 64 bytes. Inputs
 *   must not be written, results must be written completely; they do not overlap. A result's initial contents are
 *   undefined.
 * - A function returns 0, or another number to fail the call of the program with the message of hal_fail.
 * - It is called on the thread that runs the program, while none of the instance's kernels runs.
 *   Several instances may call it at once, from several threads. It must not call the instance that calls it.
 * - It must return: no exception, no longjmp. If it crashes, the process crashes.
 * - Calls keep the program's number and order, unless the function is declared `hal.pure`.
 */
#ifndef HALYARD_MODULE_H
#define HALYARD_MODULE_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The version of this interface. */
#define HAL_MODULE_ABI 1u

/* Element types: the numbers of halyard_dtype_t. i1 is one byte, 0 or 1; f16 and bf16 are two bytes. */
enum {
  HAL_F32 = 0,
  HAL_F64 = 1,
  HAL_F16 = 2,
  HAL_BF16 = 3,
  HAL_I1 = 4,
  HAL_I8 = 5,
  HAL_U8 = 6,
  HAL_I16 = 7,
  HAL_U16 = 8,
  HAL_I32 = 9,
  HAL_U32 = 10,
  HAL_I64 = 11,
  HAL_U64 = 12
};

/* A tensor. A number is one of rank 0; `index` is HAL_I64. */
typedef struct hal_tensor_t {
  uint32_t dtype;
  uint32_t rank;
  const int64_t *shape; /* of a result: -1 where the function says the size, until hal_allocate */
  void *data;           /* of a result: NULL until hal_allocate if a size is -1 */
} hal_tensor_t;

/* A call in progress. */
typedef struct hal_call_t hal_call_t;
struct hal_call_t {
  uint32_t input_count;
  uint32_t result_count;
  const hal_tensor_t *inputs;
  const hal_tensor_t *results;
  void *(*allocate)(hal_call_t *call, uint32_t result, uint32_t rank, const int64_t *shape);
  int (*fail)(hal_call_t *call, const char *message);
};

/* A host function. `state` is what the module's `start` or halyard_loader_add_function gave. */
typedef int (*hal_function_t)(hal_call_t *call, void *state);

/* A function of a module. */
typedef struct hal_function_entry_t {
  const char *name;      /* letters, digits and _ */
  const char *signature; /* "(tensor<?x8xf32>, index) -> tensor<?xi64>" */
  hal_function_t function;
} hal_function_entry_t;

/* A module: what a library exports as `hal_module`. */
typedef struct hal_module_t {
  uint32_t abi;     /* HAL_MODULE_ABI */
  uint32_t version; /* of the library, compared with `hal.module_version` */
  const char *name; /* letters, digits and _ */
  size_t function_count;
  const hal_function_entry_t *functions;
  /* Called once when the module is loaded, if not NULL. May set the state. On failure it writes a message of at most
   * `size` bytes, including the terminating zero, and returns nonzero. */
  int (*start)(void **state, char *why, size_t size);
  /* Called when no program needs the module anymore, if not NULL. */
  void (*stop)(void *state);
} hal_module_t;

/* Allocates a result of that shape; NULL if the program does not expect the shape or memory is exhausted: return 1
 * then. Also works for results of static shape. */
static inline void *hal_allocate(hal_call_t *call, uint32_t result, uint32_t rank, const int64_t *shape) {
  return call->allocate(call, result, rank, shape);
}

/* Sets the error message, formatted like printf; returns the value that the function must return. */
#ifdef __GNUC__
__attribute__((format(printf, 2, 3)))
#endif
static inline int hal_fail(hal_call_t *call, const char *format, ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  return call->fail(call, message);
}

#ifdef __cplusplus
}
#define HAL_MODULE_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define HAL_MODULE_EXPORT __attribute__((visibility("default")))
#endif

/* Exports a module: its name, its version, an array of hal_function_entry_t. */
#define HAL_MODULE(NAME, VERSION, FUNCTIONS) HAL_MODULE_WITH_STATE(NAME, VERSION, FUNCTIONS, NULL, NULL)
/* The same with `start` and `stop`. */
#define HAL_MODULE_WITH_STATE(NAME, VERSION, FUNCTIONS, START, STOP)                                           \
  HAL_MODULE_EXPORT const hal_module_t hal_module;                                                             \
  const hal_module_t hal_module = {HAL_MODULE_ABI, VERSION, #NAME, sizeof(FUNCTIONS) / sizeof((FUNCTIONS)[0]), \
                                   FUNCTIONS,      START,   STOP};

#endif
