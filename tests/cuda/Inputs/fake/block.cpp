// Runs the threads of a block, each until it has to wait for others: at a barrier, or where a warp works together.
#include "thread.h"
#include <algorithm>

namespace ptx {

Block::Block(const Module &module, const Function &kernel, const Launch &launch, Memory &memory, const unsigned id[3])
    : module(module), launch(launch), memory(memory) {
  std::copy(id, id + 3, this->id);
  const unsigned *size = launch.block;
  threads.resize(size_t(size[0]) * size[1] * size[2]);
  warp_epochs.resize((threads.size() + 31) / 32);
  uint64_t bytes = (module.shared_bytes + 15) / 16 * 16 + launch.dynamic_shared;
  // NaNs: what was never written does not look like a result.
  shared.assign(bytes, 0xff);
  written.resize(bytes);
  read.resize(bytes);
  coming.resize(bytes);
  for (unsigned n = 0; n < threads.size(); n++) {
    Thread &t = threads[n];
    t.id = n;
    t.tid[0] = n % size[0], t.tid[1] = n / size[0] % size[1], t.tid[2] = n / size[0] / size[1];
    Frame f;
    f.function = &kernel;
    f.registers.assign(kernel.registers.size(), 0xffffffffffffffffull);
    f.local.assign(kernel.local_bytes, 0xff);
    f.params = launch.params;
    t.frames.push_back(std::move(f));
  }
}

void Block::fail(const Thread &t, const std::string &what) const {
  const Frame &f = t.frames.back();
  int line = f.pc < (int)f.function->code.size() ? f.function->code[f.pc].line : 0;
  throw Error("kernel " + t.frames[0].function->name + ", line " + std::to_string(line) + ", block " +
              std::to_string(id[0]) + "," + std::to_string(id[1]) + "," + std::to_string(id[2]) + ", thread " +
              std::to_string(t.id) + ": " + what);
}

uint64_t Block::run() {
  for (;;) {
    bool moved = false, alive = false;
    for (size_t first = 0; first < threads.size(); first += 32) {
      size_t end = std::min(first + 32, threads.size());
      for (bool again = true; again;) {
        again = false;
        for (size_t n = first; n < end; n++)
          if (threads[n].state == State::Ready) {
            go(threads[n]);
            moved = true;
          }
        std::vector<Thread *> waiting;
        bool others = false;
        for (size_t n = first; n < end; n++) {
          if (threads[n].state == State::Warp) waiting.push_back(&threads[n]);
          others |= threads[n].state == State::Barrier;
        }
        if (waiting.empty()) break;
        if (others) fail(*waiting[0], "part of the warp waits at a barrier, and part of it works together");
        // The ones that are furthest behind go first, as after a branch.
        int pc = waiting[0]->frame().pc;
        for (Thread *t : waiting)
          if (t->frame().pc != pc) fail(*t, "the threads of a warp work together at two places");
        together(waiting);
        again = moved = true;
      }
    }
    for (Thread &t : threads) alive |= t.state != State::Done;
    if (!alive) return steps;
    bool all = true;
    for (Thread &t : threads) all &= t.state == State::Done || t.state == State::Barrier;
    if (all) {
      epoch++;
      for (Thread &t : threads)
        if (t.state == State::Barrier) {
          t.state = State::Ready;
          t.frame().pc++;
        }
      moved = true;
    }
    if (!moved) fail(threads[0], "the block waits for ever");
  }
}

void Block::go(Thread &t) {
  for (;;) {
    Frame &f = t.frame();
    if (f.pc >= (int)f.function->code.size()) {
      leave(t);
      if (t.state == State::Done) return;
      continue;
    }
    const Instruction &i = f.function->code[f.pc];
    steps++;
    if (i.predicate >= 0 && (f.registers[i.predicate] & 1) == (uint64_t)i.predicate_negated) {
      f.pc++;
      continue;
    }
    if (!step(t, i)) return;
  }
}

/// One instruction; false if the thread waits or is done.
bool Block::step(Thread &t, const Instruction &i) {
  Frame &f = t.frame();
  switch (i.code) {
  case BRA: f.pc = i.target; return true;
  case RET: leave(t); return t.state != State::Done;
  case EXIT: t.state = State::Done; return false;
  case TRAP: fail(t, "trap");
  case CALL: call(t, i); return true;
  case BAR:
    for (auto &m : i.mods)
      if (m == "warp") {
        t.state = State::Warp;
        return false;
      }
    t.state = State::Barrier;
    return false;
  case SHFL:
  case VOTE:
  case LDMATRIX:
  case MMA:
  case REDUX:
  case MATCH: t.state = State::Warp; return false;
  case MEMBAR:
  case PREFETCH:
  case NANOSLEEP: break;
  case CP: copy_async(t, i); break;
  case LD: load(t, i); break;
  case ST: store(t, i); break;
  case ATOM:
  case RED: atomic(t, i); break;
  default: execute(t, i);
  }
  f.pc++;
  return true;
}

void Block::call(Thread &t, const Instruction &i) {
  const std::string &name = i.args[1].symbol;
  Frame &caller = t.frame();
  auto bytes_of = [&](const Operand &o) {
    for (auto &v : caller.function->locals)
      if (v.name == o.symbol)
        return std::vector<uint8_t>(caller.local.begin() + v.offset, caller.local.begin() + v.offset + v.size);
    fail(t, "`" + o.symbol + "` is no parameter of a call");
  };
  auto give = [&](const Operand &o, const std::vector<uint8_t> &bytes) {
    for (auto &v : caller.function->locals)
      if (v.name == o.symbol) {
        std::copy(bytes.begin(), bytes.begin() + std::min<size_t>(bytes.size(), v.size),
                  caller.local.begin() + v.offset);
        return;
      }
    fail(t, "`" + o.symbol + "` is no result of a call");
  };
  auto word = [&](size_t n) {
    auto b = bytes_of(i.args[2].list.at(n));
    uint64_t v = 0;
    memcpy(&v, b.data(), std::min<size_t>(8, b.size()));
    return v;
  };
  if (name == "malloc") {
    uint64_t address = memory.allocate(word(0));
    std::vector<uint8_t> bytes(8);
    memcpy(bytes.data(), &address, 8);
    give(i.args[0].list.at(0), bytes);
    caller.pc++;
    return;
  }
  if (name == "free") {
    memory.release(word(0));
    caller.pc++;
    return;
  }
  auto it = module.functions.find(name);
  if (it == module.functions.end() || !it->second->defined) fail(t, "calls `" + name + "`, which is not there");
  if (t.frames.size() > 64) fail(t, "calls are nested too deeply");
  Frame f;
  f.function = it->second.get();
  f.registers.assign(f.function->registers.size(), 0xffffffffffffffffull);
  f.local.assign(f.function->local_bytes, 0xff);
  for (auto &o : i.args[2].list) f.params.push_back(bytes_of(o));
  if (f.params.size() != f.function->params.size()) fail(t, "calls `" + name + "` with another number of arguments");
  for (auto &r : f.function->results) f.results.push_back(std::vector<uint8_t>(r.size));
  f.call = &i;
  t.frames.push_back(std::move(f));
}

void Block::leave(Thread &t) {
  Frame done = std::move(t.frames.back());
  if (t.frames.size() == 1) {
    t.frames.back() = std::move(done);
    t.state = State::Done;
    return;
  }
  t.frames.pop_back();
  Frame &f = t.frame();
  for (size_t n = 0; n < done.results.size() && n < done.call->args[0].list.size(); n++)
    for (auto &v : f.function->locals)
      if (v.name == done.call->args[0].list[n].symbol)
        std::copy(done.results[n].begin(), done.results[n].end(), f.local.begin() + v.offset);
  f.pc++;
}

uint64_t run(const Module &module, const Function &kernel, const Launch &launch, Memory &memory) {
  uint64_t steps = 0;
  for (unsigned z = 0; z < launch.grid[2]; z++)
    for (unsigned y = 0; y < launch.grid[1]; y++)
      for (unsigned x = 0; x < launch.grid[0]; x++) {
        unsigned id[3] = {x, y, z};
        steps += Block(module, kernel, launch, memory, id).run();
      }
  return steps;
}

} // namespace ptx
