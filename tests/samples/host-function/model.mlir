// A model that scores documents, lets a host function choose among them, and works on with what that gives: in C, in Python.
// REQUIRES: libhalyard, make
// RUN: rm -rf %t && mkdir %t && cd %t && cp %S/model.mlir %S/search.c . && make -s -f %S/Makefile INCLUDE=%include
// RUN: hal-run model.so --module=search.so --input=3x8xf32=1 --input=8xf32=0.75 --input=f32=0 --expect=3xi64=0,1,2 --expect=3xf32=1
// RUN: exits 1 hal-run model.so --module=search.so --input=3x8xf32=1 --input=8xf32=1 --input=f32=-1 2>&1 | FileCheck %s --check-prefix=C
// C: error[host-function-failed]: host function `search.best` failed: the margin is -1, not at least 0
// RUN: python3 -B %S/search.py model.so %libhalyard/libhalyard.so 3 | FileCheck %s --match-full-lines
// CHECK: document 1: 0.050
// CHECK-NEXT: document 5: 1.000
// RUN: python3 -B %S/search.py ./model.so %libhalyard/libhalyard.so 0.5 | FileCheck %s --match-full-lines --check-prefix=ONE
// ONE-NOT: document 1
// ONE: document 5: 1.000
// An exception of Python is the message of the call.
// RUN: not python3 -B %S/search.py ./model.so %libhalyard/libhalyard.so -1 2>&1 | FileCheck %s --check-prefix=RAISES
// RAISES: search.py: host function `search.best` failed: ValueError: the margin is -1, not at least 0; it is a function of the application
func.func private @best(tensor<?xf32>, f32) -> (tensor<?xi64>, tensor<?xf32>) attributes {hal.host_function = "search.best"}

#row = affine_map<(d0, d1) -> (d0)>
func.func @main(%documents: tensor<?x8xf32>, %query: tensor<8xf32>, %margin: f32) -> (tensor<?xi64>, tensor<?xf32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f32
  %n = tensor.dim %documents, %c0 : tensor<?x8xf32>
  %empty = tensor.empty(%n) : tensor<?xf32>
  %zeros = linalg.fill ins(%zero : f32) outs(%empty : tensor<?xf32>) -> tensor<?xf32>
  %scores = linalg.matvec ins(%documents, %query : tensor<?x8xf32>, tensor<8xf32>) outs(%zeros : tensor<?xf32>) -> tensor<?xf32>
  %found:2 = call @best(%scores, %margin) : (tensor<?xf32>, f32) -> (tensor<?xi64>, tensor<?xf32>)
  // How much each counts: exp(score - 6), the best one being 6 in search.py.
  %k = tensor.dim %found#1, %c0 : tensor<?xf32>
  %out = tensor.empty(%k) : tensor<?xf32>
  %weights = linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
      ins(%found#1 : tensor<?xf32>) outs(%out : tensor<?xf32>) {
  ^bb0(%score: f32, %o: f32):
    %six = arith.constant 6.0 : f32
    %less = arith.subf %score, %six : f32
    %weight = math.exp %less : f32
    linalg.yield %weight : f32
  } -> tensor<?xf32>
  return %found#0, %weights : tensor<?xi64>, tensor<?xf32>
}
