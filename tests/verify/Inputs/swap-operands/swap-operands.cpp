// A pass with a fault: the operands of subtractions change places.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

namespace {
struct SwapOperands : PassWrapper<SwapOperands, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SwapOperands)

  StringRef getArgument() const final { return "swap-operands"; }
  StringRef getDescription() const final { return "Swap the operands of subtractions"; }

  void runOnOperation() final {
    getOperation()->walk([](arith::SubFOp sub) { sub->setOperands({sub.getRhs(), sub.getLhs()}); });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "swap-operands", LLVM_VERSION_STRING, [] { PassRegistration<SwapOperands>(); }};
}
