/* Calls every function of halyard.h with a program whose `main` returns its input, a tensor<?xf32> named x. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                              \
  if (!(condition)) {                                                                 \
    fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #condition, halyard_last_error()); \
    return 1;                                                                         \
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
  /* Inputs in memory that is aligned as kernels need it, and otherwise. */
  _Alignas(64) float several[17];
  for (int i = 0; i < 17; ++i) several[i] = (float)(7 * i);
  for (int from = 0; from < 13; ++from) {
    halyard_tensor_t part = {HALYARD_F32, 1, shape, several + from};
    CHECK(halyard_instance_call(instance, "main", &part, 1) == 0 && halyard_instance_output(instance, 0, &y) == 0);
    CHECK(y.data != part.data && memcmp(y.data, part.data, sizeof data) == 0);
  }
  /* What must not be NULL is told, and nothing is touched. */
  CHECK(halyard_instance_call(NULL, "main", &x, 1) == -1 && strstr(halyard_last_error(), "the instance is NULL"));
  CHECK(halyard_instance_call(instance, NULL, &x, 1) == -1 && strstr(halyard_last_error(), "a string is NULL"));
  CHECK(halyard_instance_call(instance, "main", NULL, 1) == -1 &&
        strstr(halyard_last_error(), "the inputs must not be NULL: there are 1"));
  halyard_tensor_t wrong[] = {
      {HALYARD_F32, 1, NULL, data}, {HALYARD_F32, 1, shape, NULL}, {HALYARD_F32, ~(size_t)0, shape, data}};
  CHECK(halyard_instance_call(instance, "main", &wrong[0], 1) == -1 &&
        strstr(halyard_last_error(), "input 0: its shape must not be NULL: there are 1"));
  CHECK(halyard_instance_call(instance, "main", &wrong[1], 1) == -1 &&
        strstr(halyard_last_error(), "input 0: its data must not be NULL: there are 16"));
  CHECK(halyard_instance_call(instance, "main", &wrong[2], 1) == -1 &&
        strstr(halyard_last_error(), "input 0: its shape cannot be"));
  CHECK(halyard_instance_output(instance, 0, NULL) == -1);
  CHECK(halyard_instance_output(NULL, 0, &y) == -1 && halyard_instance_output_count(NULL) == 0);
  CHECK(halyard_instance_create(NULL, 1) == NULL && halyard_program_load(NULL) == NULL);
  CHECK(halyard_program_load_with_plugins(argv[1], NULL, 1) == NULL &&
        strstr(halyard_last_error(), "the plugins must not be NULL"));
  CHECK(halyard_loader_load(NULL, argv[1]) == NULL && halyard_loader_add_plugin(NULL, argv[1]) == -1);
  CHECK(halyard_report_crashes(-1) == -1);
  halyard_program_free(NULL);
  halyard_instance_free(NULL);
  CHECK(halyard_instance_call(instance, "main", &x, 1) == 0);
  halyard_instance_free(instance);
  program = halyard_program_load(argv[1]);
  CHECK(halyard_program_input(program, 0, 0, NULL) == -1 &&
        strstr(halyard_last_error(), "the spec to be filled in is NULL"));
  CHECK(halyard_program_input(NULL, 0, 0, &spec) == -1);
  halyard_program_free(program);
  puts("all is well");
  return 0;
}
