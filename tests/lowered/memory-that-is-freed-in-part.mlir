// Of memory that a lowered export allocates, what it does not free is freed, whatever else it frees; where that is too late, it is an error.
// RUN: rm -rf %t && split-file %s %t && cd %t
// RUN: hal-translate part.mlir --emit=llvm --executable=k -o part.ll && grep -c 'call.*@aligned_alloc' part.ll > m && grep -c 'call.*@free' part.ll > f && cmp m f && grep -x 2 f
// RUN: hal-translate part.mlir -o objects.mlir && hal-link objects.mlir -o p.so && hal-run p.so --guard --input=4xf32=1,2,3,4 --expect=4xf32=11,12,13,14
// RUN: exits 1 hal-translate branches.mlir 2>&1 | FileCheck %s --check-prefix=BRANCHES
// BRANCHES: error[leak]: {{.*}}: export `@k` allocates memory (`memref.alloc`) and never frees it (`memref.dealloc`)
// BRANCHES: branches.mlir:10:15
// RUN: exits 1 hal-translate llvm.mlir 2>&1 | FileCheck %s --check-prefix=LLVM
// LLVM: error[leak]: {{.*}}: export `@k` allocates memory (`malloc`) and never frees it (`free`)
// What is freed after a branch, out of a descriptor, or by another function, is.
// RUN: hal-translate fine.mlir -o fine.mlirbc
//--- part.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%x: memref<?xf32>, %n: index, %out: memref<?xf32>) attributes {hal.export, hal.interface = (tensor<?xf32>, index) -> tensor<?xf32>, hal.results = [{hal.dims = array<i64: 1>}]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %ten = arith.constant 10.0 : f32
      %freed = memref.alloc(%n) : memref<?xf32>
      %lost = memref.alloc(%n) : memref<?xf32>
      scf.for %i = %c0 to %n step %c1 {
        %a = memref.load %x[%i] : memref<?xf32>
        %s = arith.addf %a, %ten : f32
        memref.store %s, %freed[%i] : memref<?xf32>
      }
      scf.for %i = %c0 to %n step %c1 {
        %last = arith.subi %n, %c1 : index
        %j = arith.subi %last, %i : index
        %a = memref.load %freed[%j] : memref<?xf32>
        memref.store %a, %lost[%i] : memref<?xf32>
      }
      memref.dealloc %freed : memref<?xf32>
      scf.for %i = %c0 to %n step %c1 {
        %last = arith.subi %n, %c1 : index
        %j = arith.subi %last, %i : index
        %a = memref.load %lost[%j] : memref<?xf32>
        memref.store %a, %out[%i] : memref<?xf32>
      }
      return
    }
  }
  func.func private @call_k(tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @k::@k}
  func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %r = call @call_k(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
//--- branches.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k(%a: memref<4xf32>, %b: memref<4xf32>) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %c0 = arith.constant 0 : index
      %x = memref.load %a[%c0] : memref<4xf32>
      %freed = memref.alloc() : memref<4xf32>
      memref.store %x, %freed[%c0] : memref<4xf32>
      cf.br ^next(%freed : memref<4xf32>)
    ^next(%m: memref<4xf32>):
      %lost = memref.alloc() : memref<8xf32>
      memref.store %x, %lost[%c0] : memref<8xf32>
      memref.copy %m, %b : memref<4xf32> to memref<4xf32>
      memref.dealloc %m : memref<4xf32>
      return
    }
  }
}
//--- llvm.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @malloc(i64) -> !llvm.ptr
    llvm.func @free(!llvm.ptr)
    llvm.func @k(%a: !llvm.ptr, %b: !llvm.ptr) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %n = llvm.mlir.constant(64 : i64) : i64
      %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
      %q = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
      llvm.call @free(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
}
//--- fine.mlir
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    llvm.func @malloc(i64) -> !llvm.ptr
    llvm.func @free(!llvm.ptr)
    llvm.func @give_back(%p: !llvm.ptr) {
      llvm.call @free(%p) : (!llvm.ptr) -> ()
      llvm.return
    }
    llvm.func @k(%a: !llvm.ptr, %b: !llvm.ptr) attributes {hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>} {
      %n = llvm.mlir.constant(64 : i64) : i64
      %u = llvm.mlir.undef : !llvm.struct<(ptr, i64)>
      %p = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
      %d = llvm.insertvalue %p, %u[0] : !llvm.struct<(ptr, i64)>
      llvm.br ^next(%d : !llvm.struct<(ptr, i64)>)
    ^next(%e: !llvm.struct<(ptr, i64)>):
      %f = llvm.extractvalue %e[0] : !llvm.struct<(ptr, i64)>
      llvm.call @free(%f) : (!llvm.ptr) -> ()
      %q = llvm.call @malloc(%n) : (i64) -> !llvm.ptr
      llvm.call @give_back(%q) : (!llvm.ptr) -> ()
      llvm.return
    }
  }
}
