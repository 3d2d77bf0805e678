// The dialect of Poly.td, and the pass that lowers it: `x -> (c2 * x + c1) * x + c0` in a `linalg.generic`.
#include "mlir/Bytecode/BytecodeImplementation.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

using namespace mlir;

#include "PolyDialect.h.inc"
#define GET_OP_CLASSES
#include "PolyOps.h.inc"

#include "PolyDialect.cpp.inc"
#define GET_OP_CLASSES
#include "PolyOps.cpp.inc"

void poly::PolyDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "PolyOps.cpp.inc"
      >();
}

LogicalResult poly::EvalOp::verify() {
  return getCoefficients().empty() ? emitOpError("needs a coefficient") : success();
}

namespace {
struct ConvertPolyToLinalg : PassWrapper<ConvertPolyToLinalg, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ConvertPolyToLinalg)

  StringRef getArgument() const final { return "convert-poly-to-linalg"; }
  StringRef getDescription() const final { return "Lower the poly dialect to linalg on tensors"; }
  void getDependentDialects(DialectRegistry &registry) const final {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() final {
    getOperation()->walk([](poly::EvalOp op) {
      OpBuilder at(op);
      Location loc = op.getLoc();
      auto type = cast<RankedTensorType>(op.getType());
      Value empty = tensor::EmptyOp::create(at, loc, tensor::getMixedSizes(at, loc, op.getX()), type.getElementType());
      AffineMap map = at.getMultiDimIdentityMap(type.getRank());
      SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
      auto generic = linalg::GenericOp::create(at, loc, type, op.getX(), empty, ArrayRef{map, map}, loops,
                                               [&](OpBuilder &in, Location loc, ValueRange args) {
                                                 auto constant = [&](double value) -> Value {
                                                   return arith::ConstantOp::create(
                                                       in, loc, in.getFloatAttr(type.getElementType(), value));
                                                 };
                                                 ArrayRef<double> coefficients = op.getCoefficients();
                                                 Value sum = constant(coefficients.back());
                                                 for (double c : llvm::reverse(coefficients.drop_back())) {
                                                   Value product = arith::MulFOp::create(in, loc, sum, args[0]);
                                                   sum = arith::AddFOp::create(in, loc, product, constant(c));
                                                 }
                                                 linalg::YieldOp::create(in, loc, sum);
                                               });
      op.replaceAllUsesWith(generic.getResult(0));
      op.erase();
    });
  }
};
} // namespace

// One library may bring both; each has a flag of its own.
extern "C" LLVM_ATTRIBUTE_WEAK DialectPluginLibraryInfo mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "poly", LLVM_VERSION_STRING,
          [](DialectRegistry *registry) { registry->insert<poly::PolyDialect>(); }};
}

extern "C" LLVM_ATTRIBUTE_WEAK PassPluginLibraryInfo mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "poly", LLVM_VERSION_STRING, [] { PassRegistration<ConvertPolyToLinalg>(); }};
}
