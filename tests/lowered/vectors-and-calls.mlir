// Code on vectors is lowered to the end, and exports may call each other.
// RUN: hal-translate %s --explain -o %t.mlirbc 2>%t.txt && FileCheck %s < %t.txt
// RUN: hal-link %t.mlirbc -o %t.so
// RUN: hal-run %t.so --function=vectors --input=iota --input=iota --expect=104,152,132,196
// RUN: hal-run %t.so --function=calls --input=1,2,3,4 --expect=6,8,10,12
// CHECK: @on_vectors::@contract for {{.*}}: given on buffers
// CHECK: @two::@twice for {{.*}}: plain loops in one workgroup
// CHECK: @two::@plus for {{.*}}: tiled and vectorised
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @on_vectors attributes {hal.executable} {
    func.func @contract(%x: memref<2x4xf32>, %y: memref<4x2xf32>, %out: memref<2x2xf32>) attributes {hal.export} {
      %c0 = arith.constant 0 : index
      %z = arith.constant 0.0 : f32
      %low = arith.constant dense<-1.0e9> : vector<2xf32>
      %acc = arith.constant dense<0.0> : vector<2x2xf32>
      %a = vector.transfer_read %x[%c0, %c0], %z {in_bounds = [true, true]} : memref<2x4xf32>, vector<2x4xf32>
      %b = vector.transfer_read %y[%c0, %c0], %z {in_bounds = [true, true]} : memref<4x2xf32>, vector<4x2xf32>
      %c = vector.contract {
          indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
          iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
        } %a, %b, %acc : vector<2x4xf32>, vector<4x2xf32> into vector<2x2xf32>
      %t = vector.transpose %c, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
      %m = vector.multi_reduction <maximumf>, %t, %low [1] : vector<2x2xf32> to vector<2xf32>
      %n = vector.broadcast %m : vector<2xf32> to vector<2x2xf32>
      %o = vector.transpose %n, [1, 0] : vector<2x2xf32> to vector<2x2xf32>
      %s = arith.addf %t, %o : vector<2x2xf32>
      vector.transfer_write %s, %out[%c0, %c0] {in_bounds = [true, true]} : vector<2x2xf32>, memref<2x2xf32>
      return
    }
  }
  func.func private @contract(tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32> attributes {hal.entry = @on_vectors::@contract}
  func.func @vectors(%x: tensor<2x4xf32>, %y: tensor<4x2xf32>) -> tensor<2x2xf32> {
    %r = call @contract(%x, %y) : (tensor<2x4xf32>, tensor<4x2xf32>) -> tensor<2x2xf32>
    return %r : tensor<2x2xf32>
  }

  module @two attributes {hal.executable} {
    func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %a = call @plus(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %r = arith.addf %a, %a : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @plus(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %c = arith.constant dense<1.0> : tensor<4xf32>
      %r = arith.addf %x, %c : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  func.func private @twice(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @two::@twice}
  func.func private @plus(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @two::@plus}
  func.func @calls(%x: tensor<4xf32>) -> tensor<4xf32> {
    %a = call @plus(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %r = call @twice(%a) : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
