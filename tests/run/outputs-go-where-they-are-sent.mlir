// Outputs are written by name or in order, archives take all, and mistakes are told before anything runs.
// RUN: rm -rf %t && mkdir %t
// RUN: hal-compile -q %s -o %t/p.so
// RUN: hal-run %t/p.so -i iota -o %t/a.npy -o 1=%t/b.npy -o 1=-  | FileCheck %s --check-prefix=ONE
// ONE-NOT: output 0
// ONE: # output 1: 3xi32
// ONE-NEXT: array([0, 2, 4], dtype=int32)
// RUN: hal-run -q %t/p.so -i @%t/a.npy --expect=@%t/a.npy --expect=@%t/b.npy
// RUN: hal-run %t/p.so -i iota -o %t/all.npz -o - | FileCheck %s --check-prefix=BOTH
// BOTH: # output 0
// BOTH: # output 1
// RUN: hal-run -q %t/p.so -i @%t/a.npy --expect=@%t/all.npz
// RUN: hal-run %t/p.so -i iota -o %t/again.npz && cmp %t/all.npz %t/again.npz

// RUN: exits 2 hal-run %t/p.so -i iota -o x.txt 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: a file's name must end in .npy, .npz, .safetensors, .bin or .raw
// RUN: exits 2 hal-run %t/p.so -i iota -o a.npy -o b.npy -o c.npy 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: too many `--output`s: `main` has 2 outputs
// RUN: exits 2 hal-run %t/p.so -i iota -o z=a.npy 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: `main` has no output `z`
// RUN: exits 2 hal-run %t/p.so -i iota -o %t/c.npy -o %t/c.npy 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: is given twice as `--output`
// RUN: exits 3 hal-run %t/p.so -i iota -o %t/no/c.npy 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error: cannot write `{{.*}}c.npy`: no such file or directory
// RUN: ls %t | FileCheck %s --check-prefix=FILES
// FILES-NOT: c.npy

func.func @main(%x: tensor<3xi32>) -> (tensor<3xi32>, tensor<3xi32>) {
  %r = arith.addi %x, %x : tensor<3xi32>
  return %x, %r : tensor<3xi32>, tensor<3xi32>
}
