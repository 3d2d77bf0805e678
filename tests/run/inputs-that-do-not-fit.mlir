// Inputs that do not fit are told, with what the function takes.
// RUN: hal-compile -q %s -o %t.so

// RUN: exits 2 hal-run %t.so --input=0 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: `main` needs one more input
// MISSING: note: input 1: ?x2xi32
// MISSING: hint: for example `--input=1x2xi32=random:1` or `--input=@x.npy`
// RUN: exits 2 hal-run %t.so 2>&1 | FileCheck %s --check-prefix=ALL
// ALL: error: `main` needs more inputs
// ALL: input 0: 3xf32
// ALL: input 1: ?x2xi32

// RUN: exits 1 hal-run %t.so --input=4xf32=0 --input=1x2xi32=0 2>&1 | FileCheck %s --check-prefix=SHAPE
// SHAPE: error[wrong-type]: input 0 is `3xf32`, this is `4xf32`
// SHAPE: --input=4xf32=0
// RUN: exits 1 hal-run %t.so --input=0 --input=1x2xf32=0 2>&1 | FileCheck %s --check-prefix=DTYPE
// DTYPE: error[wrong-type]: input 1 is `?x2xi32`, this is `1x2xf32`
// RUN: exits 1 hal-run %t.so --input=0 --input=2xi32=0 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: error[wrong-type]: input 1 is `?x2xi32`, this is `2xi32`

// RUN: exits 2 hal-run %t.so --input=0 --input=7 2>&1 | FileCheck %s --check-prefix=DYNAMIC
// DYNAMIC: error: `7` needs a type before its value
// DYNAMIC: note: the type of the function's argument is `?x2xi32`
// DYNAMIC: hint: write it in front, as in `1x2xi32=7`
// RUN: exits 2 hal-run %t.so --input=0 --input=1x2xi32=0 --input=f32=0 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error: too many inputs: `main` has 2 inputs
// RUN: exits 2 hal-run %t.so --input=z=0 2>&1 | FileCheck %s --check-prefix=NAME
// NAME: error: `main` has no input `z`
// NAME: input 0: 3xf32
// RUN: exits 2 hal-run %t.so --input=0=0 --input=0=1 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error: input 0 is given twice

// RUN: exits 2 hal-run %t.so --input=1,2 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: error: `3xf32` takes 1 or 3 numbers, there are 2
// RUN: exits 2 hal-run %t.so --input=0 --input=1x2xi32=1.5 2>&1 | FileCheck %s --check-prefix=NUMBER
// NUMBER: error: `1.5` is not an integer
// RUN: exits 2 hal-run %t.so --input=3xi8=200 2>&1 | FileCheck %s --check-prefix=LARGE
// LARGE: error: 200 does not fit into `i8`
// RUN: exits 2 hal-run %t.so --input=3xf32 2>&1 | FileCheck %s --check-prefix=VALUE
// VALUE: a type needs a value, as in `3xf32=0` or `3xf32=random:1`
// RUN: exits 2 hal-run %t.so --input=3xf32=random:x 2>&1 | FileCheck %s --check-prefix=SEED
// SEED: `random:x` is not `random:SEED` or `random:SEED:LOW:HIGH`
// RUN: exits 2 hal-run %t.so --input=999999999999x999999999999xf32=0 2>&1 | FileCheck %s --check-prefix=HUGE
// HUGE: does not fit into memory

// RUN: exits 3 hal-run %t.so --input=@no-such.npy 2>&1 | FileCheck %s --check-prefix=NOFILE
// NOFILE: error: cannot read `no-such.npy`: no such file or directory
// RUN: exits 1 hal-run %t.so --input=@%s 2>&1 | FileCheck %s --check-prefix=KIND
// KIND: error[unknown-file]: neither .npy, .npz nor .safetensors
// RUN: head -c 100 /dev/zero > %t.bin
// RUN: exits 1 hal-run %t.so --input=3xf32=@%t.bin 2>&1 | FileCheck %s --check-prefix=RAW
// RAW: error: a tensor `3xf32` takes 12 bytes, there are 100
// RUN: printf '\223NUMPY\001\000' > %t.npy
// RUN: exits 1 hal-run %t.so --input=@%t.npy 2>&1 | FileCheck %s --check-prefix=DAMAGED
// DAMAGED: error[bad-npy]: not a valid .npy file
// RUN: exits 2 hal-run %t.so --input=9999999999x9999xf32=1 2>&1 | FileCheck %s --check-prefix=MEMORY
// MEMORY: error: a tensor `9999999999x9999xf32` does not fit into memory

func.func @main(%x: tensor<3xf32>, %n: tensor<?x2xi32>) -> (tensor<3xf32>, tensor<?x2xi32>) {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r, %n : tensor<3xf32>, tensor<?x2xi32>
}
