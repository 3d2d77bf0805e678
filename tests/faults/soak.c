// Threads that use the C library for some seconds, as a service does: soak SECONDS THREADS PROGRAM STATE-PROGRAM.
//
// Each loads and frees programs, makes and frees instances, calls them with sizes of its own, keeps sessions, and makes mistakes that must
// be refused with a reason. Prints what was done, and the resident memory at a quarter of the time and at the end, in KiB.
#include <halyard/halyard.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "process.h"

static double until;
static const char *plain, *stateful;
static halyard_program_t *shared_program;
static _Atomic long calls, programs, instances, sessions, refused, wrong;

static void is_right(int good, const char *what) {
  if (good) return;
  if (atomic_fetch_add(&wrong, 1) < 10) fprintf(stderr, "soak: %s: %s\n", what, halyard_last_error());
}

// `failed` must be so, with a reason and a code.
static void is_refused(int failed, const char *what) {
  is_right(failed && halyard_last_error() && *halyard_last_error(), what);
  atomic_fetch_add(&refused, 1);
}

// y = 2 x + 1 for any number of rows; x is a little off a multiple of 64 in every second call.
static void call(halyard_instance_t *instance, unsigned *seed) {
  int64_t rows = 1 + next(seed) / 65536 % 200, shape[] = {rows, 16};
  size_t count = (size_t)rows * 16, off = next(seed) & 65536 ? 4 : 0;
  char *memory = aligned_alloc(64, (count * 4 + 64 + 63) / 64 * 64);
  float *x = (float *)(memory + off);
  for (size_t i = 0; i < count; ++i) x[i] = (float)(i % 37);
  halyard_tensor_t in = {HALYARD_F32, 2, shape, x}, out;
  if (next(seed) & 65536) {
    is_right(!halyard_instance_call(instance, "main", &in, 1) && !halyard_instance_output(instance, 0, &out),
             "a call fails");
    int same = out.rank == 2 && out.shape[0] == rows;
    for (size_t i = 0; same && i < count; ++i) same = ((const float *)out.data)[i] == 2 * x[i] + 1;
    is_right(same, "a result is wrong");
  } else {
    float *y = aligned_alloc(64, (count * 4 + 63) / 64 * 64);
    halyard_buffer_t into = {HALYARD_F32, y, count * 4};
    is_right(!halyard_instance_call_into(instance, "main", &in, 1, &into, 1), "a call into memory fails");
    for (size_t i = 0; i < count; ++i)
      if (y[i] != 2 * x[i] + 1) {
        is_right(0, "a result in memory of ours is wrong");
        break;
      }
    free(y);
  }
  free(memory);
  atomic_fetch_add(&calls, 1);
}

static void mistakes(halyard_program_t *program, halyard_instance_t *instance) {
  int64_t shape[] = {2, 15}, negative[] = {-1, 16}, huge[] = {INT64_MAX / 32, 16};
  float x[32] = {0};
  char small[4];
  halyard_tensor_t t = {HALYARD_F32, 2, shape, x};
  is_refused(halyard_instance_call(instance, "main", &t, 1) == -1, "a wrong size passes");
  is_refused(halyard_instance_call(instance, "none", &t, 1) == -1, "a wrong name passes");
  is_refused(halyard_instance_call(instance, "main", &t, 0) == -1, "too few inputs pass");
  t.shape = negative;
  is_refused(halyard_instance_call(instance, "main", &t, 1) == -1, "a negative size passes");
  t.shape = huge;
  is_refused(halyard_instance_call(instance, "main", &t, 1) == -1, "a size beyond memory passes");
  shape[1] = 16, t.shape = shape, t.dtype = HALYARD_I32;
  is_refused(halyard_instance_call(instance, "main", &t, 1) == -1, "a wrong type passes");
  t.dtype = (halyard_dtype_t)77;
  is_refused(halyard_instance_call(instance, "main", &t, 1) == -1, "a type that there is not passes");
  t.dtype = HALYARD_F32, t.data = NULL;
  is_refused(halyard_instance_call(instance, "main", &t, 1) == -1, "a tensor without data passes");
  t.data = x;
  halyard_buffer_t into = {HALYARD_F32, small, sizeof small};
  is_refused(halyard_instance_call_into(instance, "main", &t, 1, &into, 1) == -1, "a small buffer passes");
  is_refused(!halyard_program_load("/nowhere/at/all.so"), "a missing program loads");
  is_refused(!halyard_program_load("/proc/self/exe"), "another file loads");
  halyard_spec_t spec;
  is_refused(halyard_program_input(program, 0, 99, &spec) == -1, "input 99 is there");
  halyard_loader_t *loader = halyard_loader_create();
  is_refused(halyard_loader_set_device(loader, "abacus") == -1, "device `abacus` is there");
  halyard_loader_free(loader);
}

