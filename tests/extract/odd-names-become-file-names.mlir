// Symbols with characters that file names should not have are escaped; what is written can be put back.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-extract %s --to=d --as=mlir,c -q > p.mlir
// RUN: ls -a d | FileCheck %s
// CHECK: %2Ehidden.mlir
// CHECK: a%2F..%2Fb%20c.mlir
// CHECK: e$f-1.2.mlir
// RUN: hal-substitute p.mlir --from=d -q -o q.mlir && hal-opt p.mlir -o r.mlir && diff q.mlir r.mlir
// A kernel whose name C does not take is told.
// RUN: hal-extract %s 'e*' --to=d --as=c -o /dev/null 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: warning: `e$f-1.2` has no reference in C, its body is left empty: its name is not an identifier of C
// RUN: clang -Id -c 'd/e$f-1.2.c' -o e.o
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @"a/../b c" attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
  module @".hidden" attributes {hal.executable} {
    func.func @l(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
  module @"e$f-1.2" attributes {hal.executable} {
    func.func @"e$f-1.2"(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
}
