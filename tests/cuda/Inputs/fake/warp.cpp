// What the threads of a warp do together.
#include "thread.h"
#include <algorithm>

namespace ptx {

static const Type WORD{'b', 32, 1};

void Block::together(std::vector<Thread *> &warp) {
  Thread &first = *warp[0];
  const Instruction &i = first.frame().function->code[first.frame().pc];
  if (i.predicate >= 0) {
    // Those that are not to take part have gone on.
  }
  switch (i.code) {
  case BAR: warp_epochs[first.id / 32]++; break;
  case SHFL: shuffle(warp, i); break;
  case VOTE: vote(warp, i); break;
  case REDUX: reduce(warp, i); break;
  case LDMATRIX: load_matrix(warp, i); break;
  case MMA: multiply(warp, i); break;
  default: fail(first, "`" + i.op + "` is not known to the fake driver");
  }
  for (Thread *t : warp) {
    t->frame().pc++;
    t->state = State::Ready;
  }
}

void Block::shuffle(std::vector<Thread *> &warp, const Instruction &i) {
  // shfl.sync.MODE.b32 d|p, a, b, c, mask
  std::string mode = i.mods.at(1);
  Thread *lanes[32] = {};
  uint64_t values[32] = {};
  for (Thread *t : warp) {
    lanes[t->id % 32] = t;
    values[t->id % 32] = get(*t, i.args.at(1), WORD);
  }
  for (Thread *t : warp) {
    uint32_t mask = (uint32_t)get(*t, i.args.at(4), WORD);
    for (unsigned lane = 0; lane < 32; lane++)
      if ((mask >> lane & 1) && !lanes[lane] && (t->id / 32 * 32 + lane) < threads.size())
        fail(*t, "shfl.sync waits for lane " + std::to_string(lane) + ", which does not come");
    if (!(mask >> (t->id % 32) & 1)) fail(*t, "shfl.sync by a thread that is not in the mask");
  }
  for (Thread *t : warp) {
    unsigned lane = t->id % 32;
    unsigned b = (unsigned)get(*t, i.args.at(2), WORD) & 31, c = (unsigned)get(*t, i.args.at(3), WORD);
    unsigned segment = c >> 8 & 31, clamp = c & 31;
    unsigned most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int from;
    bool inside;
    if (mode == "up")
      from = (int)lane - (int)b, inside = from >= (int)most;
    else if (mode == "down")
      from = (int)(lane + b), inside = from <= (int)most;
    else if (mode == "bfly")
      from = (int)(lane ^ b), inside = from <= (int)most;
    else
      from = (int)(least | (b & ~segment)), inside = from <= (int)most;
    if (!inside) from = (int)lane;
    // A lane that is not there: what comes is undefined, and looks like it.
    uint64_t v = lanes[from] ? values[from] : 0xffffffffu;
    const Operand &to = i.args[0];
    if (to.kind == Operand::Vector) {
      set(*t, to.list.at(0), v);
      set(*t, to.list.at(1), inside);
    } else
      set(*t, to, v);
  }
}

void Block::vote(std::vector<Thread *> &warp, const Instruction &i) {
  std::string mode = i.mods.at(1);
  uint32_t ballot = 0, there = 0;
  for (Thread *t : warp) {
    uint32_t bit = 1u << (t->id % 32);
    there |= bit;
    if (get(*t, i.args.at(1), Type{'p', 1, 1}) & 1) ballot |= bit;
  }
  uint64_t v = mode == "ballot" ? ballot
               : mode == "all"  ? ballot == there
               : mode == "any"  ? ballot != 0
                                : ballot == 0 || ballot == there;
  for (Thread *t : warp) set(*t, i.args[0], v);
}

void Block::reduce(std::vector<Thread *> &warp, const Instruction &i) {
  Instruction one = i;
  std::string mode = i.mods.at(1);
  one.code = mode == "add"   ? ADD
             : mode == "min" ? MIN
             : mode == "max" ? MAX
             : mode == "and" ? AND
             : mode == "or"  ? OR
                             : XOR;
  uint64_t v[4] = {get(*warp[0], i.args.at(1), WORD), 0, 0, 0};
  for (size_t n = 1; n < warp.size(); n++) {
    v[1] = get(*warp[n], i.args.at(1), WORD);
    v[0] = low_bits(integers(one, v), 32);
  }
  for (Thread *t : warp) set(*t, i.args[0], v[0]);
}

/// ldmatrix: matrices of 8 by 8 numbers of 16 bits; 8 lanes each tell where the rows are.
void Block::load_matrix(std::vector<Thread *> &warp, const Instruction &i) {
  if (warp.size() != 32) fail(*warp[0], "ldmatrix by a part of a warp");
  unsigned count = i.flags & X4 ? 4 : i.flags & X2 ? 2 : 1;
  for (unsigned m = 0; m < count; m++) {
    uint16_t matrix[8][8];
    for (unsigned row = 0; row < 8; row++) {
      Thread &t = *warp[m * 8 + row];
      Space space = Space::Shared;
      uint64_t a = address(t, i.args.at(1), &space);
      memcpy(matrix[row], at(t, a, 16, Space::Shared, false), 16);
      // Every lane gets something: the reads count for all of them, which `touch` would not know.
    }
    for (unsigned lane = 0; lane < 32; lane++) {
      unsigned row = lane / 4, column = lane % 4 * 2;
      uint32_t v = i.flags & TRANS ? matrix[column][row] | (uint32_t)matrix[column + 1][row] << 16
                                   : matrix[row][column] | (uint32_t)matrix[row][column + 1] << 16;
      const Operand &to = i.args[0];
      set(*warp[lane], to.kind == Operand::Vector ? to.list.at(m) : to, v);
    }
  }
}

/// mma.sync.aligned.mMnNkK.row.col.D.A.B.C, with the fragments that the manual of PTX draws.
void Block::multiply(std::vector<Thread *> &warp, const Instruction &i) {
  if (warp.size() != 32) fail(*warp[0], "mma by a part of a warp");
  int m = 0, n = 0, k = 0;
  std::vector<std::string> types;
  for (auto &mod : i.mods) {
    if (sscanf(mod.c_str(), "m%dn%dk%d", &m, &n, &k) == 3) continue;
    for (const char *t : {"f16", "bf16", "tf32", "f32", "s8", "u8", "s32"})
      if (mod == t) types.push_back(mod);
  }
  if (m != 16 || n != 8 || types.size() != 4) fail(*warp[0], "this shape of mma is not known to the fake driver");
  const std::string &left = types[1], &right_type = types[2];
  int bits = left == "tf32" ? 32 : left == "s8" || left == "u8" ? 8 : 16, per = 32 / bits;
  if (k != 256 / bits && k != 128 / bits) fail(*warp[0], "this depth of mma is not known to the fake driver");
  std::vector<double> a(size_t(m) * k), b(size_t(k) * n);
  auto element = [&](const std::string &of, uint64_t word, int at) -> double {
    uint64_t v = word >> (at * bits);
    if (of == "f16") return half_to_float((uint16_t)v);
    if (of == "bf16") return bfloat_to_float((uint16_t)v);
    if (of == "tf32") return as_float((uint32_t)v & ~0x1fffu);
    return of == "s8" ? (double)(int8_t)v : (double)(uint8_t)v;
  };
  for (int lane = 0; lane < 32; lane++) {
    int group = lane / 4, in_group = lane % 4;
    // Registers of A: rows alternate, then the columns of the next 4 words.
    for (size_t r = 0; r < i.args.at(1).list.size(); r++) {
      uint64_t word = get(*warp[lane], i.args[1].list[r], WORD);
      for (int e = 0; e < per; e++)
        a[size_t(group + (r % 2 ? 8 : 0)) * k + (r / 2) * 4 * per + in_group * per + e] = element(left, word, e);
    }
    const Operand &right = i.args.at(2);
    size_t count = right.kind == Operand::Vector ? right.list.size() : 1;
    for (size_t r = 0; r < count; r++) {
      uint64_t word = get(*warp[lane], right.kind == Operand::Vector ? right.list[r] : right, WORD);
      for (int e = 0; e < per; e++)
        b[(r * 4 * per + in_group * per + e) * size_t(n) + group] = element(right_type, word, e);
    }
  }
  bool half = types[0] == "f16", whole = types[0] == "s32";
  std::vector<std::pair<Operand, uint64_t>> results[32];
  for (int lane = 0; lane < 32; lane++) {
    int group = lane / 4, in_group = lane % 4;
    uint64_t packed[2] = {0, 0};
    for (int r = 0; r < 4; r++) {
      int row = group + (r / 2) * 8, column = in_group * 2 + r % 2;
      const Operand &with = i.args.at(3);
      uint64_t c =
          half ? get(*warp[lane], with.list.at(r / 2), WORD) >> (r % 2 * 16) : get(*warp[lane], with.list.at(r), WORD);
      double sum = whole ? (double)(int32_t)c : half ? half_to_float((uint16_t)c) : as_float(c);
      for (int x = 0; x < k; x++) sum += a[size_t(row) * k + x] * b[size_t(x) * n + column];
      if (half)
        packed[r / 2] |= (uint64_t)half_of(sum) << (r % 2 * 16);
      else
        results[lane].push_back({i.args[0].list.at(r), whole ? (uint32_t)(int64_t)sum : of_float((float)sum)});
    }
    if (half)
      for (int r = 0; r < 2; r++) results[lane].push_back({i.args[0].list.at(r), packed[r]});
  }
  for (int lane = 0; lane < 32; lane++)
    for (auto &[to, v] : results[lane]) set(*warp[lane], to, v);
}

} // namespace ptx
