/* out = x / sqrt(mean(x * x) + epsilon) * weight, row by row; a block of 64 threads takes a row.
 *
 * The declaration is (x: tensor<?x256xf32>, weight: tensor<256xf32>, rows: index) -> tensor<?x256xf32>. So there are three
 * pointers, then a constant for each `?` (of x, of the result), then `rows`. */
#ifndef __CUDACC__  /* clang without the headers of CUDA */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#include <__clang_cuda_builtin_vars.h>
#define __syncthreads() __nvvm_bar_sync(0)
#endif

extern "C" __global__ void __launch_bounds__(64)
    rms_norm(const float *x, const float *weight, float *out, long long x_rows, long long out_rows, long long rows) {
  __shared__ float sums[64];
  int thread = threadIdx.x;
  long long row = blockIdx.x * 256ll;
  float sum = 0;
  for (int j = thread; j < 256; j += 64) sum += x[row + j] * x[row + j];
  sums[thread] = sum;
  __syncthreads();
  for (int half_of = 32; half_of > 0; half_of /= 2) {
    if (thread < half_of) sums[thread] += sums[thread + half_of];
    __syncthreads();
  }
  float scale = 1 / __builtin_sqrtf(sums[0] / 256 + 1e-5f);
  for (int j = thread; j < 256; j += 64) out[row + j] = x[row + j] * scale * weight[j];
}
