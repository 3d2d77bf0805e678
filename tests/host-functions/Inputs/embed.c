/* An application that provides a host function itself: by its address, or as a module. */
#include <halyard/halyard.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

static halyard_instance_t *caller, *freed;

/* Multiplies by what the state says. On request it calls the program that calls it, which must not be. */
static int scale(hal_call_t *call, void *state) {
  const hal_tensor_t *x = &call->inputs[0];
  float *out = hal_allocate(call, 0, x->rank, x->shape);
  if (!out) return 1;
  if (freed) { /* is freed when the call ends */
    halyard_instance_free(freed);
    freed = NULL;
  }
  if (caller) {
    halyard_instance_call(caller, "main", NULL, 0);
    return hal_fail(call, "%s", halyard_last_error());
  }
  for (int64_t i = 0; i < x->shape[0]; ++i) out[i] = ((const float *)x->data)[i] * *(const float *)state;
  return 0;
}

static float three = 3;
static int start(void **state, char *why, size_t size) {
  (void)why, (void)size;
  *state = &three;
  return 0;
}
static const hal_function_entry_t functions[] = {{"scale", "(tensor<*xf32>) -> tensor<*xf32>", scale}};
static const hal_module_t module = {HAL_MODULE_ABI, 1, "app", 1, functions, start, NULL};

static int fail(void) {
  printf("%s\n", halyard_last_error());
  return 1;
}

static int call(halyard_instance_t *instance) {
  float data[] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  halyard_tensor_t x = {HALYARD_F32, 1, shape, data}, y;
  if (halyard_instance_call(instance, "main", &x, 1) != 0) return fail();
  halyard_instance_output(instance, 0, &y);
  const float *out = y.data;
  printf("%g %g %g %g\n", out[0], out[1], out[2], out[3]);
  return 0;
}

static void *run(void *program) {
  halyard_instance_t *instance = halyard_instance_create(program, 1);
  float data[] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  halyard_tensor_t x = {HALYARD_F32, 1, shape, data}, y;
  uintptr_t wrong = 0;
  for (int i = 0; i < 200; ++i) {
    wrong += halyard_instance_call(instance, "main", &x, 1) != 0;
    halyard_instance_output(instance, 0, &y);
    wrong += ((const float *)y.data)[3] != 8 * three;
  }
  halyard_instance_free(instance);
  return (void *)wrong;
}

int main(int argc, char **argv) {
  const char *how = argv[2];
  float two = 2;
  (void)argc;
  halyard_loader_t *loader = halyard_loader_create();
  if (!strcmp(how, "module") || !strcmp(how, "threads")) {
    if (halyard_loader_add_module(loader, &module) != 0) return fail();
  } else if (!strcmp(how, "library")) {
    if (halyard_loader_add_library(loader, argv[3]) != 0) return fail();
  } else if (strcmp(how, "nothing")) {
    const char *name = !strcmp(how, "name") ? "scale" : "app.scale";
    const char *signature =
        !strcmp(how, "signature") ? "(tensor<4xf64>) -> tensor<4xf32>" : "(tensor<?xf32>) -> tensor<?xf32>";
    if (halyard_loader_add_function(loader, name, signature, !strcmp(how, "null") ? NULL : scale, &two) != 0)
      return fail();
    if (!strcmp(how, "twice") && halyard_loader_add_function(loader, name, signature, scale, &two) != 0) return fail();
  }
  halyard_program_t *program = halyard_loader_load(loader, argv[1]);
  halyard_loader_free(loader);
  if (!program) return fail();
  int status = 0;
  if (!strcmp(how, "threads")) {
    pthread_t threads[4];
    for (int i = 0; i < 4; ++i) pthread_create(&threads[i], NULL, run, program);
    for (int i = 0; i < 4; ++i) {
      void *wrong;
      pthread_join(threads[i], &wrong);
      status |= wrong != NULL;
    }
    printf("%s\n", status ? "wrong" : "800 calls");
  } else {
    halyard_instance_t *instance = halyard_instance_create(program, 1);
    halyard_program_free(program);
    program = NULL;
    if (!strcmp(how, "reenter")) caller = instance;
    if (!strcmp(how, "free")) {
      float data[] = {1, 2, 3, 4};
      int64_t shape[] = {4};
      halyard_tensor_t x = {HALYARD_F32, 1, shape, data};
      freed = instance;
      status = halyard_instance_call(instance, "main", &x, 1);
      printf("freed %d\n", status);
      return status;
    }
    status = call(instance);
    if (caller) { /* the instance is usable after that */
      caller = NULL;
      status = call(instance);
    }
    halyard_instance_free(instance);
  }
  halyard_program_free(program);
  return status;
}
