// A pass of one's own: divisions by a constant become multiplications by its reciprocal. Built against the MLIR that the
// tools use, loaded with `--load-pass-plugin`, and then as good as a pass of upstream.
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/Plugins/PassPlugin.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace {
struct ReciprocalDivision : PassWrapper<ReciprocalDivision, OperationPass<func::FuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReciprocalDivision)

  ReciprocalDivision() = default;
  // Options are not copied with the rest.
  ReciprocalDivision(const ReciprocalDivision &other) : PassWrapper(other) {}

  StringRef getArgument() const final { return "reciprocal-division"; }
  StringRef getDescription() const final { return "Turn divisions by a constant into multiplications"; }
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<arith::ArithDialect>(); }

  Option<bool> exactOnly{*this, "exact-only", llvm::cl::init(true),
                         llvm::cl::desc("Only where no result changes: the constant is a power of two")};

  void runOnOperation() final {
    getOperation().walk([&](arith::DivFOp div) {
      APFloat divisor(0.0);
      if (!matchPattern(div.getRhs(), m_ConstantFloat(&divisor)) || divisor.isZero() || !divisor.isFinite()) return;
      APFloat reciprocal(divisor.getSemantics(), 1);
      bool exact = reciprocal.divide(divisor, APFloat::rmNearestTiesToEven) == APFloat::opOK;
      if (exactOnly && !exact) return;
      OpBuilder at(div);
      auto type = cast<FloatType>(div.getType());
      Value factor = arith::ConstantFloatOp::create(at, div.getLoc(), type, reciprocal);
      Value product = arith::MulFOp::create(at, div.getLoc(), div.getLhs(), factor);
      div.replaceAllUsesWith(product);
      div.erase();
    });
  }
};
} // namespace

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "reciprocal", LLVM_VERSION_STRING, [] {
            PassRegistration<ReciprocalDivision>();
            // A pipeline with a name, too.
            PassPipelineRegistration<>("divide-less", "Turn divisions into multiplications, and clean up",
                                       [](OpPassManager &passes) {
                                         passes.addNestedPass<func::FuncOp>(std::make_unique<ReciprocalDivision>());
                                         passes.addPass(createCanonicalizerPass());
                                       });
          }};
}
