// A slice in a loop that another tool distributed (`scf.forall`) lies in its tensor, or the call fails. What follows from counters and sizes
// is checked before the loop, which stays parallel; else its iterations run one after another, with checks, and a warning says why.
// RUN: hal-import %s -o %t.mlir 2>&1 | FileCheck %s --check-prefix=WARN --implicit-check-not=warning
// RUN: FileCheck %s --check-prefix=FORM < %t.mlir
// RUN: hal-compile -q %s -o %t.so 2>/dev/null
// WARN: warning[checked-in-turn]: `scf.forall`: its iterations run one after another, because `tensor.extract_slice` has to be checked in each of them
// WARN: %x = tensor.extract_slice %a[%at, 0] [1, 2] [1, 1]
// WARN: hint: what follows from counters and sizes alone is checked before the loop; `--bounds=trust` leaves out the rest
// WARN: warning[checked-in-turn]: {{.*}}because `tensor.parallel_insert_slice` has to be checked in each of them
// WARN: warning[checked-in-turn]: {{.*}}because `arith.divsi` has to be checked in each of them
// WARN: warning[checked-in-turn]: {{.*}}because `tensor.gather` has to be checked in each of them
// WARN: warning[checked-in-turn]: {{.*}}because `cf.assert` has to be checked in each of them

// RUN: hal-run --guard %t.so --function=parameter -i 8xf32=0 -i 2 | FileCheck %s --check-prefix=LAST
// RUN: exits 1 hal-run --guard %t.so --function=parameter -i 8xf32=0 -i 3 2>&1 | FileCheck %s --check-prefix=BEYOND
// RUN: exits 1 hal-run --guard %t.so --function=parameter -i 8xf32=0 -i -1 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: exits 1 hal-run --guard %t.so --function=parameter -i 8xf32=0 -i 9223372036854775805 2>&1 | FileCheck %s --check-prefix=HUGE
// FORM-LABEL: @parameter_dispatch_0
// FORM: scf.forall
// LAST: [0., 0., 1., 1., 1., 1., 1., 1.]
// BEYOND: error[assertion-failed]: `tensor.parallel_insert_slice` of `@parameter`, line {{[0-9]+}}: dimension 0: 2 elements from 7 do not lie in a size of 8
// BELOW: dimension 0: 2 elements from -1 do not lie in a size of 8
// HUGE: error[assertion-failed]: `tensor.parallel_insert_slice` of `@parameter`
func.func @parameter(%a: tensor<8xf32>, %p: index) -> tensor<8xf32> {
  %ones = arith.constant dense<1.0> : tensor<2xf32>
  %r = scf.forall (%k) in (3) shared_outs(%o = %a) -> (tensor<8xf32>) {
    %at = affine.apply affine_map<(k)[p] -> (k * 2 + p)>(%k)[%p]
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %ones into %o[%at] [2] [1] : tensor<2xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}

// A loop that does not run reads nothing, and one that goes down starts at its end.
// RUN: hal-run --guard %t.so --function=counted -i 4xf32=1,2,3,4 -i 4 | FileCheck %s --check-prefix=TURNED
// RUN: exits 1 hal-run --guard %t.so --function=counted -i 4xf32=1,2,3,4 -i 5 2>&1 | FileCheck %s --check-prefix=FIFTH
// RUN: hal-run --guard %t.so --function=counted -i 0xf32= -i 0 | FileCheck %s --check-prefix=NOTHING
// RUN: hal-run --guard %t.so --function=counted -i 4xf32=1,2,3,4 -i -3 | FileCheck %s --check-prefix=NOTHING
// FORM-LABEL: @counted_dispatch_0
// FORM: scf.forall
// TURNED: [4., 3., 2., 1.]
// FIFTH: error[assertion-failed]: `tensor.extract_slice` of `@counted`, line {{[0-9]+}}: dimension 0: 1 elements from -1 do not lie in a size of 4
// NOTHING: []
func.func @counted(%a: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %rows = tensor.dim %a, %c0 : tensor<?xf32>
  %last = arith.subi %rows, %c1 : index
  %natural = arith.maxsi %n, %c0 : index
  %e = tensor.empty(%natural) : tensor<?xf32>
  %r = scf.forall (%k) in (%n) shared_outs(%o = %e) -> (tensor<?xf32>) {
    %at = arith.subi %last, %k : index
    %x = tensor.extract_slice %a[%at] [1] [1] : tensor<?xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%k] [1] [1] : tensor<1xf32> into tensor<?xf32>
    }
  }
  return %r : tensor<?xf32>
}