static void session(unsigned *seed) {
  halyard_program_t *program = halyard_program_load(stateful);
  is_right(!!program, "the program with a state does not load");
  if (!program) return;
  halyard_instance_t *instance = halyard_instance_create(program, 1 + next(seed) / 65536 % 2);
  halyard_program_free(program); // its instances stay usable
  int64_t shape[] = {2};
  float one[] = {1, 2}, saved[2];
  halyard_tensor_t x = {HALYARD_F32, 1, shape, one}, state;
  int turns = 1 + (int)(next(seed) / 65536 % 9);
  for (int i = 0; i < turns; ++i) is_right(!halyard_instance_call(instance, "main", &x, 1), "a session fails");
  is_right(!halyard_instance_state(instance, "sum", &state), "there is no state");
  memcpy(saved, state.data, sizeof saved);
  is_right(saved[0] == (float)turns && saved[1] == (float)turns * 2, "a state is wrong");
  is_right(!halyard_instance_reset_state(instance, NULL), "a state cannot be reset");
  halyard_tensor_t again = {HALYARD_F32, 1, shape, saved};
  is_right(!halyard_instance_set_state(instance, "sum", &again), "a state cannot be set");
  is_right(!halyard_instance_call(instance, "main", &x, 1) && !halyard_instance_state(instance, "sum", &state) &&
               ((const float *)state.data)[0] == (float)turns + 1,
           "a session does not go on");
  is_refused(halyard_instance_state(instance, "none", &state) == -1, "state `none` is there");
  halyard_instance_free(instance);
  atomic_fetch_add(&sessions, 1);
}

static void *work(void *number) {
  unsigned seed = 12345u + (unsigned)(size_t)number;
  while (now() < until) {
    halyard_program_t *own = next(&seed) & 65536 ? halyard_program_load(plain) : NULL,
                      *program = own ? own : shared_program;
    halyard_instance_t *instance = halyard_instance_create(program, next(&seed) / 65536 % 4);
    is_right(!!instance, "no instance");
    if (!instance) return NULL;
    for (int i = 0; i < 20; ++i) call(instance, &seed);
    mistakes(program, instance);
    call(instance, &seed);
    if (own) halyard_program_free(own), atomic_fetch_add(&programs, 1);
    call(instance, &seed);
    halyard_instance_free(instance);
    atomic_fetch_add(&instances, 1);
    session(&seed);
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 5) return fprintf(stderr, "soak SECONDS THREADS PROGRAM STATE-PROGRAM\n"), 2;
  double seconds = atof(argv[1]), start = now();
  size_t count = (size_t)atol(argv[2]);
  plain = argv[3], stateful = argv[4], until = start + seconds;
  shared_program = halyard_program_load(plain);
  if (!shared_program) return fprintf(stderr, "soak: %s\n", halyard_last_error()), 3;
  pthread_t *threads = calloc(count, sizeof *threads);
  for (size_t i = 0; i < count; ++i)
    if (pthread_create(&threads[i], NULL, work, (void *)i)) abort();
  struct timespec quarter = {(time_t)(seconds / 4), (long)(fmod(seconds / 4, 1) * 1e9)};
  nanosleep(&quarter, NULL);
  long early = resident();
  for (size_t i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  long late = resident();
  free(threads);
  halyard_program_free(shared_program);
  printf("%ld calls, %ld instances, %ld programs, %ld sessions, %ld mistakes refused, %ld wrong; memory %ld KiB, %ld "
         "KiB at the end\n",
         calls, instances, programs, sessions, refused, wrong, early, late);
  return wrong ? 1 : 0;
}
