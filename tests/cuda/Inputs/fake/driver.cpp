// A fake libcuda.so.1: the entry points of the driver that Halyard uses, on memory of the host. See README.md.
#include "ptx.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <mutex>
#include <set>
#include <unistd.h>

namespace {

enum {
  SUCCESS = 0,
  INVALID_VALUE = 1,
  OUT_OF_MEMORY = 2,
  NOT_INITIALIZED = 3,
  NO_DEVICE = 100,
  INVALID_DEVICE = 101,
  NO_BINARY_FOR_GPU = 209,
  INVALID_PTX = 218,
  UNSUPPORTED_PTX_VERSION = 222,
  INVALID_HANDLE = 400,
  NOT_FOUND = 500,
  ILLEGAL_ADDRESS = 700,
  LAUNCH_OUT_OF_RESOURCES = 701,
  LAUNCH_FAILED = 719,
  STREAM_CAPTURE_INVALIDATED = 901
};

uint64_t setting(const char *name, uint64_t usual) {
  const char *text = getenv(name);
  return text && *text ? strtoull(text, nullptr, 0) : usual;
}

/// A program that uses the driver in a way that it must not.
[[noreturn]] void violation(const std::string &what) {
  fprintf(stderr, "fake CUDA driver: violation: %s\n", what.c_str());
  _exit(70);
}

void log(const std::string &line) {
  static FILE *file = getenv("FAKE_CUDA_LOG") ? fopen(getenv("FAKE_CUDA_LOG"), "a") : nullptr;
  if (file) fprintf(file, "%s\n", line.c_str()), fflush(file);
}

struct Heap : ptx::Memory {
  std::map<uint64_t, uint64_t> live;
  uint64_t used = 0, most = setting("FAKE_CUDA_MEMORY", 1ull << 32);

  bool holds(uint64_t address, uint64_t bytes) const override {
    auto it = live.upper_bound(address);
    if (it == live.begin()) return false;
    --it;
    return address + bytes <= it->first + it->second;
  }
  uint64_t allocate(uint64_t bytes) override {
    if (used + bytes > most) return 0;
    void *p = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!p) return 0;
    // NaNs: what was never written does not look like a result.
    memset(p, 0xff, bytes);
    live[(uint64_t)p] = bytes;
    used += bytes;
    return (uint64_t)p;
  }
  void release(uint64_t address) override {
    auto it = live.find(address);
    if (it == live.end()) violation("memory is freed that is not allocated");
    used -= it->second;
    // So that whoever still uses it sees no results.
    memset((void *)address, 0xff, it->second);
    free((void *)address);
    live.erase(it);
  }
};

struct LoadedModule {
  std::unique_ptr<ptx::Module> ptx;
  std::vector<uint64_t> memory;
};
struct Kernel {
  const ptx::Module *module;
  const ptx::Function *function;
  unsigned dynamic_most = 48 << 10;
};
struct Work {
  std::string name;
  std::function<int()> go;
};
struct Stream {
  std::vector<Work> queue;
  std::vector<Work> *capture = nullptr;
};
struct Event {
  bool recorded = false, happened = false;
  uint64_t time = 0;
};
using Graph = std::vector<Work>;

std::mutex lock;
Heap heap;
bool started = false;
int lost = 0; // the error that a kernel left behind
int retained = 0;
uint64_t instructions = 0;
std::set<void *> modules, kernels, streams, events, graphs;
std::map<std::pair<const ptx::Module *, std::string>, Kernel *> found;

/// `FAKE_CUDA_FAIL=FUNCTION:N:CODE`: the N-th call of the function fails.
int told_to_fail(const char *name) {
  static std::string function;
  static long left = -1, code = 0;
  static bool read = false;
  if (!read) {
    read = true;
    if (const char *text = getenv("FAKE_CUDA_FAIL")) {
      std::string t = text;
      size_t a = t.find(':'), b = t.rfind(':');
      function = t.substr(0, a);
      left = atol(t.c_str() + a + 1);
      code = atol(t.c_str() + b + 1);
    }
  }
  if (left > 0 && function == name && --left == 0) {
    if (code >= 700 && code < 720) lost = (int)code;
    return (int)code;
  }
  return lost;
}

