// Two matrix products of different shapes, and the test: see README.md.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile -q %s -o plain.so
// Each shape gets the tiles that the table has for it; the result is what it would be without.
// RUN: hal-compile %s --to=executables -o tuned.mlir --report-matches --preprocess-executables-with='%S/tuned.py{table=%S/table.json}' 2>&1 | FileCheck %s --check-prefix=MATCHES
// MATCHES: `@is_96x32x64` matched `linalg.matmul` of type `tensor<96x32xf32>`
// MATCHES: `@is_96x16x32` matched `linalg.matmul` of type `tensor<96x16xf32>`
// RUN: FileCheck %s < tuned.mlir
// CHECK: module @main_dispatch_0
// CHECK-COUNT-2: scf.for
// CHECK: vector.outerproduct {{.*}} : vector<8xf32>, vector<32xf32>
// CHECK: module @main_dispatch_1
// CHECK: vector.outerproduct {{.*}} : vector<4xf32>, vector<16xf32>
// RUN: hal-compile -q tuned.mlir -o tuned.so
// RUN: hal-benchmark plain.so tuned.so --input=random:1 --input=random:2 --input=random:3 --runs=1 --min-time=0 --rtol=1e-4 | FileCheck %s --check-prefix=AGREE
// AGREE: the outputs of `main` agree
// A shape that the table does not have is left alone.
// RUN: echo '{"96x16x32": [4, 16, 8]}' > one.json && hal-compile %s --to=executables -q --preprocess-executables-with='%S/tuned.py{table=one.json}' | FileCheck %s --check-prefix=ONE
// ONE: module @main_dispatch_0
// ONE: linalg.matmul
// ONE: module @main_dispatch_1
// ONE-NOT: linalg.matmul
// The script that fills a table; what is faster depends on the machine, so only the form is looked at.
// RUN: sed 's/^CANDIDATES = .*/CANDIDATES = [(8, 16, 8)]/; s|^HERE = .*|HERE = "%S"|' %S/measure.py > measure.py && %python measure.py %s found.json --input=random:1 --input=random:2 --input=random:3 --runs=1 --min-time=0 | FileCheck %s --check-prefix=MEASURED
// MEASURED: 96x16x32 in tiles of (8, 16, 8): {{[0-9.]+}} times as fast
// MEASURED: 96x32x64 in tiles of (8, 16, 8): {{[0-9.]+}} times as fast
// RUN: %python -c "import json; table = json.load(open('found.json')); assert set(table) == {'96x16x32', '96x32x64'} and all(t in (None, [8, 16, 8]) for t in table.values()), table"
// REQUIRES: numpy
func.func @main(%a: tensor<96x64xf32>, %b: tensor<64x32xf32>, %c: tensor<32x16xf32>) -> tensor<96x16xf32> {
  %zero = arith.constant 0.0 : f32
  %empty0 = tensor.empty() : tensor<96x32xf32>
  %zeros0 = linalg.fill ins(%zero : f32) outs(%empty0 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %ab = linalg.matmul ins(%a, %b : tensor<96x64xf32>, tensor<64x32xf32>) outs(%zeros0 : tensor<96x32xf32>) -> tensor<96x32xf32>
  %empty1 = tensor.empty() : tensor<96x16xf32>
  %zeros1 = linalg.fill ins(%zero : f32) outs(%empty1 : tensor<96x16xf32>) -> tensor<96x16xf32>
  %abc = linalg.matmul ins(%ab, %c : tensor<96x32xf32>, tensor<32x16xf32>) outs(%zeros1 : tensor<96x16xf32>) -> tensor<96x16xf32>
  return %abc : tensor<96x16xf32>
}
