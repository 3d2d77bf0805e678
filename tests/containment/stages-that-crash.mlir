// A stage that crashes MLIR on one executable, or runs for ever, is an error that names both; the executable and a script are kept.
// RUN: exits 4 hal-opt %s --preprocess-executables-with='builtin.module(linalg-block-pack-matmul{block-factors=0,0,0})' --keep-preprocess-files=%t -o %t.mlir 2>&1 | FileCheck %s --check-prefix=CRASH
// RUN: not ls %t.mlir
// RUN: FileCheck %s --check-prefix=KEPT < %t/executable-1/large/executable.mlir
// RUN: FileCheck %s --check-prefix=SAID < %t/executable-1/large/said.txt
// On a whole program, nothing contains it; what crashed is told.
// RUN: not --crash %t/executable-1/large/replay 2>&1 | FileCheck %s --check-prefix=WHOLE
// WHOLE: error: the stage `linalg-block-pack-matmul{block-factors=0,0,0}` crashed with SIG
// RUN: exits 4 hal-opt %s --preprocess-executables-with='builtin.module(one-shot-bufferize{bufferize-function-boundaries allow-unknown-ops},func.func(convert-linalg-to-affine-loops,affine-loop-unroll{unroll-factor=512 unroll-num-reps=3}))' --preprocess-timeout=1s --keep-preprocess-files=%t 2>&1 | FileCheck %s --check-prefix=SLOW
// RUN: exits 4 hal-opt %s --preprocess-executables-with='builtin.module(one-shot-bufferize{bufferize-function-boundaries allow-unknown-ops},func.func(convert-linalg-to-affine-loops,affine-loop-unroll{unroll-factor=512 unroll-num-reps=3}))' --preprocess-memory=64M --keep-preprocess-files=%t 2>&1 | FileCheck %s --check-prefix=MEMORY
// CRASH: error[stage-crashed]: executable `@large`: the stage `builtin.module(linalg-block-pack-matmul{block-factors=0,0,0})` crashed with SIG
// CRASH: stages-that-crash.mlir:[[@LINE+17]]
// CRASH: note: to reproduce it, run `{{.*}}/executable-1/large/replay`
// KEPT: module @large attributes {hal.executable, hal.version = 1 : i32}
// KEPT: linalg.matmul
// SAID: the worker crashed with SIG
// SAID-NOT: error:
// SAID: libMLIR
// SLOW: error[stage-crashed]: executable `@large`: {{.*}} did not finish within 1 s and was ended
// SLOW: hint: `--preprocess-timeout=DURATION` sets the limit
// MEMORY: error[stage-crashed]: executable `@large`: {{.*}} ran out of memory (the limit is 67108864 bytes)
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @small attributes {hal.executable} {
    func.func @s(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %r = arith.addf %x, %x : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  module @large attributes {hal.executable} {
    func.func @k(%x: tensor<512x512xf32>, %y: tensor<512x512xf32>, %z: tensor<512x512xf32>) -> tensor<512x512xf32> attributes {hal.export} {
      %r = linalg.matmul ins(%x, %y : tensor<512x512xf32>, tensor<512x512xf32>) outs(%z : tensor<512x512xf32>) -> tensor<512x512xf32>
      return %r : tensor<512x512xf32>
    }
  }
}
