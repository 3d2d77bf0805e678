// Reads PTX: the part of the language that LLVM, clang and nvcc write for kernels.
#include "ptx.h"
#include <cctype>
#include <cstring>

namespace ptx {

static const char *NAMES[OPS] = {
    "mov",      "ld",       "st",         "add",       "sub",   "mul",      "mad",  "fma", "div",      "rem",
    "abs",      "neg",      "min",        "max",       "and",   "or",       "xor",  "not", "cnot",     "shl",
    "shr",      "shf",      "setp",       "set",       "selp",  "cvt",      "cvta", "rcp", "sqrt",     "rsqrt",
    "ex2",      "lg2",      "sin",        "cos",       "tanh",  "copysign", "bra",  "ret", "exit",     "bar",
    "shfl",     "vote",     "activemask", "atom",      "red",   "membar",   "prmt", "bfe", "bfi",      "popc",
    "clz",      "brev",     "bfind",      "testp",     "lop3",  "trap",     "call", "cp",  "ldmatrix", "mma",
    "prefetch", "isspacep", "dp4a",       "nanosleep", "redux", "match",    "addc", "subc"};

struct Reader {
  std::vector<std::string> tokens;
  std::vector<int> lines;
  size_t at = 0;
  Module *module = nullptr;
  Function *function = nullptr;

  [[noreturn]] void fail(const std::string &what) const {
    int line = at < lines.size() ? lines[at] : lines.empty() ? 0 : lines.back();
    throw Error("line " + std::to_string(line) + ": " + what);
  }
  const std::string &peek(size_t ahead = 0) const {
    static const std::string end;
    return at + ahead < tokens.size() ? tokens[at + ahead] : end;
  }
  std::string next() {
    if (at >= tokens.size()) fail("the text ends too early");
    return tokens[at++];
  }
  bool accept(const char *token) {
    if (peek() != token) return false;
    at++;
    return true;
  }
  void expect(const char *token) {
    if (!accept(token)) fail("expected `" + std::string(token) + "`, found `" + peek() + "`");
  }

