#include <halyard/kernel.h>
#include <string.h>

static int64_t aligned(const void *p) { return (uintptr_t)p % 64 == 0; }

/* (tensor<?x3xi1>, i32, tensor<2x?xf16>, f32, tensor<2xi64>, i1, f64, index, i8) -> (tensor<23xi64>, tensor<?xbf16>): tensors
 * first, in order, then the results, then the sizes, then the numbers. */
void probe(const uint8_t *bits, const uint16_t *halves, int64_t *tied, int64_t *out, uint16_t *narrow, int64_t bits_0,
           int64_t halves_1, int64_t narrow_0, int64_t i32, int64_t f32_bits, int64_t i1, int64_t f64_bits,
           int64_t index, int64_t i8, const hal_workgroup_t *wg) {
  float f32;
  double f64;
  memcpy(&f32, &f32_bits, 4);
  memcpy(&f64, &f64_bits, 8);
  int64_t values[] = {aligned(bits) + aligned(halves) + aligned(tied) + aligned(out) + aligned(narrow),
                      bits[0],
                      bits[1],
                      bits[2],
                      bits[3],
                      halves[0] == 0x3e00,
                      tied[1],
                      bits_0,
                      halves_1,
                      narrow_0,
                      i32,
                      (int64_t)(f32 * 4),
                      i1,
                      (int64_t)(f64 * 8),
                      index,
                      i8,
                      wg->count[0],
                      wg->count[1],
                      wg->count[2],
                      0};
  if (wg->id[0] == 1 && wg->id[1] == 2 && wg->id[2] == 3)
    for (int i = 0; i < 23; ++i) out[i] = values[i];
  if (wg->id[0] + wg->id[1] + wg->id[2] == 0) {
    tied[0] = 77;
    for (int64_t i = 0; i < narrow_0; ++i) narrow[i] = 0x3fc0;
  }
}
