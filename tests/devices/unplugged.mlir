// Without a loader, a driver, the device, its memory, or when it is lost: one sentence each, exit code 3.
// RUN: rm -rf %t && mkdir -p %t/nothing && cd %t && hal-link %s -o a.so
// RUN: hal-run a.so --device=vulkan --input=4xf32=1 | FileCheck %s --check-prefix=FINE
// RUN: env VK_ICD_FILENAMES=%t/nothing exits 3 hal-run a.so --device=vulkan --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=DRIVER --implicit-check-not=error
// RUN: exits 3 hal-run a.so --device=vulkan:7 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=INDEX --implicit-check-not=error
// RUN: exits 2 hal-run a.so --device=vulcan --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=NAME
// RUN: exits 2 hal-run a.so --device=cpu:1 --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=CPU
// A library of that name without anything in it stands for a machine without the loader.
// RUN: clang -shared -nostdlib -x c /dev/null -o nothing/other.so && printf 'no library' > nothing/libvulkan.so.1
// RUN: env LD_LIBRARY_PATH=%t/nothing exits 3 hal-run a.so --device=vulkan --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=LOADER --implicit-check-not=error
// A layer lets calls of the driver fail.
// RUN: clang -shared -fPIC -O1 %S/Inputs/failing.c -o libfailing.so && cp %S/Inputs/failing.json .
// RUN: env FAILING="submit 1" VK_LAYER_PATH=%t VK_INSTANCE_LAYERS=VK_LAYER_halyard_failing exits 3 hal-run a.so --device=vulkan --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=LOST --implicit-check-not=error
// RUN: env FAILING="allocate 1" VK_LAYER_PATH=%t VK_INSTANCE_LAYERS=VK_LAYER_halyard_failing exits 3 hal-run a.so --device=vulkan --input=4xf32=1 2>&1 | FileCheck %s --check-prefix=MEMORY --implicit-check-not=error
// RUN: env FAILING="submit 9" VK_LAYER_PATH=%t VK_INSTANCE_LAYERS=VK_LAYER_halyard_failing hal-run a.so --device=vulkan --input=4xf32=1 | FileCheck %s --check-prefix=FINE
// RUN: exits 3 hal-run a.so --device=vulkan --function=huge --input=i64=100000000000000 2>&1 | FileCheck %s --check-prefix=HUGE --implicit-check-not=error
// RUN: env VK_ICD_FILENAMES=%t/nothing hal-run --list-devices | FileCheck %s --check-prefix=LIST
// RUN: hal-run --list-devices | FileCheck %s --check-prefix=DEVICES
// RUN: hal-benchmark --list-devices | FileCheck %s --check-prefix=DEVICES
// FINE: [1., 1., 1., 1.]
// DRIVER: error[no-driver]: there is no Vulkan device here: the loader finds no driver
// DRIVER: hint: install a driver (on machines without a GPU package `mesa-vulkan-drivers` has one), or use `--device=cpu`
// INDEX: error[no-device]: there is no device `vulkan:7`: Vulkan has 1 device here
// INDEX: note: `vulkan:0` is {{.*}}, Vulkan 1.
// NAME: there are `cpu`, `vulkan`, `vulkan:N`, `cuda` and `cuda:N`; did you mean `vulkan`?
// CPU: there is one `cpu`; `--threads` says how much of it
// LOADER: error[no-driver]: there is no Vulkan here: `libvulkan.so.1` cannot be loaded
// LOST: error[device-lost]: device `vulkan:0` ({{.*}}) was lost: it could not run the program
// MEMORY: error[out-of-memory]: device `vulkan:0` ({{.*}}) does not have {{[0-9]+}} bytes left
// HUGE: error[out-of-memory]: device `vulkan:0` ({{.*}}) does not have 400000000000000 bytes left
// LIST: cpu: {{.+}}, {{[0-9]+}} thread
// LIST: vulkan: none, there is no Vulkan device here: the loader finds no driver
// DEVICES: cpu: {{.+}}, {{[0-9]+}} thread
// DEVICES: vulkan:0: {{.+}}, Vulkan 1.{{[0-9]}}, {{.+}} GiB
module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
  func.func @huge(%n: index) -> tensor<?xf32> {
    %z = arith.constant 0.0 : f32
    %s = tensor.splat %z[%n] : tensor<?xf32>
    return %s : tensor<?xf32>
  }
}
