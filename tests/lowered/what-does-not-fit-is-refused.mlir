// What a lowered export cannot be, is refused by name, at its place.
// RUN: split-file %s %t
// RUN: exits 1 hal-translate %t/no-interface.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: exits 1 hal-translate %t/order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: exits 1 hal-translate %t/pointers.mlir 2>&1 | FileCheck %s --check-prefix=POINTERS
// RUN: exits 1 hal-translate %t/bare-dynamic.mlir 2>&1 | FileCheck %s --check-prefix=BARE
// RUN: exits 1 hal-translate %t/other.mlir 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: exits 1 hal-translate %t/gpu.mlir 2>&1 | FileCheck %s --check-prefix=GPU
// RUN: exits 1 hal-translate %t/spirv.mlir 2>&1 | FileCheck %s --check-prefix=SPIRV
// RUN: exits 1 hal-translate %t/unused-count.mlir 2>&1 | FileCheck %s --check-prefix=UNUSED
// RUN: exits 1 hal-translate %t/redundant-count.mlir 2>&1 | FileCheck %s --check-prefix=REDUNDANT
// RUN: exits 1 hal-translate %t/leak.mlir 2>&1 | FileCheck %s --check-prefix=LEAK
// RUN: exits 1 hal-translate %t/copy.mlir 2>&1 | FileCheck %s --check-prefix=COPY
// RUN: exits 1 hal-translate %t/returns.mlir 2>&1 | FileCheck %s --check-prefix=RETURNS
// RUN: exits 1 hal-translate %t/tensors-left.mlir 2>&1 | FileCheck %s --check-prefix=LEFT
// RUN: exits 1 hal-translate %t/space.mlir 2>&1 | FileCheck %s --check-prefix=SPACE
// NONE: error[bad-form]: export `@k` has type `(memref<4xf32>, memref<4xf32>) -> ()`: `hal.interface` must say what that is on tensors
// NONE: no-interface.mlir:3:5
// ORDER: error[bad-form]: export `@k` of type {{.*}} does not fit its interface `(tensor<4xf32>, f32) -> tensor<8xf32>`: expected `(memref<4xf32>, f32, memref<8xf32>)`
// POINTERS: error[bad-form]: export `@k` of type `!llvm.func<void (ptr, i64)>` does not fit its interface `(tensor<4xf32>) -> tensor<4xf32>`: expected the kernel signature `(!llvm.ptr, !llvm.ptr, !llvm.ptr)`, or memref descriptors in the order of the interface
// BARE: error[bad-form]: export `@k` takes bare pointers, which do not carry the sizes of `tensor<?xf32>`; use descriptors or the kernel signature
// OTHER: error[bad-form]: entry `@k` and export `@e::@k` have different interfaces: `(tensor<4xf32>) -> tensor<4xf32>` and `(tensor<8xf32>) -> tensor<4xf32>`
// GPU: error[unsupported-op]: executable `@k` for `{{.*}}`: `gpu.module @device` is code for a GPU, this target is a CPU
// GPU: gpu.mlir:3:5
// GPU: hint: put it into a variant of a GPU target (`#spirv.target_env`, `#nvvm.target` or `#rocdl.target`)
// SPIRV: `spirv.module` is code for a GPU
// SPIRV: (`#spirv.target_env`)
// UNUSED: error[unused-workgroups]: executable `@k` for `{{.*}}`: `@k_workgroups` would be ignored: export `@k` is on tensors
// REDUNDANT: error[unused-workgroups]: executable `@k` for `{{.*}}`: export `@k` never asks which workgroup it is, so several would all do the whole work
// REDUNDANT: hint: divide the work by `gpu.block_id`
// LEAK: error[leak]: executable `@k` for `{{.*}}`: export `@k` allocates memory (`malloc`) and never frees it (`free`)
// COPY: `@k` calls `memrefCopy` of MLIR's runtime library, which programs do not have
// RETURNS: error[bad-form]: export `@k` of type `!llvm.func<ptr (ptr)>` returns `!llvm.ptr`
// LEFT: error[unsupported-op]: executable `@k` for `{{.*}}`: operation `bufferization.to_tensor` cannot be translated for a CPU
// SPACE: does not fit its interface
//--- no-interface.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hal.export} { return }
  }
}
//--- order.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: memref<4xf32>, %b: memref<8xf32>, %f: f32) attributes {hal.export, hal.interface = (tensor<4xf32>, f32) -> tensor<8xf32>} { return }
  }
}
//--- pointers.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @k(%a: !llvm.ptr, %b: i64) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} { llvm.return }
  }
}
//--- bare-dynamic.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @k(%a: !llvm.ptr, %n: i64, %b: !llvm.ptr) attributes {hal.export, hal.interface = (tensor<?xf32>, index) -> tensor<?xf32>, hal.results = [{hal.dims = array<i64: 1>}]} { llvm.return }
  }
}
//--- other.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%a: memref<8xf32>, %b: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<8xf32>) -> tensor<4xf32>} { return }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
}
//--- gpu.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    gpu.module @device { gpu.func @body() kernel { gpu.return } }
    func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %a : tensor<4xf32> }
  }
}
//--- spirv.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    spirv.module Logical GLSL450 { }
    func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %a : tensor<4xf32> }
  }
}
//--- unused-count.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %a : tensor<4xf32> }
    func.func @k_workgroups() -> (index, index, index) {
      %c2 = arith.constant 2 : index
      return %c2, %c2, %c2 : index, index, index
    }
  }
}
//--- redundant-count.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} { return }
    func.func @k_workgroups() -> (index, index, index) {
      %c2 = arith.constant 2 : index
      return %c2, %c2, %c2 : index, index, index
    }
  }
}
//--- leak.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @malloc(i64) -> !llvm.ptr
    llvm.func @k(%a: !llvm.ptr, %b: !llvm.ptr) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %n = llvm.mlir.constant(64 : i64) : i64
      %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
      llvm.return
    }
  }
}
//--- copy.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @memrefCopy(i64, !llvm.ptr, !llvm.ptr)
    llvm.func @k(%a: !llvm.ptr, %b: !llvm.ptr) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %n = llvm.mlir.constant(64 : i64) : i64
      llvm.call @memrefCopy(%n, %a, %b) : (i64, !llvm.ptr, !llvm.ptr) -> ()
      llvm.return
    }
  }
}
//--- returns.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @k(%a: !llvm.ptr) -> !llvm.ptr attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} { llvm.return %a : !llvm.ptr }
  }
}
//--- tensors-left.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %c0 = arith.constant 0 : index
      %t = bufferization.to_tensor %a : memref<4xf32> to tensor<4xf32>
      %x = tensor.extract %t[%c0] : tensor<4xf32>
      memref.store %x, %b[%c0] : memref<4xf32>
      return
    }
  }
}
//--- space.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: memref<4xf32, 1>, %b: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} { return }
  }
}
