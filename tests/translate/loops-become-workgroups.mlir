// An outermost `scf.forall` is the grid: its induction variables are the numbers of a workgroup, its iterations their count, for static and
// for dynamic sizes. Results go where they belong, without a copy.
// RUN: hal-translate %s --explain -o %t.mlir 2>%t.txt && FileCheck %s --check-prefix=WAY < %t.txt && FileCheck %s --check-prefix=COUNT < %t.mlir
// RUN: hal-link %t.mlir -o %t.so
// RUN: hal-run %t.so --function=rows_of --input=5x3xf32=iota --expect=5x3xf32=2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
// RUN: hal-run %t.so --function=rows_of --input=0x3xf32= --output=%t.npy
// RUN: hal-run %t.so --function=swapped_of --input=4x2xf32=iota --expect=4x2xf32=1,2,3,4,5,6,7,8
// RUN: hal-run %t.so --function=inplace_of --input=6xf32=iota --input=6xf32=1 --expect=6xf32=1,2,3,4,5,6
// RUN: hal-run %t.so --function=two_of --input=6xf32=iota --expect=6xf32=0,2,4,6,8,10 --expect=6xf32=1,2,3,4,5,6
// RUN: hal-run %t.so --function=many_of --input=2x2x2x2xf32=iota --expect=2x2x2x2xf32=1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16
// RUN: hal-run %t.so --function=filled_of --input=0x3xf32= --expect=2x3xf32=9
// RUN: hal-run %t.so --function=filled_of --input=5x3xf32=iota --expect=7x3xf32=0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,9,9,9,9,9,9

// WAY: @rows::@rows for {{.*}}: ? workgroups of `scf.forall`
// WAY-NOT: alloc
// WAY: @swapped::@swapped for {{.*}}: 2 x 1 workgroups of `scf.forall`
// WAY: @inplace::@inplace for {{.*}}: 3 workgroups of `scf.forall`
// WAY: @two::@two for {{.*}}: 3 + 2 workgroups of `scf.forall`
// WAY: @many::@many for {{.*}}: 2 x 2 x 2 x 2 workgroups of `scf.forall`
// WAY: @filled::@filled for {{.*}}: ? workgroups of `scf.forall`

// Rows by two, rounded up.
// COUNT-LABEL: @rows_workgroups(%arg0: index, %arg1: index, %arg2: index)
// COUNT: arith.constant 2 : index
// COUNT: return %{{.*}}, %c1, %c1
// The first loop is y, the second x, as the mapping says.
// COUNT-LABEL: @swapped_workgroups
// COUNT: return %c1, %c2, %c1
// COUNT-LABEL: @inplace_workgroups
// COUNT: return %c3, %c1, %c1
// Two loops that do not need each other share a grid.
// COUNT-LABEL: @two_workgroups
// COUNT: return %c5, %c1, %c1
// More than three loops are numbered.
// COUNT-LABEL: @many_workgroups
// COUNT: return %c16, %c1, %c1

