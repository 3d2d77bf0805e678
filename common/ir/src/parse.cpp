// Parsing without exceptions: on damaged bytecode MLIR may throw, such as std::length_error for the name of a kind that it does not
// have. Rust cannot catch exceptions of C++, and going on is no option: MLIR is built without them, so that unwinding releases
// nothing, such as locks. So an exception is a crash, which src/damaged.rs reports, or the parent of a worker.
#include "mlir-c/IR.h"

#include <cstdlib>

extern "C" MlirModule hal_mlir_parse(MlirContext context, MlirStringRef text) {
  try {
    return mlirModuleCreateParse(context, text);
  } catch (...) { std::abort(); }
}
