/* Plugins: shared libraries with functions that kernels call.
 *
 * A program that declares a function with `hal.import` leaves it to a plugin, found by its name when the program is
 * loaded: `hal-run --executable-plugin=plugin.so`. A plugin is an ordinary shared library that exports the function:
 *
 *     #include <halyard/plugin.h>
 *
 *     HAL_PLUGIN
 *     HAL_PLUGIN_EXPORT float softplus(float x) { return log1pf(expf(x)); }
 *
 * compiled by `clang -O3 -shared -fPIC plugin.c -o plugin.so -lm`. HAL_PLUGIN is for the runtime to tell a plugin that was
 * made for another version; a library without it is taken as it is. Functions run on several threads at once.
 *
 * What functions are passed:
 * - f32 is float, f64 is double, i32 is int32_t, i64 and index are int64_t; a function may return one of these.
 * - A memref<AxBx...xT> is 1 + 2 r arguments, r being its rank: T * (its first element), int64_t sizes, int64_t strides;
 *   strides count elements. A memref is only passed, never returned.
 */
#ifndef HALYARD_PLUGIN_H
#define HALYARD_PLUGIN_H

#include <stdint.h>

/* The version of what stands above. */
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
