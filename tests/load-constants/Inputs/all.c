#include <halyard/kernel.h>

/* Writes out what it is told of the device. */
void k(int64_t *out, int64_t threads, int64_t cores, int64_t vector, int64_t line, int64_t l1, int64_t l2, int64_t l3,
       int64_t page, int64_t workgroup, int64_t subgroup, int64_t shared, int64_t memory, const hal_workgroup_t *wg) {
  int64_t all[] = {threads, cores, vector, line, l1, l2, l3, page, workgroup, subgroup, shared, memory};
  if (wg->id[0]) return;
  for (int i = 0; i < 12; ++i) out[i] = all[i];
}
HAL_LOAD_CONSTANTS(k, "device.threads,device.cores,device.vector_bytes,device.cache_line_bytes,device.l1_bytes,"
                      "device.l2_bytes,device.l3_bytes,device.page_bytes,device.workgroup_threads,"
                      "device.subgroup_threads,device.shared_bytes,device.memory_bytes")
