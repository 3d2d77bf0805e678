// Large products on tensor cores and by threads take the registers and the shared memory of a multiprocessor, and nothing spills; the
// inner loops are what the machine is good at. Shapes that no tile divides, functions of results, images.
// REQUIRES: ptxas
// RUN: %python %S/assemble.py --ptxas=%ptxas --no-spills --table --chips=sm_80 %s | FileCheck %s
// CHECK: sm_80: 8 kernels, up to 255 registers, 98304 bytes shared
// CHECK: half_dispatch_0{{.*}} 98304 bytes shared, no spills
// CHECK: single_dispatch_0{{.*}} registers, 33792 bytes shared, no spills
// RUN: %python %S/assemble.py --ptxas=%ptxas --no-spills --table --chips=sm_90 --flag=--fast-math=tf32 %s | FileCheck %s --check-prefix=TF32
// TF32: single_dispatch_0{{.*}} 98304 bytes shared, no spills
// In the loop over strips every warp multiplies 64 fragments by 16 loads of four matrices, and begins to copy what is three strips ahead.
// RUN: hal-import %s -o %t.mlirbc
// RUN: hal-translate --target=cuda:sm_80 --emit=ptx --executable=half_dispatch_0 %t.mlirbc -o %t.ptx
// RUN: sed -n '/^[$]L__BB0_1/,/bra/p' %t.ptx > %t.loop
// RUN: grep -c 'mma.sync' %t.loop | FileCheck %s --check-prefix=MMA
// MMA: {{^}}64{{$}}
// RUN: grep -c 'ldmatrix' %t.loop | FileCheck %s --check-prefix=LOADS
// LOADS: {{^}}16{{$}}
// RUN: grep -c 'cp.async.cg' %t.loop | FileCheck %s --check-prefix=COPIES
// COPIES: {{^}}6{{$}}
// RUN: grep 'wait_group' %t.loop | FileCheck %s --check-prefix=AHEAD
// AHEAD: cp.async.wait_group 2
// RUN: hal-translate --target=cuda:sm_80 --emit=ptx --executable=single_dispatch_0 %t.mlirbc -o %t.ptx
// RUN: sed -n '/^[$]L__BB0_1/,/bra/p' %t.ptx > %t.loop
// RUN: grep -c 'fma.rn.f32' %t.loop | FileCheck %s --check-prefix=FMA
// FMA: {{^}}1024{{$}}
// RUN: grep -c 'ld.shared.v4' %t.loop | FileCheck %s --check-prefix=VECTORS
// VECTORS: {{^}}64{{$}}

func.func @half(%a: tensor<4096x4096xf16>, %b: tensor<4096x4096xf16>) -> tensor<4096x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4096x4096xf16>, tensor<4096x4096xf16>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}
func.func @half_odd(%a: tensor<4095x4001xf16>, %b: tensor<4001x4095xf16>) -> tensor<4095x4095xf16> {
  %z = arith.constant 0.0 : f16
  %e = tensor.empty() : tensor<4095x4095xf16>
  %f = linalg.fill ins(%z : f16) outs(%e : tensor<4095x4095xf16>) -> tensor<4095x4095xf16>
  %r = linalg.matmul ins(%a, %b : tensor<4095x4001xf16>, tensor<4001x4095xf16>) outs(%f : tensor<4095x4095xf16>) -> tensor<4095x4095xf16>
  return %r : tensor<4095x4095xf16>
}
func.func @half_edge(%a: tensor<4090x4008xbf16>, %b: tensor<4008x4088xbf16>, %c: tensor<4088xf32>) -> tensor<4090x4088xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4090x4088xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4090x4088xf32>) -> tensor<4090x4088xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4090x4008xbf16>, tensor<4008x4088xbf16>) outs(%f : tensor<4090x4088xf32>) -> tensor<4090x4088xf32>
  %s = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
    ins(%r, %c : tensor<4090x4088xf32>, tensor<4088xf32>) outs(%e : tensor<4090x4088xf32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %p = arith.addf %x, %y : f32
    %q = math.tanh %p : f32
    linalg.yield %q : f32
  } -> tensor<4090x4088xf32>
  return %s : tensor<4090x4088xf32>
}
func.func @single(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096x4096xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4096x4096xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4096x4096xf32>, tensor<4096x4096xf32>) outs(%f : tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  return %r : tensor<4096x4096xf32>
}
func.func @single_odd(%a: tensor<4095x4001xf32>, %b: tensor<4001x4095xf32>) -> tensor<4095x4095xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4095x4095xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<4095x4095xf32>) -> tensor<4095x4095xf32>
  %r = linalg.matmul ins(%a, %b : tensor<4095x4001xf32>, tensor<4001x4095xf32>) outs(%f : tensor<4095x4095xf32>) -> tensor<4095x4095xf32>
  return %r : tensor<4095x4095xf32>
}
func.func @bytes(%a: tensor<4096x4096xi8>, %b: tensor<4096x4096xi8>) -> tensor<4096x4096xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<4096x4096xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  %r = linalg.matmul ins(%a, %b : tensor<4096x4096xi8>, tensor<4096x4096xi8>) outs(%f : tensor<4096x4096xi32>) -> tensor<4096x4096xi32>
  return %r : tensor<4096x4096xi32>
}
func.func @image(%x: tensor<32x64x56x56xf16>, %w: tensor<128x64x3x3xf16>) -> tensor<32x128x54x54xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<32x128x54x54xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<32x128x54x54xf32>) -> tensor<32x128x54x54xf32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<32x64x56x56xf16>, tensor<128x64x3x3xf16>) outs(%f : tensor<32x128x54x54xf32>) -> tensor<32x128x54x54xf32>
  return %r : tensor<32x128x54x54xf32>
}
func.func @image_bytes(%x: tensor<32x64x56x56xi8>, %w: tensor<128x64x3x3xi8>) -> tensor<32x128x54x54xi32> {
  %z = arith.constant 0 : i32
  %e = tensor.empty() : tensor<32x128x54x54xi32>
  %f = linalg.fill ins(%z : i32) outs(%e : tensor<32x128x54x54xi32>) -> tensor<32x128x54x54xi32>
  %r = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<32x64x56x56xi8>, tensor<128x64x3x3xi8>) outs(%f : tensor<32x128x54x54xi32>) -> tensor<32x128x54x54xi32>
  return %r : tensor<32x128x54x54xi32>
}
