// A layer of Vulkan that lets a call of the driver fail: FAILING="submit 2" is the second vkQueueSubmit of a process, which
// loses the device; FAILING="allocate 1" the first vkAllocateMemory, for which there is no memory.
// The declarations are those of the loader's vk_layer.h, as far as they are needed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))
typedef void (*function_t)(void);
typedef function_t (*get_t)(void *, const char *);

typedef struct link_t {
  struct link_t *next;
  get_t next_instance_proc;
  get_t next_device_proc;
} link_t;

typedef struct chain_t {
  int type;
  struct chain_t *next;
  int function;
  link_t *link;
} chain_t;

typedef struct {
  int type;
  void *next;
  uint32_t version;
  get_t instance_proc, device_proc, physical_device_proc;
} negotiate_t;

static get_t next_instance_proc, next_device_proc;
static void *the_instance, *the_device;

static int fails(const char *call) {
  static int calls[2];
  const char *wanted = getenv("FAILING");
  char name[16];
  int number;
  if (!wanted || sscanf(wanted, "%15s %d", name, &number) != 2 || strcmp(name, call)) return 0;
  return ++calls[call[0] == 's'] >= number;
}

static link_t *take_link(const void *info, int type) {
  for (chain_t *c = *(chain_t **)((char *)info + 8); c; c = c->next)
    if (c->type == type && c->function == 0) {
      link_t *link = c->link;
      c->link = link->next;
      return link;
    }
  return 0;
}

static int submit(void *queue, uint32_t count, const void *submits, uint64_t fence) {
  if (fails("submit")) return -4; // VK_ERROR_DEVICE_LOST
  return ((int (*)(void *, uint32_t, const void *, uint64_t))next_device_proc(the_device, "vkQueueSubmit"))(
      queue, count, submits, fence);
}

static int allocate(void *device, const void *info, const void *allocator, uint64_t *memory) {
  if (fails("allocate")) return -2; // VK_ERROR_OUT_OF_DEVICE_MEMORY
  return ((int (*)(void *, const void *, const void *, uint64_t *))next_device_proc(device, "vkAllocateMemory"))(
      device, info, allocator, memory);
}

static int create_instance(const void *info, const void *allocator, void **instance) {
  link_t *link = take_link(info, 47); // VK_STRUCTURE_TYPE_LOADER_INSTANCE_CREATE_INFO
  if (!link) return -3;
  next_instance_proc = link->next_instance_proc;
  int result = ((int (*)(const void *, const void *, void **))next_instance_proc(0, "vkCreateInstance"))(
      info, allocator, instance);
  the_instance = *instance;
  return result;
}

static int create_device(void *physical, const void *info, const void *allocator, void **device) {
  link_t *link = take_link(info, 48); // VK_STRUCTURE_TYPE_LOADER_DEVICE_CREATE_INFO
  if (!link) return -3;
  next_device_proc = link->next_device_proc;
  function_t create = link->next_instance_proc(the_instance, "vkCreateDevice");
  int result = ((int (*)(void *, const void *, const void *, void **))create)(physical, info, allocator, device);
  the_device = *device;
  return result;
}

static function_t device_proc(void *device, const char *name);

static function_t own(const char *name) {
  if (!strcmp(name, "vkCreateInstance")) return (function_t)create_instance;
  if (!strcmp(name, "vkCreateDevice")) return (function_t)create_device;
  if (!strcmp(name, "vkQueueSubmit")) return (function_t)submit;
  if (!strcmp(name, "vkAllocateMemory")) return (function_t)allocate;
  if (!strcmp(name, "vkGetDeviceProcAddr")) return (function_t)device_proc;
  return 0;
}

static function_t device_proc(void *device, const char *name) {
  function_t found = own(name);
  return found ? found : next_device_proc(device, name);
}

static function_t instance_proc(void *instance, const char *name) {
  if (!strcmp(name, "vkGetInstanceProcAddr")) return (function_t)instance_proc;
  function_t found = own(name);
  return found ? found : next_instance_proc(instance, name);
}

EXPORT int vkNegotiateLoaderLayerInterfaceVersion(negotiate_t *n) {
  n->version = 2;
  n->instance_proc = instance_proc;
  n->device_proc = device_proc;
  n->physical_device_proc = 0;
  return 0;
}
