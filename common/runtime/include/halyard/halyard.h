/* libhalyard: loads linked programs and runs them.
 *
 *     halyard_program_t *program = halyard_program_load("mlp.so");
 *     halyard_instance_t *instance = halyard_instance_create(program, 0);
 *     int64_t shape[] = {1, 784};
 *     halyard_tensor_t x = {HALYARD_F32, 2, shape, data};
 *     if (halyard_instance_call(instance, "main", &x, 1) != 0) fprintf(stderr, "%s\n", halyard_last_error());
 *     halyard_tensor_t y;
 *     halyard_instance_output(instance, 0, &y);
 *
 * On failure, functions that create something return NULL and those that return int return -1; halyard_last_error()
 * returns the reason. NULL where it is not allowed is such a failure. A program may be used by several threads, an
 * instance by one at a time: a function fails if the instance is in a call.
 */
#ifndef HALYARD_HALYARD_H
#define HALYARD_HALYARD_H

#include "module.h"

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Element types. i1 is one byte, 0 or 1. */
typedef enum halyard_dtype_t {
  HALYARD_F32 = 0,
  HALYARD_F64 = 1,
  HALYARD_F16 = 2,
  HALYARD_BF16 = 3,
  HALYARD_I1 = 4,
  HALYARD_I8 = 5,
  HALYARD_U8 = 6,
  HALYARD_I16 = 7,
  HALYARD_U16 = 8,
  HALYARD_I32 = 9,
  HALYARD_U32 = 10,
  HALYARD_I64 = 11,
  HALYARD_U64 = 12
} halyard_dtype_t;

/* A dense row-major tensor. */
typedef struct halyard_tensor_t {
  halyard_dtype_t dtype;
  size_t rank;
  const int64_t *shape;
  const void *data;
} halyard_tensor_t;

/* Memory of the caller for an output: `bytes` of them at `data`, at least as many as the output has. */
typedef struct halyard_buffer_t {
  halyard_dtype_t dtype; /* of the output */
  void *data;            /* NULL with 0 bytes: the instance has the output, as after halyard_instance_call */
  size_t bytes;
} halyard_buffer_t;

/* What a function takes or returns. */
typedef struct halyard_spec_t {
  const char *name; /* NULL if the model gave none */
  halyard_dtype_t dtype;
  size_t rank;
  const int64_t *shape; /* -1 is any size */
} halyard_spec_t;

typedef struct halyard_program_t halyard_program_t;
typedef struct halyard_instance_t halyard_instance_t;

/* The version of this header. */
#define HALYARD_VERSION "0.1.0"
/* The version of the library; its soname has the first number. */
const char *halyard_version(void);

/* The reason of this thread's last failure; valid until its next failure. */
const char *halyard_last_error(void);
/* Its stable code, such as "wrong-weights", for programs to compare; "" if it has none. The documentation lists them. */
const char *halyard_last_error_code(void);

/* Reports crashes of kernels and host functions (SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP) in a line on a file
 * descriptor, such as 2: the kernel, its workgroup, and the address relative to its bindings. The previous signal
 * handler runs afterwards, or the signal ends the process: the call does not return, since the kernel may have left
 * locks and memory in any state. Other crashes are passed on unreported. Call it once, before creating instances and
 * after installing other handlers. */
int halyard_report_crashes(int file);

/* Loads a linked program and the weights beside it. */
halyard_program_t *halyard_program_load(const char *path);
/* Loads a program whose kernels call functions of kernel libraries, see halyard/plugin.h. */
halyard_program_t *halyard_program_load_with_plugins(const char *path, const char *const *plugins, size_t count);

/* Loads programs that need more than their file.
 *
 *     halyard_loader_t *loader = halyard_loader_create();
 *     halyard_loader_add_function(loader, "search.top", "(tensor<?xf32>, index) -> (tensor<?xf32>, i64)", top, NULL);
 *     halyard_program_t *program = halyard_loader_load(loader, "model.so");
 *
 * Everything added must outlive the programs and their instances. A loader may be used by one thread at a time. */
typedef struct halyard_loader_t halyard_loader_t;
halyard_loader_t *halyard_loader_create(void);
/* Loaded programs stay valid. */
void halyard_loader_free(halyard_loader_t *loader);
/* Adds a kernel library: a shared library with functions that kernels call, see halyard/plugin.h. */
int halyard_loader_add_plugin(halyard_loader_t *loader, const char *path);
/* Adds a host library: a shared library with functions that host programs call, see halyard/module.h. */
int halyard_loader_add_library(halyard_loader_t *loader, const char *path);
/* Adds a host library that is part of the application. */
int halyard_loader_add_module(halyard_loader_t *loader, const hal_module_t *module);
/* Adds a function of the application: "module.function", its signature, and the state that it receives. */
int halyard_loader_add_function(halyard_loader_t *loader, const char *name, const char *signature,
                                hal_function_t function, void *state);
