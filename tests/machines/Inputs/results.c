/* Calls each function of a program twice, on made-up numbers, and prints the results: `results PROGRAM`. Dynamic sizes are 5. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <stdlib.h>

static int failed(void) {
  fprintf(stderr, "%s [%s]\n", halyard_last_error(), halyard_last_error_code());
  return 1;
}

/* Other numbers for each input: multiples of a quarter, so that sums of their products are exact. */
static void *fill(size_t input, halyard_dtype_t dtype, int64_t count) {
  void *data = malloc(8 * count);
  for (int64_t i = 0; i < count; ++i) {
    if (dtype == HALYARD_F32)
      ((float *)data)[i] = (float)((i * 7 + 3 + 5 * (int64_t)input) % 13 - 6) / 4;
    else
      ((int64_t *)data)[i] = i % 5;
  }
  return data;
}

static int call(const halyard_program_t *program, halyard_instance_t *instance, size_t function) {
  halyard_tensor_t inputs[16];
  int64_t shapes[16][8];
  const char *name = halyard_program_function_name(program, function);
  size_t count = halyard_program_input_count(program, function);
  for (size_t i = 0; i < count; ++i) {
    halyard_spec_t spec;
    if (halyard_program_input(program, function, i, &spec)) return failed();
    int64_t elements = 1;
    for (size_t d = 0; d < spec.rank; ++d) elements *= shapes[i][d] = spec.shape[d] < 0 ? 5 : spec.shape[d];
    inputs[i] = (halyard_tensor_t){spec.dtype, spec.rank, shapes[i], fill(i, spec.dtype, elements)};
  }
  if (halyard_instance_call(instance, name, inputs, count)) return failed();
  printf("%s", name);
  for (size_t i = 0; i < halyard_instance_output_count(instance); ++i) {
    halyard_tensor_t output;
    if (halyard_instance_output(instance, i, &output)) return failed();
    int64_t elements = 1;
    for (size_t d = 0; d < output.rank; ++d) elements *= output.shape[d];
    for (int64_t k = 0; k < elements; ++k)
      printf(" %.3f",
             (output.dtype == HALYARD_F32 ? ((const float *)output.data)[k] : ((const int64_t *)output.data)[k]) + 0.0);
  }
  printf("\n");
  for (size_t i = 0; i < count; ++i) free((void *)inputs[i].data);
  return 0;
}

int main(int argc, char **argv) {
  halyard_program_t *program = argc > 1 ? halyard_program_load(argv[1]) : NULL;
  halyard_instance_t *instance = program ? halyard_instance_create(program, 2) : NULL;
  if (!instance) return failed();
  for (size_t f = 0; f < halyard_program_function_count(program); ++f)
    for (int turn = 0; turn < 2; ++turn)
      if (call(program, instance, f)) return 1;
  halyard_instance_free(instance);
  halyard_program_free(program);
  return 0;
}