#tile = affine_map<()[n] -> (n ceildiv 2)>
#start = affine_map<(i) -> (i * 2)>
#size = affine_map<(i)[n] -> (2, n - i * 2)>
#id = affine_map<(i, j) -> (i, j)>
#id4 = affine_map<(i, j, k, l) -> (i, j, k, l)>
#one = affine_map<(i) -> (i)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @rows attributes {hal.executable} {
    func.func @rows(%x: tensor<?x3xf32>, %n: index) -> (tensor<?x3xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
      %one = arith.constant 1.0 : f32
      %two = arith.constant 2.0 : f32
      %empty = tensor.empty(%n) : tensor<?x3xf32>
      %init = linalg.fill ins(%one : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
      %tiles = affine.apply #tile()[%n]
      %r = scf.forall (%i) in (%tiles) shared_outs(%o = %init) -> (tensor<?x3xf32>) {
        %at = affine.apply #start(%i)
        %size = affine.min #size(%i)[%n]
        %in = tensor.extract_slice %x[%at, 0] [%size, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
        %out = tensor.extract_slice %o[%at, 0] [%size, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
        %sum = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%in : tensor<?x3xf32>) outs(%out : tensor<?x3xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          %d = arith.addf %c, %one : f32
          linalg.yield %d : f32
        } -> tensor<?x3xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %sum into %o[%at, 0] [%size, 3] [1, 1] : tensor<?x3xf32> into tensor<?x3xf32>
        }
      }
      return %r : tensor<?x3xf32>
    }
  }
  func.func private @rows_entry(tensor<?x3xf32>, index) -> (tensor<?x3xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @rows::@rows}
  func.func @rows_of(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %c0 = arith.constant 0 : index
    %n = tensor.dim %x, %c0 : tensor<?x3xf32>
    %r = call @rows_entry(%x, %n) : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
    return %r : tensor<?x3xf32>
  }

  module @swapped attributes {hal.executable} {
    func.func @swapped(%x: tensor<4x2xf32>) -> tensor<4x2xf32> attributes {hal.export} {
      %one = arith.constant 1.0 : f32
      %init = tensor.empty() : tensor<4x2xf32>
      %r = scf.forall (%i, %j) = (0, 0) to (4, 2) step (2, 2) shared_outs(%o = %init) -> (tensor<4x2xf32>) {
        %in = tensor.extract_slice %x[%i, %j] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
        %out = tensor.extract_slice %o[%i, %j] [2, 2] [1, 1] : tensor<4x2xf32> to tensor<2x2xf32>
        %sum = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
            ins(%in : tensor<2x2xf32>) outs(%out : tensor<2x2xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %one : f32
          linalg.yield %c : f32
        } -> tensor<2x2xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %sum into %o[%i, %j] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<4x2xf32>
        }
      } {mapping = [#gpu.block<y>, #gpu.block<x>]}
      return %r : tensor<4x2xf32>
    }
  }
  func.func private @swapped_entry(tensor<4x2xf32>) -> tensor<4x2xf32> attributes {hal.entry = @swapped::@swapped}
  func.func @swapped_of(%x: tensor<4x2xf32>) -> tensor<4x2xf32> {
    %r = call @swapped_entry(%x) : (tensor<4x2xf32>) -> tensor<4x2xf32>
    return %r : tensor<4x2xf32>
  }

  module @inplace attributes {hal.executable} {
    func.func @inplace(%x: tensor<6xf32>, %y: tensor<6xf32>) -> (tensor<6xf32> {hal.tied = 1 : i32}) attributes {hal.export} {
      %r = scf.forall (%i) in (3) shared_outs(%o = %y) -> (tensor<6xf32>) {
        %at = affine.apply #start(%i)
        %in = tensor.extract_slice %x[%at] [2] [1] : tensor<6xf32> to tensor<2xf32>
        %out = tensor.extract_slice %o[%at] [2] [1] : tensor<6xf32> to tensor<2xf32>
        %sum = linalg.generic {indexing_maps = [#one, #one], iterator_types = ["parallel"]} ins(%in : tensor<2xf32>) outs(%out : tensor<2xf32>) {
        ^bb0(%a: f32, %b: f32):
          %c = arith.addf %a, %b : f32
          linalg.yield %c : f32
        } -> tensor<2xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %sum into %o[%at] [2] [1] : tensor<2xf32> into tensor<6xf32>
        }
      }
      return %r : tensor<6xf32>
    }
  }
  func.func private @inplace_entry(tensor<6xf32>, tensor<6xf32>) -> (tensor<6xf32> {hal.tied = 1 : i32}) attributes {hal.entry = @inplace::@inplace}
  func.func @inplace_of(%x: tensor<6xf32>, %y: tensor<6xf32>) -> tensor<6xf32> {
    %r = call @inplace_entry(%x, %y) : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %r : tensor<6xf32>
  }

  module @two attributes {hal.executable} {
    func.func @two(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) attributes {hal.export} {
      %one = arith.constant 1.0 : f32
      %e1 = tensor.empty() : tensor<6xf32>
      %e2 = tensor.empty() : tensor<6xf32>
      %r = scf.forall (%i) in (3) shared_outs(%o = %e1) -> (tensor<6xf32>) {
        %at = affine.apply #start(%i)
        %in = tensor.extract_slice %x[%at] [2] [1] : tensor<6xf32> to tensor<2xf32>
        %sum = arith.addf %in, %in : tensor<2xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %sum into %o[%at] [2] [1] : tensor<2xf32> into tensor<6xf32>
        }
      }
      %s = scf.forall (%i) = (0) to (6) step (3) shared_outs(%o = %e2) -> (tensor<6xf32>) {
        %in = tensor.extract_slice %x[%i] [3] [1] : tensor<6xf32> to tensor<3xf32>
        %ones = tensor.splat %one : tensor<3xf32>
        %sum = arith.addf %in, %ones : tensor<3xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %sum into %o[%i] [3] [1] : tensor<3xf32> into tensor<6xf32>
        }
      }
      return %r, %s : tensor<6xf32>, tensor<6xf32>
    }
  }
  func.func private @two_entry(tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) attributes {hal.entry = @two::@two}
  func.func @two_of(%x: tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>) {
    %r:2 = call @two_entry(%x) : (tensor<6xf32>) -> (tensor<6xf32>, tensor<6xf32>)
    return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
  }

  module @many attributes {hal.executable} {
    func.func @many(%x: tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> attributes {hal.export} {
      %one = arith.constant 1.0 : f32
      %init = tensor.empty() : tensor<2x2x2x2xf32>
      %r = scf.forall (%i, %j, %k, %l) in (2, 2, 2, 2) shared_outs(%o = %init) -> (tensor<2x2x2x2xf32>) {
        %in = tensor.extract %x[%i, %j, %k, %l] : tensor<2x2x2x2xf32>
        %sum = arith.addf %in, %one : f32
        %tile = tensor.from_elements %sum : tensor<1x1x1x1xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %tile into %o[%i, %j, %k, %l] [1, 1, 1, 1] [1, 1, 1, 1] : tensor<1x1x1x1xf32> into tensor<2x2x2x2xf32>
        }
      }
      return %r : tensor<2x2x2x2xf32>
    }
  }
  func.func private @many_entry(tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> attributes {hal.entry = @many::@many}
  func.func @many_of(%x: tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32> {
    %r = call @many_entry(%x) : (tensor<2x2x2x2xf32>) -> tensor<2x2x2x2xf32>
    return %r : tensor<2x2x2x2xf32>
  }

  // The tiles reach as far as the argument; the result is two rows longer, which keep what it was filled with.
  module @filled attributes {hal.executable} {
    func.func @filled(%x: tensor<?x3xf32>, %n: index) -> (tensor<?x3xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
      %c0 = arith.constant 0 : index
      %nine = arith.constant 9.0 : f32
      %empty = tensor.empty(%n) : tensor<?x3xf32>
      %init = linalg.fill ins(%nine : f32) outs(%empty : tensor<?x3xf32>) -> tensor<?x3xf32>
      %m = tensor.dim %x, %c0 : tensor<?x3xf32>
      %tiles = affine.apply #tile()[%m]
      %r = scf.forall (%i) in (%tiles) shared_outs(%o = %init) -> (tensor<?x3xf32>) {
        %at = affine.apply #start(%i)
        %size = affine.min #size(%i)[%m]
        %in = tensor.extract_slice %x[%at, 0] [%size, 3] [1, 1] : tensor<?x3xf32> to tensor<?x3xf32>
        scf.forall.in_parallel {
          tensor.parallel_insert_slice %in into %o[%at, 0] [%size, 3] [1, 1] : tensor<?x3xf32> into tensor<?x3xf32>
        }
      }
      return %r : tensor<?x3xf32>
    }
  }
  func.func private @filled_entry(tensor<?x3xf32>, index) -> (tensor<?x3xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @filled::@filled}
  func.func @filled_of(%x: tensor<?x3xf32>) -> tensor<?x3xf32> {
    %c0 = arith.constant 0 : index
    %c2 = arith.constant 2 : index
    %n = tensor.dim %x, %c0 : tensor<?x3xf32>
    %more = arith.addi %n, %c2 : index
    %r = call @filled_entry(%x, %more) : (tensor<?x3xf32>, index) -> tensor<?x3xf32>
    return %r : tensor<?x3xf32>
  }
}
