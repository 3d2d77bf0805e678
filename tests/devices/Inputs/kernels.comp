// The kernels of tests/link/Inputs/kernels.c for Vulkan; one is chosen by its name: glslc -DTWICE.
#version 450
#if defined(TWICE)
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) writeonly buffer Y { float y[]; };
void main() { y[gl_GlobalInvocationID.x] = 2 * x[gl_GlobalInvocationID.x]; }

#elif defined(INCREMENT)
layout(local_size_x = 4) in;
layout(std430, binding = 0) buffer X { float x[]; };
layout(push_constant) uniform P { float s; };
void main() { x[gl_GlobalInvocationID.x] += s; }

#elif defined(ADD)
layout(local_size_x = 64) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) readonly buffer Y { float y[]; };
layout(std430, binding = 2) writeonly buffer Z { float z[]; };
layout(push_constant) uniform P { int n, m, o, size; };
void main() {
  uint i = gl_GlobalInvocationID.x;
  if (i < n) z[i] = x[i] + y[i];
}

#elif defined(MATMUL)
layout(local_size_x = 4) in;
layout(std430, binding = 0) readonly buffer X { float x[]; };
layout(std430, binding = 1) readonly buffer W { float w[]; };
layout(std430, binding = 2) writeonly buffer Z { float z[]; };
void main() {
  uint i = gl_WorkGroupID.x, j = gl_LocalInvocationID.x;
  float sum = 0;
  for (int k = 0; k < 3; ++k) sum += x[i * 3 + k] * w[k * 4 + j];
  z[i * 4 + j] = sum;
}
#endif
