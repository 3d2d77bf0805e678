#version 450

/* A product of 64x64 matrices, in any number of workgroups. Tests change single lines of it, which end in the words of a comment. */
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer A { float a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { float b[]; };
layout(set = 0, binding = 2, std430) buffer C { float c[]; };

void main() {
  const uint threads = gl_NumWorkGroups.x * gl_WorkGroupSize.x * gl_NumWorkGroups.y;
  const uint group = gl_WorkGroupID.y * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  const uint end = 4096;  // elements
  for (uint at = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x; at < end; at += threads) {
    const uint i = at;  // place
    float sum = 0;
    for (uint k = 0; k < 64; ++k) sum += a[(i / 64) * 64 + k] * b[k * 64 + i % 64];
    c[i] = sum;  // result
  }
}
