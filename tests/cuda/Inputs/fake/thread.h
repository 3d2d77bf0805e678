// What a thread of a kernel works on.
#pragma once
#include "ptx.h"
#include <cmath>
#include <cstring>

namespace ptx {

/// Addresses of shared and local memory in the generic space begin with these.
constexpr uint64_t SHARED_WINDOW = 0x1000000000000000ull, LOCAL_WINDOW = 0x2000000000000000ull;

/// A call of a function.
struct Frame {
  const Function *function = nullptr;
  std::vector<uint64_t> registers;
  std::vector<uint8_t> local;
  std::vector<std::vector<uint8_t>> params, results;
  const Instruction *call = nullptr; // in the caller
  int pc = 0;
  bool carry = false;
};

enum class State : uint8_t { Ready, Barrier, Warp, Done };

/// A copy that was begun by cp.async.
struct Pending {
  uint64_t shared, global;
  unsigned bytes, from_global;
};

struct Thread {
  unsigned id = 0, tid[3] = {};
  State state = State::Ready;
  std::vector<Frame> frames;
  std::vector<std::vector<Pending>> groups;
  std::vector<Pending> open;
  Frame &frame() { return frames.back(); }
};

inline float as_float(uint64_t v) {
  float f;
  uint32_t b = (uint32_t)v;
  memcpy(&f, &b, 4);
  return f;
}
inline double as_double(uint64_t v) {
  double d;
  memcpy(&d, &v, 8);
  return d;
}
inline uint64_t of_float(float f) {
  uint32_t b;
  memcpy(&b, &f, 4);
  return b;
}
inline uint64_t of_double(double d) {
  uint64_t b;
  memcpy(&b, &d, 8);
  return b;
}
inline float half_to_float(uint16_t h) {
  _Float16 f;
  memcpy(&f, &h, 2);
  return (float)f;
}
inline uint16_t half_of(double d) {
  _Float16 f = (_Float16)d;
  uint16_t h;
  memcpy(&h, &f, 2);
  return h;
}
inline float bfloat_to_float(uint16_t h) { return as_float((uint32_t)h << 16); }
inline uint16_t bfloat_of(float f) {
  uint32_t b = (uint32_t)of_float(f);
  if (f != f) return 0x7fff;
  return (uint16_t)((b + 0x7fff + ((b >> 16) & 1)) >> 16);
}
inline uint64_t low_bits(uint64_t v, int bits) { return bits >= 64 ? v : v & ((1ull << bits) - 1); }
inline int64_t sign_extended(uint64_t v, int bits) {
  if (bits >= 64) return (int64_t)v;
  uint64_t sign = 1ull << (bits - 1);
  v = low_bits(v, bits);
  return (int64_t)((v ^ sign) - sign);
}

/// A float of a type as a number, and back. Of 16 bits to the nearest.
inline double number_of(uint64_t v, Type t) {
  if (t.kind == 'h') return bfloat_to_float((uint16_t)v);
  if (t.kind == 't') return as_float(v);
  return t.bits == 64 ? as_double(v) : t.bits == 32 ? as_float(v) : half_to_float((uint16_t)v);
}
inline uint64_t bits_of_number(double d, Type t) {
  if (t.kind == 'h') return bfloat_of((float)d);
  return t.bits == 64 ? of_double(d) : t.bits == 32 ? of_float((float)d) : half_of(d);
}

/// A block of threads.
class Block {
public:
  Block(const Module &module, const Function &kernel, const Launch &launch, Memory &memory, const unsigned id[3]);
  uint64_t run();

private:
  friend class Warp;
  const Module &module;
  const Launch &launch;
  Memory &memory;
  unsigned id[3];
  std::vector<Thread> threads;
  std::vector<uint8_t> shared;
  // Who touched a byte of shared memory last, and when: for races.
  struct Mark {
    int32_t thread = -1;
    uint32_t block = 0, warp = 0;
  };
  std::vector<Mark> written, read;
  // Whether a byte is on its way by cp.async: until that was waited for, nobody may touch it.
  std::vector<uint8_t> coming;
  uint32_t epoch = 0;
  std::vector<uint32_t> warp_epochs;
  uint64_t steps = 0;

  [[noreturn]] void fail(const Thread &t, const std::string &what) const;
  void go(Thread &t);
  bool step(Thread &t, const Instruction &i);
  void execute(Thread &t, const Instruction &i);
  void together(std::vector<Thread *> &warp);
  void call(Thread &t, const Instruction &i);
  void leave(Thread &t);

  uint64_t get(Thread &t, const Operand &o, Type type);
  void set(Thread &t, const Operand &o, uint64_t value);
  uint64_t special(const Thread &t, const std::string &name) const;
  uint64_t symbol(Thread &t, const std::string &name, Space *space);
  uint64_t address(Thread &t, const Operand &o, Space *space);
  uint8_t *at(Thread &t, uint64_t address, uint64_t bytes, Space space, bool write);
  void touch(const Thread &t, uint64_t offset, uint64_t bytes, bool write);
  void load(Thread &t, const Instruction &i);
  void store(Thread &t, const Instruction &i);
  void atomic(Thread &t, const Instruction &i);
  void copy_async(Thread &t, const Instruction &i);
  void land(Thread &t, size_t keep);
  uint64_t convert(const Instruction &i, uint64_t v);
  uint64_t floats(const Instruction &i, const uint64_t *v);
  uint64_t integers(const Instruction &i, const uint64_t *v);
  bool compare(const Instruction &i, uint64_t a, uint64_t b);
  void shuffle(std::vector<Thread *> &warp, const Instruction &i);
  void vote(std::vector<Thread *> &warp, const Instruction &i);
  void load_matrix(std::vector<Thread *> &warp, const Instruction &i);
  void multiply(std::vector<Thread *> &warp, const Instruction &i);
  void reduce(std::vector<Thread *> &warp, const Instruction &i);
};

enum Flag : uint32_t {
  SAT = 1,
  FTZ = 2,
  WIDE = 4,
  HI = 8,
  LO = 16,
  TO = 32,
  NAN_ = 64,
  RELU = 128,
  TRANS = 256,
  X1 = 512,
  X2 = 1024,
  X4 = 2048,
  XORSIGN = 4096,
  WRAP = 8192,
  CLAMP = 16384,
  LEFT = 32768,
  RIGHT = 65536,
  REV = 131072,
  CC = 262144
};

} // namespace ptx
