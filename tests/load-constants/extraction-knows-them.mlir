// As C an executable names what it takes of the device and goes back into the program; a benchmark of it gets the values when it is loaded.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s | hal-opt --preprocess-executables-with="python3 %S/Inputs/add_threads.py" -o p.mlir && hal-extract p.mlir --as=c,benchmark,mlir --to=. -o - | hal-translate -o o.mlir && FileCheck %s < main_dispatch_0.c
// CHECK: device.threads, filled in when the program is loaded
// CHECK: HAL_LOAD_CONSTANTS(main_dispatch_0{{.*}}, "device.threads")
// RUN: clang -O2 -fPIC -I. -c main_dispatch_0.c -o k.o && hal-substitute o.mlir main_dispatch_0=k.o | hal-link -o c.so && hal-run c.so --threads=3 --input=4xf32=1,2,3,4 --input=f32=2 --expect=4xf32=5,7,9,11
// RUN: hal-compile main_dispatch_0.benchmark.mlir -o b.so -q && hal-run b.so --check
// The source alone goes back, too.
// RUN: hal-substitute p.mlir main_dispatch_0=main_dispatch_0.mlir | hal-translate | hal-link -o m.so && hal-run m.so --threads=3 --input=4xf32=1,2,3,4 --input=f32=2 --expect=4xf32=5,7,9,11
#map = affine_map<(d0) -> (d0)>
func.func @main(%x: tensor<4xf32>, %s: f32) -> tensor<4xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) {
  ^bb0(%a: f32, %o: f32):
    %v = arith.mulf %a, %s : f32
    linalg.yield %v : f32
  } -> tensor<4xf32>
  return %y : tensor<4xf32>
}
