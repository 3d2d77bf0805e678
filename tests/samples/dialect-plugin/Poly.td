// A dialect of one's own, with one operation.
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

def PolyDialect : Dialect {
  let name = "poly";
  let cppNamespace = "::poly";
}

def EvalOp : Op<PolyDialect, "eval", [Pure, SameOperandsAndResultType]> {
  let summary = "Evaluates a polynomial for each element: coefficients[0] + coefficients[1] * x + …";
  let arguments = (ins RankedTensorOf<[AnyFloat]>:$x, DenseF64ArrayAttr:$coefficients);
  let results = (outs RankedTensorOf<[AnyFloat]>:$y);
  let assemblyFormat = "$x $coefficients attr-dict `:` type($y)";
  let hasVerifier = 1;
}
