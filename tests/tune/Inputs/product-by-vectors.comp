#version 450
layout(local_size_x = 64) in;
layout(set = 0, binding = 0, std430) readonly buffer A { vec4 a[]; };
layout(set = 0, binding = 1, std430) readonly buffer B { vec4 b[]; };
layout(set = 0, binding = 2, std430) buffer C { vec4 c[]; };
void main() {
  // A thread makes 4 rows of 4 columns.
  const uint at = gl_WorkGroupID.x * 64 + gl_LocalInvocationID.x;
  const uint row = at / 16 * 4, column = at % 16;
  vec4 s0 = vec4(0), s1 = vec4(0), s2 = vec4(0), s3 = vec4(0);
  for (uint k = 0; k < 16; ++k) {
    const vec4 a0 = a[(row + 0) * 16 + k], a1 = a[(row + 1) * 16 + k], a2 = a[(row + 2) * 16 + k], a3 = a[(row + 3) * 16 + k];
    for (uint i = 0; i < 4; ++i) {
      const vec4 v = b[(k * 4 + i) * 16 + column];
      s0 += a0[i] * v; s1 += a1[i] * v; s2 += a2[i] * v; s3 += a3[i] * v;
    }
  }
  c[(row + 0) * 16 + column] = s0;
  c[(row + 1) * 16 + column] = s1;
  c[(row + 2) * 16 + column] = s2;
  c[(row + 3) * 16 + column] = s3;
}