// Tiles that are cut off at the end, a loop inside of them, steps, and shares of workers are known to fit: nothing is checked.
// FORM-LABEL: @tiles_dispatch_0
// FORM: scf.forall
// FORM-LABEL: func.func @tiles(
// FORM-NOT: check
// FORM: return
// RUN: hal-run --guard %t.so --function=tiles -i 5x7xf32=iota | FileCheck %s --check-prefix=TILES
// TILES: {{\[\[ *1., +2., +3., +4., +5., +6., +7.\],}}
// TILES: {{29., +30., +31., +32., +33., +34., +35.\]\]}}
func.func @tiles(%a: tensor<?x7xf32>) -> tensor<?x7xf32> {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f32
  %n = tensor.dim %a, %c0 : tensor<?x7xf32>
  %e = tensor.empty(%n) : tensor<?x7xf32>
  %share = affine.apply affine_map<()[n] -> (n ceildiv 2)>()[%n]
  %r = scf.forall (%i, %j) = (0, 0) to (2, 7) step (1, 4) shared_outs(%o = %e) -> (tensor<?x7xf32>) {
    %at = arith.muli %i, %share : index
    %left = arith.subi %n, %at : index
    %some = arith.minsi %share, %left : index
    %h = arith.maxsi %some, %c0 : index
    %w = affine.min affine_map<(j) -> (4, 7 - j)>(%j)
    %x = tensor.extract_slice %a[%at, %j] [%h, %w] [1, 1] : tensor<?x7xf32> to tensor<?x?xf32>
    %y = scf.for %k = %c0 to %h step %c3 iter_args(%b = %x) -> (tensor<?x?xf32>) {
      %m = affine.min affine_map<(k)[h] -> (3, h - k)>(%k)[%h]
      %s = tensor.extract_slice %b[%k, 0] [%m, %w] [1, 1] : tensor<?x?xf32> to tensor<?x?xf32>
      %t = linalg.map ins(%s : tensor<?x?xf32>) outs(%s : tensor<?x?xf32>) (%in: f32, %out: f32) {
        %sum = arith.addf %in, %one : f32
        linalg.yield %sum : f32
      }
      %u = tensor.insert_slice %t into %b[%k, 0] [%m, %w] [1, 1] : tensor<?x?xf32> into tensor<?x?xf32>
      scf.yield %u : tensor<?x?xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %y into %o[%at, %j] [%h, %w] [1, 1] : tensor<?x?xf32> into tensor<?x7xf32>
    }
  }
  return %r : tensor<?x7xf32>
}

// Data says where.
// RUN: hal-run --guard %t.so --function=rows -i 3x2xf32=1,2,3,4,5,6 -i 2xi64=2,0 | FileCheck %s --check-prefix=ROWS
// RUN: exits 1 hal-run --guard %t.so --function=rows -i 3x2xf32=1 -i 2xi64=2,3 2>&1 | FileCheck %s --check-prefix=ROW-3
// ROWS: {{\[\[}}5., 6.],
// ROW-3: error[assertion-failed]: {{.*}} of `@rows`, line {{[0-9]+}}: index 3 is out of range for dimension 0 of size 3
func.func @rows(%a: tensor<3x2xf32>, %which: tensor<2xindex>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<2x2xf32>
  %r = scf.forall (%k) in (2) shared_outs(%o = %e) -> (tensor<2x2xf32>) {
    %at = tensor.extract %which[%k] : tensor<2xindex>
    %x = tensor.extract_slice %a[%at, 0] [1, 2] [1, 1] : tensor<3x2xf32> to tensor<1x2xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%k, 0] [1, 2] [1, 1] : tensor<1x2xf32> into tensor<2x2xf32>
    }
  }
  return %r : tensor<2x2xf32>
}

