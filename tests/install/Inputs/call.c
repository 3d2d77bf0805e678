/* Calls `main` of a program with one input of eight floats. */
#include <halyard/halyard.h>
#include <stdio.h>

int main(int argc, char **argv) {
  static float x[8];
  int64_t shape[] = {8};
  halyard_tensor_t input = {HALYARD_F32, 1, shape, x};
  halyard_program_t *program = argc > 1 ? halyard_program_load(argv[1]) : NULL;
  halyard_instance_t *instance = program ? halyard_instance_create(program, 1) : NULL;
  if (!instance || halyard_instance_call(instance, "main", &input, 1)) {
    fprintf(stderr, "%s\n", halyard_last_error());
    return 1;
  }
  halyard_instance_free(instance);
  halyard_program_free(program);
  return 0;
}