#define ENTER(name)                                                \
  std::lock_guard<std::mutex> guard(lock);                         \
  log(#name);                                                      \
  if (!started && strcmp(#name, "cuInit")) return NOT_INITIALIZED; \
  if (int code = told_to_fail(#name)) return code

template <class T> T *known(std::set<void *> &set, void *handle, const char *what) {
  if (!set.count(handle)) violation(std::string("a ") + what + " is used that is not there, or not any more");
  return static_cast<T *>(handle);
}

/// Queues work, or records it.
int enqueue(void *handle, const std::string &name, std::function<int()> go) {
  Stream *s = known<Stream>(streams, handle, "stream");
  (s->capture ? *s->capture : s->queue).push_back({name, std::move(go)});
  return SUCCESS;
}

/// Does what is queued: nothing happens before someone waits.
int drain(Stream *s) {
  if (s->capture) violation("a stream is waited for that captures");
  for (auto &work : s->queue) {
    log("  " + work.name);
    int code = lost ? lost : work.go();
    if (code) {
      lost = code;
      break;
    }
  }
  s->queue.clear();
  return lost;
}

int range(uint64_t address, uint64_t bytes, const char *what) {
  if (bytes && !heap.holds(address, bytes))
    violation(std::string(what) + " reaches outside memory of the device: " + std::to_string(bytes) + " bytes");
  return SUCCESS;
}

unsigned capability() { return (unsigned)setting("FAKE_CUDA_CAPABILITY", 90); }

int fill(uint64_t target, uint64_t value, unsigned width, uint64_t count) {
  range(target, width * count, "a fill");
  if (target % width) violation("a fill is misaligned");
  for (uint64_t k = 0; k < count; k++) memcpy((void *)(target + k * width), &value, width);
  return SUCCESS;
}

} // namespace

extern "C" {
typedef uint64_t Address;

int cuInit(unsigned) {
  std::lock_guard<std::mutex> guard(lock);
  log("cuInit");
  if (setting("FAKE_CUDA_DEVICES", 1) == 0) return NO_DEVICE;
  if (int code = told_to_fail("cuInit")) return code;
  started = true;
  return SUCCESS;
}
int cuDriverGetVersion(int *v) {
  ENTER(cuDriverGetVersion);
  *v = 12080;
  return SUCCESS;
}
int cuDeviceGetCount(int *n) {
  ENTER(cuDeviceGetCount);
  *n = (int)setting("FAKE_CUDA_DEVICES", 1);
  return SUCCESS;
}
int cuDeviceGet(int *device, int n) {
  ENTER(cuDeviceGet);
  if (n < 0 || n >= (int)setting("FAKE_CUDA_DEVICES", 1)) return INVALID_DEVICE;
  *device = n;
  return SUCCESS;
}
int cuDeviceGetName(char *name, int length, int) {
  ENTER(cuDeviceGetName);
  snprintf(name, length, "Fake GPU");
  return SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *bytes, int) {
  ENTER(cuDeviceTotalMem_v2);
  *bytes = heap.most;
  return SUCCESS;
}
int cuDeviceGetAttribute(int *value, int attribute, int) {
  ENTER(cuDeviceGetAttribute);
  switch (attribute) {
  case 1: *value = 1024; break; // threads of a block
  case 2:
  case 3: *value = 1024; break; // of x and y
  case 4: *value = 64; break;
  case 5: *value = 0x7fffffff; break; // blocks in x
  case 6:
  case 7: *value = 65535; break;
  case 8: *value = 48 << 10; break; // shared memory of a block
  case 10: *value = 32; break;      // warp
  case 16: *value = 4; break;       // multiprocessors
  case 38: *value = 4 << 20; break; // L2
  case 39: *value = 2048; break;    // threads of a multiprocessor
  case 75: *value = (int)capability() / 10; break;
  case 76: *value = (int)capability() % 10; break;
  case 81: *value = 228 << 10; break; // shared memory of a multiprocessor
  case 97: *value = 227 << 10; break; // of a block that asks
  default: *value = 0;
  }
  return SUCCESS;
}
int cuDevicePrimaryCtxRetain(void **context, int) {
  ENTER(cuDevicePrimaryCtxRetain);
  retained++;
  *context = &retained;
  return SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int) {
  std::lock_guard<std::mutex> guard(lock);
  log("cuDevicePrimaryCtxRelease_v2");
  if (--retained == 0 && !lost) {
    if (!heap.live.empty()) violation(std::to_string(heap.live.size()) + " allocations are left");
    if (!modules.empty() || !streams.empty() || !events.empty() || !graphs.empty())
      violation("modules, streams, events or graphs are left");
  }
  log("instructions: " + std::to_string(instructions));
  return SUCCESS;
}
int cuCtxSetCurrent(void *context) {
  std::lock_guard<std::mutex> guard(lock);
  if (context != &retained) violation("no context");
  return lost;
}
int cuCtxSetLimit(int, size_t) {
  ENTER(cuCtxSetLimit);
  return SUCCESS;
}
int cuMemGetInfo_v2(size_t *free, size_t *total) {
  ENTER(cuMemGetInfo_v2);
  *free = heap.most - heap.used, *total = heap.most;
  return SUCCESS;
}
int cuMemAlloc_v2(Address *address, size_t bytes) {
  ENTER(cuMemAlloc_v2);
  if (bytes == 0) return INVALID_VALUE;
  *address = heap.allocate(bytes);
  return *address ? SUCCESS : OUT_OF_MEMORY;
}
int cuMemFree_v2(Address address) {
  ENTER(cuMemFree_v2);
  for (void *s : streams)
    if (!((Stream *)s)->queue.empty()) violation("memory is freed while work is queued");
  heap.release(address);
  return SUCCESS;
}

int cuStreamCreate(void **stream, unsigned) {
  ENTER(cuStreamCreate);
  streams.insert(*stream = new Stream);
  return SUCCESS;
}
int cuStreamDestroy_v2(void *stream) {
  ENTER(cuStreamDestroy_v2);
  Stream *s = known<Stream>(streams, stream, "stream");
  if (!s->queue.empty()) violation("a stream is destroyed with work in it");
  streams.erase(s);
  delete s;
  return SUCCESS;
}
int cuStreamSynchronize(void *stream) {
  ENTER(cuStreamSynchronize);
  return drain(known<Stream>(streams, stream, "stream"));
}
int cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
  ENTER(cuMemcpyHtoDAsync_v2);
  range(to, bytes, "a copy to the device");
  // Pageable memory is read before the call returns.
  auto staged = std::make_shared<std::vector<char>>((const char *)from, (const char *)from + bytes);
  return enqueue(stream, "upload " + std::to_string(bytes), [=] {
    range(to, bytes, "a copy");
    memcpy((void *)to, staged->data(), bytes);
    return SUCCESS;
  });
}
int cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
  ENTER(cuMemcpyDtoHAsync_v2);
  return enqueue(stream, "download " + std::to_string(bytes), [=] {
    range(from, bytes, "a copy");
    memcpy(to, (void *)from, bytes);
    return SUCCESS;
  });
}
int cuMemcpyDtoDAsync_v2(Address to, Address from, size_t bytes, void *stream) {
  ENTER(cuMemcpyDtoDAsync_v2);
  return enqueue(stream, "copy " + std::to_string(bytes), [=] {
    range(from, bytes, "a copy");
    range(to, bytes, "a copy");
    memmove((void *)to, (void *)from, bytes);
    return SUCCESS;
  });
}
int cuMemsetD8Async(Address to, unsigned char v, size_t n, void *stream) {
  ENTER(cuMemsetD8Async);
  return enqueue(stream, "fill 1", [=] { return fill(to, v, 1, n); });
}
int cuMemsetD16Async(Address to, unsigned short v, size_t n, void *stream) {
  ENTER(cuMemsetD16Async);
  return enqueue(stream, "fill 2", [=] { return fill(to, v, 2, n); });
}
int cuMemsetD32Async(Address to, unsigned v, size_t n, void *stream) {
  ENTER(cuMemsetD32Async);
  return enqueue(stream, "fill 4", [=] { return fill(to, v, 4, n); });
}
int cuMemsetD2D32Async(Address to, size_t pitch, unsigned v, size_t width, size_t height, void *stream) {
  ENTER(cuMemsetD2D32Async);
  return enqueue(stream, "fill 2-D", [=] {
    for (size_t y = 0; y < height; y++) fill(to + y * pitch, v, 4, width);
    return SUCCESS;
  });
}

int cuModuleLoadDataEx(void **module, const void *image, unsigned count, int *options, void **values) {
  ENTER(cuModuleLoadDataEx);
  char *text = nullptr;
  size_t size = 0;
  for (unsigned k = 0; k < count; k++) {
    if (options[k] == 5) text = (char *)values[k];
    if (options[k] == 6) size = (size_t)values[k];
  }
  auto say = [&](const std::string &what) {
    if (text && size) snprintf(text, size, "%s", what.c_str());
  };
  if (!memcmp(image,
              "\x7f"
              "ELF",
              4)) {
    say("the fake driver takes PTX only");
    return NO_BINARY_FOR_GPU;
  }
  auto loaded = std::make_unique<LoadedModule>();
  try {
    loaded->ptx = ptx::parse((const char *)image);
  } catch (const ptx::Error &e) {
    say(std::string("ptxas application ptx input, ") + e.what());
    return INVALID_PTX;
  }
  if (loaded->ptx->version > (int)setting("FAKE_CUDA_PTX", 88)) return UNSUPPORTED_PTX_VERSION;
  if ((unsigned)atoi(loaded->ptx->target.c_str() + 3) > capability()) return NO_BINARY_FOR_GPU;
  for (auto &[name, v] : loaded->ptx->variables) {
    if (v.space == ptx::Space::Shared) continue;
    v.offset = heap.allocate(std::max<uint64_t>(v.size, 1));
    loaded->memory.push_back(v.offset);
    memset((void *)v.offset, 0, v.size);
    memcpy((void *)v.offset, v.data.data(), v.data.size());
  }
  for (auto &[name, v] : loaded->ptx->variables)
    for (auto &[at, symbol] : v.addresses) memcpy((char *)v.offset + at, &loaded->ptx->variables[symbol].offset, 8);
  modules.insert(*module = loaded.release());
  return SUCCESS;
}
int cuModuleUnload(void *module) {
  ENTER(cuModuleUnload);
  LoadedModule *m = known<LoadedModule>(modules, module, "module");
  for (uint64_t a : m->memory) heap.release(a);
  for (auto it = found.begin(); it != found.end();) {
    if (it->first.first == m->ptx.get()) {
      kernels.erase(it->second);
      delete it->second;
      it = found.erase(it);
    } else
      ++it;
  }
  modules.erase(m);
  delete m;
  return SUCCESS;
}
int cuModuleGetFunction(void **function, void *module, const char *name) {
  ENTER(cuModuleGetFunction);
  LoadedModule *m = known<LoadedModule>(modules, module, "module");
  auto it = m->ptx->functions.find(name);
  if (it == m->ptx->functions.end() || !it->second->entry) return NOT_FOUND;
  Kernel *&k = found[{m->ptx.get(), name}];
  if (!k) kernels.insert(k = new Kernel{m->ptx.get(), it->second.get()});
  *function = k;
  return SUCCESS;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  ENTER(cuFuncGetAttribute);
  Kernel *k = known<Kernel>(kernels, function, "kernel");
  const ptx::Function &f = *k->function;
  int threads = f.required[0] ? f.required[0] * f.required[1] * f.required[2]
                : f.most[0]   ? f.most[0] * f.most[1] * f.most[2]
                              : 1024;
  *value = attribute == 0 ? threads : attribute == 1 ? (int)k->module->shared_bytes : 0;
  return SUCCESS;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  ENTER(cuFuncSetAttribute);
  Kernel *k = known<Kernel>(kernels, function, "kernel");
  if (attribute == 8) {
    if (value + (int)k->module->shared_bytes > (227 << 10)) return INVALID_VALUE;
    k->dynamic_most = (unsigned)value;
  }
  return SUCCESS;
}
int cuLaunchKernel(void *function, unsigned gx, unsigned gy, unsigned gz, unsigned bx, unsigned by, unsigned bz,
                   unsigned shared, void *stream, void **parameters, void **) {
  ENTER(cuLaunchKernel);
  Kernel *k = known<Kernel>(kernels, function, "kernel");
  const ptx::Function &f = *k->function;
  auto launch = std::make_shared<ptx::Launch>();
  const unsigned grid[3] = {gx, gy, gz}, block[3] = {bx, by, bz};
  memcpy(launch->grid, grid, sizeof grid);
  memcpy(launch->block, block, sizeof block);
  launch->dynamic_shared = shared;
  if (!gx || !gy || !gz || gy > 65535 || gz > 65535 || !bx || !by || !bz || bx * by * bz > 1024 || bz > 64)
    return INVALID_VALUE;
  if (shared > k->dynamic_most) return INVALID_VALUE;
  for (int a = 0; a < 3; a++)
    if (f.required[0] && (int)block[a] != f.required[a]) return INVALID_VALUE;
  if (f.most[0] && (int)(bx * by * bz) > f.most[0] * f.most[1] * f.most[2]) return INVALID_VALUE;
  for (size_t n = 0; n < f.params.size(); n++) {
    const auto *p = (const uint8_t *)parameters[n];
    launch->params.emplace_back(p, p + f.params[n].size);
  }
  std::string name = "run " + f.name + " grid " + std::to_string(gx) + "," + std::to_string(gy) + "," +
                     std::to_string(gz) + " block " + std::to_string(bx) + "," + std::to_string(by) + "," +
                     std::to_string(bz);
  return enqueue(stream, name, [=] {
    known<Kernel>(kernels, k, "kernel");
    try {
      instructions += ptx::run(*k->module, *k->function, *launch, heap);
    } catch (const ptx::Error &e) {
      fprintf(stderr, "fake CUDA driver: %s\n", e.what());
      return strstr(e.what(), "illegal address") ? ILLEGAL_ADDRESS : LAUNCH_FAILED;
    }
    return SUCCESS;
  });
}

int cuStreamBeginCapture_v2(void *stream, int) {
  ENTER(cuStreamBeginCapture_v2);
  Stream *s = known<Stream>(streams, stream, "stream");
  if (s->capture) return STREAM_CAPTURE_INVALIDATED;
  s->capture = new Graph;
  return SUCCESS;
}
int cuStreamEndCapture(void *stream, void **graph) {
  ENTER(cuStreamEndCapture);
  Stream *s = known<Stream>(streams, stream, "stream");
  if (!s->capture) return STREAM_CAPTURE_INVALIDATED;
  graphs.insert(*graph = s->capture);
  s->capture = nullptr;
  return SUCCESS;
}
int cuGraphInstantiateWithFlags(void **ready, void *graph, unsigned long long) {
  ENTER(cuGraphInstantiateWithFlags);
  graphs.insert(*ready = new Graph(*known<Graph>(graphs, graph, "graph")));
  return SUCCESS;
}
int cuGraphLaunch(void *ready, void *stream) {
  ENTER(cuGraphLaunch);
  for (auto &work : *known<Graph>(graphs, ready, "graph")) enqueue(stream, work.name, work.go);
  return SUCCESS;
}
static int drop(void *graph) {
  Graph *g = known<Graph>(graphs, graph, "graph");
  graphs.erase(g);
  delete g;
  return SUCCESS;
}
int cuGraphDestroy(void *graph) {
  ENTER(cuGraphDestroy);
  return drop(graph);
}
int cuGraphExecDestroy(void *graph) {
  ENTER(cuGraphExecDestroy);
  return drop(graph);
}

int cuEventCreate(void **event, unsigned) {
  ENTER(cuEventCreate);
  events.insert(*event = new Event);
  return SUCCESS;
}
int cuEventDestroy_v2(void *event) {
  ENTER(cuEventDestroy_v2);
  Event *e = known<Event>(events, event, "event");
  events.erase(e);
  delete e;
  return SUCCESS;
}
int cuEventRecord(void *event, void *stream) {
  ENTER(cuEventRecord);
  Event *e = known<Event>(events, event, "event");
  e->recorded = true;
  return enqueue(stream, "event", [=] {
    e->happened = true;
    e->time = instructions;
    return SUCCESS;
  });
}
/// A fake nanosecond for each instruction: the same on every machine.
int cuEventElapsedTime(float *milliseconds, void *from, void *to) {
  ENTER(cuEventElapsedTime);
  Event *a = known<Event>(events, from, "event"), *b = known<Event>(events, to, "event");
  if (!a->happened || !b->happened) return INVALID_HANDLE;
  *milliseconds = (float)(b->time - a->time) * 1e-6f;
  return SUCCESS;
}

static const struct {
  int code;
  const char *name, *text;
} ERRORS[] = {
    {INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {INVALID_PTX, "CUDA_ERROR_INVALID_PTX", "a PTX JIT compilation failed"},
    {ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS", "an illegal memory access was encountered"},
    {LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {999, "CUDA_ERROR_UNKNOWN", "unknown error"},
};
int cuGetErrorName(int code, const char **name) {
  for (auto &e : ERRORS)
    if (e.code == code) {
      *name = e.name;
      return SUCCESS;
    }
  *name = nullptr;
  return INVALID_VALUE;
}
int cuGetErrorString(int code, const char **text) {
  for (auto &e : ERRORS)
    if (e.code == code) {
      *text = e.text;
      return SUCCESS;
    }
  *text = nullptr;
  return INVALID_VALUE;
}
}
