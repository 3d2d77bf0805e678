// What executables compute is concatenated without an executable, where the pieces lie one after the other in memory; the
// linked program writes them to their place. Pieces that exist already, that lie across each other or at crooked addresses
// are moved by an executable.
// RUN: hal-import %s | FileCheck %s
// RUN: hal-import %s | hal-translate | hal-link -o %t.so && hal-run %t.so --function=rows --input=16xf32=2 --expect=32xf32=4
// RUN: hal-run --list %t.so | FileCheck %s --check-prefix=LIST
// LIST-NOT: rows{{.*}}concat

// CHECK-LABEL: func.func @rows(
// CHECK: tensor.concat dim(0)
func.func @rows(%x: tensor<16xf32>) -> tensor<32xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %a = linalg.add ins(%x, %x : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %b = linalg.mul ins(%x, %x : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %c = tensor.concat dim(0) %a, %b : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  return %c : tensor<32xf32>
}

// CHECK-LABEL: func.func @given(
// CHECK-NOT: tensor.concat
// CHECK: call @given_dispatch_0_concat_32_f32
func.func @given(%x: tensor<16xf32>, %y: tensor<16xf32>) -> tensor<32xf32> {
  %c = tensor.concat dim(0) %x, %y : (tensor<16xf32>, tensor<16xf32>) -> tensor<32xf32>
  return %c : tensor<32xf32>
}

// CHECK-LABEL: func.func @columns(
// CHECK-NOT: tensor.concat
// CHECK: call @columns_dispatch_1_concat_16x32_f32
func.func @columns(%x: tensor<16x16xf32>) -> tensor<16x32xf32> {
  %e = tensor.empty() : tensor<16x16xf32>
  %a = linalg.add ins(%x, %x : tensor<16x16xf32>, tensor<16x16xf32>) outs(%e : tensor<16x16xf32>) -> tensor<16x16xf32>
  %c = tensor.concat dim(1) %a, %a : (tensor<16x16xf32>, tensor<16x16xf32>) -> tensor<16x32xf32>
  return %c : tensor<16x32xf32>
}

// CHECK-LABEL: func.func @crooked(
// CHECK-NOT: tensor.concat
// CHECK: call @crooked_dispatch_1_concat_30_f32
func.func @crooked(%x: tensor<15xf32>) -> tensor<30xf32> {
  %e = tensor.empty() : tensor<15xf32>
  %a = linalg.add ins(%x, %x : tensor<15xf32>, tensor<15xf32>) outs(%e : tensor<15xf32>) -> tensor<15xf32>
  %c = tensor.concat dim(0) %a, %a : (tensor<15xf32>, tensor<15xf32>) -> tensor<30xf32>
  return %c : tensor<30xf32>
}
