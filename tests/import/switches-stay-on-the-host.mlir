// `scf.index_switch` runs on the host; what is in its regions becomes executables.
// RUN: hal-compile %s -o %t.so
// RUN: hal-run %t.so --input=2xf32=0,1 --input=i64=1 | FileCheck %s --check-prefix=ONE
// RUN: hal-run %t.so --input=2xf32=0,1 --input=i64=-7 | FileCheck %s --check-prefix=SEVEN
// RUN: hal-run %t.so --input=2xf32=0,1 --input=i64=0 | FileCheck %s --check-prefix=OTHER
// ONE: [0., 1.]
// SEVEN: [0., 2.]
// OTHER: [1. , 2.718
func.func @main(%x: tensor<2xf32>, %n: index) -> tensor<2xf32> {
  %r = scf.index_switch %n -> tensor<2xf32>
  case 1 {
    scf.yield %x : tensor<2xf32>
  }
  case -7 {
    %y = arith.addf %x, %x : tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  }
  default {
    %y = math.exp %x : tensor<2xf32>
    scf.yield %y : tensor<2xf32>
  }
  return %r : tensor<2xf32>
}
