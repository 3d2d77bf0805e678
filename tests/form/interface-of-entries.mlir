// A lowered export that says no interface takes that of the entry which calls it; text and bytecode carry it on.
// RUN: hal-opt %s | FileCheck %s
// RUN: hal-opt %s | %roundtrip | FileCheck %s
// CHECK: func.func @k(%{{.*}}: memref<?xf32>, %{{.*}}: index, %{{.*}}: memref<?xf32>) attributes {hal.export, hal.interface = (tensor<?xf32>, index) -> tensor<?xf32>, hal.results = [{hal.dims = array<i64: 1>}]}
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: memref<?xf32>, %n: index, %out: memref<?xf32>) attributes {hal.export} { return }
  }
  func.func private @k(tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.entry = @e::@k}
}
