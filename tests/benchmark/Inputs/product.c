void main_dispatch_0_matmul_8x8x64_f32(const float *x, const float *y, float *r) {
  for (int i = 0; i < 8; ++i)
    for (int j = 0; j < 8; ++j) {
      float sum = 0;
      for (int k = 0; k < 64; ++k) sum += x[i * 64 + k] * y[k * 8 + j];
      r[i * 8 + j] = sum;
    }
}
