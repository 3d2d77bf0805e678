// A variant may come with code of its own, at any level; what is left is done for the target that it names.
// RUN: split-file %s %t
// RUN: hal-translate %t/both.mlir --explain -o %t/both.mlirbc 2>%t/explain
// RUN: FileCheck %s --check-prefix=EXPLAIN < %t/explain
// RUN: hal-opt %t/both.mlirbc | FileCheck %s --check-prefix=BOTH
// RUN: hal-link %t/both.mlirbc -o %t/both.so
// RUN: hal-run %t/both.so --input=1,2,3,4 --expect=3,6,9,12
// RUN: hal-translate %t/both.mlir --strip-source | FileCheck %s --check-prefix=STRIPPED
// RUN: hal-translate %t/only.mlir | hal-link - -o %t/only.so
// RUN: hal-run %t/only.so --input=1,2,3,4 --expect=3,6,9,12
// RUN: exits 1 hal-translate %t/differs.mlir 2>&1 | FileCheck %s --check-prefix=DIFFERS
// RUN: exits 1 hal-translate %t/gpu.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: exits 4 env HALYARD_TEST_CRASH=e:abort hal-translate %t/both.mlir --keep-going --reproducers-to=%t/r 2>&1 | FileCheck %s --check-prefix=CRASH
// RUN: FileCheck %s --check-prefix=SAVED < %t/r/e.plain/executable.mlir
// RUN: hal-translate %t/only.mlir --emit=llvm --target=cpu:x86-64@x86_64-linux-gnu | FileCheck %s --check-prefix=IR
// RUN: exits 1 hal-translate %t/only.mlir --emit=llvm --target=cpu:x86-64-v2@x86_64-linux-gnu 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: hal-translate %t/both.mlir --save-code=%t/code -o %t/saved.mlirbc && cmp %t/saved.mlirbc %t/both.mlirbc
// RUN: FileCheck %s --check-prefix=IR < %t/code/e.plain.optimized.ll
// RUN: ls %t/code/e.cpu_*.s %t/code/e.plain.s %t/code/e.plain.o
// RUN: hal-translate %t/both.mlir --strip-source | exits 1 hal-translate --emit=asm 2>&1 | FileCheck %s --check-prefix=NONE
// REQUIRES: x86
// IR: define void @k(
// OTHER: error[no-source]: executable `@e` has no source to translate
// OTHER: hint: it has code for another target: `--target=cpu:x86-64@x86_64-unknown-linux-gnu`
// NONE: error[no-source]: executable `@e` has no source to translate
// EXPLAIN: @e::@k for cpu:{{.*}}: tiled and vectorised
// EXPLAIN: @e::@k for cpu:x86-64: given on buffers
// BOTH: module @plain attributes {hal.features = [], hal.objects = [{data = dense_resource<e_plain> : tensor<{{[0-9]+}}xi8>, format = "elf", hash = "{{[0-9a-f]+}}"}], hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.variant}
// BOTH: func.func @k(%arg0: memref<4xf32>, %arg1: memref<4xf32>) attributes {hal.export, hal.fingerprint = "{{.*}}", hal.interface = (tensor<4xf32>) -> tensor<4xf32>, hal.workgroups = @k_workgroups}
// BOTH: func.func @k_workgroups()
// BOTH: module @cpu_{{.*}} attributes {hal.features = [{{.*}}], hal.objects = [{
// STRIPPED: module @plain
// STRIPPED: func.func private @k(tensor<4xf32>) -> tensor<4xf32>
// STRIPPED-NOT: memref
// DIFFERS: error[bad-form]: export `@k` of variant `@e::@plain` was made for another interface: `(tensor<4xf32>) -> tensor<2xf32>` here, `(tensor<4xf32>) -> tensor<4xf32>` in the executable
// GPU: error[bad-target]: variant `@e::@gpu` has code for `#xevm.target`, which `hal-translate` cannot generate code for
// CRASH: error[translation-crashed]: {{executable `@e`|variant `@e::@plain`}}
// SAVED: module @e attributes {hal.executable
// SAVED: module @plain
//--- both.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %c3 = arith.constant dense<3.0> : tensor<4xf32>
      %r = arith.mulf %x, %c3 : tensor<4xf32>
      return %r : tensor<4xf32>
    }
    module @plain attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {
      func.func @k(%x: memref<4xf32>, %out: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
        %c0 = arith.constant 0 : index
        %c1 = arith.constant 1 : index
        %c4 = arith.constant 4 : index
        %c3 = arith.constant 3.0 : f32
        scf.for %i = %c0 to %c4 step %c1 {
          %a = memref.load %x[%i] : memref<4xf32>
          %s = arith.mulf %a, %c3 : f32
          memref.store %s, %out[%i] : memref<4xf32>
        }
        return
      }
    }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
//--- only.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    module @plain attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {
      func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
        %c3 = arith.constant dense<3.0> : tensor<4xf32>
        %r = arith.mulf %x, %c3 : tensor<4xf32>
        return %r : tensor<4xf32>
      }
    }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
//--- differs.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      return %x : tensor<4xf32>
    }
    module @plain attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {
      func.func @k(%x: memref<4xf32>, %out: memref<2xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<2xf32>} {
        return
      }
    }
  }
}
//--- gpu.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      return %x : tensor<4xf32>
    }
    module @gpu attributes {hal.variant, hal.target = #xevm.target} {
      func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
        return %x : tensor<4xf32>
      }
    }
  }
}
