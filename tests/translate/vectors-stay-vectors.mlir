// Vectors in an export are code, not a reason for plain loops: products of vectors become fused multiply-adds on whole registers, functions
// inline code, sums along a vector a tree, transpositions shuffles; masks stay masks. `ub.poison` pads nothing.
// RUN: hal-translate %s --executable=k --target=cpu:x86-64-v4 --emit=asm --explain -o %t.s 2>%t.txt && FileCheck %s < %t.s && FileCheck %s --check-prefix=WAY < %t.txt
// RUN: hal-translate %s -o %t.mlir && hal-link %t.mlir -o %t.so
// RUN: hal-run %t.so --function=product_of --input=8x64xf32=1 --input=64x32xf32=2 --expect=8x32xf32=128
// RUN: hal-run %t.so --function=transposed_of --input=16x16xf32=random:1 --output=%t.npy && hal-run %t.so --function=transposed_of --input=@%t.npy --expect=@%t.npy
// RUN: hal-run %t.so --function=rows_of --input=4x64xf32=1 --expect=4xf32=174,174,174,174 --rtol=1e-3
// RUN: hal-run %t.so --function=partial_of --input=5xf32=1,2,3,4,5 --expect=5xf32=2,4,6,8,10

// WAY: @k::@product for {{.*}}: as written, in one workgroup, with its vectors
// WAY-NOT: warning
// CHECK-LABEL: product:
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: vfmadd{{[0-9]+}}ss
// CHECK-LABEL: rows:
// CHECK-NOT: expf
// CHECK: vfmadd{{[0-9]+}}ps {{.*}}%zmm
// CHECK-NOT: expf
// CHECK-LABEL: transposed:
// CHECK: {{vunpck|vpermt2|vshuf|vperm}}
// CHECK-NOT: vmovss
// CHECK-LABEL: partial:
// CHECK: {%k{{[0-7]}}}
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @product(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>) -> tensor<8x32xf32> attributes {hal.export} {
      %pad = ub.poison : f32
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c64 = arith.constant 64 : index
      %zeros = arith.constant dense<0.0> : vector<8x32xf32>
      %empty = tensor.empty() : tensor<8x32xf32>
      %sums = scf.for %k = %c0 to %c64 step %c1 iter_args(%acc = %zeros) -> vector<8x32xf32> {
        %column = vector.transfer_read %a[%c0, %k], %pad {in_bounds = [true, true]} : tensor<8x64xf32>, vector<8x1xf32>
        %row = vector.transfer_read %b[%k, %c0], %pad {in_bounds = [true, true]} : tensor<64x32xf32>, vector<1x32xf32>
        %next = vector.contract {
            indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>],
            iterator_types = ["parallel", "parallel", "reduction"], kind = #vector.kind<add>
          } %column, %row, %acc : vector<8x1xf32>, vector<1x32xf32> into vector<8x32xf32>
        scf.yield %next : vector<8x32xf32>
      }
      %r = vector.transfer_write %sums, %empty[%c0, %c0] {in_bounds = [true, true]} : vector<8x32xf32>, tensor<8x32xf32>
      return %r : tensor<8x32xf32>
    }
    func.func @rows(%x: tensor<4x64xf32>) -> tensor<4xf32> attributes {hal.export} {
      %pad = ub.poison : f32
      %c0 = arith.constant 0 : index
      %zeros = arith.constant dense<0.0> : vector<4xf32>
      %empty = tensor.empty() : tensor<4xf32>
      %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<4x64xf32>, vector<4x64xf32>
      %e = math.exp %v : vector<4x64xf32>
      %s = vector.multi_reduction <add>, %e, %zeros [1] : vector<4x64xf32> to vector<4xf32>
      %r = vector.transfer_write %s, %empty[%c0] {in_bounds = [true]} : vector<4xf32>, tensor<4xf32>
      return %r : tensor<4xf32>
    }
    func.func @transposed(%x: tensor<16x16xf32>) -> tensor<16x16xf32> attributes {hal.export} {
      %pad = ub.poison : f32
      %c0 = arith.constant 0 : index
      %empty = tensor.empty() : tensor<16x16xf32>
      %v = vector.transfer_read %x[%c0, %c0], %pad {in_bounds = [true, true]} : tensor<16x16xf32>, vector<16x16xf32>
      %t = vector.transpose %v, [1, 0] : vector<16x16xf32> to vector<16x16xf32>
      %r = vector.transfer_write %t, %empty[%c0, %c0] {in_bounds = [true, true]} : vector<16x16xf32>, tensor<16x16xf32>
      return %r : tensor<16x16xf32>
    }
    func.func @partial(%x: tensor<5xf32>) -> tensor<5xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %c0 = arith.constant 0 : index
      %c5 = arith.constant 5 : index
      %empty = tensor.empty() : tensor<5xf32>
      %mask = vector.create_mask %c5 : vector<16xi1>
      %v = vector.mask %mask { vector.transfer_read %x[%c0], %zero : tensor<5xf32>, vector<16xf32> } : vector<16xi1> -> vector<16xf32>
      %s = arith.addf %v, %v : vector<16xf32>
      %r = vector.mask %mask { vector.transfer_write %s, %empty[%c0] : vector<16xf32>, tensor<5xf32> } : vector<16xi1> -> tensor<5xf32>
      return %r : tensor<5xf32>
    }
  }
  func.func private @product(tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32> attributes {hal.entry = @k::@product}
  func.func @product_of(%a: tensor<8x64xf32>, %b: tensor<64x32xf32>) -> tensor<8x32xf32> {
    %r = call @product(%a, %b) : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    return %r : tensor<8x32xf32>
  }
  func.func private @rows(tensor<4x64xf32>) -> tensor<4xf32> attributes {hal.entry = @k::@rows}
  func.func @rows_of(%x: tensor<4x64xf32>) -> tensor<4xf32> {
    %r = call @rows(%x) : (tensor<4x64xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
  func.func private @transposed(tensor<16x16xf32>) -> tensor<16x16xf32> attributes {hal.entry = @k::@transposed}
  func.func @transposed_of(%x: tensor<16x16xf32>) -> tensor<16x16xf32> {
    %r = call @transposed(%x) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    %s = call @transposed(%r) : (tensor<16x16xf32>) -> tensor<16x16xf32>
    return %s : tensor<16x16xf32>
  }
  func.func private @partial(tensor<5xf32>) -> tensor<5xf32> attributes {hal.entry = @k::@partial}
  func.func @partial_of(%x: tensor<5xf32>) -> tensor<5xf32> {
    %r = call @partial(%x) : (tensor<5xf32>) -> tensor<5xf32>
    return %r : tensor<5xf32>
  }
}
