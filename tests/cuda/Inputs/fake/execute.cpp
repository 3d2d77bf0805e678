// Arithmetic of one thread.
#include "thread.h"
#include <algorithm>
#include <cfenv>

namespace ptx {

uint64_t Block::special(const Thread &t, const std::string &name) const {
  auto axis = [&](size_t at) { return name[at] - 'x'; };
  if (name.compare(0, 5, "%tid.") == 0) return t.tid[axis(5)];
  if (name.compare(0, 6, "%ntid.") == 0) return launch.block[axis(6)];
  if (name.compare(0, 7, "%ctaid.") == 0) return id[axis(7)];
  if (name.compare(0, 8, "%nctaid.") == 0) return launch.grid[axis(8)];
  unsigned lane = t.id % 32;
  if (name == "%laneid") return lane;
  if (name == "%warpid") return t.id / 32;
  if (name == "%nwarpid") return (threads.size() + 31) / 32;
  if (name == "%lanemask_lt") return (1u << lane) - 1;
  if (name == "%lanemask_le") return lane == 31 ? ~0u : (1u << (lane + 1)) - 1;
  if (name == "%lanemask_eq") return 1u << lane;
  if (name == "%lanemask_ge") return ~((1u << lane) - 1);
  if (name == "%lanemask_gt") return lane == 31 ? 0 : ~((1u << (lane + 1)) - 1);
  if (name == "WARP_SZ") return 32;
  if (name.compare(0, 6, "%clock") == 0 || name == "%globaltimer") return steps;
  fail(t, "`" + name + "` is not known to the fake driver");
}

uint64_t Block::get(Thread &t, const Operand &o, Type type) {
  switch (o.kind) {
  case Operand::Register: {
    uint64_t v = t.frame().registers[o.reg];
    return o.negated ? !(v & 1) : v;
  }
  case Operand::Immediate:
    if (!o.is_real) return (uint64_t)o.value;
    return type.kind == 'b' ? (type.bits == 64 ? of_double(o.real) : of_float((float)o.real))
                            : bits_of_number(o.real, type);
  case Operand::Special: return special(t, o.symbol);
  case Operand::Label: {
    Space space;
    uint64_t base = symbol(t, o.symbol, &space) + (uint64_t)o.value;
    return space == Space::Local || space == Space::Param ? base | (uint64_t)t.frames.size() << 32 : base;
  }
  case Operand::Vector: {
    uint64_t v = 0;
    int bits = type.bits / (int)o.list.size();
    for (size_t n = 0; n < o.list.size(); n++) v |= low_bits(get(t, o.list[n], Type{'b', bits, 1}), bits) << (n * bits);
    return v;
  }
  default: fail(t, "an operand has no value");
  }
}

void Block::set(Thread &t, const Operand &o, uint64_t value) {
  if (o.kind == Operand::Register)
    t.frame().registers[o.reg] = value;
  else if (o.kind != Operand::None)
    fail(t, "the result is no register");
}

bool Block::compare(const Instruction &i, uint64_t a, uint64_t b) {
  Type t = i.code == SET ? i.type2 : i.type;
  // eq ne lt le gt ge lo ls hi hs, then the unordered ones, num, nan.
  int c = i.compare;
  if (t.kind == 'f' || t.kind == 'h') {
    double x = number_of(a, t), y = number_of(b, t);
    bool nan = x != x || y != y;
    if (c == 17) return !nan;
    if (c == 18) return nan;
    if (c >= 11) {
      if (nan) return true;
      c -= 10;
    } else if (nan)
      return false;
    return c == 1 ? x == y : c == 2 ? x != y : c == 3 ? x < y : c == 4 ? x <= y : c == 5 ? x > y : x >= y;
  }
  if (t.kind == 's') {
    int64_t x = sign_extended(a, t.bits), y = sign_extended(b, t.bits);
    return c == 1 ? x == y : c == 2 ? x != y : c == 3 ? x < y : c == 4 ? x <= y : c == 5 ? x > y : x >= y;
  }
  uint64_t x = low_bits(a, t.bits), y = low_bits(b, t.bits);
  if (c >= 7) c -= 4;
  return c == 1 ? x == y : c == 2 ? x != y : c == 3 ? x < y : c == 4 ? x <= y : c == 5 ? x > y : x >= y;
}

uint64_t Block::convert(const Instruction &i, uint64_t v) {
  Type to = i.type, from = i.type2;
  bool float_from = from.kind == 'f' || from.kind == 'h', float_to = to.kind == 'f' || to.kind == 'h' || to.kind == 't';
  int r = i.rounding > 5 && i.rounding < 9 ? i.rounding - 4 : i.rounding; // the nearest, zero, down, up
  if (float_from && float_to) {
    double d = number_of(v, from);
    if (i.rounding >= 5 && i.rounding < 9)
      d = i.rounding == 5   ? std::nearbyint(d)
          : i.rounding == 6 ? std::trunc(d)
          : i.rounding == 7 ? std::floor(d)
                            : std::ceil(d);
    if (to.kind == 't') { // round to nearest, ties away, to 10 bits
      uint32_t b = (uint32_t)of_float((float)d);
      return d != d ? b : (b + 0x1000) & ~0x1fffu;
    }
    if (i.flags & SAT) d = d != d ? 0 : std::min(1.0, std::max(0.0, d));
    if (i.flags & RELU) d = d > 0 ? d : 0;
    uint64_t result = bits_of_number(d, to);
    if (r >= 2 && i.rounding < 5) { // towards zero, down or up: one step back if the nearest is on the wrong side
      double near = number_of(result, to);
      bool too_large = near > d && (r == 3 || (r == 2 && d > 0)), too_small = near < d && (r == 4 || (r == 2 && d < 0));
      if (too_large) result = near > 0 ? result - 1 : result + 1;
      if (too_small) result = near < 0 ? result - 1 : result + 1;
    }
    return result;
  }
  if (float_from) {
    double d = number_of(v, from);
    if (d != d) return 0;
    d = i.rounding == 5   ? std::nearbyint(d)
        : i.rounding == 7 ? std::floor(d)
        : i.rounding == 8 ? std::ceil(d)
                          : std::trunc(d);
    if (to.kind == 's') {
      double top = std::ldexp(1.0, to.bits - 1);
      if (d >= top) return low_bits(~0ull, to.bits - 1);
      if (d < -top) return (uint64_t)sign_extended(1ull << (to.bits - 1), to.bits);
      return (uint64_t)(int64_t)d;
    }
    if (d < 0) return 0;
    if (d >= std::ldexp(1.0, to.bits)) return low_bits(~0ull, to.bits);
    return (uint64_t)d;
  }
  bool is_signed = from.kind == 's';
  int64_t s = is_signed ? sign_extended(v, from.bits) : 0;
  uint64_t u = is_signed ? (uint64_t)s : low_bits(v, from.bits);
  if (float_to) {
    if (to.bits == 32) return of_float(is_signed ? (float)s : (float)u);
    return bits_of_number(is_signed ? (double)s : (double)u, to);
  }
  if (i.flags & SAT) {
    if (to.kind == 's') {
      int64_t top = (int64_t)low_bits(~0ull, to.bits - 1);
      if (is_signed) return (uint64_t)std::min(top, std::max(-top - 1, s));
      return std::min((uint64_t)top, u);
    }
    uint64_t top = low_bits(~0ull, to.bits);
    return is_signed && s < 0 ? 0 : std::min(top, u);
  }
  return to.kind == 's' ? (uint64_t)sign_extended(u, to.bits) : low_bits(u, to.bits);
}

/// Arithmetic on floats: of 64 bits in `double`, all others in a wider type, rounded once.
uint64_t Block::floats(const Instruction &i, const uint64_t *v) {
  Type t = i.type;
  double a = number_of(v[0], t), b = number_of(v[1], t), c = number_of(v[2], t), d = 0;
  bool single = t.bits == 32;
  auto nan = std::nan("");
  switch (i.code) {
  case ADD: d = single ? (double)((float)a + (float)b) : a + b; break;
  case SUB: d = single ? (double)((float)a - (float)b) : a - b; break;
  case MUL: d = single ? (double)((float)a * (float)b) : a * b; break;
  case DIV: d = single ? (double)((float)a / (float)b) : a / b; break;
  case FMA:
  case MAD: d = single ? (double)std::fmaf((float)a, (float)b, (float)c) : std::fma(a, b, c); break;
  case ABS: return low_bits(v[0], t.bits) & ~(1ull << (t.bits - 1));
  case NEG: return low_bits(v[0], t.bits) ^ (1ull << (t.bits - 1));
  case COPYSIGN:
    return (low_bits(v[1], t.bits) & ~(1ull << (t.bits - 1))) | (low_bits(v[0], t.bits) & (1ull << (t.bits - 1)));
  case MIN:
  case MAX:
    if (a != a || b != b)
      d = (i.flags & NAN_) || (a != a && b != b) ? nan : a != a ? b : a;
    else if (a == b)
      d = (i.code == MIN) == (bool)std::signbit(a) ? a : b;
    else
      d = (a < b) == (i.code == MIN) ? a : b;
    break;
  case RCP: d = single ? (double)(1.0f / (float)a) : 1 / a; break;
  case SQRT: d = single ? (double)std::sqrt((float)a) : std::sqrt(a); break;
  case RSQRT: d = 1 / std::sqrt(a); break;
  case EX2: d = std::exp2(a); break;
  case LG2: d = std::log2(a); break;
  case SIN: d = std::sin(a); break;
  case COS: d = std::cos(a); break;
  case TANH: d = std::tanh(a); break;
  default: break;
  }
  if (i.flags & SAT) d = d != d ? 0 : std::min(1.0, std::max(0.0, d));
  if (i.flags & RELU) d = d > 0 ? d : 0;
  return bits_of_number(d, t);
}

uint64_t Block::integers(const Instruction &i, const uint64_t *v) {
  int n = i.type.bits;
  bool s = i.type.kind == 's';
  uint64_t a = low_bits(v[0], n), b = low_bits(v[1], n), c = v[2];
  int64_t x = sign_extended(v[0], n), y = sign_extended(v[1], n);
  auto product = [&]() -> __int128 { return s ? (__int128)x * y : (__int128)((unsigned __int128)a * b); };
  switch (i.code) {
  case ADD: return a + b;
  case SUB: return a - b;
  case MUL: return i.flags & HI ? (uint64_t)(product() >> n) : (uint64_t)product();
  case MAD: return (i.flags & HI ? (uint64_t)(product() >> n) : (uint64_t)product()) + c;
  case DIV:
    if (b == 0) return low_bits(~0ull, n);
    return s ? (y == -1 ? (uint64_t)(0 - (uint64_t)x) : (uint64_t)(x / y)) : a / b;
  case REM:
    if (b == 0) return a;
    return s ? (y == -1 ? 0 : (uint64_t)(x % y)) : a % b;
  case ABS: return (uint64_t)(x < 0 ? -(uint64_t)x : (uint64_t)x);
  case NEG: return (uint64_t)(0 - (uint64_t)x);
  case MIN: return s ? (uint64_t)std::min(x, y) : std::min(a, b);
  case MAX: return s ? (uint64_t)std::max(x, y) : std::max(a, b);
  case AND: return a & b;
  case OR: return a | b;
  case XOR: return a ^ b;
  case NOT: return ~a;
  case CNOT: return a == 0;
  case SHL: {
    uint64_t k = low_bits(v[1], 32);
    return k >= (uint64_t)n ? 0 : a << k;
  }
  case SHR: {
    uint64_t k = std::min<uint64_t>(low_bits(v[1], 32), s ? n - 1 : n);
    return s ? (uint64_t)(x >> k) : k >= 64 || k >= (uint64_t)n ? 0 : a >> k;
  }
  case SHF: {
    uint64_t both = low_bits(v[1], 32) << 32 | low_bits(v[0], 32), k = low_bits(c, 32);
    k = i.flags & WRAP ? k & 31 : std::min<uint64_t>(k, 32);
    return i.flags & LEFT ? (k == 32 ? low_bits(v[0], 32) : (both << k) >> 32)
                          : (k == 32 ? low_bits(v[1], 32) : both >> k);
  }
  case POPC: return (uint64_t)__builtin_popcountll(a);
  case CLZ: return a == 0 ? (uint64_t)n : (uint64_t)__builtin_clzll(a) - (64 - n);
  case BREV: {
    uint64_t r = 0;
    for (int k = 0; k < n; k++) r |= (a >> k & 1) << (n - 1 - k);
    return r;
  }
  case BFIND: {
    if (s && x < 0) a = low_bits(~a, n);
    return a == 0 ? 0xffffffffu : 63u - (unsigned)__builtin_clzll(a);
  }
  case BFE: {
    unsigned at = v[1] & 255, length = c & 255;
    if (length == 0) return 0;
    uint64_t bits = 0;
    for (unsigned k = 0; k < (unsigned)n; k++) {
      unsigned from = at + std::min(k, length - 1);
      bool bit = k < length || s ? (from < (unsigned)n ? a >> from & 1 : s && (a >> (n - 1) & 1)) : false;
      bits |= (uint64_t)bit << k;
    }
    return bits;
  }
  case BFI: {
    unsigned at = v[2] & 255, length = v[3] & 255;
    uint64_t mask = at >= (unsigned)n ? 0 : low_bits(~0ull, std::min<int>(length, n - at)) << at;
    if (length == 0) mask = 0;
    return (b & ~mask) | (a << (at & 63) & mask);
  }
  case LOP3: {
    uint64_t r = 0;
    for (int k = 0; k < 32; k++) r |= (v[3] >> ((a >> k & 1) * 4 + (b >> k & 1) * 2 + (c >> k & 1)) & 1) << k;
    return r;
  }
  case PRMT: {
    uint64_t both = low_bits(v[1], 32) << 32 | low_bits(v[0], 32), r = 0;
    for (int k = 0; k < 4; k++) {
      unsigned selector = c >> (4 * k) & 15;
      uint64_t byte = both >> (8 * (selector & 7)) & 255;
      r |= (selector & 8 ? (byte & 128 ? 255ull : 0) : byte) << (8 * k);
    }
    return r;
  }
  case DP4A: {
    int64_t sum = (int32_t)c;
    bool sa = i.type.kind == 's', sb = i.type2.kind == 's';
    for (int k = 0; k < 4; k++) {
      int64_t p = sa ? (int8_t)(v[0] >> 8 * k) : (uint8_t)(v[0] >> 8 * k),
              q = sb ? (int8_t)(v[1] >> 8 * k) : (uint8_t)(v[1] >> 8 * k);
      sum += p * q;
    }
    return (uint64_t)sum;
  }
  default: return 0;
  }
}

void Block::execute(Thread &t, const Instruction &i) {
  auto arg = [&](size_t n, Type type) { return get(t, i.args.at(n), type); };
  Type type = i.type;
  switch (i.code) {
  case MOV:
    if (i.args.at(0).kind == Operand::Vector) {
      uint64_t v = arg(1, type);
      int bits = type.bits / (int)i.args[0].list.size();
      for (size_t n = 0; n < i.args[0].list.size(); n++) set(t, i.args[0].list[n], low_bits(v >> (n * bits), bits));
      return;
    }
    return set(t, i.args[0], arg(1, type));
  case CVTA: {
    uint64_t v = arg(1, type);
    Space s = i.space;
    uint64_t window = s == Space::Shared ? SHARED_WINDOW : s == Space::Local || s == Space::Param ? LOCAL_WINDOW : 0;
    return set(t, i.args[0], i.flags & TO ? v - window : v + window);
  }
  case ISSPACEP: {
    uint64_t v = arg(1, Type{'u', 64, 1});
    Space s = v >= LOCAL_WINDOW ? Space::Local : v >= SHARED_WINDOW ? Space::Shared : Space::Global;
    return set(t, i.args[0], s == i.space);
  }
  case SETP:
  case SET: {
    Type of = i.code == SET ? i.type2 : type;
    bool r = compare(i, arg(1, of), arg(2, of));
    bool other = !r;
    if (i.combine) {
      bool p = arg(3, Type{'p', 1, 1}) & 1;
      auto with = [&](bool x) { return i.combine == 1 ? x && p : i.combine == 2 ? x || p : x != p; };
      r = with(r), other = with(other);
    }
    if (i.code == SET) return set(t, i.args[0], type.kind == 'f' ? of_float(r) : r ? ~0u : 0);
    if (i.args[0].kind == Operand::Vector) {
      set(t, i.args[0].list.at(0), r);
      return set(t, i.args[0].list.at(1), other);
    }
    return set(t, i.args[0], r);
  }
  case SELP: return set(t, i.args[0], arg(3, Type{'p', 1, 1}) & 1 ? arg(1, type) : arg(2, type));
  case CVT:
    if (type.pack == 2) { // two floats of 32 bits to one word: the first is the upper half
      Instruction one = i;
      one.type.pack = 1;
      return set(t, i.args[0], convert(one, arg(1, i.type2)) << 16 | low_bits(convert(one, arg(2, i.type2)), 16));
    }
    return set(t, i.args[0], convert(i, arg(1, i.type2)));
  case TESTP: {
    double d = number_of(arg(1, type), type);
    bool r = false;
    for (auto &m : i.mods) {
      int c = std::fpclassify(type.bits == 32 ? (float)d : d);
      if (m == "finite") r = std::isfinite(d);
      if (m == "infinite") r = std::isinf(d);
      if (m == "number") r = !std::isnan(d);
      if (m == "notanumber") r = std::isnan(d);
      if (m == "normal") r = c == FP_NORMAL;
      if (m == "subnormal") r = type.bits == 32 ? std::fpclassify((float)d) == FP_SUBNORMAL : c == FP_SUBNORMAL;
    }
    return set(t, i.args[0], r);
  }
  case ACTIVEMASK: fail(t, "`activemask` has no meaning without lanes that run together");
  default: break;
  }
  uint64_t v[4] = {0, 0, 0, 0};
  Type narrow = type;
  narrow.pack = 1;
  for (size_t n = 1; n < i.args.size() && n < 5; n++) v[n - 1] = arg(n, type.pack == 2 ? Type{'b', 32, 1} : type);
  uint64_t result;
  if (type.kind == 'p') {
    bool a = v[0] & 1, b = v[1] & 1;
    result = i.code == AND ? a && b : i.code == OR ? a || b : i.code == XOR ? a != b : !a;
  } else if (type.kind == 'f' || type.kind == 'h') {
    if (type.pack == 2) {
      Instruction one = i;
      one.type.pack = 1;
      uint64_t low[3], high[3];
      for (int n = 0; n < 3; n++) low[n] = v[n] & 0xffff, high[n] = v[n] >> 16 & 0xffff;
      result = floats(one, high) << 16 | low_bits(floats(one, low), 16);
    } else
      result = floats(i, v);
  } else {
    if (i.flags & WIDE) { // both factors of this type, the result of twice the bits
      bool s = type.kind == 's';
      uint64_t product = s ? (uint64_t)(sign_extended(v[0], type.bits) * sign_extended(v[1], type.bits))
                           : low_bits(v[0], type.bits) * low_bits(v[1], type.bits);
      result = i.code == MAD ? product + v[2] : product;
      return set(t, i.args[0], low_bits(result, 2 * type.bits));
    }
    bool carries = i.code == ADDC || i.code == SUBC;
    if (carries || ((i.flags & CC) && (i.code == ADD || i.code == SUB))) {
      unsigned __int128 a = low_bits(v[0], type.bits), b = low_bits(v[1], type.bits), in = carries && t.frame().carry;
      bool minus = i.code == SUB || i.code == SUBC;
      unsigned __int128 sum = minus ? a - b - in : a + b + in;
      if (i.flags & CC) t.frame().carry = (sum >> type.bits) & 1;
      return set(t, i.args[0], low_bits((uint64_t)sum, type.bits));
    }
    result = integers(i, v);
  }
  bool counts = i.code == POPC || i.code == CLZ || i.code == BFIND || i.code == DP4A;
  set(t, i.args[0], low_bits(result, counts ? 32 : type.bits * type.pack));
}

} // namespace ptx
