// A benchmark is a program of its own that runs an executable as its program did, and tells a wrong kernel.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-extract %s --to=b --as=benchmark -i 3x4xf32=random:1 -o /dev/null -q && ls b | FileCheck %s --check-prefix=LIST
// LIST: e.benchmark.mlir
// LIST-NEXT: inplace.benchmark.mlir
// RUN: FileCheck %s < b/e.benchmark.mlir
// CHECK: // Runs executable `e` as its program does
// CHECK: //   hal-compile e.benchmark.mlir -o benchmark.so
// CHECK: // @e_k: once in the course of a call, constants 3, 3, 3, 7
// CHECK: // @e_k: 2 times in the course of a call, constants 4, 4, 4, -1
// CHECK: module @e attributes {hal.executable}
// CHECK: @e_k.0.in0(dense_resource<e_k.0.in0> : tensor<3x4xf32>)
// CHECK: func.func @e_k.0() -> tensor<3x4xf32>
// CHECK: func.func @e_k.0.expected() -> tensor<3x4xf32>
// CHECK: func.func @e_k.1() -> tensor<4x4xf32>
// Two runs give the same bytes.
// RUN: hal-extract --to=again --as=benchmark -i 3x4xf32=random:1 -q < %s > /dev/null && diff -r b again
// RUN: hal-extract %s e --to=other --as=benchmark --size=2 -q -o /dev/null && not cmp b/e.benchmark.mlir other/e.benchmark.mlir
// RUN: FileCheck %s --check-prefix=SIZE < other/e.benchmark.mlir
// SIZE: constants 2, 2, 2, 7

// It compiles with no flags, checks itself, and is measured, each use of the kernel.
// RUN: cd b && hal-compile -q e.benchmark.mlir -o e.so && hal-compile -q inplace.benchmark.mlir -o i.so
// RUN: hal-run e.so --check 2>&1 | FileCheck %s --check-prefix=RIGHT
// RIGHT: note: 2 functions return the expected outputs
// RUN: hal-run i.so --check 2>&1 | FileCheck %s --check-prefix=INPLACE
// INPLACE: note: 1 function returns the expected outputs
// RUN: hal-run -q e.so --check --function=e_k.1
// RUN: hal-benchmark e.so --runs=2 --min-time=0 | FileCheck %s --check-prefix=MEASURED
// MEASURED: e_k.0 (
// MEASURED: e_k.1 (
// MEASURED: `e_k.0` of `e.so` returns the expected outputs
// RUN: hal-benchmark e.so --runs=2 --min-time=0 --function=e_k.1 | FileCheck %s --check-prefix=ONE --implicit-check-not=e_k.0
// ONE: e_k.1 (

// A wrong kernel is reported with its first differing element.
// RUN: sed 's/arith.addf/arith.mulf/' e.benchmark.mlir > wrong.mlir && hal-compile -q wrong.mlir -o w.so
// RUN: exits 1 hal-run w.so --check 2>&1 | FileCheck %s --check-prefix=WRONG
// WRONG: error[wrong-result]: `e_k.0`: output 0 differs from the expected output in 12 of 12 elements
// WRONG-NEXT: note: first at [0, 0]: got {{[-0-9.]+}}, expected {{[-0-9.]+}}
// WRONG: error[wrong-result]: `e_k.1`: output 0 differs
// RUN: exits 1 hal-benchmark w.so --runs=2 --min-time=0 2>&1 | FileCheck %s --check-prefix=UNMEASURED --implicit-check-not=median
// UNMEASURED: error[wrong-result]: output 0 of `e_k.0` in `w.so` differs from the expected output in 12 of 12 elements
// UNMEASURED: first at [0, 0]
// UNMEASURED: hint: wrong results are not measured

