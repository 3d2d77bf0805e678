// PTX, read and interpreted on the CPU: for tests without a GPU. See README.md.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace ptx {

/// What is wrong with a text, or with what a kernel does.
struct Error : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class Space : uint8_t { Generic, Global, Shared, Local, Param, Const };

/// The type of an instruction: kind `b` (bits), `u`, `s`, `f`, `h` (bf16), `t` (tf32), `p` (predicate), with its bits, and
/// how many of them are packed (`f16x2`).
struct Type {
  char kind = 'b';
  int bits = 32;
  int pack = 1;
};

struct Operand {
  enum Kind : uint8_t { None, Register, Immediate, Special, Address, Vector, Label } kind = None;
  bool negated = false;
  int reg = -1;      // of the register, or of the base of an address
  int64_t value = 0; // of the immediate, or the offset of an address
  double real = 0;   // of an immediate that is a float
  bool is_real = false;
  std::string symbol; // of an address or a label
  std::vector<Operand> list;
};

struct Instruction {
  std::string op;                // the first part: `ld`
  std::vector<std::string> mods; // the others: `global`, `v4`, `b32`
  std::vector<Operand> args;
  int code = 0; // index of `op` among those that are known
  Type type, type2;
  Space space = Space::Generic;
  int vector = 1;
  int predicate = -1;
  bool predicate_negated = false;
  int target = -1; // of a branch
  int line = 0;
  uint32_t flags = 0;
  int compare = 0, combine = 0, rounding = 0;
};

/// Memory that a module or function declares.
struct Variable {
  std::string name;
  Space space;
  uint64_t size = 0, align = 1, offset = 0;
  bool external = false;
  std::vector<uint8_t> data;
  std::vector<std::pair<uint64_t, std::string>> addresses; // of other variables, in the data
};

struct Function {
  std::string name;
  bool entry = false, defined = false;
  std::vector<Variable> params, results, locals;
  std::vector<Instruction> code;
  std::map<std::string, int> labels;
  std::map<std::string, int> registers;
  uint64_t local_bytes = 0, shared_bytes = 0;
  int required[3] = {0, 0, 0}, most[3] = {0, 0, 0};
};

struct Module {
  std::string target;
  int version = 0; // 70 is 7.0
  std::map<std::string, Variable> variables;
  std::map<std::string, std::shared_ptr<Function>> functions;
  uint64_t shared_bytes = 0;
};

std::unique_ptr<Module> parse(const std::string &text);

/// Says where memory of the device is.
struct Memory {
  virtual ~Memory() = default;
  /// Whether a range may be accessed.
  virtual bool holds(uint64_t address, uint64_t bytes) const = 0;
  virtual uint64_t allocate(uint64_t bytes) = 0;
  virtual void release(uint64_t address) = 0;
};

struct Launch {
  std::vector<std::vector<uint8_t>> params;
  unsigned grid[3], block[3];
  unsigned dynamic_shared = 0;
};

/// Runs a kernel; gives the number of instructions. Errors: what it must not do, with the line of PTX.
uint64_t run(const Module &module, const Function &kernel, const Launch &launch, Memory &memory);

enum Op {
  MOV,
  LD,
  ST,
  ADD,
  SUB,
  MUL,
  MAD,
  FMA,
  DIV,
  REM,
  ABS,
  NEG,
  MIN,
  MAX,
  AND,
  OR,
  XOR,
  NOT,
  CNOT,
  SHL,
  SHR,
  SHF,
  SETP,
  SET,
  SELP,
  CVT,
  CVTA,
  RCP,
  SQRT,
  RSQRT,
  EX2,
  LG2,
  SIN,
  COS,
  TANH,
  COPYSIGN,
  BRA,
  RET,
  EXIT,
  BAR,
  SHFL,
  VOTE,
  ACTIVEMASK,
  ATOM,
  RED,
  MEMBAR,
  PRMT,
  BFE,
  BFI,
  POPC,
  CLZ,
  BREV,
  BFIND,
  TESTP,
  LOP3,
  TRAP,
  CALL,
  CP,
  LDMATRIX,
  MMA,
  PREFETCH,
  ISSPACEP,
  DP4A,
  NANOSLEEP,
  REDUX,
  MATCH,
  ADDC,
  SUBC,
  OPS
};

} // namespace ptx
