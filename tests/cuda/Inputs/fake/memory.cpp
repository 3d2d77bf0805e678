// Loads and stores: where addresses are, whether they may be touched, and who touched shared memory without a barrier.
#include "thread.h"
#include <algorithm>

namespace ptx {

uint64_t Block::symbol(Thread &t, const std::string &name, Space *space) {
  Frame &f = t.frame();
  for (auto &v : f.function->locals)
    if (v.name == name) {
      *space = v.space == Space::Param ? Space::Param : Space::Local;
      return v.offset;
    }
  auto it = module.variables.find(name);
  if (it == module.variables.end()) fail(t, "`" + name + "` is not there");
  *space = it->second.space;
  if (*space != Space::Shared) return it->second.offset;
  return it->second.external ? (module.shared_bytes + 15) / 16 * 16 : it->second.offset;
}

/// An address, and the space that it turns out to be in if the instruction says none.
uint64_t Block::address(Thread &t, const Operand &o, Space *space) {
  if (!o.symbol.empty()) {
    Space of;
    uint64_t base = symbol(t, o.symbol, &of);
    *space = of;
    return base + (uint64_t)o.value;
  }
  uint64_t base = o.reg < 0 ? 0 : t.frame().registers[o.reg];
  uint64_t address = base + (uint64_t)o.value;
  if (*space == Space::Generic) {
    if (address >= LOCAL_WINDOW) {
      *space = Space::Local;
      return address - LOCAL_WINDOW;
    }
    if (address >= SHARED_WINDOW) {
      *space = Space::Shared;
      return address - SHARED_WINDOW;
    }
    *space = Space::Global;
  }
  return address;
}

void Block::touch(const Thread &t, uint64_t offset, uint64_t bytes, bool write) {
  uint32_t warp = t.id / 32;
  auto apart = [&](const Mark &m) {
    return m.thread < 0 || m.thread == (int32_t)t.id || m.block != epoch ||
           ((uint32_t)m.thread / 32 == warp && m.warp != warp_epochs[warp]);
  };
  for (uint64_t b = offset; b < offset + bytes; b++) {
    if (coming[b]) fail(t, "a race: shared memory at " + std::to_string(b) + " is on its way by cp.async");
    if (!apart(written[b]) || (write && !apart(read[b]))) {
      int32_t other = !apart(written[b]) ? written[b].thread : read[b].thread;
      fail(t, std::string("a race: shared memory at ") + std::to_string(b) + " is " + (write ? "written" : "read") +
                  ", and thread " + std::to_string(other) + " has touched it since the last barrier");
    }
    Mark mark;
    mark.thread = (int32_t)t.id, mark.block = epoch, mark.warp = warp_epochs[warp];
    // A reader of another thread stays known: of several readers, any other than the writer will do.
    if (write)
      written[b] = mark;
    else
      read[b] = mark;
  }
}

/// The bytes at an address. Errors: outside memory, or not at a multiple of the size.
uint8_t *Block::at(Thread &t, uint64_t address, uint64_t bytes, Space space, bool write) {
  if (bytes & (bytes - 1)) fail(t, "an access of an odd size");
  if (address % bytes) fail(t, "misaligned: " + std::to_string(bytes) + " bytes at " + std::to_string(address));
  Frame &f = t.frame();
  switch (space) {
  case Space::Shared:
    if (address + bytes > shared.size())
      fail(t, "outside shared memory: byte " + std::to_string(address) + " of " + std::to_string(shared.size()));
    touch(t, address, bytes, write);
    return &shared[address];
  case Space::Local:
  case Space::Param:
    // Pointers to local memory may be of a caller: they say which in their upper half.
    {
      uint64_t frame = address >> 32;
      Frame &of = frame ? t.frames.at(frame - 1) : f;
      uint64_t offset = address & 0xffffffffu;
      if (offset + bytes > of.local.size())
        fail(t, "outside local memory: byte " + std::to_string(offset) + " of " + std::to_string(of.local.size()));
      return &of.local[offset];
    }
  default:
    if (!memory.holds(address, bytes))
      fail(t, "illegal address " + std::to_string(address) + ", " + std::to_string(bytes) + " bytes");
    return reinterpret_cast<uint8_t *>(address);
  }
}

void Block::load(Thread &t, const Instruction &i) {
  Frame &f = t.frame();
  unsigned bytes = std::max(1, i.type.bits / 8), count = i.vector;
  const Operand &from = i.args.at(1);
  const uint8_t *data = nullptr;
  if (i.space == Space::Param) {
    // Parameters of this function, or results of a call.
    for (size_t n = 0; n < f.function->params.size(); n++)
      if (f.function->params[n].name == from.symbol) {
        if (from.value + bytes * count > f.params[n].size()) fail(t, "outside parameter `" + from.symbol + "`");
        data = f.params[n].data() + from.value;
      }
  }
  if (!data) {
    Space space = i.space == Space::Param || i.space == Space::Const ? Space::Generic : i.space;
    uint64_t a = address(t, from, &space);
    data = at(t, a, uint64_t(bytes) * count, space, false);
  }
  auto put = [&](const Operand &o, const uint8_t *p) {
    if (o.kind == Operand::None) return;
    uint64_t v = 0;
    memcpy(&v, p, bytes);
    set(t, o, i.type.kind == 's' ? (uint64_t)sign_extended(v, i.type.bits) : v);
  };
  if (count == 1) return put(i.args[0], data);
  for (unsigned n = 0; n < count; n++) put(i.args[0].list.at(n), data + n * bytes);
}

void Block::store(Thread &t, const Instruction &i) {
  Frame &f = t.frame();
  unsigned bytes = std::max(1, i.type.bits / 8), count = i.vector;
  const Operand &to = i.args.at(0);
  uint8_t *data = nullptr;
  if (i.space == Space::Param)
    for (size_t n = 0; n < f.function->results.size(); n++)
      if (f.function->results[n].name == to.symbol) data = f.results[n].data() + to.value;
  if (!data) {
    Space space = i.space == Space::Param ? Space::Generic : i.space;
    uint64_t a = address(t, to, &space);
    data = at(t, a, uint64_t(bytes) * count, space, true);
  }
  for (unsigned n = 0; n < count; n++) {
    uint64_t v = get(t, count == 1 ? i.args[1] : i.args[1].list.at(n), i.type);
    memcpy(data + n * bytes, &v, bytes);
  }
}

void Block::atomic(Thread &t, const Instruction &i) {
  bool result = i.code == ATOM;
  size_t first = result ? 1 : 0;
  Space space = i.space;
  unsigned bytes = i.type.bits / 8;
  uint64_t a = address(t, i.args.at(first), &space);
  uint8_t *p;
  if (space == Space::Shared) {
    if (a + bytes > shared.size()) fail(t, "outside shared memory");
    p = &shared[a]; // atomics do not race
  } else
    p = at(t, a, bytes, space, true);
  uint64_t old = 0, v = get(t, i.args.at(first + 1), i.type), next = v;
  memcpy(&old, p, bytes);
  std::string what;
  for (auto &m : i.mods)
    for (const char *n : {"add", "min", "max", "and", "or", "xor", "exch", "cas", "inc", "dec"})
      if (m == n) what = m;
  bool is_float = i.type.kind == 'f' || i.type.kind == 'h';
  if (what == "add")
    next = is_float ? bits_of_number(number_of(old, i.type) + number_of(v, i.type), i.type) : old + v;
  else if (what == "min" || what == "max") {
    bool less = i.type.kind == 's' ? sign_extended(v, i.type.bits) < sign_extended(old, i.type.bits) : v < old;
    next = less == (what == "min") ? v : old;
  } else if (what == "and")
    next = old & v;
  else if (what == "or")
    next = old | v;
  else if (what == "xor")
    next = old ^ v;
  else if (what == "cas")
    next = low_bits(v, i.type.bits) == old ? get(t, i.args.at(first + 2), i.type) : old;
  else if (what != "exch")
    fail(t, "atomic operation `" + what + "` is not known to the fake driver");
  memcpy(p, &next, bytes);
  if (result) set(t, i.args[0], old);
}

/// cp.async: what it copies arrives when the thread waits for it.
void Block::copy_async(Thread &t, const Instruction &i) {
  auto has = [&](const char *m) { return std::find(i.mods.begin(), i.mods.end(), m) != i.mods.end(); };
  if (has("bulk") || has("mbarrier")) fail(t, "`cp.async." + i.mods[1] + "` is not known to the fake driver");
  if (has("commit_group")) {
    t.groups.push_back(std::move(t.open));
    t.open.clear();
  } else if (has("wait_group")) {
    land(t, (size_t)i.args.at(0).value);
  } else if (has("wait_all")) {
    t.groups.push_back(std::move(t.open));
    t.open.clear();
    land(t, 0);
  } else {
    Pending p;
    Space to = Space::Shared, from = Space::Global;
    p.shared = address(t, i.args.at(0), &to);
    p.global = address(t, i.args.at(1), &from);
    p.bytes = (unsigned)i.args.at(2).value;
    p.from_global = i.args.size() > 3 ? (unsigned)get(t, i.args[3], Type{'u', 32, 1}) : p.bytes;
    if (has("cg") && p.bytes != 16) fail(t, "cp.async.cg copies 16 bytes");
    if (p.from_global > p.bytes) fail(t, "cp.async reads more than it writes");
    // It may be written from now on.
    at(t, p.shared, p.bytes, Space::Shared, true);
    std::fill_n(coming.begin() + p.shared, p.bytes, 1);
    t.open.push_back(p);
  }
}

void Block::land(Thread &t, size_t keep) {
  while (t.groups.size() > keep) {
    for (auto &p : t.groups.front()) {
      std::fill_n(coming.begin() + p.shared, p.bytes, 0);
      uint8_t *to = at(t, p.shared, p.bytes, Space::Shared, true);
      if (p.global % p.bytes) fail(t, "cp.async: misaligned address " + std::to_string(p.global));
      if (p.from_global && !memory.holds(p.global, p.from_global))
        fail(t, "cp.async: illegal address " + std::to_string(p.global));
      memset(to, 0, p.bytes);
      memcpy(to, reinterpret_cast<const void *>(p.global), p.from_global);
    }
    t.groups.erase(t.groups.begin());
  }
}

} // namespace ptx
