// A pass of a C++ library in every place where passes are named; the compiled program computes the same.
// RUN: rm -rf %t && mkdir %t && cd %t && build-plugin %S reciprocal.so && hal-compile %s -o plain.so -q && hal-run plain.so --function=main --input=iota -o expected.npy
//
// RUN: hal-opt %s --load-pass-plugin=reciprocal.so --stage=reciprocal-division | FileCheck %s --check-prefix=EXACT
// RUN: hal-opt %s --load-pass-plugin=reciprocal.so --stage='func.func(reciprocal-division{exact-only=false})' | FileCheck %s --check-prefix=ALL
// RUN: hal-opt %s --reciprocal-division=exact-only=false --load-pass-plugin reciprocal.so | FileCheck %s --check-prefix=ALL
// RUN: hal-opt %s --load-pass-plugin=reciprocal.so --pass-pipeline='builtin.module(divide-less)' | FileCheck %s --check-prefix=EXACT
// RUN: hal-opt %s --load-pass-plugin=reciprocal.so --stage=%S/divide.yaml | FileCheck %s --check-prefix=ALL
// RUN: hal-opt %s --load-pass-plugin=reciprocal.so --stage=%S/divide.mlir | FileCheck %s --check-prefix=ALL
// RUN: hal-opt %s --load-pass-plugin=reciprocal.so --stage='%S/divide.mlir{exact=true}' | FileCheck %s --check-prefix=EXACT
// EXACT-DAG: arith.constant 2.500000e-01
// EXACT-DAG: arith.divf
// EXACT-DAG: arith.mulf
// ALL-NOT: arith.divf
// ALL: arith.constant 0.333333343
// ALL-NOT: arith.divf
//
// Its passes are listed and checked as all others; without the plugin they are unknown.
// RUN: hal-opt --list-passes --load-pass-plugin=reciprocal.so | FileCheck %s --check-prefix=LIST
// LIST: --reciprocal-division {{.*}} Turn divisions by a constant into multiplications
// LIST-NEXT: --exact-only
// RUN: exits 2 hal-opt %s --load-pass-plugin=reciprocal.so --stage=reciprocal-division{exact=1} 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTION: error[bad-pipeline]: pass `reciprocal-division{exact=1}` cannot be set up: {{.*}}no such option exact
// RUN: exits 2 hal-opt %s --load-pass-plugin=reciprocal.so --stage=reciprocal-divison 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: hint: did you mean `reciprocal-division`?
// RUN: exits 2 hal-opt %s --stage=reciprocal-division 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[unknown-pass]: unknown pass `reciprocal-division`
//
// In worker processes, one executable each, whatever their number; a plugin that is given twice is loaded once.
// RUN: hal-compile %s -o workers.so -q -j2 --load-pass-plugin=reciprocal.so --load-pass-plugin=%t/reciprocal.so --preprocess-executables-with='builtin.module(divide-less)' --save-temps=two
// RUN: hal-compile %s -o workers.so -q -j1 --load-pass-plugin=reciprocal.so --preprocess-executables-with='builtin.module(divide-less)' --save-temps=one
// RUN: diff -r one two && FileCheck %s --check-prefix=EXACT --input-file=one/workers.executable-preprocessed.mlir
// RUN: hal-run workers.so --function=main --input=iota --expect=@expected.npy --rtol=1e-6
// In the pipelines of translation and import, as a stage of a pipeline file.
// RUN: hal-import %s --load-pass-plugin=reciprocal.so --pipeline=import=%S/divide-first.yaml{pipeline=import} | FileCheck %s --check-prefix=ALL
// RUN: hal-import %s | hal-translate -j2 --load-pass-plugin=reciprocal.so --pipeline=cpu=%S/divide-first.yaml{pipeline=cpu} --save-code=code -o objects.mlir
// RUN: cat code/main_dispatch_0.*.optimized.ll code/main_dispatch_1.*.optimized.ll | FileCheck %s --check-prefix=CODE
// CODE-NOT: fdiv
// CODE: fmul
// CODE-NOT: fdiv
// RUN: hal-compile %s -o pipeline.so -q --load-pass-plugin=reciprocal.so --pipeline=cpu=%S/divide-first.yaml{pipeline=cpu}
// RUN: hal-run pipeline.so --function=main --input=iota --expect=@expected.npy --rtol=1e-6
//
// The pipe of commands that is the same has the flag, and a reproducer the library.
// RUN: hal-compile %s -o w.so --load-pass-plugin=reciprocal.so --stage=input:reciprocal-division --dry-run | FileCheck %s --check-prefix=PIPE
// PIPE: hal-import {{.*}}model.mlir --load-pass-plugin=reciprocal.so
// PIPE: hal-opt --load-pass-plugin=reciprocal.so --stage=reciprocal-division
// PIPE: hal-translate --load-pass-plugin=reciprocal.so
// PIPE: hal-link {{.*}}-o w.so
// RUN: hal-compile %s -o w.so -q --load-pass-plugin=reciprocal.so --stage=input:reciprocal-division --reproduce=r && mv reciprocal.so gone.so
// RUN: sh r/run.sh && sh r/pipe.sh && cmp w.so r/w.so
func.func @main(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %three = arith.constant dense<3.0> : tensor<64xf32>
  %empty = tensor.empty() : tensor<64xf32>
  %third = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.constant 3.0 : f32
    %d = arith.divf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  %quarter = linalg.generic {indexing_maps = [affine_map<(i) -> (63 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]} ins(%x : tensor<64xf32>) outs(%empty : tensor<64xf32>) {
  ^bb0(%a: f32, %out: f32):
    %c = arith.constant 4.0 : f32
    %d = arith.divf %a, %c : f32
    linalg.yield %d : f32
  } -> tensor<64xf32>
  return %third, %quarter : tensor<64xf32>, tensor<64xf32>
}
