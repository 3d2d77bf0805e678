// Exports of one program, and of one executable, may be at different levels; helper functions and constants go with them.
// RUN: hal-translate %s --explain -o %t.mlirbc 2>%t.txt
// RUN: FileCheck %s --check-prefix=EXPLAIN < %t.txt
// RUN: hal-link %t.mlirbc -o %t.so
// RUN: hal-run %t.so --function=levels --input=iota --expect=0,3,6,10,16,23
// RUN: hal-run %t.so --function=rows_main --input=7xf32=iota --expect=7xf32=0,2,4,6,8,10,12
// RUN: hal-run %t.so --function=in_place_main --input=1,2,3,4 --expect=11,12,13,14 --expect=104,103,102,101
// RUN: hal-run %t.so --function=by_hand_main --input=1,2,3,4 --expect=2,4,6,8
// RUN: hal-translate %s | hal-translate --emit=asm --executable=two -o %t.s && FileCheck %s --check-prefix=ASM < %t.s
// EXPLAIN: @two::@scaled for {{.*}}: tiled and vectorised
// EXPLAIN: @two::@shifted for {{.*}}: given on buffers{{$}}
// EXPLAIN: @some_rows::@rows for {{.*}}: given on buffers{{$}}
// EXPLAIN: @in_place::@plus_ten for {{.*}}: given on buffers{{$}}
// EXPLAIN: @in_place::@backwards for {{.*}}: given on buffers{{$}}
// EXPLAIN: @hand::@by_hand for {{.*}}: given with the kernel signature
// ASM-DAG: .globl scaled
// ASM-DAG: .globl shifted
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @two attributes {hal.executable} {
    func.func @scaled(%x: tensor<6xf32>) -> tensor<6xf32> attributes {hal.export} {
      %c3 = arith.constant dense<3.0> : tensor<6xf32>
      %r = arith.mulf %x, %c3 : tensor<6xf32>
      return %r : tensor<6xf32>
    }
    memref.global "private" constant @shifts : memref<6xf32> = dense<[0.0, 0.0, 0.0, 1.0, 4.0, 8.0]>
    func.func private @one(%a: f32, %b: f32) -> f32 {
      %s = arith.addf %a, %b : f32
      return %s : f32
    }
    // The interface is that of the entry, which calls it.
    func.func @shifted(%x: memref<6xf32, strided<[?], offset: ?>>, %out: memref<6xf32>) attributes {hal.export} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c6 = arith.constant 6 : index
      %t = memref.get_global @shifts : memref<6xf32>
      scf.for %i = %c0 to %c6 step %c1 {
        %a = memref.load %x[%i] : memref<6xf32, strided<[?], offset: ?>>
        %b = memref.load %t[%i] : memref<6xf32>
        %s = func.call @one(%a, %b) : (f32, f32) -> f32
        memref.store %s, %out[%i] : memref<6xf32>
      }
      return
    }
  }
  func.func private @scaled(tensor<6xf32>) -> tensor<6xf32> attributes {hal.entry = @two::@scaled}
  func.func private @shifted(tensor<6xf32>) -> tensor<6xf32> attributes {hal.entry = @two::@shifted}
  func.func @levels(%x: tensor<6xf32>) -> tensor<6xf32> {
    %s = call @scaled(%x) : (tensor<6xf32>) -> tensor<6xf32>
    %r = call @shifted(%s) : (tensor<6xf32>) -> tensor<6xf32>
    return %r : tensor<6xf32>
  }

  // Two elements a workgroup, which it asks for with upstream's operations.
  module @some_rows attributes {hal.executable} {
    func.func @rows(%x: memref<?xf32>, %n: index, %out: memref<?xf32>) attributes {
        hal.export, hal.interface = (tensor<?xf32>, index) -> tensor<?xf32>, hal.results = [{hal.dims = array<i64: 1>}]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %id = gpu.block_id x
      %count = gpu.grid_dim x
      %lo = arith.muli %id, %c2 : index
      %up = arith.addi %lo, %c2 : index
      %want = arith.ceildivui %n, %c2 : index
      %right = arith.cmpi eq, %count, %want : index
      %hi = arith.minui %up, %n : index
      scf.if %right {
        scf.for %i = %lo to %hi step %c1 {
          %a = memref.load %x[%i] : memref<?xf32>
          %s = arith.addf %a, %a : f32
          memref.store %s, %out[%i] : memref<?xf32>
        }
      }
      return
    }
    func.func @rows_workgroups(%dx: index, %dout: index, %n: index) -> (index, index, index) {
      %c1 = arith.constant 1 : index
      %c2 = arith.constant 2 : index
      %x = arith.ceildivui %n, %c2 : index
      return %x, %c1, %c1 : index, index, index
    }
  }
  func.func private @rows(tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @some_rows::@rows}
  func.func @rows_main(%x: tensor<?xf32>) -> tensor<?xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?xf32>
    %r = call @rows(%x, %n) : (tensor<?xf32>, index) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }

  // A result that shares the buffer of an argument has no memref of its own, or one, as upstream's pass makes it.
  module @in_place attributes {hal.executable} {
    func.func @plus_ten(%x: memref<4xf32>) attributes {
        hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>, hal.results = [{hal.tied = 0 : i32}]} {
      %c10 = arith.constant 10.0 : f32
      linalg.generic {indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]} outs(%x : memref<4xf32>) {
      ^bb0(%a: f32):
        %s = arith.addf %a, %c10 : f32
        linalg.yield %s : f32
      }
      return
    }
    // Backwards: an output in the buffer of the input would be read again.
    func.func @backwards(%x: memref<4xf32>, %out: memref<4xf32>) attributes {
        hal.export, hal.interface = (tensor<4xf32>) -> tensor<4xf32>, hal.results = [{hal.tied = 0 : i32}]} {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c3 = arith.constant 3 : index
      %c4 = arith.constant 4 : index
      %c100 = arith.constant 100.0 : f32
      scf.for %i = %c0 to %c4 step %c1 {
        %j = arith.subi %c3, %i : index
        %a = memref.load %x[%j] : memref<4xf32>
        %s = arith.addf %a, %c100 : f32
        memref.store %s, %out[%i] : memref<4xf32>
      }
      return
    }
  }
  func.func private @plus_ten(tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @in_place::@plus_ten}
  func.func private @backwards(tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.entry = @in_place::@backwards}
  func.func @in_place_main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
    %a = call @plus_ten(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %b = call @backwards(%x) : (tensor<4xf32>) -> tensor<4xf32>
    return %a, %b : tensor<4xf32>, tensor<4xf32>
  }

  // The kernel signature, with scalars of the interface as 64-bit constants.
  module @hand attributes {hal.executable} {
    llvm.func @by_hand(%x: !llvm.ptr, %out: !llvm.ptr, %factor: i64, %wg: !llvm.ptr) attributes {
        hal.export, hal.interface = (tensor<4xf32>, f32) -> tensor<4xf32>} {
      %bits = llvm.trunc %factor : i64 to i32
      %f = llvm.bitcast %bits : i32 to f32
      %id = llvm.load %wg : !llvm.ptr -> i32
      %p = llvm.getelementptr %x[%id] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %q = llvm.getelementptr %out[%id] : (!llvm.ptr, i32) -> !llvm.ptr, f32
      %a = llvm.load %p : !llvm.ptr -> f32
      %r = llvm.fmul %a, %f : f32
      llvm.store %r, %q : f32, !llvm.ptr
      llvm.return
    }
    func.func @by_hand_workgroups(%factor: index) -> (index, index, index) {
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      return %c4, %c1, %c1 : index, index, index
    }
  }
  func.func private @by_hand(tensor<4xf32>, f32) -> tensor<4xf32> attributes {hal.entry = @hand::@by_hand}
  func.func @by_hand_main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %two = arith.constant 2.0 : f32
    %r = call @by_hand(%x, %two) : (tensor<4xf32>, f32) -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}
