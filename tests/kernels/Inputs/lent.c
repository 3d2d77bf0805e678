#include <halyard/kernel.h>
#include <stdlib.h>
#include <string.h>

/* Whether the memory was lent, and how many of the workgroups found what an earlier one had left there. */
void lent(int64_t *out, const hal_workgroup_t *wg) {
  enum { bytes = 48 << 20 };
  hal_scratch_t *scratch = wg->scratch;
  if (wg->id[0] == 0) out[0] = out[1] = 0;
  int own = scratch->bytes < bytes;
  if (own && scratch->wanted < bytes) scratch->wanted = bytes;
  char *memory = own ? malloc(bytes) : scratch->data;
  if (!own && scratch->held == 5) {
    out[1] += strcmp(memory + bytes - 8, "there") == 0;
  } else {
    strcpy(memory + bytes - 8, "there");
    if (!own) scratch->held = 5;
  }
  out[0] = !own;
  if (own) free(memory);
}
