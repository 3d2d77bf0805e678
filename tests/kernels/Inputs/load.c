#include <halyard/halyard.h>
#include <stdio.h>

int main(int argc, char **argv) {
  halyard_program_t *program = halyard_program_load_with_plugins(argv[1], (const char *const *)argv + 2, argc - 2);
  if (!program) return printf("%s\n", halyard_last_error()), 1;
  halyard_instance_t *instance = halyard_instance_create(program, 1);
  float data[8] = {3, 3, 3, 3, 3, 3, 3, 3};
  int64_t shape[] = {8};
  halyard_tensor_t x = {HALYARD_F32, 1, shape, data}, y;
  if (halyard_instance_call(instance, "main", &x, 1)) return printf("%s\n", halyard_last_error()), 1;
  halyard_instance_output(instance, 0, &y);
  printf("%g\n", ((const float *)y.data)[7]);
  return 0;
}
