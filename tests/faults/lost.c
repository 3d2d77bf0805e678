// Threads that use a GPU through the C library while it is lost again and again: lost SECONDS THREADS PROGRAM.
//
// Each thread loads the program for Vulkan and calls it with sizes of its own. A lost device must be an error that says so, all later
// calls of the instance, too; freeing everything and loading the program again finds the device. tests/devices/Inputs/failing.c loses it.
// Prints what was done, and the resident memory at a quarter of the time and at the end, in KiB.
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
static const char *path;
static _Atomic long calls, losses, found, wrong;

static int is_lost(void) { return strcmp(halyard_last_error_code(), "device-lost") == 0; }

static void is_right(int good, const char *what) {
  if (good) return;
  if (atomic_fetch_add(&wrong, 1) < 10) fprintf(stderr, "lost: %s: %s\n", what, halyard_last_error());
}

// y = 2 x + 1 for any number of rows; returns whether the device is lost.
static int call(halyard_instance_t *instance, unsigned *seed) {
  int64_t rows = 1 + next(seed) / 65536 % 200, shape[] = {rows, 16};
  size_t count = (size_t)rows * 16;
  float *x = malloc(count * 4);
  for (size_t i = 0; i < count; ++i) x[i] = (float)(i % 37);
  halyard_tensor_t in = {HALYARD_F32, 2, shape, x}, out;
  int gone = 0;
  if (halyard_instance_call(instance, "main", &in, 1)) {
    gone = is_lost();
    is_right(gone, "a call fails for another reason");
  } else {
    int same = !halyard_instance_output(instance, 0, &out) && out.rank == 2 && out.shape[0] == rows;
    for (size_t i = 0; same && i < count; ++i) same = ((const float *)out.data)[i] == 2 * x[i] + 1;
    is_right(same, "a result is wrong");
    atomic_fetch_add(&calls, 1);
  }
  free(x);
  return gone;
}

static void *work(void *number) {
  unsigned seed = 54321u + (unsigned)(size_t)number;
  int was_lost = 0;
  while (now() < until) {
    halyard_loader_t *loader = halyard_loader_create();
    is_right(!halyard_loader_set_device(loader, "vulkan"), "there is no device `vulkan`");
    halyard_program_t *program = halyard_loader_load(loader, path);
    halyard_loader_free(loader);
    if (!program) {
      // Loading may submit, and lose the device.
      is_right(is_lost(), "the program does not load");
      continue;
    }
    halyard_instance_t *first = halyard_instance_create(program, 1), *second = halyard_instance_create(program, 1);
    if (!first || !second) {
      is_right(is_lost(), "no instance");
    } else {
      int gone = 0;
      for (int i = 0; i < 40 && !gone; ++i) {
        gone = call(next(&seed) & 65536 ? first : second, &seed);
        if (!gone && was_lost) was_lost = 0, atomic_fetch_add(&found, 1);
      }
      if (gone) {
        atomic_fetch_add(&losses, 1);
        was_lost = 1;
        // One device for all instances of a program: it stays lost.
        is_right(call(first, &seed) && call(second, &seed), "a lost device works");
      }
    }
    halyard_instance_free(first);
    if (next(&seed) & 65536) {
      halyard_program_free(program);
      halyard_instance_free(second);
    } else {
      halyard_instance_free(second);
      halyard_program_free(program);
    }
  }
  return NULL;
}

int main(int argc, char **argv) {
  if (argc != 4) return fprintf(stderr, "lost SECONDS THREADS PROGRAM\n"), 2;
  double seconds = atof(argv[1]);
  size_t count = (size_t)atol(argv[2]);
  path = argv[3], until = now() + seconds;
  pthread_t *threads = calloc(count, sizeof *threads);
  for (size_t i = 0; i < count; ++i)
    if (pthread_create(&threads[i], NULL, work, (void *)i)) abort();
  struct timespec quarter = {(time_t)(seconds / 4), (long)(fmod(seconds / 4, 1) * 1e9)};
  nanosleep(&quarter, NULL);
  long early = resident();
  for (size_t i = 0; i < count; ++i) pthread_join(threads[i], NULL);
  long late = resident();
  free(threads);
  printf("%ld calls, %ld devices lost, %ld found again, %ld wrong; memory %ld KiB, %ld KiB at the end\n", calls, losses,
         found, wrong, early, late);
  return wrong || !losses || !found ? 1 : 0;
}
