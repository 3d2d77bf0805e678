/* A session: calls, what the state holds, another one in between, back to the start. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                     \
  if (!(condition)) {                                                        \
    printf("line %d: %s: %s\n", __LINE__, #condition, halyard_last_error()); \
    return 1;                                                                \
  }

static float element(halyard_instance_t *instance) {
  halyard_tensor_t tensor;
  if (halyard_instance_state(instance, "sum", &tensor) != 0 || tensor.dtype != HALYARD_F32 || tensor.rank != 1)
    return -1;
  return ((const float *)tensor.data)[tensor.shape[0] - 1];
}

int main(int argc, char **argv) {
  halyard_program_t *program = halyard_program_load(argv[argc - 1]);
  CHECK(program);
  halyard_spec_t spec;
  CHECK(halyard_program_state_count(program) == 1 && halyard_program_state(program, 0, &spec) == 0);
  CHECK(strcmp(spec.name, "sum") == 0 && spec.dtype == HALYARD_F32 && spec.rank == 1 && spec.shape[0] == 2);
  CHECK(halyard_program_state(program, 1, &spec) == -1 && halyard_program_state(program, 0, NULL) == -1);

  halyard_instance_t *one = halyard_instance_create(program, 1), *two = halyard_instance_create(program, 1);
  int64_t shape[] = {2}, wrong[] = {3};
  float ones[] = {1, 1, 1}, saved[2];
  halyard_tensor_t x = {HALYARD_F32, 1, shape, ones}, unfit = {HALYARD_F32, 1, wrong, ones}, tensor;
  for (int i = 0; i < 3; ++i) CHECK(halyard_instance_call(one, "main", &x, 1) == 0);
  CHECK(halyard_instance_call(two, "main", &x, 1) == 0);
  CHECK(element(one) == 3 && element(two) == 1);

  CHECK(halyard_instance_state(one, "sum", &tensor) == 0);
  memcpy(saved, tensor.data, sizeof saved);
  CHECK(halyard_instance_reset_state(one, NULL) == 0 && element(one) == 0);
  halyard_tensor_t before = {HALYARD_F32, 1, shape, saved};
  CHECK(halyard_instance_set_state(two, "sum", &before) == 0 && element(two) == 3);
  CHECK(halyard_instance_reset_state(two, "sum") == 0 && element(two) == 0);

  CHECK(halyard_instance_state(one, "none", &tensor) == -1 &&
        strstr(halyard_last_error(), "no state `none`; hint: it has `sum`"));
  CHECK(halyard_instance_set_state(one, "sum", &unfit) == -1 &&
        strstr(halyard_last_error(), "expected `2xf32`, got `3xf32`"));
  CHECK(halyard_instance_set_state(one, "sum", NULL) == -1 && halyard_instance_set_state(NULL, "sum", &x) == -1);
  CHECK(halyard_instance_state(one, NULL, &tensor) == -1 && halyard_instance_state(one, "sum", NULL) == -1);
  CHECK(halyard_instance_reset_state(NULL, NULL) == -1 && halyard_instance_reset_state(one, "none") == -1);
  halyard_instance_free(one);
  halyard_instance_free(two);
  halyard_program_free(program);
  puts("all is well");
  return 0;
}
