// A layer of Vulkan that lets a call of the driver fail: FAILING="submit 2" is the second vkQueueSubmit of a process, which
// loses the device; FAILING="allocate 1" the first vkAllocateMemory, for which there is no memory. FAILING="each 50" loses the
// device of each 50th submission, for good: what is made anew afterwards works, until the next 50th.
// The declarations are those of the loader's vk_layer.h, as far as they are needed.
#include <pthread.h>
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
// That of the device which the thread makes.
static _Thread_local void *the_instance;
// There may be many devices, of one driver.
static int (*next_submit)(void *, uint32_t, const void *, uint64_t);

static int fails(const char *call) {
  static int calls[2];
  const char *wanted = getenv("FAILING");
  char name[16];
  int number;
  if (!wanted || sscanf(wanted, "%15s %d", name, &number) != 2 || strcmp(name, call)) return 0;
  return ++calls[call[0] == 's'] >= number;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
// The queues of lost devices.
static void *lost[256];

// Whether a queue is one of a lost device, or becomes one.
static int loses(void *queue) {
  static unsigned count;
  const char *wanted = getenv("FAILING");
  unsigned each = 0;
  int is = 0;
  if (!wanted || sscanf(wanted, "each %u", &each) != 1 || !each) return 0;
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 256; ++i) is |= lost[i] == queue;
  // The oldest one is no longer used.
  if (!is && ++count % each == 0) lost[count / each % 256] = queue, is = 1;
  pthread_mutex_unlock(&lock);
  return is;
}

// The queue of a new device may have the address of one that is gone.
static void found(void *queue) {
  pthread_mutex_lock(&lock);
  for (int i = 0; i < 256; ++i)
    if (lost[i] == queue) lost[i] = 0;
  pthread_mutex_unlock(&lock);
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
  if (fails("submit") || loses(queue)) return -4; // VK_ERROR_DEVICE_LOST
  return next_submit(queue, count, submits, fence);
}

static void get_queue(void *device, uint32_t family, uint32_t index, void **queue) {
  ((void (*)(void *, uint32_t, uint32_t, void **))next_device_proc(device, "vkGetDeviceQueue"))(device, family, index,
                                                                                                queue);
  found(*queue);
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
  if (result == 0)
    next_submit = (int (*)(void *, uint32_t, const void *, uint64_t))next_device_proc(*device, "vkQueueSubmit");
  return result;
}

static function_t device_proc(void *device, const char *name);

static function_t own(const char *name) {
  if (!strcmp(name, "vkCreateInstance")) return (function_t)create_instance;
  if (!strcmp(name, "vkCreateDevice")) return (function_t)create_device;
  if (!strcmp(name, "vkQueueSubmit")) return (function_t)submit;
  if (!strcmp(name, "vkGetDeviceQueue")) return (function_t)get_queue;
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
