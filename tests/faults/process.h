// What programs that run for long say of themselves.
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

// Seconds since some moment.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

// The resident memory in KiB.
static long resident(void) {
  long pages = 0, other;
  FILE *f = fopen("/proc/self/statm", "r");
  if (!f || fscanf(f, "%ld %ld", &other, &pages) != 2) abort();
  fclose(f);
  return pages * 4;
}

// The next of some pseudo-random numbers.
static unsigned next(unsigned *seed) { return *seed = *seed * 1664525u + 1013904223u; }
