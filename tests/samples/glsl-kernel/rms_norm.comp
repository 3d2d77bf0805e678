#version 450

/* out = x / sqrt(mean(x * x) + epsilon) * weight, row by row; a workgroup of 64 threads takes a row.
 *
 * The declaration is (x: tensor<?x256xf32>, weight: tensor<256xf32>, rows: index) -> tensor<?x256xf32>. So there are three
 * buffers, then a constant for each `?` (of x, of the result), then `rows`. */
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer X { float x[]; };
layout(set = 0, binding = 1, std430) readonly buffer Weight { float weight[]; };
layout(set = 0, binding = 2, std430) writeonly buffer Out { float result[]; };
layout(push_constant, std430) uniform Constants {
  uint x_rows;
  uint out_rows;
  uint rows;
};
const float epsilon = 1e-5;

shared float sums[64];

void main() {
  uint thread = gl_LocalInvocationID.x, row = gl_WorkGroupID.x * 256;
  float sum = 0;
  for (uint j = thread; j < 256; j += 64) sum += x[row + j] * x[row + j];
  sums[thread] = sum;
  barrier();
  for (uint half_of = 32; half_of > 0; half_of /= 2) {
    if (thread < half_of) sums[thread] += sums[thread + half_of];
    barrier();
  }
  float scale = inversesqrt(sums[0] / 256 + epsilon);
  for (uint j = thread; j < 256; j += 64) result[row + j] = x[row + j] * scale * weight[j];
}
