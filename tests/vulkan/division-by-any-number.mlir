// `OpFDiv` is exact enough for divisors between 2^-126 and 2^126 only, so others are scaled first: drivers take 1 / 2^127 for zero.
// RUN: hal-import %s | hal-translate --target=vulkan --emit=spvasm -o %t.spvasm
// RUN: FileCheck %s --input-file=%t.spvasm
// RUN: spirv-as --target-env vulkan1.1 %t.spvasm -o %t.spv
// RUN: spirv-val --target-env vulkan1.1 %t.spv

// CHECK-DAG: %[[SMALL:[0-9]+]] = OpConstant %{{[0-9]+}} 16777216
// CHECK-DAG: %[[LARGE:[0-9]+]] = OpConstant %{{[0-9]+}} 0.0625
// CHECK: FAbs
// CHECK: %[[INNER:[0-9]+]] = OpSelect %{{[0-9]+}} %{{[0-9]+}} %[[SMALL]]
// CHECK: %[[BY:[0-9]+]] = OpSelect %{{[0-9]+}} %{{[0-9]+}} %[[LARGE]] %[[INNER]]
// CHECK: OpFMul %{{[0-9]+}} %{{[0-9]+}} %[[BY]]
// CHECK: OpFMul %{{[0-9]+}} %{{[0-9]+}} %[[BY]]
// CHECK: OpFDiv
func.func @main(%a: tensor<64xf32>, %b: tensor<64xf32>) -> tensor<64xf32> {
  %r = arith.divf %a, %b : tensor<64xf32>
  return %r : tensor<64xf32>
}

// A constant divisor of ordinary size needs none of that.
// RUN: sed 's|arith.divf %%a, %%b|arith.divf %%a, %%c|; s|^  %%r = |  %%c = arith.constant dense<3.0> : tensor<64xf32>\n&|' %s > %t.mlir
// RUN: hal-import %t.mlir | hal-translate --target=vulkan --emit=spvasm | FileCheck %s --check-prefix=PLAIN --implicit-check-not=FAbs
// PLAIN: OpFDiv
