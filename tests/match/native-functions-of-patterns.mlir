// Patterns may apply IREE's native constraints and rewrites of the same names; others are refused by name, with the list.
// RUN: split-file %s %t && cd %t
// RUN: hal-opt model.mlir --stage='natives.mlir[large]' -q | FileCheck %s --check-prefix=LARGE
// LARGE-LABEL: func.func @static
// LARGE: linalg.matmul {large = "yes"}
// LARGE: linalg.matmul ins
// LARGE-LABEL: func.func @dynamic
// LARGE: linalg.matmul ins
// RUN: hal-opt model.mlir --stage='natives.mlir[compatible]' -q | FileCheck %s --check-prefix=COMPATIBLE
// COMPATIBLE-LABEL: func.func @static
// COMPATIBLE-COUNT-2: linalg.matmul {compatible
// COMPATIBLE-LABEL: func.func @dynamic
// COMPATIBLE: linalg.matmul ins
// RUN: hal-opt model.mlir --stage='natives.mlir[product]' -q | FileCheck %s --check-prefix=PRODUCT
// PRODUCT-COUNT-3: linalg.matmul {product = [1, 2]}
// RUN: sed 's/"dimIsBound"/"dimIsBond"/' natives.mlir > near.mlir && exits 1 hal-opt model.mlir --stage=near.mlir 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error[bad-pattern]: native function `dimIsBond` is not available
// NEAR: note: there are `hasAttr`, `dimIsBound`, `dimIsMultipleOf`, `dimsMultipliedIsBound`, `matchCastCompatibleType`, `matchContraction`, `checkTensorElementType`, `annotateOperation`
// NEAR: hint: did you mean `dimIsBound`?
// RUN: sed 's/"annotateOperation"/"rewriteAsFlowDispatch"/' natives.mlir > flow.mlir && exits 1 hal-opt model.mlir --stage=flow.mlir 2>&1 | FileCheck %s --check-prefix=FLOW
// FLOW: error[bad-pattern]: native function `rewriteAsFlowDispatch` is not available
// FLOW: hint: make a `func.call` of a kernel that the file declares, and `pdl.replace` the operation with it: docs/iree.md
// RUN: sed 's/"dimIsMultipleOf"(%%a, %%zero, %%four : !pdl.value, !pdl.attribute, !pdl.attribute)/"dimIsMultipleOf"(%%a, %%zero : !pdl.value, !pdl.attribute)/' natives.mlir > few.mlir && exits 1 hal-opt model.mlir --stage=few.mlir 2>&1 | FileCheck %s --check-prefix=FEW
// FEW: error[bad-pattern]: native function `dimIsMultipleOf` takes (!pdl.value, !pdl.attribute, !pdl.attribute) and gives nothing; here it takes (!pdl.value, !pdl.attribute)
// RUN: sed 's/apply_native_rewrite "annotateOperation"(%%op, %%name, %%yes : .*)/apply_native_rewrite "hasAttr"(%%op, %%name : !pdl.operation, !pdl.attribute)/' natives.mlir > kind.mlir && exits 1 hal-opt model.mlir --stage=kind.mlir 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error[bad-pattern]: native function `hasAttr` is a constraint: the operation has an attribute of that name

//--- model.mlir
func.func @static(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<8x4xf32>, %d: tensor<4x4xf32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %m = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.matmul ins(%m, %d : tensor<8x4xf32>, tensor<4x4xf32>) outs(%c : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %m, %n : tensor<8x4xf32>, tensor<8x4xf32>
}
func.func @dynamic(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>, %c: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %m = linalg.matmul ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%c : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %m : tensor<?x?xf32>
}

//--- natives.mlir
pdl.pattern @large : benefit(1) {
  %a = pdl.operand
  %b = pdl.operand
  %c = pdl.operand
  %type = pdl.type
  %op = pdl.operation "linalg.matmul" (%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%type : !pdl.type)
  %name = pdl.attribute = "large"
  %zero = pdl.attribute = 0 : i64
  %one = pdl.attribute = 1 : i64
  %four = pdl.attribute = 4 : i64
  %ten = pdl.attribute = 10 : i64
  %hundred = pdl.attribute = 100 : i64
  %thousand = pdl.attribute = 1000 : i64
  %f32 = pdl.type : f32
  pdl.apply_native_constraint "hasAttr"(%op, %name : !pdl.operation, !pdl.attribute) {isNegated = true}
  pdl.apply_native_constraint "dimIsMultipleOf"(%a, %zero, %four : !pdl.value, !pdl.attribute, !pdl.attribute)
  pdl.apply_native_constraint "dimIsBound"(%a, %one, %ten, %hundred : !pdl.value, !pdl.attribute, !pdl.attribute, !pdl.attribute)
  pdl.apply_native_constraint "dimsMultipliedIsBound"(%a, %zero, %one, %hundred, %thousand : !pdl.value, !pdl.attribute, !pdl.attribute, !pdl.attribute, !pdl.attribute)
  pdl.apply_native_constraint "checkTensorElementType"(%type, %f32 : !pdl.type, !pdl.type)
  pdl.rewrite %op {
    %yes = pdl.attribute = "yes"
    pdl.apply_native_rewrite "annotateOperation"(%op, %name, %yes : !pdl.operation, !pdl.attribute, !pdl.attribute)
  }
}
pdl.pattern @compatible : benefit(1) {
  %a = pdl.operand
  %b = pdl.operand
  %c = pdl.operand
  %type = pdl.type
  %op = pdl.operation "linalg.matmul" (%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%type : !pdl.type)
  %name = pdl.attribute = "compatible"
  %want = pdl.type : tensor<8x?xf32>
  pdl.apply_native_constraint "hasAttr"(%op, %name : !pdl.operation, !pdl.attribute) {isNegated = true}
  pdl.apply_native_constraint "matchCastCompatibleType"(%a, %want : !pdl.value, !pdl.type)
  pdl.rewrite %op {
    %unit = pdl.attribute = unit
    pdl.apply_native_rewrite "annotateOperation"(%op, %name, %unit : !pdl.operation, !pdl.attribute, !pdl.attribute)
  }
}
pdl.pattern @product : benefit(1) {
  %a = pdl.operand
  %b = pdl.operand
  %c = pdl.operand
  %type = pdl.type
  %op = pdl.operation "linalg.matmul" (%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%type : !pdl.type)
  %name = pdl.attribute = "product"
  %types = pdl.attribute = [f32, f32, f32]
  %maps = pdl.attribute = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  pdl.apply_native_constraint "hasAttr"(%op, %name : !pdl.operation, !pdl.attribute) {isNegated = true}
  pdl.apply_native_constraint "matchContraction"(%op, %types, %maps : !pdl.operation, !pdl.attribute, !pdl.attribute)
  pdl.rewrite %op {
    %list = pdl.attribute = [1, 2]
    pdl.apply_native_rewrite "annotateOperation"(%op, %name, %list : !pdl.operation, !pdl.attribute, !pdl.attribute)
  }
}
