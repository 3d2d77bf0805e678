// ptxas takes what is generated for two generations of chips, without spills.
// REQUIRES: ptxas
// RUN: %python %S/assemble.py --ptxas=%ptxas --no-spills %s | FileCheck %s
// CHECK: sm_80: 6 kernels
// CHECK: sm_90: 6 kernels
// RUN: hal-import %s -o %t.mlirbc
// RUN: hal-translate --target=cuda --emit=ptx --executable=product_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=PRODUCT
// PRODUCT: .target sm_80
// PRODUCT: .extern .shared .align 128 .b8 product_dispatch_0{{.*}}_workspace[];
// PRODUCT: .visible .entry product_dispatch_0{{.*}}(
// PRODUCT: .param .u64 .ptr .align
// PRODUCT: .reqntid
// PRODUCT: ld.global.nc
// PRODUCT: bar.sync
// PRODUCT: ld.shared
// PRODUCT: fma.rn.f32
// RUN: hal-translate --target=cuda --emit=ptx --executable=rows_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=ROWS
// ROWS: shfl.sync
// RUN: hal-translate --target=cuda --emit=ptx --executable=elements_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=ELEMENTS
// ELEMENTS: ld.global.nc
// ELEMENTS: fma.rn.f32
// ELEMENTS: st.global
// RUN: hal-translate --target=cuda:sm_90 --emit=ptx --executable=half_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=HALF
// HALF: .target sm_90
// HALF: cp.async.cg.shared.global
// HALF: cp.async.commit_group
// HALF: ldmatrix.sync.aligned.m8n8.x4
// HALF: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
// What calls the C library on a CPU has functions of its own; none is left open.
// RUN: hal-translate --target=cuda --emit=ptx --executable=rare_dispatch_0 %t.mlirbc | FileCheck %s --check-prefix=RARE --implicit-check-not=.extern
// RARE: .visible .entry rare_dispatch_0

// Machine code is made by ptxas.
// RUN: hal-translate --target=cuda:sm_90 --emit=cubin --ptxas=%ptxas --executable=product_dispatch_0 %t.mlirbc -o %t.cubin
// RUN: llvm-readobj -h %t.cubin | FileCheck %s --check-prefix=CUBIN
// CUBIN: EM_CUDA
// RUN: exits 3 sh -c 'here=$(dirname "$(command -v hal-translate)"); PATH=$here exec hal-translate --target=cuda --emit=cubin --executable=product_dispatch_0 %t.mlirbc -o %t.cubin' 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: cannot find the program `ptxas` on `PATH`
// NONE: hint: install CUDA, or the Python package `nvidia-cuda-nvcc-cu12` and give its file: `--ptxas=FILE`
// RUN: exits 2 hal-translate --target=cpu --emit=ptx --executable=product_dispatch_0 %t.mlirbc 2>&1 | FileCheck %s --check-prefix=CPU
// CPU: `--emit=ptx` is for a target `cuda`, not for `cpu
// RUN: exits 2 hal-translate --target=cuda --emit=ptx --ptxas=x --executable=product_dispatch_0 %t.mlirbc 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: `--ptxas` requires `--emit=cubin`

func.func @product(%a: tensor<256x256xf32>, %b: tensor<256x256xf32>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf32>, tensor<256x256xf32>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
func.func @half(%a: tensor<256x256xf16>, %b: tensor<256x256xf16>) -> tensor<256x256xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<256x256xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<256x256xf32>) -> tensor<256x256xf32>
  %r = linalg.matmul ins(%a, %b : tensor<256x256xf16>, tensor<256x256xf16>) outs(%f : tensor<256x256xf32>) -> tensor<256x256xf32>
  return %r : tensor<256x256xf32>
}
func.func @rows(%a: tensor<512x256xf32>) -> tensor<512x256xf32> {
  %e = tensor.empty() : tensor<512x256xf32>
  %r = linalg.softmax dimension(1) ins(%a : tensor<512x256xf32>) outs(%e : tensor<512x256xf32>) -> tensor<512x256xf32>
  return %r : tensor<512x256xf32>
}
func.func @elements(%a: tensor<4096x256xf32>) -> tensor<4096x256xf32> {
  %r = math.tanh %a : tensor<4096x256xf32>
  return %r : tensor<4096x256xf32>
}
func.func @rare(%a: tensor<100xf32>) -> tensor<100xf32> {
  %r = math.asinh %a : tensor<100xf32>
  return %r : tensor<100xf32>
}
func.func @small(%a: tensor<100xf64>) -> tensor<100xf64> {
  %r = math.log1p %a : tensor<100xf64>
  %s = math.expm1 %r : tensor<100xf64>
  return %s : tensor<100xf64>
}
