// Filters and large matrices with one value for all elements are weights like others, also those that are made wider first: kernels take them
// packed. They stay short in the text. Small ones, and those that something else reads, are constants.
// RUN: hal-import %s -o %t.mlir && FileCheck %s < %t.mlir
// RUN: hal-compile %t.mlir -o %t.so && hal-run %t.so --input=1x64x6x6xf32=2 --input=8x128xf32=1 --input=1x64x4x4xi8=-2 | FileCheck %s --check-prefix=VALUES
// RUN: hal-import %s | hal-translate --target=cpu:x86-64-v3 | FileCheck %s --check-prefix=PACKED

// CHECK: ml_program.global private @w0(dense<5.000000e-01> : tensor<64x64x3x3xf32>) : tensor<64x64x3x3xf32>
// CHECK-NEXT: ml_program.global private @w1(dense<2.500000e-01> : tensor<128x128xf32>) : tensor<128x128xf32>
// CHECK-NEXT: ml_program.global private @w2(dense<-128> : tensor<48x64x1x1xi8>) : tensor<48x64x1x1xi8>
// CHECK-NOT: ml_program.global
// CHECK: func.func @main_dispatch_{{.*}}_conv_{{.*}}tensor<64x64x3x3xf32> {hal.weight}
// CHECK: func.func @main_dispatch_{{.*}}_conv_{{.*}}tensor<48x64x1x1xi8> {hal.weight}
// CHECK: func.func @main(
// CHECK-DAG: ml_program.global_load_const @w0
// CHECK-DAG: ml_program.global_load_const @w1
// CHECK-DAG: ml_program.global_load_const @w2
// CHECK-DAG: arith.constant dense<3.000000e+00> : tensor<2x64x1x1xf32>
// PACKED: hal.packed
// PACKED: layout = "byte_pair_blocks"
// VALUES: 110592
// VALUES: 32
// VALUES: 16384
#map = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2, d3)>
func.func @main(%x: tensor<1x64x6x6xf32>, %y: tensor<8x128xf32>, %z: tensor<1x64x4x4xi8>) -> (tensor<1x2x4x4xf32>, tensor<8x128xf32>, tensor<1x48x4x4xi32>, tensor<128x128xf32>) {
  %zero = arith.constant 0.0 : f32
  %filters = arith.constant dense<0.5> : tensor<64x64x3x3xf32>
  %small = arith.constant dense<3.0> : tensor<2x64x1x1xf32>
  %matrix = arith.constant dense<0.25> : tensor<128x128xf32>
  %shared = arith.constant dense<0.125> : tensor<128x128xf32>
  %e0 = tensor.empty() : tensor<1x64x4x4xf32>
  %f0 = linalg.fill ins(%zero : f32) outs(%e0 : tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32>
  %c = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%x, %filters : tensor<1x64x6x6xf32>, tensor<64x64x3x3xf32>) outs(%f0 : tensor<1x64x4x4xf32>) -> tensor<1x64x4x4xf32>
  %e3 = tensor.empty() : tensor<1x2x4x4xf32>
  %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %d = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%c, %small : tensor<1x64x4x4xf32>, tensor<2x64x1x1xf32>) outs(%f3 : tensor<1x2x4x4xf32>) -> tensor<1x2x4x4xf32>
  %e1 = tensor.empty() : tensor<8x128xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %m = linalg.matmul ins(%y, %matrix : tensor<8x128xf32>, tensor<128x128xf32>) outs(%f1 : tensor<8x128xf32>) -> tensor<8x128xf32>
  %none = arith.constant 0 : i32
  %bytes = arith.constant dense<-128> : tensor<48x64x1x1xi8>
  %e4 = tensor.empty() : tensor<48x64x1x1xi32>
  %w = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "parallel", "parallel", "parallel"]} ins(%bytes : tensor<48x64x1x1xi8>) outs(%e4 : tensor<48x64x1x1xi32>) {
  ^bb0(%in: i8, %out: i32):
    %wide = arith.extsi %in : i8 to i32
    linalg.yield %wide : i32
  } -> tensor<48x64x1x1xi32>
  %zw = arith.extsi %z : tensor<1x64x4x4xi8> to tensor<1x64x4x4xi32>
  %e5 = tensor.empty() : tensor<1x48x4x4xi32>
  %f5 = linalg.fill ins(%none : i32) outs(%e5 : tensor<1x48x4x4xi32>) -> tensor<1x48x4x4xi32>
  %i = linalg.conv_2d_nchw_fchw {dilations = dense<1> : tensor<2xi64>, strides = dense<1> : tensor<2xi64>} ins(%zw, %w : tensor<1x64x4x4xi32>, tensor<48x64x1x1xi32>) outs(%f5 : tensor<1x48x4x4xi32>) -> tensor<1x48x4x4xi32>
  %e2 = tensor.empty() : tensor<128x128xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<128x128xf32>) -> tensor<128x128xf32>
  %s = linalg.matmul ins(%shared, %shared : tensor<128x128xf32>, tensor<128x128xf32>) outs(%f2 : tensor<128x128xf32>) -> tensor<128x128xf32>
  return %d, %m, %i, %s : tensor<1x2x4x4xf32>, tensor<8x128xf32>, tensor<1x48x4x4xi32>, tensor<128x128xf32>
}
