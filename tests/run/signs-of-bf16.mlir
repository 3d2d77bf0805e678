// LLVM 22 drops the sign of a scalar `bf16` that `copysign` takes from memory, where the CPU has no conversions of bf16. The
// compiler hides from it where the bits are from: a number that is loaded is read as an `i16`, any other passes through an assembly.
// RUN: hal-compile -O0 --target=cpu:x86-64-v2 %s -o %t.0.so
// RUN: hal-compile -O3 --target=cpu:x86-64-v2 %s -o %t.3.so
// RUN: hal-compile -O0 %s -o %t.native.so
// RUN: hal-run %t.0.so --function=copied --input='3xbf16=1,2,-3' --input='3xbf16=-1,1,-1' --expect='3xbf16=-1,2,-3'
// RUN: hal-run %t.3.so --function=copied --input='3xbf16=1,2,-3' --input='3xbf16=-1,1,-1' --expect='3xbf16=-1,2,-3'
// RUN: hal-run %t.native.so --function=copied --input='3xbf16=1,2,-3' --input='3xbf16=-1,1,-1' --expect='3xbf16=-1,2,-3'
// RUN: hal-run %t.0.so --function=chosen --input='3xbf16=1,-2,3' --input='3xbf16=-1,1,-1' --input='3xi1=true,true,false' --expect='3xi16=0,1,1'
// RUN: hal-run %t.3.so --function=chosen --input='3xbf16=1,-2,3' --input='3xbf16=-1,1,-1' --input='3xi1=true,true,false' --expect='3xi16=0,1,1'
#id = affine_map<(d0) -> (d0)>
func.func @copied(%a: tensor<?xbf16>, %b: tensor<?xbf16>) -> tensor<?xbf16> {
  %c = math.copysign %a, %b : tensor<?xbf16>
  return %c : tensor<?xbf16>
}
func.func @chosen(%a: tensor<3xbf16>, %b: tensor<3xbf16>, %which: tensor<3xi1>) -> tensor<3xi16> {
  %empty = tensor.empty() : tensor<3xi16>
  %sign = linalg.generic {indexing_maps = [#id, #id, #id, #id], iterator_types = ["parallel"]}
      ins(%a, %b, %which : tensor<3xbf16>, tensor<3xbf16>, tensor<3xi1>) outs(%empty : tensor<3xi16>) {
  ^bb0(%x: bf16, %y: bf16, %w: i1, %o: i16):
    %15 = arith.constant 15 : i16
    %z = arith.select %w, %x, %y : bf16
    %bits = arith.bitcast %z : bf16 to i16
    %s = arith.shrui %bits, %15 : i16
    linalg.yield %s : i16
  } -> tensor<3xi16>
  return %sign : tensor<3xi16>
}
