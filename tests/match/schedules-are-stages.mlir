// A stage can be a sequence of a schedule; without a name it is `__transform_main`, or the only one.
// RUN: hal-opt %s --stage='%S/Inputs/tile.mlir[seq=tile]' | FileCheck %s --check-prefix=TILE
// RUN: hal-opt %s --stage='%S/Inputs/tile.mlir[tile]' | FileCheck %s --check-prefix=TILE
// TILE: scf.for
// TILE: scf.for
// TILE: linalg.matmul
// Stages run in order, schedules among passes; one schedule may run several times.
// RUN: hal-opt %s --stage='%S/Inputs/tile.mlir[mark]' --stage=cse --stage='%S/Inputs/tile.mlir[tile]' --timing 2>&1 | FileCheck %s --check-prefix=BOTH
// BOTH: tile.mlir[mark]
// BOTH-NEXT: cse
// BOTH-NEXT: tile.mlir[tile]
// BOTH: scf.for
// BOTH: linalg.matmul {marked}
// RUN: sed 's/@mark/@__transform_main/' %S/Inputs/tile.mlir > %t.mlir && hal-opt %s --stage=%t.mlir | FileCheck %s --check-prefix=MARK
// MARK: linalg.matmul {marked}
// `file:` takes any name; bytecode is told by its content.
// RUN: hal-opt %t.mlir --emit=bytecode -o %t.schedule && hal-opt %s --stage='file:%t.schedule' | FileCheck %s --check-prefix=MARK
// A schedule and patterns are told by their content, not the input's format.
// RUN: hal-opt %s --emit=bytecode | hal-opt --stage=%t.mlir | FileCheck %s --check-prefix=MARK
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>, %c: tensor<4x16xf32>) -> tensor<4x16xf32> {
  %m = linalg.matmul ins(%a, %b : tensor<4x8xf32>, tensor<8x16xf32>) outs(%c : tensor<4x16xf32>) -> tensor<4x16xf32>
  return %m : tensor<4x16xf32>
}