// Sizes must be known; what does not run is told; a program of other functions has no expectations.
// RUN: exits 2 hal-extract %s --to=c --as=benchmark 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[unknown-size]: `main` takes tensors of dynamic sizes, and no sizes to measure are given
// UNKNOWN: hint: give real inputs with `--input=TENSOR`, or `--size=N` for all dynamic dimensions
// RUN: exits 4 hal-extract %s --to=c --as=benchmark -i 3x5xf32=1 2>&1 | FileCheck %s --check-prefix=BAD
// BAD: hal-run
// BAD: 3x5xf32
// RUN: exits 2 hal-extract %s --to=c --as=benchmark --size=2 --function=mian 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error: the program has no function `mian`
// RUN: exits 1 hal-extract %s unused --to=c --as=benchmark --size=2 2>&1 | FileCheck %s --check-prefix=UNUSED
// UNUSED: error: the program used none of these executables on these inputs
// RUN: hal-extract %s --to=c --as=benchmark --size=2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=PARTLY
// PARTLY: warning: there is no benchmark of `unused`: the program did not use it on these inputs
// RUN: hal-compile -q %s -o p.so && exits 2 hal-run p.so --check 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error[no-expectation]: the program does not declare the expected outputs of its functions
// RUN: hal-run p.so --record=r.safetensors --size=3 2>&1 | FileCheck %s --check-prefix=RECORD
// RECORD: note: recorded 3 different dispatches
// RUN: exits 2 hal-run p.so --record=r.safetensors 2>&1 | FileCheck %s --check-prefix=NOSIZE
// NOSIZE: error[unknown-size]: input 0 of `main` is `?x4xf32`: its size is not known
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @e_k(%a: tensor<?x4xf32>, %m: index, %s: i32) -> (tensor<?x4xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
      %e = tensor.empty(%m) : tensor<?x4xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]} ins(%a : tensor<?x4xf32>) outs(%e : tensor<?x4xf32>) {
      ^bb0(%x: f32, %o: f32):
        %f = arith.sitofp %s : i32 to f32
        %1 = arith.addf %x, %f : f32
        linalg.yield %1 : f32
      } -> tensor<?x4xf32>
      return %r : tensor<?x4xf32>
    }
  }
  func.func private @e_k(tensor<?x4xf32>, index, i32) -> (tensor<?x4xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @e::@e_k}
  module @inplace attributes {hal.executable} {
    func.func @inplace_k(%a: tensor<4x4xf32>) -> (tensor<4x4xf32> {hal.tied = 0 : i32}) attributes {hal.export} {
      %r = linalg.exp ins(%a : tensor<4x4xf32>) outs(%a : tensor<4x4xf32>) -> tensor<4x4xf32>
      return %r : tensor<4x4xf32>
    }
  }
  func.func private @inplace_k(tensor<4x4xf32>) -> (tensor<4x4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @inplace::@inplace_k}
  module @unused attributes {hal.executable} {
    func.func @unused_k(%a: tensor<4x4xf32>) -> tensor<4x4xf32> attributes {hal.export} { return %a : tensor<4x4xf32> }
  }
  func.func private @unused_k(tensor<4x4xf32>) -> tensor<4x4xf32> attributes {hal.entry = @unused::@unused_k}
  func.func @main(%a: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<4x4xf32>) {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %m = tensor.dim %a, %c0 : tensor<?x4xf32>
    %seven = arith.constant 7 : i32
    %minus = arith.constant -1 : i32
    %r = call @e_k(%a, %m, %seven) : (tensor<?x4xf32>, index, i32) -> tensor<?x4xf32>
    %w = arith.constant dense<2.0> : tensor<4x4xf32>
    %d = tensor.cast %w : tensor<4x4xf32> to tensor<?x4xf32>
    %s = call @e_k(%d, %c4, %minus) : (tensor<?x4xf32>, index, i32) -> tensor<?x4xf32>
    %t = call @e_k(%s, %c4, %minus) : (tensor<?x4xf32>, index, i32) -> tensor<?x4xf32>
    %u = tensor.cast %t : tensor<?x4xf32> to tensor<4x4xf32>
    %v = call @inplace_k(%u) : (tensor<4x4xf32>) -> tensor<4x4xf32>
    return %r, %v : tensor<?x4xf32>, tensor<4x4xf32>
  }
}
