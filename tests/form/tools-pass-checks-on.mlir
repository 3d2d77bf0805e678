// Every tool passes checks at run time on, in text and bytecode; linked programs keep their own.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s | %roundtrip | hal-opt --stage=canonicalize | hal-opt --preprocess-executables-with=cat -o p.mlir && FileCheck %s < p.mlir
// CHECK: func.func private @fits(i1, index {hal.unsigned}, index) attributes {hal.check = "{0} of {1}"}
// CHECK: call @fits
// RUN: hal-extract p.mlir --as=mlir,c --to=. -o q.mlir && cmp p.mlir q.mlir
// RUN: hal-extract p.mlir --as=benchmark --input=4xf32=4 --input=4xf32=4 --to=. -o q.mlir && cmp p.mlir q.mlir && hal-compile main_dispatch_0.benchmark.mlir -o b.so -q && hal-run b.so --check
// RUN: hal-substitute p.mlir main_dispatch_0=main_dispatch_0.mlir | hal-translate -o o.mlir && hal-link o.mlir -o p.so
// RUN: exits 1 hal-run p.so --input=4xf32=1 --input=5xf32=2 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: hal-run p.so --input=4xf32=1 --input=4xf32=2 --expect=4xf32=3
// RUN: sed 's/@main/@second/; s/ of / for /' %s | hal-import | hal-translate -o second.mlir && hal-link o.mlir second.mlir -o both.so
// RUN: exits 1 hal-run both.so --function=second --input=4xf32=1 --input=5xf32=2 2>&1 | FileCheck %s --check-prefix=SECOND
// RUN: exits 1 hal-run both.so --function=main --input=4xf32=1 --input=5xf32=2 2>&1 | FileCheck %s --check-prefix=FAILS
// RUN: hal-link o.mlir -o again.so && cmp p.so again.so
// FAILS: error[assertion-failed]: 4 of 5
// SECOND: error[assertion-failed]: 4 for 5
func.func private @fits(i1, index {hal.unsigned}, index) attributes {hal.check = "{0} of {1}"}
func.func @main(%x: tensor<?xf32>, %y: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %m = tensor.dim %x, %c0 : tensor<?xf32>
  %n = tensor.dim %y, %c0 : tensor<?xf32>
  %same = arith.cmpi eq, %m, %n : index
  call @fits(%same, %m, %n) : (i1, index, index) -> ()
  %r = arith.addf %x, %y : tensor<?xf32>
  return %r : tensor<?xf32>
}
