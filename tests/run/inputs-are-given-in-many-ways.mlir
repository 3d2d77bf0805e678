// Inputs come in order, by name or number, as numbers, by rule and from files.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so --input=1,2,3 -i 10 | FileCheck %s --check-prefix=SUM
// RUN: hal-run %t.so --input=1=10 --input=0=3xf32=1,2,3 | FileCheck %s --check-prefix=SUM
// RUN: hal-run %t.so --input='1 2 3' --input=3xf32=10 | FileCheck %s --check-prefix=SUM
// RUN: hal-run %t.so --input='[1., 2., 3.]' --input=10 | FileCheck %s --check-prefix=SUM
// SUM: # output 0: 3xf32
// SUM-NEXT: array([11., 12., 13.], dtype=float32)

// RUN: hal-run %t.so --input=iota --input=0x10 | FileCheck %s --check-prefix=IOTA
// IOTA: array([16., 17., 18.], dtype=float32)

// Random numbers are the same everywhere and every time.
// RUN: hal-run %t.so --input=random:0 --input=0 | FileCheck %s --check-prefix=RANDOM
// RANDOM: array([0.8135875 , 0.07804632, 0.6034233 ], dtype=float32)
// RUN: hal-run %t.so --input=random:0:100:200 --input=0 | FileCheck %s --check-prefix=RANGE
// RANGE: array([190.67937, 153.90231, 180.17116], dtype=float32)

// What was written is read again, whatever the kind of file.
// RUN: hal-run %t.so -i 1,2,3 -i 10 -o %t.npy -o %t.npz -o %t.safetensors
// RUN: hal-run %t.so -i @%t.npy -i -10 | FileCheck %s --check-prefix=BACK
// RUN: hal-run %t.so -i %t.npz -i -10 | FileCheck %s --check-prefix=BACK
// RUN: hal-run %t.so -i 0=@%t.safetensors -i -10 | FileCheck %s --check-prefix=BACK
// RUN: hal-run %t.so -i - -i -10 < %t.npy | FileCheck %s --check-prefix=BACK
// RUN: hal-run %t.so -i 1,2,3 -i 10 -o %t.bin
// RUN: hal-run %t.so -i 3xf32=@%t.bin -i -10 | FileCheck %s --check-prefix=BACK
// RUN: hal-run %t.so -i @%t.bin -i -10 | FileCheck %s --check-prefix=BACK
// BACK: array([1., 2., 3.], dtype=float32)

func.func @main(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %y : tensor<3xf32>
  return %r : tensor<3xf32>
}
