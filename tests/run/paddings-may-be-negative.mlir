// Amounts of a padding that only a run knows may be negative, also in plain loops: they wrote beyond the result.
// RUN: hal-compile -q -O0 %s -o %t.plain.so
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run --guard %t.plain.so --input=5xf32=1,2,3,4,5 --input=-2 --input=1 --expect=4xf32=3,4,5,1
// RUN: hal-run --guard %t.plain.so --input=5xf32=1,2,3,4,5 --input=3 --input=-3 --expect=5xf32=1,1,1,1,2
// RUN: hal-run --guard %t.so --input=5xf32=1,2,3,4,5 --input=-2 --input=1 --expect=4xf32=3,4,5,1
// RUN: hal-run --guard %t.so --input=5xf32=1,2,3,4,5 --input=3 --input=-3 --expect=5xf32=1,1,1,1,2
// The number that MLIR reserves for dynamic amounts is refused.
// RUN: sed 's/low.%%l./low[-9223372036854775808]/' %s > %t.mlir
// RUN: not hal-import %t.mlir 2>&1 | FileCheck %s
// CHECK: `tensor.pad` pads by -9223372036854775808, which MLIR reserves for amounts that an operand gives
// Nor is 2^31, of which the opposite is a constant index of its own in LLVM's dialect.
// RUN: sed 's/low.%%l./low[2147483648]/' %s > %t.far.mlir
// RUN: hal-compile -q %t.far.mlir -o %t.far.so
func.func @main(%x: tensor<?xf32>, %l: index, %h: index) -> tensor<?xf32> {
  %one = arith.constant 1.0 : f32
  %r = tensor.pad %x low[%l] high[%h] {
  ^bb0(%i: index):
    tensor.yield %one : f32
  } : tensor<?xf32> to tensor<?xf32>
  return %r : tensor<?xf32>
}