  void tokenize(const std::string &text) {
    int line = 1;
    auto word = [](char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%' || c == '.'; };
    for (size_t i = 0; i < text.size();) {
      char c = text[i];
      if (c == '\n') line++;
      if (isspace((unsigned char)c)) {
        i++;
        continue;
      }
      if (text.compare(i, 2, "//") == 0) {
        while (i < text.size() && text[i] != '\n') i++;
        continue;
      }
      if (text.compare(i, 2, "/*") == 0) {
        size_t end = text.find("*/", i + 2);
        for (size_t k = i; k < end && k < text.size(); k++) line += text[k] == '\n';
        i = end == std::string::npos ? text.size() : end + 2;
        continue;
      }
      size_t start = i;
      if (c == '"') {
        for (i++; i < text.size() && text[i] != '"'; i++) {}
        i++;
      } else if (word(c)) {
        while (i < text.size() && (word(text[i]) || (text.compare(i, 2, "::") == 0 && (i++, true)))) i++;
        // An exponent of a decimal float does not occur; `name+4` is three tokens.
      } else {
        i++;
      }
      tokens.push_back(text.substr(start, i - start));
      lines.push_back(line);
    }
  }

  static uint64_t bits_of(const std::string &type) {
    if (type == ".pred") return 1;
    size_t i = 2;
    return strtoull(type.c_str() + i, nullptr, 10);
  }

  Operand number(bool negative) {
    std::string t = next();
    Operand o;
    o.kind = Operand::Immediate;
    if (t.size() == 10 && (t[1] == 'f' || t[1] == 'F') && t[0] == '0') {
      uint32_t bits = (uint32_t)strtoul(t.c_str() + 2, nullptr, 16);
      float f;
      memcpy(&f, &bits, 4);
      o.real = negative ? -f : f, o.is_real = true;
    } else if (t.size() == 18 && (t[1] == 'd' || t[1] == 'D') && t[0] == '0') {
      uint64_t bits = strtoull(t.c_str() + 2, nullptr, 16);
      memcpy(&o.real, &bits, 8);
      if (negative) o.real = -o.real;
      o.is_real = true;
    } else if (t.find('.') != std::string::npos) {
      o.real = strtod(t.c_str(), nullptr) * (negative ? -1 : 1), o.is_real = true;
    } else {
      if (!t.empty() && (t.back() == 'U')) t.pop_back();
      o.value = (int64_t)strtoull(t.c_str(), nullptr, 0);
      if (negative) o.value = -o.value;
    }
    return o;
  }

  int reg(const std::string &name) {
    auto it = function->registers.find(name);
    if (it == function->registers.end()) fail("register `" + name + "` is not declared");
    return it->second;
  }

  Operand operand() {
    Operand o;
    if (accept("{")) {
      o.kind = Operand::Vector;
      while (!accept("}")) {
        o.list.push_back(operand());
        accept(",");
      }
      return o;
    }
    if (accept("[")) {
      o = operand();
      if (o.kind == Operand::Register || o.kind == Operand::Immediate) {
        if (o.kind == Operand::Immediate) o.reg = -1;
        o.kind = Operand::Address;
      } else if (o.kind == Operand::Label) {
        o.kind = Operand::Address;
      }
      if (accept("+")) o.value += (accept("-") ? number(true) : number(false)).value;
      expect("]");
      return o;
    }
    bool negative = accept("-");
    if (accept("!")) {
      o = operand();
      o.negated = true;
      return o;
    }
    const std::string &t = peek();
    if (isdigit((unsigned char)t[0])) return number(negative);
    std::string name = next();
    if (name == "_") {
      o.kind = Operand::None;
      return o;
    }
    static const char *special[] = {"%tid.",    "%ntid.",    "%ctaid.", "%nctaid.",     "%laneid", "%warpid",
                                    "%nwarpid", "%lanemask", "%clock",  "%globaltimer", "WARP_SZ", "%smid"};
    for (const char *s : special)
      if (name.compare(0, strlen(s), s) == 0) {
        o.kind = Operand::Special;
        o.symbol = name;
        return o;
      }
    auto it = function->registers.find(name);
    if (it != function->registers.end()) {
      o.kind = Operand::Register;
      o.reg = it->second;
      if (accept("|")) { // two results of setp or shfl
        Operand both;
        both.kind = Operand::Vector;
        both.list = {o, operand()};
        return both;
      }
      if (peek() == "+" && false) {}
      return o;
    }
    if (name[0] == '%') fail("register `" + name + "` is not declared");
    o.kind = Operand::Label;
    o.symbol = name;
    if (peek() == "+") {
      at++;
      o.value = number(false).value;
    }
    return o;
  }

  /// `.align 8 .b8 name[16]`, after the space. `.ptr .align N` may stand there for parameters.
  Variable variable(Space space) {
    Variable v;
    v.space = space;
    std::string type;
    while (peek()[0] == '.') {
      std::string t = next();
      if (t == ".align")
        v.align = strtoull(next().c_str(), nullptr, 10);
      else if (strchr("busfp", t[1]) && t.size() > 2 && isdigit((unsigned char)t[2]))
        type = t;
      else if (t == ".pred")
        type = t;
      // .ptr, .global, .visible … tell nothing that is needed.
    }
    if (type.empty()) fail("a variable has no type");
    v.name = next();
    uint64_t element = (bits_of(type) + 7) / 8, count = 1;
    bool open = false;
    while (accept("[")) {
      if (accept("]")) {
        open = true;
        continue;
      }
      count *= strtoull(next().c_str(), nullptr, 10);
      expect("]");
    }
    v.external = open;
    v.size = open ? 0 : element * count;
    v.align = std::max(v.align, open ? uint64_t(16) : element);
    if (accept("=")) {
      v.data.resize(v.size);
      uint64_t offset = 0;
      auto put = [&] {
        if (isalpha((unsigned char)peek()[0]) || peek()[0] == '_' || peek()[0] == '$') {
          std::string symbol = next();
          if (symbol == "generic") {
            expect("(");
            symbol = next();
            expect(")");
          }
          v.addresses.push_back({offset, symbol});
        } else {
          Operand o = number(accept("-"));
          if (o.is_real && element == 4) {
            float f = (float)o.real;
            memcpy(&v.data[offset], &f, 4);
          } else if (o.is_real)
            memcpy(&v.data[offset], &o.real, 8);
          else
            memcpy(&v.data[offset], &o.value, element);
        }
        offset += element;
      };
      if (accept("{")) {
        while (!accept("}")) {
          if (offset >= v.size) fail("`" + v.name + "` has too many values");
          put();
          accept(",");
        }
      } else
        put();
    }
    return v;
  }

  std::vector<Variable> parameters() {
    std::vector<Variable> list;
    expect("(");
    while (!accept(")")) {
      if (peek() == ".param" || peek() == ".reg") at++;
      list.push_back(variable(Space::Param));
      accept(",");
    }
    return list;
  }

  static bool space_of(const std::string &m, Space *space) {
    static const std::map<std::string, Space> spaces = {{"global", Space::Global}, {"shared", Space::Shared},
                                                        {"local", Space::Local},   {"param", Space::Param},
                                                        {"const", Space::Const},   {"shared::cta", Space::Shared}};
    auto it = spaces.find(m);
    if (it == spaces.end()) return false;
    *space = it->second;
    return true;
  }

  static bool type_of(const std::string &m, Type *type) {
    if (m == "pred") {
      *type = {'p', 1, 1};
      return true;
    }
    if (m == "bf16") {
      *type = {'h', 16, 1};
      return true;
    }
    if (m == "bf16x2") {
      *type = {'h', 16, 2};
      return true;
    }
    if (m == "f16x2") {
      *type = {'f', 16, 2};
      return true;
    }
    if (m == "tf32") {
      *type = {'t', 32, 1};
      return true;
    }
    if (m.size() < 2 || !strchr("busf", m[0]) || !isdigit((unsigned char)m[1])) return false;
    char *end;
    long bits = strtol(m.c_str() + 1, &end, 10);
    if (*end) return false;
    *type = {m[0], (int)bits, 1};
    return true;
  }

  void decode(Instruction &i);
  void instruction();
  void body();
  void definition(bool entry);
  void top();
};

static int index_of(const std::string &m, std::initializer_list<const char *> names) {
  int i = 1;
  for (const char *n : names) {
    if (m == n) return i;
    i++;
  }
  return 0;
}

void Reader::decode(Instruction &i) {
  std::string op = i.op == "barrier"                              ? "bar"
                   : i.op == "fence"                              ? "membar"
                   : i.op == "applypriority" || i.op == "discard" ? "prefetch"
                                                                  : i.op;
  i.code = -1;
  for (int k = 0; k < OPS; k++)
    if (op == NAMES[k]) i.code = k;
  if (i.code < 0) fail("instruction `" + i.op + "` is not known to the fake driver");
  int types = 0;
  for (auto &m : i.mods) {
    Type t;
    if (space_of(m, &i.space)) continue;
    if (m == "v2" || m == "v4" || m == "v8") {
      i.vector = m[1] - '0';
      continue;
    }
    if (type_of(m, &t)) {
      if (types == 0) i.type = t;
      if (types == 1) i.type2 = t;
      types++;
      continue;
    }
    if (int c = index_of(m, {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs", "equ", "neu", "ltu", "leu",
                             "gtu", "geu", "num", "nan"}))
      i.compare = c;
    else if (int r = index_of(m, {"rn", "rz", "rm", "rp", "rni", "rzi", "rmi", "rpi", "rna"}))
      i.rounding = r;
    // `and`, `or`, `xor` between predicates.
    if (i.code == SETP || i.code == SET)
      if (int c = index_of(m, {"and", "or", "xor"})) i.combine = c;
    static const char *flags[] = {"sat", "ftz", "wide",    "hi",   "lo",    "to", "NaN", "relu", "trans", "x1",
                                  "x2",  "x4",  "xorsign", "wrap", "clamp", "l",  "r",   "rev",  "cc"};
    for (uint32_t k = 0; k < sizeof flags / sizeof *flags; k++)
      if (m == flags[k]) i.flags |= 1u << k;
  }
  if (types == 1) i.type2 = i.type;
}

void Reader::instruction() {
  Instruction i;
  i.line = lines[at];
  if (accept("@")) {
    i.predicate_negated = accept("!");
    i.predicate = reg(next());
  }
  std::string name = next();
  size_t start = 0;
  for (size_t k = 0; k <= name.size(); k++)
    if (k == name.size() || name[k] == '.') {
      std::string part = name.substr(start, k - start);
      if (start == 0)
        i.op = part;
      else
        i.mods.push_back(part);
      start = k + 1;
    }
  decode(i);
  if (i.code == CALL) {
    // call (result), name, (arguments);
    Operand results, arguments;
    if (accept("(")) {
      while (!accept(")")) {
        results.list.push_back(operand());
        accept(",");
      }
      expect(",");
    }
    Operand callee = operand();
    if (accept(",") && accept("(")) {
      while (!accept(")")) {
        arguments.list.push_back(operand());
        accept(",");
      }
      if (accept(",")) next(); // a prototype
    }
    i.args = {results, callee, arguments};
  } else {
    while (peek() != ";") {
      i.args.push_back(operand());
      if (!accept(",")) break;
    }
  }
  expect(";");
  function->code.push_back(std::move(i));
}

void Reader::body() {
  int depth = 1;
  while (depth) {
    if (accept("{")) {
      depth++;
      continue;
    }
    if (accept("}")) {
      depth--;
      continue;
    }
    const std::string &t = peek();
    if (t == ".reg") {
      at++;
      next(); // the type
      do {
        std::string name = next();
        if (accept("<")) {
          int count = atoi(next().c_str());
          expect(">");
          for (int k = 0; k < count; k++)
            function->registers.emplace(name + std::to_string(k), (int)function->registers.size());
        } else
          function->registers.emplace(name, (int)function->registers.size());
      } while (accept(","));
      expect(";");
    } else if (t == ".local" || t == ".shared" || t == ".param") {
      Space space = t == ".local" ? Space::Local : t == ".shared" ? Space::Shared : Space::Param;
      at++;
      Variable v = variable(space);
      if (space == Space::Shared) {
        uint64_t &top = module->shared_bytes;
        v.offset = top = (top + v.align - 1) / v.align * v.align;
        top += v.size;
        module->variables[v.name] = v;
      } else {
        uint64_t &top = function->local_bytes;
        v.offset = top = (top + v.align - 1) / v.align * v.align;
        top += v.size;
        function->locals.push_back(v);
      }
      expect(";");
    } else if (t == ".loc" || t == ".pragma" || t == ".file") {
      int line = lines[at];
      while (at < tokens.size() && lines[at] == line && !accept(";")) at++;
    } else if (peek(1) == ":") {
      function->labels[next()] = (int)function->code.size();
      at++;
    } else {
      instruction();
    }
  }
  for (auto &i : function->code)
    if (i.code == BRA) {
      auto it = function->labels.find(i.args.at(0).symbol);
      if (it == function->labels.end())
        throw Error("line " + std::to_string(i.line) + ": there is no label `" + i.args[0].symbol + "`");
      i.target = it->second;
    }
}

void Reader::definition(bool entry) {
  auto made = std::make_shared<Function>();
  if (!entry && peek() == "(") made->results = parameters();
  made->name = next();
  made->entry = entry;
  if (peek() == "(") made->params = parameters();
  while (peek()[0] == '.') {
    std::string t = next();
    int *sizes = t == ".reqntid" ? made->required : t == ".maxntid" ? made->most : nullptr;
    int scratch[3] = {0, 0, 0};
    if (t == ".noreturn") continue;
    if (!sizes) sizes = scratch;
    for (int k = 0; k < 3; k++) {
      if (!isdigit((unsigned char)peek()[0])) break;
      sizes[k] = atoi(next().c_str());
      if (!accept(",")) {
        for (int j = k + 1; j < 3; j++) sizes[j] = 1;
        break;
      }
    }
  }
  auto &slot = module->functions[made->name];
  if (!slot || !slot->defined) slot = made;
  if (accept(";")) return;
  expect("{");
  slot = made;
  made->defined = true;
  function = made.get();
  body();
  function = nullptr;
}

void Reader::top() {
  while (at < tokens.size()) {
    std::string t = next();
    if (t == ".version") {
      std::string v = next();
      module->version =
          atoi(v.c_str()) * 10 + (v.find('.') == std::string::npos ? 0 : atoi(v.c_str() + v.find('.') + 1));
    } else if (t == ".target") {
      module->target = next();
      while (accept(",")) next();
    } else if (t == ".address_size") {
      if (next() != "64") fail("addresses are not of 64 bits");
    } else if (t == ".visible" || t == ".extern" || t == ".weak" || t == ".common") {
    } else if (t == ".entry" || t == ".func") {
      definition(t == ".entry");
    } else if (t == ".global" || t == ".const" || t == ".shared") {
      Variable v = variable(t == ".shared" ? Space::Shared : t == ".const" ? Space::Const : Space::Global);
      if (v.space == Space::Shared && !v.external) {
        uint64_t &top = module->shared_bytes;
        v.offset = top = (top + v.align - 1) / v.align * v.align;
        top += v.size;
      }
      module->variables[v.name] = v;
      expect(";");
    } else if (t == ".file" || t == ".section" || t == ".loc") {
      int line = lines[at - 1];
      while (at < tokens.size() && lines[at] == line) at++;
    } else {
      at--;
      fail("`" + t + "` is not expected here");
    }
  }
  if (!module->version) throw Error("the text has no `.version`");
  if (module->target.empty()) throw Error("the text has no `.target`");
}

std::unique_ptr<Module> parse(const std::string &text) {
  auto module = std::make_unique<Module>();
  Reader reader;
  reader.module = module.get();
  reader.tokenize(text);
  if (reader.tokens.empty()) throw Error("the text is empty");
  reader.top();
  return module;
}

} // namespace ptx
