// A check that fails ends the call with its message, in which values of any type take their places; one that holds is silent.
// RUN: hal-link %s -o %t.so
// RUN: hal-run %t.so --function=main --input=i64=3 --input=i64=3 | FileCheck %s --check-prefix=FINE
// RUN: exits 1 hal-run %t.so --function=main --input=i64=3 --input=i64=-4 2>&1 | FileCheck %s
// RUN: exits 1 hal-run %t.so --function=types --input=i8=-1 --input=f32=0.1 --input=i1=1 2>&1 | FileCheck %s --check-prefix=TYPES
// RUN: exits 1 hal-run %t.so --function=always --input=i64=7 2>&1 | FileCheck %s --check-prefix=ALWAYS
// RUN: hal-opt %s | %roundtrip | FileCheck %s --check-prefix=KEPT
// Merged programs keep their own.
// RUN: sed 's/@main/@other/; s/@types/@types2/; s/@always/@always2/; s/Concat/Other/' %s > %t.mlir && hal-link %s %t.mlir -o %t.2.so
// RUN: exits 1 hal-run %t.2.so --function=main --input=i64=3 --input=i64=-4 2>&1 | FileCheck %s
// RUN: exits 1 hal-run %t.2.so --function=other --input=i64=3 --input=i64=-4 2>&1 | FileCheck %s --check-prefix=OTHER
// FINE: 9
// CHECK: error[assertion-failed]: Concat `node {7}`: dimension 1 of `a` is 3, of `b` -4; they must be equal (3)
// OTHER: error[assertion-failed]: Other `node {7}`: dimension 1 of `a` is 3
// TYPES: error[assertion-failed]: 255 -1 0.1 0.1{{[0-9]*}} true 65535
// ALWAYS: error[assertion-failed]: never 7
// KEPT: func.func private @check_0(i1, index, index) attributes {hal.check = "Concat `node {{[{][{]7[}][}]}}`
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func private @check_0(i1, index, index) attributes {hal.check = "Concat `node {{7}}`: dimension 1 of `a` is {0}, of `b` {1}; they must be equal ({0})"}
  func.func private @check_1(i1, i8 {hal.unsigned}, i8, f32, f64, i1, i16 {hal.unsigned}) attributes {hal.check = "{0} {1} {2} {3} {4} {5}"}
  func.func private @check_2(i1, index) attributes {hal.check = "never {0}"}
  func.func @main(%a: index, %b: index) -> index {
    %ok = arith.cmpi eq, %a, %b : index
    func.call @check_0(%ok, %a, %b) : (i1, index, index) -> ()
    %r = arith.muli %a, %b : index
    return %r : index
  }
  func.func @types(%i: i8, %f: f32, %t: i1) -> i8 {
    %false = arith.constant false
    %d = arith.extf %f : f32 to f64
    %w = arith.extsi %i : i8 to i16
    func.call @check_1(%false, %i, %i, %f, %d, %t, %w) : (i1, i8, i8, f32, f64, i1, i16) -> ()
    return %i : i8
  }
  func.func @always(%n: index) -> index {
    %false = arith.constant false
    func.call @check_2(%false, %n) : (i1, index) -> ()
    return %n : index
  }
}
