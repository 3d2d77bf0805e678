// A preprocessor gives a kernel a property of the device as a further argument; entry and host program stay as they are.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s -o p.mlir && hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py" -o q.mlir && FileCheck %s < q.mlir
// CHECK: func.func @[[NAME:.*]](%{{.*}}: tensor<4xf32>, %{{.*}}: f32, %{{.*}}: index) -> tensor<4xf32> attributes {hal.export, hal.load_constants = ["device.threads"]}
// CHECK: func.func private @[[NAME]](tensor<4xf32>, f32) -> tensor<4xf32> attributes {hal.entry
// RUN: cat q.mlir | %roundtrip | hal-translate -o o.mlir && FileCheck %s --check-prefix=OBJECTS < o.mlir && hal-link o.mlir -o p.so
// OBJECTS: func.func private @{{.*}}(tensor<4xf32>, f32, index) -> tensor<4xf32> attributes {hal.export, hal.fingerprint = "{{.*}}", hal.load_constants = ["device.threads"]
// The value is that of the instance.
// RUN: hal-run p.so --threads=3 --input=4xf32=1,2,3,4 --input=f32=2 --expect=4xf32=5,7,9,11
// RUN: hal-run p.so --threads=1 --input=4xf32=1,2,3,4 --input=f32=2 --expect=4xf32=3,5,7,9
// RUN: hal-run p.so --list | FileCheck %s --check-prefix=LIST
// LIST: 2 bindings, 1 constants, device.threads
// In one command; another preprocessor sees it and may leave it.
// RUN: hal-compile %s -o c.so -q --preprocess-executables-with="python3 %S/Inputs/add_threads.py" --preprocess-executables-with=cat && hal-run c.so --threads=2 --input=4xf32=1,2,3,4 --input=f32=2 --expect=4xf32=4,6,8,10
// The source may go.
// RUN: hal-translate --strip-source q.mlir | hal-link -o s.so && hal-run s.so --threads=3 --input=4xf32=1,2,3,4 --input=f32=2 --expect=4xf32=5,7,9,11

// RUN: exits 4 hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py unknown" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// UNKNOWN: error[bad-form]: `hal.load_constants` of `@main_dispatch_0{{.*}}`: `device.thread` (did you mean `device.threads`{{.*}}?) is not a device property; there are `device.threads`, `device.cores`, `device.vector_bytes`
// RUN: exits 4 hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py type" 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[bad-form]: argument 2 of `@main_dispatch_0{{.*}}` has type `i32`; load-time constant `device.threads` is an `index`
// RUN: exits 4 hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py tensor" 2>&1 | FileCheck %s --check-prefix=TENSOR
// TENSOR: has type `tensor<4xi32>`; load-time constant `device.threads` is an `index`
// RUN: exits 4 hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py list" 2>&1 | FileCheck %s --check-prefix=NOLIST
// NOLIST: error[bad-form]: `hal.load_constants` of `@main_dispatch_0{{.*}}` is `"device.threads"`, not a list of strings
// RUN: exits 4 hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py many" 2>&1 | FileCheck %s --check-prefix=MANY
// MANY: error[bad-form]: `hal.load_constants` of `@main_dispatch_0{{.*}}` names 4 arguments, it has 3
// Without the attribute it is another interface.
// RUN: exits 4 hal-opt p.mlir --preprocess-executables-with="python3 %S/Inputs/add_threads.py missing" 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[interface-changed]: export `@main_dispatch_0{{.*}}` of `@main_dispatch_0` has a different interface from the original
// MISSING: note: 2 arguments in the original, 3 here
// MISSING: hint: properties of the device can be further arguments: `hal.load_constants = ["device.threads"]`
// The other tools check, too.
// RUN: sed 's/"device.threads"/"device.speed"/' q.mlir > speed.mlir && exits 1 hal-translate speed.mlir 2>&1 | FileCheck %s --check-prefix=SPEED
// RUN: sed 's/"device.threads"/"device.speed"/' o.mlir > speed.mlir && exits 1 hal-link speed.mlir -o speed.so 2>&1 | FileCheck %s --check-prefix=SPEED
// SPEED: `device.speed`{{.*}} is not a device property
// Who calls cannot give them.
// RUN: sed 's/hal.entry = /hal.load_constants = ["device.cores"], &/' p.mlir > entry.mlir && exits 1 hal-translate entry.mlir 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: error[bad-form]: `@main_dispatch_0{{.*}}` has `hal.load_constants`, and is no export; who loads the program fills them in, not who calls
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
