// launch PTX KERNEL BLOCKS THREADS WORDS: runs a kernel of one buffer of 32-bit words, which count from 0, and prints them.
#include <stdio.h>
#include <stdlib.h>

typedef unsigned long long address;
int cuInit(unsigned), cuDevicePrimaryCtxRetain(void **, int), cuMemAlloc_v2(address *, size_t),
    cuStreamCreate(void **, unsigned);
int cuMemcpyHtoDAsync_v2(address, const void *, size_t, void *), cuMemcpyDtoHAsync_v2(void *, address, size_t, void *);
int cuStreamSynchronize(void *), cuModuleLoadDataEx(void **, const void *, unsigned, int *, void **);
int cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **);

static int check(int code, const char *what) {
  if (code) printf("%s: %d\n", what, code);
  return code;
}

int main(int count, char **words) {
  static char text[1 << 20];
  static int data[1 << 16];
  FILE *file = fopen(words[1], "r");
  if (count != 6 || !file || !fread(text, 1, sizeof text - 1, file)) return 2;
  unsigned blocks = atoi(words[3]), threads = atoi(words[4]), n = atoi(words[5]);
  for (unsigned i = 0; i < n; i++) data[i] = i;
  void *context, *stream, *module, *kernel;
  char log[1024] = "";
  int options[2] = {5, 6};
  void *values[2] = {log, (void *)sizeof log};
  check(cuInit(0), "init");
  check(cuDevicePrimaryCtxRetain(&context, 0), "context");
  check(cuStreamCreate(&stream, 1), "stream");
  if (check(cuModuleLoadDataEx(&module, text, 2, options, values), "load")) return printf("%s\n", log), 1;
  if (check(cuModuleGetFunction(&kernel, module, words[2]), "kernel")) return 1;
  address buffer;
  check(cuMemAlloc_v2(&buffer, 4 * n), "memory");
  check(cuMemcpyHtoDAsync_v2(buffer, data, 4 * n, stream), "upload");
  void *arguments[] = {&buffer};
  if (check(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, stream, arguments, 0), "launch")) return 1;
  check(cuMemcpyDtoHAsync_v2(data, buffer, 4 * n, stream), "download");
  if (check(cuStreamSynchronize(stream), "run")) return 1;
  for (unsigned i = 0; i < n; i++) printf("%d%s", data[i], i + 1 < n ? " " : "\n");
  return 0;
}
