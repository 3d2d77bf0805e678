/* The interface of CPU kernels, for hand-written kernels to include.
 *
 * A kernel is a C function that executes one workgroup of a dispatch:
 *
 *     void EXPORT(const T0 *b0, ..., Tn *bn, int64_t c0, ..., const hal_workgroup_t *wg);
 *
 * - One pointer per tensor argument of the export, in order, then one per result. A result that is tied to an argument
 *   (`hal.tied`) has no pointer of its own: the kernel writes the argument's buffer.
 * - One int64_t per dynamic dimension of the arguments, then of the results, in order of appearance; then one per scalar
 *   argument: integers sign-extended (i1 is 0 or 1), f32 and f64 as their bits in the low bytes.
 * - Buffers are dense, row-major and aligned to 64 bytes. They do not overlap, except read-only arguments. i1 is one
 *   byte, 0 or 1; f16 and bf16 are two bytes; index is int64_t.
 * - Workgroups run once each, in any order, in parallel on several threads.
 *
 * Example: out[i] = a[i] + b[i], 1024 elements a workgroup, declared as
 *
 *     func.func private @add(tensor<?xf32>, tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 2>})
 *
 * so that its constants are the sizes of the two arguments and of the result, and the index:
 *
 *     #include <halyard/kernel.h>
 *
 *     void add(const float *a, const float *b, float *out, int64_t a0, int64_t b0, int64_t out0, int64_t n,
 *              const hal_workgroup_t *wg) {
 *       int64_t begin = (int64_t)wg->id[0] * 1024;
 *       int64_t end = begin + 1024 < n ? begin + 1024 : n;
 *       for (int64_t i = begin; i < end; ++i) out[i] = a[i] + b[i];
 *     }
 *
 * Compile it with `clang -O3 -march=native -fPIC -c add.c`; in C++ declare it `extern "C"`. A kernel may use libm and
 * the memory functions of libc.
 */
#ifndef HALYARD_KERNEL_H
#define HALYARD_KERNEL_H

#include <stdint.h>

/* Load-time constants: arguments after a kernel's other constants, an int64_t each, before the workgroup. The loader of
 * the program fills them in. The kernel's source lists them:
 *
 *     void add(const float *a, ..., int64_t n, int64_t threads, int64_t l2, const hal_workgroup_t *wg) { ... }
 *     HAL_LOAD_CONSTANTS(add, "device.threads,device.l2_bytes")
 *
 * There are device.threads (that execute workgroups), device.cores, device.vector_bytes, device.cache_line_bytes,
 * device.l1_bytes, device.l2_bytes, device.l3_bytes, device.page_bytes, device.workgroup_threads, device.subgroup_threads,
 * device.shared_bytes and device.memory_bytes; 0 means unknown. user.NAME is a number set when the program is loaded:
 * `hal-run --constant=NAME=N`. In other languages, put the zero-terminated string "add=device.threads,device.l2_bytes"
 * into the section ".hal.load_constants".
 */
#define HAL_LOAD_CONSTANTS(KERNEL, NAMES) HAL_LOAD_CONSTANTS_OF(KERNEL, NAMES)
/* The name may be a macro. */
#define HAL_LOAD_CONSTANTS_OF(KERNEL, NAMES)                                                              \
  static const char hal_load_constants_##KERNEL[] __attribute__((used, section(".hal.load_constants"))) = \
      #KERNEL "=" NAMES;

/* Packed weights: arguments that a kernel takes in another layout than the model's. The linker packs them. The kernel's source
 * lists the positions of the arguments and the layouts: winograd2, filter_blocks, byte_blocks, row_panels, ... (the table in
 * docs/exchange-form.md):
 *
 *     HAL_PACKED_WEIGHTS(conv, "1:filter_blocks")
 */
#define HAL_PACKED_WEIGHTS(KERNEL, LIST) HAL_PACKED_WEIGHTS_OF(KERNEL, LIST)
/* The name may be a macro. */
#define HAL_PACKED_WEIGHTS_OF(KERNEL, LIST)                                                               \
  static const char hal_packed_weights_##KERNEL[] __attribute__((used, section(".hal.packed_weights"))) = \
      #KERNEL "=" LIST;

/* Scratch memory of a kernel; each thread has its own.
 *
 * A kernel that needs more than `bytes` raises `wanted` to what it needs and allocates memory itself this once; the
 * next dispatch gets enough. Between workgroups of one dispatch on the same thread, the memory and `held` are kept, so
 * that shared values are computed once per thread. At a thread's first workgroup of a dispatch, `held` is 0 and the
 * memory is undefined.
 */
typedef struct hal_scratch_t {
  void *data; /* at a multiple of 64 bytes */
  uint64_t bytes;
  uint64_t wanted;
  uint64_t held;
} hal_scratch_t;

/* Which workgroup of how many, in x, y and z. */
typedef struct hal_workgroup_t {
  uint32_t id[3];
  uint32_t count[3];
  hal_scratch_t *scratch; /* may be null: the kernel allocates for itself */
} hal_workgroup_t;

#endif
