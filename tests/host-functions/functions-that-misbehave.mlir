// A function that makes other results than the program expects, or none, ends the call with a message that names it.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q && clang -O2 -Wall -Wextra -shared -fPIC -I%include %S/Inputs/wrong.c -o wrong.so
// RUN: hal-run p.so --module=wrong.so --function=make --input=i64=0 --expect=2xf32=1,1 --expect=i1=1
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=1 2>&1 | FileCheck %s --check-prefix=NO
// NO: error[bad-result]: host function `wrong.make` did not make result 0, whose size it must give
// NO: note: it is a function of `wrong.so`
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=2 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error[bad-result]: host function `wrong.make` makes result 0 of shape `2x2xf32`, the program expects `?xf32`
// RUN: exits 1 hal-run p.so --module=wrong.so --function=make --input=i64=3 2>&1 | FileCheck %s --check-prefix=RANKED
// RANKED: error[host-function-failed]: host function `wrong.make` failed: the shape was refused
// RANKED: note: host function `wrong.make` makes result 0 of shape `2x2xf32`, the program expects `?xf32`
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=4 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// NEGATIVE: makes result 0 of shape `-1xf32`, the program expects `?xf32`
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=5 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: makes result 0 of shape `9223372036854775807xf32`, which is too large
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=6 2>&1 | FileCheck %s --check-prefix=WHICH
// WHICH: host function `wrong.make` makes result 2, but it has 2
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=7 2>&1 | FileCheck %s --check-prefix=BOOL
// BOOL: host function `wrong.make` wrote 2 as element 0 of result 1; an `i1` is 0 or 1
// RUN: exits 1 hal-run p.so --module=wrong.so --function=make --input=i64=8 2>&1 | FileCheck %s --check-prefix=SILENT
// SILENT: error[host-function-failed]: host function `wrong.make` failed: it returned -3 and gave no reason
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=9 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: makes result 0 of shape `3xf32`, the program expects `2xf32`
// RUN: exits 1 hal-run p.so --module=wrong.so --function=make --input=i64=10 2>&1 | FileCheck %s --check-prefix=SUNDAY
// SUNDAY: error[host-function-failed]: host function `wrong.make` failed: it is Sunday
// RUN: exits 3 hal-run p.so --module=wrong.so --function=make --input=i64=11 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error[out-of-memory]: cannot allocate {{[0-9]+}} bytes
// RUN: exits 4 hal-run p.so --module=wrong.so --function=fixed 2>&1 | FileCheck %s --check-prefix=FIXED
// FIXED: host function `wrong.fixed` makes result 0 of shape `3xf32`, the program expects `4xf32`
// One that crashes ends the run, and is named.
// RUN: exits 4 hal-run p.so --module=wrong.so --function=make --input=i64=99 2>&1 | FileCheck %s --check-prefix=CRASH
// CRASH: error[crashed]: host function `wrong.make` crashed (SIGSEGV)
func.func private @wrong(index) -> (tensor<?xf32>, i1) attributes {hal.host_function = "wrong.make"}
func.func private @four() -> tensor<4xf32> attributes {hal.host_function = "wrong.fixed"}
func.func @make(%n: index) -> (tensor<?xf32>, i1) {
  %0:2 = call @wrong(%n) : (index) -> (tensor<?xf32>, i1)
  return %0#0, %0#1 : tensor<?xf32>, i1
}
func.func @fixed() -> tensor<4xf32> {
  %0 = call @four() : () -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
