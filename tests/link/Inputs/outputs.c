/* Calls with outputs in memory of the caller: `main` returns x reversed, y + y of any size, and x. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                              \
  if (!(condition)) {                                                                 \
    fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #condition, halyard_last_error()); \
    return 1;                                                                         \
  }
#define REFUSED(call, text) \
  CHECK((call) == -1 && strstr(halyard_last_error(), text) && !strcmp(halyard_last_error_code(), "wrong-output"))

static halyard_instance_t *instance;
static _Alignas(64) float x[16], y[16];
static int64_t sixteen[] = {16}, any[] = {5};
static halyard_tensor_t inputs[2];

static int call(halyard_buffer_t a, halyard_buffer_t b, halyard_buffer_t c) {
  halyard_buffer_t outputs[] = {a, b, c};
  return halyard_instance_call_into(instance, "main", inputs, 2, outputs, 3);
}

static halyard_buffer_t to(float *data, size_t count) {
  halyard_buffer_t buffer = {HALYARD_F32, data, count * sizeof(float)};
  return buffer;
}

static int reversed(const float *found) {
  for (int i = 0; i < 16; ++i)
    if (found[i] != (float)(15 - i)) return 0;
  return 1;
}

static int doubled(const float *found) {
  for (int i = 0; i < 5; ++i)
    if (found[i] != (float)(2 * i)) return 0;
  return 1;
}

int main(int argc, char **argv) {
  CHECK(argc == 2);
  halyard_program_t *program = halyard_program_load(argv[1]);
  CHECK(program && (instance = halyard_instance_create(program, 1)));
  for (int i = 0; i < 16; ++i) x[i] = y[i] = (float)i;
  inputs[0] = (halyard_tensor_t){HALYARD_F32, 1, sixteen, x};
  inputs[1] = (halyard_tensor_t){HALYARD_F32, 1, any, y};
  const halyard_buffer_t own = {HALYARD_F32, NULL, 0};

  /* Aligned memory is written where it is, and nothing around it; the same for all other positions. */
  static _Alignas(64) float memory[3][64];
  for (int from = 0; from < 32; ++from) {
    for (int i = 0; i < 64; ++i) memory[0][i] = memory[1][i] = memory[2][i] = -1;
    CHECK(call(to(memory[0] + from, 16), to(memory[1] + from, 5), to(memory[2] + from, 16)) == 0);
    CHECK(reversed(memory[0] + from) && doubled(memory[1] + from) && !memcmp(memory[2] + from, x, sizeof x));
    for (int i = 0; i < 64; ++i) {
      CHECK((i >= from && i < from + 16) || (memory[0][i] == -1 && memory[2][i] == -1));
      CHECK((i >= from && i < from + 5) || memory[1][i] == -1);
    }
    halyard_tensor_t out;
    for (size_t i = 0; i < 3; ++i) {
      CHECK(halyard_instance_output(instance, i, &out) == 0 && out.data == memory[i] + from && out.rank == 1);
      CHECK(out.shape[0] == (i == 1 ? 5 : 16) && out.dtype == HALYARD_F32);
    }
  }

  /* More memory than needed; outputs that stay with the instance. */
  halyard_tensor_t out;
  CHECK(call(own, to(memory[1], 64), own) == 0 && doubled(memory[1]));
  CHECK(halyard_instance_output_count(instance) == 3);
  CHECK(halyard_instance_output(instance, 0, &out) == 0 && reversed(out.data) && out.data != memory[0]);
  CHECK(halyard_instance_output(instance, 1, &out) == 0 && out.data == memory[1] && out.shape[0] == 5);
  CHECK(halyard_instance_output(instance, 2, &out) == 0 && !memcmp(out.data, x, sizeof x));
  CHECK(halyard_instance_call(instance, "main", inputs, 2) == 0);
  CHECK(halyard_instance_output(instance, 1, &out) == 0 && doubled(out.data) && out.data != memory[1]);

  /* Memory of an input: the output is as if it were elsewhere. */
  float saved[16];
  memcpy(saved, x, sizeof x);
  CHECK(call(to(x, 16), own, own) == 0 && reversed(x));
  CHECK(halyard_instance_output(instance, 2, &out) == 0 && !memcmp(out.data, saved, sizeof x));
  memcpy(x, saved, sizeof x);
  inputs[0].data = memory[0];
  memcpy(memory[0], saved, sizeof x);
  CHECK(call(to(memory[0] + 3, 16), to(y, 5), own) == 0 && reversed(memory[0] + 3) && doubled(y));
  for (int i = 0; i < 16; ++i) y[i] = (float)i;
  inputs[0].data = x;
  CHECK(call(own, own, to(x, 16)) == 0 && !memcmp(x, saved, sizeof x));

  /* What does not fit is told before anything is written, but for sizes that only the call knows. */
  memory[0][0] = -2;
  REFUSED(call(to(memory[0], 15), own, own),
          "output 0 of function `main` (`16xf32`) takes 64 bytes, its memory has 60");
  REFUSED(call(to(memory[0], 16), to(memory[0] + 15, 5), own), "outputs 0 and 1 of function `main` overlap in memory");
  halyard_buffer_t doubles = {HALYARD_F64, memory[0], 256}, none = {HALYARD_F32, NULL, 4}, odd = {99, memory[0], 64};
  REFUSED(call(doubles, own, own), "output 0 of function `main` is `16xf32`, its memory is for elements `f64`");
  REFUSED(call(none, own, own), "output 0: its memory of 4 bytes is NULL");
  REFUSED(call(odd, own, own), "output 0: 99 is not an element type");
  halyard_buffer_t huge = {HALYARD_F32, memory[0], ~(size_t)0};
  REFUSED(call(huge, own, own), "output 0: its memory cannot have");
  REFUSED(halyard_instance_call_into(instance, "main", inputs, 2, &own, 1), "has 3 outputs, memory is given for 1");
  CHECK(memory[0][0] == -2 && halyard_instance_output_count(instance) == 0);
  REFUSED(call(own, to(memory[1], 4), own), "output 1 of function `main` (`5xf32`) takes 20 bytes, its memory has 16");
  CHECK(halyard_instance_call_into(instance, "main", inputs, 2, NULL, 3) == -1);
  CHECK(halyard_instance_call_into(instance, "other", inputs, 2, NULL, 0) == -1);
  CHECK(call(own, own, own) == 0 && halyard_instance_output_count(instance) == 3);

  /* Nothing at all fits anywhere. */
  any[0] = 0;
  CHECK(call(own, to(memory[1], 0), own) == 0 && halyard_instance_output(instance, 1, &out) == 0 && out.shape[0] == 0);
  halyard_instance_free(instance);
  halyard_program_free(program);
  puts("all is well");
  return 0;
}
