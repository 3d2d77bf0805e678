/* Calls a program whose kernel crashes, with crashes reported on standard output; with a second argument there is a handler of
 * the application, too. */
#include <halyard/halyard.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void mine(int signal) {
  (void)signal;
  write(1, "mine\n", 5);
  _exit(7);
}

int main(int argc, char **argv) {
  if (argc > 2) signal(SIGSEGV, mine);
  if (halyard_report_crashes(1) != 0) return 1;
  halyard_program_t *program = halyard_program_load(argv[1]);
  halyard_instance_t *instance = halyard_instance_create(program, 1);
  float data[4] = {1, 2, 3, 4};
  int64_t shape[] = {4};
  halyard_tensor_t x = {HALYARD_F32, 1, shape, data};
  if (halyard_instance_call(instance, "main", &x, 1) == 0) return 2;
  return 3;
}
