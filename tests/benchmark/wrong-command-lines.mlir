// Wrong numbers, inputs and functions are told before anything is measured.
// RUN: hal-compile -q %s -o %t.so
// RUN: exits 2 hal-benchmark %t.so --runs=0 2>&1 | FileCheck %s --check-prefix=RUNS
// RUN: hal-benchmark %t.so -i 2xf32=0 --runs=1 --min-time=0 --constant=tile=3 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: warning[idle-constant]: no kernel of the program takes `user.tile`
// RUNS: invalid value '0' for '--runs <N>'
// RUN: exits 2 hal-benchmark %t.so --min-time=-1 2>&1 | FileCheck %s --check-prefix=TIME
// TIME: {{a duration is a number|unexpected argument}}
// RUN: exits 2 hal-benchmark %t.so --min-time=x 2>&1 | FileCheck %s --check-prefix=SECONDS
// SECONDS: a duration is a number with `ms`, `s`, `m` or `h`, as in `30s`
// RUN: exits 2 hal-benchmark %t.so --function=f 2>&1 | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: error{{.*}}`f`
// RUN: exits 2 hal-benchmark %t.so 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error[missing-size]: `main` takes inputs of any size, and nothing says how large: `0.0`
// DYNAMIC-NEXT: note: input 0: ?xf32
// DYNAMIC-NEXT: hint: give `--dim=0.0=SIZE` (a size is called as in the model, or INPUT.AXIS), or the inputs themselves (`--input`)
// RUN: exits 2 hal-benchmark %t.so --dim=n=3 --dim=0.0=2 2>&1 | FileCheck %s --check-prefix=NODIM
// NODIM: error: `--dim=n=3` is for no input of `main` that is made here
// RUN: exits 2 hal-benchmark %t.so --dim=n 2>&1 | FileCheck %s --check-prefix=DIM
// DIM: invalid value 'n' for '--dim <NAME=SIZE>': write NAME=SIZE
// RUN: exits 2 hal-benchmark %t.so --below=half 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: invalid value 'half' for '--below <PERCENT>': not a percentage such as 50%
// RUN: exits 2 hal-benchmark %t.so --cold --per-executable=in-place 2>&1 | FileCheck %s --check-prefix=COLD
// COLD: error: `--cold` and `--per-executable=in-place` exclude each other
// RUN: exits 2 hal-benchmark %t.so --peaks 2>&1 | FileCheck %s --check-prefix=PEAKS
// PEAKS: the argument '[PROGRAM]...' cannot be used with '--peaks'
// RUN: exits 1 hal-benchmark %t.so -i 2x2xf32=0 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[wrong-type]: input 0 is `?xf32`, this is `2x2xf32`
// RUN: exits 3 hal-benchmark no-such.so 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot read `no-such.so`
// RUN: exits 3 hal-benchmark %t.so -i 2xf32=0 --runs=1 --min-time=0 --json=no/such/folder.json 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot write `no/such/folder.json`
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = arith.addf %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
