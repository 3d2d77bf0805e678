// A program's functions are listed with their signatures; `--function` chooses one.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so --list | FileCheck %s --check-prefix=LIST
// RUN: hal-run %t.so --info | FileCheck %s --check-prefix=LIST
// LIST: functions:
// LIST-NEXT: double(?xf32) -> (?xf32)
// LIST-NEXT: seven() -> (i64)
// LIST-NEXT: kernels:
// LIST-NEXT: double_dispatch_0{{.*}}(cpu_{{.*}}): 2 bindings, {{[0-9]+}} constants
// RUN: hal-run %t.so --function=double --input=4xf32=iota | FileCheck %s --check-prefix=DOUBLE
// DOUBLE: # output 0: 4xf32
// DOUBLE: array([0., 2., 4., 6.], dtype=float32)
// RUN: hal-run %t.so --function=seven | FileCheck %s --check-prefix=SEVEN
// SEVEN: # output 0: i64
// SEVEN-NEXT: array(7)
// RUN: exits 2 hal-run %t.so --function=seve 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error{{.*}}: {{.*}}`seve`
// UNKNOWN: double
// UNKNOWN: seven
// RUN: not hal-run %t.so 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: double
func.func @double(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
func.func @seven() -> tensor<i64> {
  %r = arith.constant dense<7> : tensor<i64>
  return %r : tensor<i64>
}
