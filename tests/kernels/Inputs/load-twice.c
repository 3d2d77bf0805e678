#include <halyard/halyard.h>
#include <stdio.h>

/* Loads a program with one plugin, and again with another. */
int main(int argc, char **argv) {
  halyard_program_t *first = halyard_program_load_with_plugins(argv[1], (const char *const *)argv + 2, 1);
  halyard_program_t *second = halyard_program_load_with_plugins(argv[1], (const char *const *)argv + 3, 1);
  printf("%s\n", first && !second ? halyard_last_error() : "loaded");
  halyard_program_free(first);
  second = halyard_program_load_with_plugins(argv[1], (const char *const *)argv + 3, 1);
  printf("then %s\n", second ? "loaded" : halyard_last_error());
  return argc != 4;
}
