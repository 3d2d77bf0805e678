// Times calls of a program by the C API: overhead PROGRAM ROWS CALLS, in nanoseconds of CPU time a call. Its inputs are x: ?x4xf32 and
// y: 4xf32.
#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv) {
  int64_t rows = argc > 3 ? atoll(argv[2]) : 1, calls = argc > 3 ? atoll(argv[3]) : 1;
  halyard_program_t *program = argc > 3 ? halyard_program_load(argv[1]) : NULL;
  halyard_instance_t *instance = program ? halyard_instance_create(program, 1) : NULL;
  float *data = calloc((size_t)rows * 4, sizeof(float));
  int64_t x[] = {rows, 4}, y[] = {4};
  halyard_tensor_t inputs[] = {{HALYARD_F32, 2, x, data}, {HALYARD_F32, 1, y, data}}, output;
  struct timespec start, end;
  for (int64_t i = -100; i < calls; i++) {
    if (i == 0) clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    if (!instance || halyard_instance_call(instance, "main", inputs, 2) ||
        halyard_instance_output(instance, 0, &output)) {
      fprintf(stderr, "%s\n", halyard_last_error());
      return 1;
    }
  }
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
  double nanoseconds = (double)(end.tv_sec - start.tv_sec) * 1e9 + (double)(end.tv_nsec - start.tv_nsec);
  printf("%.0f\n", nanoseconds / (double)calls);
  free(data);
  halyard_instance_free(instance);
  halyard_program_free(program);
  return 0;
}
