// A function is measured: at least as often and as long as asked, with a report for people.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-benchmark %t.so --min-time=0.01 --warmup=2 --threads=1 | FileCheck %s
// CHECK: main ({{.*}}.so), 1 thread
// CHECK-NEXT: Time (median ± MAD): {{.*}} ± {{.*}} 95 % interval {{.*}} … {{.*}}
// CHECK-NEXT: Range (min … max): {{.*}} … {{.*}} {{[0-9]+( × [0-9]+)?}} runs
// CHECK-NOT: dispatches

// RUN: hal-benchmark %t.so --runs=3 --min-time=0 --json=%t.json --csv=%t.csv --markdown=%t.md -v 2>&1 | FileCheck %s --check-prefix=VERBOSE
// VERBOSE: inputs: 0=random:0 1=random:1
// VERBOSE: wrote {{.*}}.json
// RUN: FileCheck %s --check-prefix=JSON < %t.json
// JSON: "schema": 1,
// JSON: "machine": {
// JSON: "cpu":
// JSON: "cores":
// JSON: "inputs": [
// JSON-NEXT: "0=random:0",
// JSON: "name": "main",
// JSON: "median":
// JSON: "interval": [
// JSON: "samples": [
// RUN: FileCheck %s --check-prefix=CSV < %t.csv
// CSV: program,name,median,mad,low,high,mean,min,max,runs,outliers
// CSV-NEXT: {{.*}}.so,main,{{[0-9.]+e-[0-9]+}},{{.*}},3,{{[0-9]}}
// RUN: FileCheck %s --check-prefix=MD < %t.md
// MD: | function | program | median
// MD: | `main` |

// A report on standard output is alone there.
// RUN: hal-benchmark %t.so --runs=3 --min-time=0 --json=- | %python -m json.tool > %t.again
// RUN: hal-benchmark %t.so --runs=3 --min-time=0 --csv=- | FileCheck %s --check-prefix=ONLY
// ONLY-NOT: median ±
// RUN: exits 2 hal-benchmark %t.so --csv=- --json=- 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: only one report can go to standard output

// RUN: hal-run -q %t.so -i 2 -i 3 -o %t.npy
// RUN: hal-benchmark %t.so --function=main -i 2 -i 1=@%t.npy --runs=2 --min-time=0 -v 2>&1 | FileCheck %s --check-prefix=GIVEN
// GIVEN: inputs: 2 1=@{{.*}}.npy
func.func @main(%x: tensor<64xf32>, %y: tensor<64xf32>) -> tensor<64xf32> {
  %r = arith.addf %x, %y : tensor<64xf32>
  return %r : tensor<64xf32>
}
