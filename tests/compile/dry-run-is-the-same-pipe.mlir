// `--dry-run` prints the pipe that makes the same program, byte for byte, whatever the flags.
// RUN: rm -rf %t && mkdir -p "%t/with space" && cp %s %t/m.mlir && cd %t
// RUN: hal-compile -q m.mlir -o a.so && hal-compile m.mlir -o b.so --dry-run > b.sh && FileCheck %s --check-prefix=PLAIN < b.sh && sh b.sh && cmp a.so b.so
// PLAIN: hal-import m.mlir --emit=bytecode |
// PLAIN-NEXT: hal-translate --emit=bytecode |
// PLAIN-NEXT: hal-link -o b.so

// RUN: hal-compile -q m.mlir -o a.so -O1 --fast-math -j2 --function=main --target=cpu --stage=input:canonicalize,cse '--stage=executables:func.func(canonicalize{max-iterations=3})' --stage=objects:cse
// RUN: hal-compile m.mlir -o b.so -O1 --fast-math -j2 --function=main --target=cpu --stage=input:canonicalize,cse '--stage=executables:func.func(canonicalize{max-iterations=3})' --stage=objects:cse --dry-run > b.sh
// RUN: FileCheck %s --check-prefix=FLAGS < b.sh && sh b.sh && cmp a.so b.so
// FLAGS: hal-import m.mlir --to=input --function=main --emit=bytecode |
// FLAGS-NEXT: hal-opt --stage=canonicalize,cse --emit=bytecode |
// FLAGS-NEXT: hal-import --emit=bytecode |
// FLAGS-NEXT: hal-opt '--stage=func.func(canonicalize{max-iterations=3})' --emit=bytecode |
// FLAGS-NEXT: hal-translate --target=cpu -O1 --fast-math -j2 --emit=bytecode |
// FLAGS-NEXT: hal-opt --stage=cse --emit=bytecode |
// FLAGS-NEXT: hal-link -o b.so

// Words are quoted, and weights go where they are sent.
// RUN: cp m.mlir "with space/it's.mlir"
// RUN: hal-compile -q "with space/it's.mlir" -o a.so --weights-to=w.safetensors
// RUN: hal-compile "with space/it's.mlir" -o b.so --weights-to=w.safetensors --dry-run > b.sh && sh b.sh && cmp a.so b.so

// RUN: hal-compile -q m.mlir -o a.so --save-temps=ta
// RUN: hal-compile m.mlir -o a2.so --save-temps=tb --dry-run > b.sh && FileCheck %s --check-prefix=TEMPS < b.sh && sh b.sh && cmp a.so a2.so
// RUN: cmp ta/a.input.mlir tb/a2.input.mlir && cmp ta/a.executables.mlir tb/a2.executables.mlir && cmp ta/a.objects.mlir tb/a2.objects.mlir
// TEMPS: mkdir -p tb
// TEMPS: tee tb/a2.input.mlir |

// RUN: hal-compile -q m.mlir --to=objects > a.mlir && hal-compile m.mlir --to=objects --dry-run > b.sh && sh b.sh > b.mlir && cmp a.mlir b.mlir

func.func @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>) -> tensor<8x4xf32> {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x4xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %m = linalg.matmul ins(%x, %w : tensor<8x16xf32>, tensor<16x4xf32>) outs(%f : tensor<8x4xf32>) -> tensor<8x4xf32>
  %n = linalg.exp ins(%m : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %n : tensor<8x4xf32>
}
func.func @other(%x: tensor<3xf32>) -> tensor<3xf32> {
  return %x : tensor<3xf32>
}
