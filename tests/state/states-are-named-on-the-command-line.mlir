// REQUIRES: numpy
// `--state` takes an input and a result out of the signature; what they held stays in the program.
// RUN: hal-import %s --state='past.*=present.*,rows=2' --to=input | FileCheck %s
// RUN: hal-import %s --state='past.*=present.*,rows=2' --to=input | hal-opt --verify-diagnostics -o /dev/null
// RUN: hal-compile %s --state='past.*=present.*,rows=2' -o %t.so -q && hal-run %t.so --list | FileCheck %s --check-prefix=LIST
// CHECK-DAG: ml_program.global private mutable @past.a(dense<0.000000e+00> : tensor<2x4xf32>) : tensor<?x4xf32> {hal.dim_names = ["rows", ""], hal.name = "past.a"}
// CHECK-DAG: ml_program.global private mutable @past.b(dense<0> : tensor<i32>) : tensor<i32> {hal.name = "past.b", hal.unsigned}
// CHECK: func.func @main(%[[X:.*]]: tensor<1x4xf32> {hal.name = "x"}) -> (tensor<1x4xf32> {hal.name = "y"}) {
// CHECK-DAG: %[[A:.*]] = ml_program.global_load @past.a : tensor<?x4xf32>
// CHECK-DAG: %[[B:.*]] = ml_program.global_load @past.b : tensor<i32>
// CHECK: %[[C:.*]] = tensor.concat dim(0) %[[A]], %[[X]]
// CHECK-DAG: ml_program.global_store @past.a = %[[C]] : tensor<?x4xf32>
// CHECK-DAG: ml_program.global_store @past.b = %[[B]] : tensor<i32>
// CHECK: return %[[X]] : tensor<1x4xf32>

// All phases have states, and the tools pass them on.
// RUN: hal-import %s --state='past.*=present.*,rows=2' | hal-opt --canonicalize --cse | %roundtrip | hal-translate | hal-opt | hal-link -o %t.pipe.so
// RUN: hal-run %t.pipe.so --list | FileCheck %s --check-prefix=LIST

// What is kept is returned, too; a state by itself, and all in one flag.
// RUN: hal-import %s --state=past.a=present.a,0=2,keep --to=input | FileCheck %s --check-prefix=KEEP
// KEEP: func.func @main(%{{.*}}: tensor<1x4xf32> {hal.name = "x"}, %{{.*}}: tensor<i32> {hal.name = "past.b", hal.unsigned})
// KEEP-SAME: (tensor<?x4xf32> {hal.name = "present.a"}, tensor<i32> {hal.name = "present.b", hal.unsigned}, tensor<1x4xf32> {hal.name = "y"})

// LIST: functions:
// LIST-NEXT: main(x: 1x4xf32) -> (y: 1x4xf32)
// LIST-NEXT: states:
// LIST-NEXT: past.a: ?x4xf32 [rows], starts as 2x4xf32
// LIST-NEXT: past.b: u32
// LIST: kernels:

// Several calls in one run, and a session that is taken up again.
// RUN: hal-run %t.so --input=1x4xf32=5 --calls=2 --state-in=past.b=u32=7 --state-out=%t.npz --output=- | FileCheck %s --check-prefix=FIRST
// RUN: hal-run %t.so --input=1x4xf32=6 --state-in=%t.npz --state-out=- | FileCheck %s --check-prefix=AGAIN
// RUN: hal-run %t.so --input=1x4xf32=6 --calls=2 --guard --state-out=past.a=- 2>/dev/null | FileCheck %s --check-prefix=GUARD
// RUN: hal-benchmark %t.so --input=1x4xf32=6 --state-in=%t.npz --runs=3 --min-time=0 2>/dev/null | FileCheck %s --check-prefix=BENCHMARK
// RUN: hal-run %t.so --input=1x4xf32=6 --state-in=past.a=1x4xf32=1 --state-out=%t.safetensors && hal-run %t.so --input=1x4xf32=6 --state-in=%t.safetensors --state-out=past.a=@%t.npy
// RUN: %python -c "import numpy; print(numpy.load('%t.npy').tolist())" | FileCheck %s --check-prefix=FILE
// FIRST-NOT: state
// FIRST: # output 0 `y`: 1x4xf32
// AGAIN: # state 0 `past.a`: 5x4xf32
// AGAIN: # state 1 `past.b`: u32
// AGAIN-NEXT: array(7, dtype=uint32)
// GUARD: `past.a`: 4x4xf32
// BENCHMARK: Time
// FILE: {{\[\[}}1.0, 1.0, 1.0, 1.0], [6.0, 6.0, 6.0, 6.0], [6.0, 6.0, 6.0, 6.0]]

// RUN: exits 2 hal-run %t.so --input=1x4xf32=6 --state-in=past.c=1x4xf32=1 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: `the program` has no state `past.c`
// RUN: exits 1 hal-run %t.so --input=1x4xf32=6 --state-in=past.a=1x5xf32=1 2>&1 | FileCheck %s --check-prefix=UNFIT
// UNFIT: state 0 `past.a` is `?x4xf32`, this is `1x5xf32`
func.func @main(%x: tensor<1x4xf32> {hal.name = "x"}, %a: tensor<?x4xf32> {hal.name = "past.a", hal.dim_names = ["rows", ""]}, %b: tensor<i32> {hal.name = "past.b", hal.unsigned})
    -> (tensor<?x4xf32> {hal.name = "present.a"}, tensor<i32> {hal.name = "present.b", hal.unsigned}, tensor<1x4xf32> {hal.name = "y"}) {
  %c = tensor.concat dim(0) %a, %x : (tensor<?x4xf32>, tensor<1x4xf32>) -> tensor<?x4xf32>
  return %c, %b, %x : tensor<?x4xf32>, tensor<i32>, tensor<1x4xf32>
}
