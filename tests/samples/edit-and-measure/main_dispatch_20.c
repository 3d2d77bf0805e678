/* The last convolution of squeezenet by hand: 1x1, so it is a product, out = max(w * x + bias, 0).
 *
 *     clang-22 -O3 -mavx2 -mfma -fPIC -I. -c main_dispatch_20.c
 *
 * hal-extract wrote the signature; the body has AVX2 intrinsics. A workgroup computes 8 of the 1000 rows: substitute it with
 * --workgroups=main_dispatch_20=125 and --target=cpu:x86-64-v3.
 */
#include <halyard/kernel.h>
#include <immintrin.h>

enum { ROWS = 8, DEPTH = 512, WIDTH = 13 * 13 };

/* 8 rows of up to 8 columns; `mask` says which columns. */
static void tile(const float *restrict w, const float *restrict x, const float *restrict bias, float *restrict out,
                 __m256i mask) {
  __m256 sum[ROWS];
  for (int r = 0; r < ROWS; ++r) sum[r] = _mm256_setzero_ps();
  for (int k = 0; k < DEPTH; ++k) {
    const __m256 row = _mm256_maskload_ps(x + k * WIDTH, mask);
    for (int r = 0; r < ROWS; ++r) sum[r] = _mm256_fmadd_ps(_mm256_broadcast_ss(w + r * DEPTH + k), row, sum[r]);
  }
  for (int r = 0; r < ROWS; ++r) {
    const __m256 shifted = _mm256_add_ps(sum[r], _mm256_broadcast_ss(bias + r));
    _mm256_maskstore_ps(out + r * WIDTH, mask, _mm256_max_ps(shifted, _mm256_setzero_ps()));
  }
}

/* main_dispatch_20_conv_1x1000x13x13_f32
 *   in0: tensor<1x512x13x13xf32>, read
 *   in1: tensor<1000x512x1x1xf32>, read
 *   in2: tensor<1000xf32>, read
 *   out0: tensor<1x1000x13x13xf32>, written
 */
void main_dispatch_20_conv_1x1000x13x13_f32(const float *restrict in0, const float *restrict in1,
                                            const float *restrict in2, float *restrict out0,
                                            const hal_workgroup_t *wg) {
  const int first = (int)wg->id[0] * ROWS;
  const __m256i lanes = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
  for (int column = 0; column < WIDTH; column += 8) {
    const __m256i mask = _mm256_cmpgt_epi32(_mm256_set1_epi32(WIDTH - column), lanes);
    tile(in1 + first * DEPTH, in0 + column, in2 + first, out0 + first * WIDTH + column, mask);
  }
}
