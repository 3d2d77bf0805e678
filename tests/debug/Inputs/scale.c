void scale(const float *in, float *out) {
  for (int i = 0; i < 4; ++i) { out[i] = in[i] * 2; }
}
