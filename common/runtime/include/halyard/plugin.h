/* Kernel libraries: shared libraries with functions that kernels call.
 *
 * A function that a program declares with `hal.import` is found by name in a kernel library when the program is loaded:
 * `hal-run --executable-plugin=plugin.so`. A kernel library is an ordinary shared library that exports the function:
 *
 *     #include <halyard/plugin.h>
 *
 *     HAL_PLUGIN
 *     HAL_PLUGIN_EXPORT float softplus(float x) { return log1pf(expf(x)); }
 *
 * compiled by `clang -O3 -shared -fPIC plugin.c -o plugin.so -lm`. HAL_PLUGIN records the interface version, so that
 * the runtime can refuse another one; a library without it is not checked. Functions run on several threads at once.
 *
 * Arguments:
 * - f32 is float, f64 is double, i32 is int32_t, i64 and index are int64_t; a function may return one of these.
 * - A memref<AxBx...xT> is 1 + 2 r arguments, r being its rank: T * (its first element), int64_t sizes, int64_t strides;
 *   strides count elements. A memref is only passed, never returned.
 */
#ifndef HALYARD_PLUGIN_H
#define HALYARD_PLUGIN_H

#include <stdint.h>

/* The version of this interface. */
#define HAL_PLUGIN_VERSION 1u

#ifdef __cplusplus
#define HAL_PLUGIN_EXPORT extern "C" __attribute__((visibility("default")))
#define HAL_PLUGIN                                     \
  HAL_PLUGIN_EXPORT const uint32_t hal_plugin_version; \
  const uint32_t hal_plugin_version = HAL_PLUGIN_VERSION;
#else
#define HAL_PLUGIN_EXPORT __attribute__((visibility("default")))
#define HAL_PLUGIN HAL_PLUGIN_EXPORT const uint32_t hal_plugin_version = HAL_PLUGIN_VERSION;
#endif

#endif
