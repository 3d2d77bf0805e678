// Tensors of `index` hold 64 bits on every device: also in kernels of plain loops, and where an index is too large for a GPU.
// RUN: hal-compile -q %s --target=vulkan -o %t.so 2>/dev/null
// RUN: hal-run %t.so --device=vulkan --function=rows -i 4x2xf32=iota -i 3xi64=3,0,2 | FileCheck %s --check-prefix=ROWS
// RUN: exits 1 hal-run %t.so --device=vulkan --function=rows -i 4x2xf32=iota -i 3xi64=3,0,4 2>&1 | FileCheck %s --check-prefix=FOUR
// RUN: exits 1 hal-run %t.so --device=vulkan --function=rows -i 4x2xf32=iota -i 3xi64=3,-1,2 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: exits 1 hal-run %t.so --device=vulkan --function=rows -i 4x2xf32=iota -i 3xi64=3,4294967297,2 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: hal-run %t.so --device=vulkan --function=kept -i 4xi64=5000000000,-1,7,0 -i 2xi64=3,1 | FileCheck %s --check-prefix=KEPT
// ROWS: {{\[\[}}6., 7.],
// ROWS-NEXT: [0., 1.],
// ROWS-NEXT: [4., 5.]]
// FOUR: error[assertion-failed]: {{.*}}: index 4 is out of range for dimension 0 of size 4
// BELOW: error[assertion-failed]: {{.*}}: index -1 is out of range for dimension 0 of size 4
// LARGE: error[assertion-failed]: {{.*}}: index 4294967297 is out of range for dimension 0 of size 4
func.func @rows(%a: tensor<4x2xf32>, %which: tensor<3xindex>) -> tensor<3x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %e = tensor.empty() : tensor<3x2xf32>
  %r = scf.for %k = %c0 to %c3 step %c1 iter_args(%o = %e) -> (tensor<3x2xf32>) {
    %at = tensor.extract %which[%k] : tensor<3xindex>
    %x = tensor.extract_slice %a[%at, 0] [1, 2] [1, 1] : tensor<4x2xf32> to tensor<1x2xf32>
    %n = tensor.insert_slice %x into %o[%k, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<3x2xf32>
    scf.yield %n : tensor<3x2xf32>
  }
  return %r : tensor<3x2xf32>
}

// Indices that are only moved keep all of their bits.
// KEPT: [ 3, -1,  1,  0]
func.func @kept(%a: tensor<4xindex>, %u: tensor<2xindex>) -> tensor<4xindex> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %k = %c0 to %c2 step %c1 iter_args(%o = %a) -> (tensor<4xindex>) {
    %x = tensor.extract %u[%k] : tensor<2xindex>
    %at = arith.muli %k, %c2 : index
    %n = tensor.insert %x into %o[%at] : tensor<4xindex>
    scf.yield %n : tensor<4xindex>
  }
  return %r : tensor<4xindex>
}
