/* Runs a program whose `main` returns its input, a tensor<3xf32>, on Vulkan. */
#include <halyard/halyard.h>
#include <stdio.h>
#include <string.h>

#define CHECK(condition)                                                              \
  if (!(condition)) {                                                                 \
    fprintf(stderr, "line %d: %s\n%s\n", __LINE__, #condition, halyard_last_error()); \
    return 1;                                                                         \
  }

static void hear(void *count, const char *message) {
  ++*(int *)count;
  fprintf(stderr, "%s\n", message);
}

int main(int argc, char **argv) {
  int heard = 0;
  CHECK(argc == 2);
  halyard_loader_t *loader = halyard_loader_create();
  CHECK(halyard_loader_set_device(loader, "vulcan") == -1);
  CHECK(strstr(halyard_last_error(), "did you mean `vulkan`?") != NULL);
  CHECK(halyard_loader_set_device(loader, "vulkan:99") == 0);
  CHECK(halyard_loader_load(loader, argv[1]) == NULL);
  CHECK(strstr(halyard_last_error(), "there is no device `vulkan:99`") != NULL);
  CHECK(halyard_loader_set_device(loader, "vulkan") == 0);
  CHECK(halyard_loader_set_fallback(loader, 1) == 0);
  CHECK(halyard_loader_set_device_log(loader, hear, &heard) == 0);
  halyard_program_t *program = halyard_loader_load(loader, argv[1]);
  CHECK(program != NULL);
  halyard_instance_t *instance = halyard_instance_create(program, 1);
  CHECK(instance != NULL);
  halyard_loader_free(loader);
  halyard_program_free(program);
  int64_t shape[] = {3};
  float data[] = {1, 2, 3};
  halyard_tensor_t x = {HALYARD_F32, 1, shape, data}, y;
  for (int i = 0; i < 3; ++i) {
    data[0] = (float)i;
    CHECK(halyard_instance_call(instance, "main", &x, 1) == 0);
    CHECK(halyard_instance_output(instance, 0, &y) == 0);
    CHECK(memcmp(y.data, data, sizeof data) == 0);
  }
  halyard_instance_free(instance);
  CHECK(heard == 0);
  puts("all is well");
  return 0;
}
