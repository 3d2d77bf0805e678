// On buffers, as descriptors and in the kernel ABI load-time constants are the last arguments before the results or the workgroup.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-translate %s | hal-link -o p.so && hal-run p.so --threads=3 --input=4xf32=1,2,3,4 --expect=4xf32=18,28,38,48
// Upstream's passes carry the attribute along.
// RUN: hal-opt %s --preprocess-executables-with='if [ $HALYARD_EXECUTABLE = e ]; then exec mlir-opt --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" --buffer-results-to-out-params="modify-public-functions hoist-static-allocs" --convert-linalg-to-loops --convert-scf-to-cf --expand-strided-metadata --finalize-memref-to-llvm --convert-arith-to-llvm --convert-index-to-llvm --convert-func-to-llvm --convert-cf-to-llvm --reconcile-unrealized-casts; fi; cat' -o l.mlir && FileCheck %s < l.mlir && hal-translate l.mlir | hal-link -o l.so && hal-run l.so --threads=3 --input=4xf32=1,2,3,4 --expect=4xf32=18,28,38,48
// CHECK: llvm.func @tensors({{.*}}) attributes {{.*}}hal.load_constants = ["device.threads"]
// RUN: sed 's/, .threads: index, .out: memref<4xf32>/, %%out: memref<4xf32>, %%threads: index/' %s > order.mlir && exits 1 hal-translate order.mlir 2>&1 | FileCheck %s --check-prefix=ORDER
// ORDER: error[bad-form]: export `@buffers` of type `(memref<4xf32>, memref<4xf32>, index) -> ()` does not fit its interface `(tensor<4xf32>) -> tensor<4xf32>`: expected `(memref<4xf32>, index, memref<4xf32>)`
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @tensors(%x: tensor<4xf32>, %threads: index) -> tensor<4xf32> attributes {hal.export, hal.load_constants = ["device.threads"]} {
      %e = tensor.empty() : tensor<4xf32>
      %i = arith.index_cast %threads : index to i64
      %f = arith.sitofp %i : i64 to f32
      %c10 = arith.constant 10.0 : f32
      %y = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
      ^bb0(%a: f32, %o: f32):
        %p = arith.mulf %a, %c10 : f32
        %v = arith.addf %p, %f : f32
        linalg.yield %v : f32
      } -> tensor<4xf32>
      return %y : tensor<4xf32>
    }
  }
  module @b attributes {hal.executable} {
    func.func @buffers(%x: memref<4xf32>, %threads: index, %out: memref<4xf32>) attributes {hal.export, hal.load_constants = ["device.threads"]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %i64 = arith.index_cast %threads : index to i64
      %f = arith.sitofp %i64 : i64 to f32
      scf.for %i = %c0 to %c4 step %c1 {
        %a = memref.load %x[%i] : memref<4xf32>
        %v = arith.addf %a, %f : f32
        memref.store %v, %out[%i] : memref<4xf32>
      }
      return
    }
  }
  // One workgroup a thread: the count is computed from the constants, too. Each adds 2 to the elements that it gets.
  module @l attributes {hal.executable} {
    llvm.func @kernel(%x: !llvm.ptr, %out: !llvm.ptr, %threads: i64, %wg: !llvm.ptr) attributes {hal.export, hal.load_constants = ["device.threads"]} {
      %id32 = llvm.load %wg : !llvm.ptr -> i32
      %id = llvm.zext %id32 : i32 to i64
      %four = llvm.mlir.constant(4 : i64) : i64
      %two = llvm.mlir.constant(2.0 : f32) : f32
      llvm.br ^loop(%id : i64)
    ^loop(%i: i64):
      %more = llvm.icmp "ult" %i, %four : i64
      llvm.cond_br %more, ^body, ^end
    ^body:
      %from = llvm.getelementptr %x[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %to = llvm.getelementptr %out[%i] : (!llvm.ptr, i64) -> !llvm.ptr, f32
      %a = llvm.load %from : !llvm.ptr -> f32
      %v = llvm.fadd %a, %two : f32
      llvm.store %v, %to : f32, !llvm.ptr
      %next = llvm.add %i, %threads : i64
      llvm.br ^loop(%next : i64)
    ^end:
      llvm.return
    }
    func.func @kernel_workgroups(%threads: index) -> (index, index, index) {
      %one = arith.constant 1 : index
      return %threads, %one, %one : index, index, index
    }
  }
  func.func private @tensors(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@tensors}
  func.func private @buffers(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @b::@buffers}
  func.func private @kernel(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @l::@kernel}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = call @tensors(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %1 = call @buffers(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = call @kernel(%1) : (tensor<4xf32>) -> tensor<4xf32>
    return %2 : tensor<4xf32>
  }
}