/* Sets the load-time constant user.NAME, see halyard/kernel.h. */
int halyard_loader_set_constant(halyard_loader_t *loader, const char *name, int64_t value);
/* Sets the device of programs: "cpu" (the default), "vulkan", "vulkan:N", "cuda", "cuda:N". A missing device is an
 * error when a program is loaded. */
int halyard_loader_set_device(halyard_loader_t *loader, const char *device);
/* If nonzero, kernels without code for the device run on the CPU, and their buffers are copied. */
int halyard_loader_set_fallback(halyard_loader_t *loader, int on_cpu);
/* Enables the driver's own checks and receives their messages, on any thread; NULL disables them. */
int halyard_loader_set_device_log(halyard_loader_t *loader, void (*log)(void *state, const char *message), void *state);
halyard_program_t *halyard_loader_load(const halyard_loader_t *loader, const char *path);

/* Frees a program. Its instances stay usable. */
void halyard_program_free(halyard_program_t *program);

/* The functions of a program. Strings and shapes live as long as the program. */
size_t halyard_program_function_count(const halyard_program_t *program);
const char *halyard_program_function_name(const halyard_program_t *program, size_t function);
size_t halyard_program_input_count(const halyard_program_t *program, size_t function);
size_t halyard_program_output_count(const halyard_program_t *program, size_t function);
int halyard_program_input(const halyard_program_t *program, size_t function, size_t input, halyard_spec_t *spec);
int halyard_program_output(const halyard_program_t *program, size_t function, size_t output, halyard_spec_t *spec);

/* The states of a program: tensors that stay on the device between calls. A size of -1 may change in each call. */
size_t halyard_program_state_count(const halyard_program_t *program);
int halyard_program_state(const halyard_program_t *program, size_t state, halyard_spec_t *spec);

/* Creates what a program needs to run: memory, threads (0: one per CPU), states with their initial values. */
halyard_instance_t *halyard_instance_create(const halyard_program_t *program, size_t threads);
/* Frees an instance; if it is in a call, when the call ends. */
void halyard_instance_free(halyard_instance_t *instance);

/* Calls a function. Inputs that start at a multiple of 64 bytes are read where they are, others are copied; all may be freed
 * afterwards. Host functions are called on this thread; they must
 * not call the same instance. */
int halyard_instance_call(halyard_instance_t *instance, const char *function, const halyard_tensor_t *inputs,
                          size_t count);
/* Calls a function and puts its outputs into memory of the caller, a buffer for each output. Kernels write outputs of static
 * shape there, without a copy, if the memory starts at a multiple of 64 bytes and does not overlap an input; other outputs
 * are copied once, at the end. So memory may be that of an input, which then holds the output afterwards, but not that of
 * another output. A buffer of another type, or one that is too small, is a failure (code "wrong-output"): for static shapes
 * before anything runs, for sizes that are known only afterwards with the number of bytes that were needed. After a failure
 * the contents of the buffers are undefined. halyard_instance_output gives the shape, and the place, of each output. */
int halyard_instance_call_into(halyard_instance_t *instance, const char *function, const halyard_tensor_t *inputs,
                               size_t count, const halyard_buffer_t *outputs, size_t output_count);
/* The outputs of the last call that succeeded. They live until the next call; those in memory of the caller as long as that. */
size_t halyard_instance_output_count(const halyard_instance_t *instance);
int halyard_instance_output(const halyard_instance_t *instance, size_t output, halyard_tensor_t *tensor);

/* A copy of a state, valid until a state of the instance is requested again. After a failed call, states are as before
 * it, except one that the call was updating in place: it is lost, and reading it and calls that need it fail until it
 * is set or reset. */
int halyard_instance_state(halyard_instance_t *instance, const char *name, halyard_tensor_t *tensor);
/* Sets a state, for instance to a saved one. The tensor is copied. */
int halyard_instance_set_state(halyard_instance_t *instance, const char *name, const halyard_tensor_t *tensor);
/* Gives a state its initial value; all of them if name is NULL. */
int halyard_instance_reset_state(halyard_instance_t *instance, const char *name);

#ifdef __cplusplus
}
#endif

#endif