// Tiles of a square grid in one number, of which the last ones leave the tensor.
// RUN: hal-run --guard %t.so --function=square -i 4x4xf32=0 | FileCheck %s --check-prefix=SQUARE
// RUN: exits 1 hal-run --guard %t.so --function=square -i 3x4xf32=0 2>&1 | FileCheck %s --check-prefix=CUT
// SQUARE: [0., 2., 0., 3.],
// CUT: error[assertion-failed]: {{.*}} of `@square`, line {{[0-9]+}}
func.func @square(%a: tensor<?x4xf32>) -> tensor<?x4xf32> {
  %e = arith.constant dense<[[0.0, 2.0], [0.0, 2.0]]> : tensor<2x2xf32>
  %three = arith.constant dense<[[0.0, 3.0], [0.0, 3.0]]> : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %c2 = arith.constant 2 : index
  %n = tensor.dim %a, %c0 : tensor<?x4xf32>
  %tiles = affine.apply affine_map<()[n] -> ((n ceildiv 2) * 2)>()[%n]
  %r = scf.forall (%k) in (%tiles) shared_outs(%o = %a) -> (tensor<?x4xf32>) {
    %i = affine.apply affine_map<(k) -> ((k floordiv 2) * 2)>(%k)
    %j = affine.apply affine_map<(k) -> ((k mod 2) * 2)>(%k)
    %left = arith.cmpi slt, %j, %c2 : index
    %v = scf.if %left -> (tensor<2x2xf32>) {
      scf.yield %e : tensor<2x2xf32>
    } else {
      scf.yield %three : tensor<2x2xf32>
    }
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i, %j] [2, 2] [1, 1] : tensor<2x2xf32> into tensor<?x4xf32>
    }
  }
  return %r : tensor<?x4xf32>
}

// Divisors, positions and promises in the body.
// RUN: hal-run --guard %t.so --function=shares -i 2xi32=6,8 -i 2 | FileCheck %s --check-prefix=SHARES
// RUN: exits 1 hal-run --guard %t.so --function=shares -i 2xi32=6,8 -i 0 2>&1 | FileCheck %s --check-prefix=BY-ZERO
// SHARES: [3, 4]
// BY-ZERO: error[program-failed]: the program fails: division by zero
func.func @shares(%a: tensor<2xi32>, %d: i32) -> tensor<2xi32> {
  %e = tensor.empty() : tensor<2xi32>
  %r = scf.forall (%k) in (2) shared_outs(%o = %e) -> (tensor<2xi32>) {
    %x = tensor.extract %a[%k] : tensor<2xi32>
    %y = arith.divsi %x, %d : i32
    %t = tensor.from_elements %y : tensor<1xi32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%k] [1] [1] : tensor<1xi32> into tensor<2xi32>
    }
  }
  return %r : tensor<2xi32>
}

// RUN: hal-run --guard %t.so --function=gathered -i 4xf32=1,2,3,4 -i 2x1xi64=3,0 | FileCheck %s --check-prefix=GATHERED
// RUN: exits 1 hal-run --guard %t.so --function=gathered -i 4xf32=1,2,3,4 -i 2x1xi64=3,4 2>&1 | FileCheck %s --check-prefix=FOUR
// GATHERED: [4., 1.]
// FOUR: error[assertion-failed]: {{.*}}: index 4 is out of range for dimension 0 of size 4
func.func @gathered(%a: tensor<4xf32>, %which: tensor<2x1xindex>) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %r = scf.forall (%k) in (2) shared_outs(%o = %e) -> (tensor<2xf32>) {
    %w = tensor.extract_slice %which[%k, 0] [1, 1] [1, 1] : tensor<2x1xindex> to tensor<1x1xindex>
    %x = tensor.gather %a[%w] gather_dims([0]) : (tensor<4xf32>, tensor<1x1xindex>) -> tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%k] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r : tensor<2xf32>
}

// RUN: hal-run --guard %t.so --function=promised -i 2xf32=1,2 -i 7 | FileCheck %s --check-prefix=PROMISED
// RUN: exits 1 hal-run --guard %t.so --function=promised -i 2xf32=1,2 -i 1 2>&1 | FileCheck %s --check-prefix=BROKEN
// PROMISED: [1., 2.]
// BROKEN: error[assertion-failed]: as many as there are
func.func @promised(%a: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %e = tensor.empty() : tensor<2xf32>
  %r = scf.forall (%k) in (2) shared_outs(%o = %e) -> (tensor<2xf32>) {
    %fits = arith.cmpi slt, %k, %n : index
    cf.assert %fits, "as many as there are"
    %x = tensor.extract_slice %a[%k] [1] [1] : tensor<2xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%k] [1] [1] : tensor<1xf32> into tensor<2xf32>
    }
  }
  return %r : tensor<2xf32>
}
