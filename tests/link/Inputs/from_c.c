/* Calls every function of halyard.h with a program whose `main` returns its input, a tensor<?xf32> named x. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                                  \
  if (!(condition)) {                                                                     \
    fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #condition, halyard_last_error());     \
    return 1;                                                                             \
  }

int main(int argc, char **argv) {
  CHECK(argc == 2);
  CHECK(halyard_program_load("nowhere.so") == NULL);
  CHECK(strstr(halyard_last_error(), "cannot read `nowhere.so`") != NULL);
  halyard_program_t *program = halyard_program_load(argv[1]);
  CHECK(program != NULL);
  CHECK(halyard_program_function_count(program) == 1);
  CHECK(strcmp(halyard_program_function_name(program, 0), "main") == 0);
  CHECK(halyard_program_input_count(program, 0) == 1 && halyard_program_output_count(program, 0) == 1);
  halyard_spec_t spec;
  CHECK(halyard_program_input(program, 0, 0, &spec) == 0);
  CHECK(strcmp(spec.name, "x") == 0 && spec.dtype == HALYARD_F32 && spec.rank == 1 && spec.shape[0] == -1);
  CHECK(halyard_program_output(program, 0, 0, &spec) == 0 && spec.name == NULL);
  CHECK(halyard_program_input(program, 0, 1, &spec) == -1);
  halyard_instance_t *instance = halyard_instance_create(program, 1);
  CHECK(instance != NULL);
  halyard_program_free(program);
  float data[4] = {1, 2, 3, 4};
  int64_t shape[1] = {4};
  halyard_tensor_t x = {HALYARD_F32, 1, shape, data};
  CHECK(halyard_instance_call(instance, "main", &x, 0) == -1);
  CHECK(strstr(halyard_last_error(), "takes 1 input") != NULL);
  CHECK(halyard_instance_call(instance, "main", &x, 1) == 0);
  CHECK(halyard_instance_output_count(instance) == 1);
  halyard_tensor_t y;
  CHECK(halyard_instance_output(instance, 0, &y) == 0);
  CHECK(y.dtype == HALYARD_F32 && y.rank == 1 && y.shape[0] == 4);
  for (int i = 0; i < 4; ++i) CHECK(((const float *)y.data)[i] == data[i]);
  halyard_instance_free(instance);
  puts("all is well");
  return 0;
}
