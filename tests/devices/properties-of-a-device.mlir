// Kernels learn what the device is like that they run on.
// REQUIRES: vulkan
// RUN: hal-translate --target=cpu,vulkan --explain %s 2>%t.txt | hal-link -o %t.so
// RUN: FileCheck %s --check-prefix=WAY --input-file=%t.txt
// WAY: for vulkan: workgroups of threads: elements of 3
// RUN: hal-run %t.so --input=3xi32=0 | FileCheck %s --check-prefix=CPU
// CPU: [1, 1, 0]
// RUN: hal-run %t.so --device=vulkan --input=3xi32=0 | FileCheck %s --check-prefix=VULKAN
// VULKAN: {{\[ *[1-9][0-9]+, *[1-9][0-9]*, *[1-9][0-9][0-9][0-9][0-9]+\]}}
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @k attributes {hal.executable} {
    func.func @k_0(%x: tensor<3xi32>, %workgroup: index, %subgroup: index, %shared: index) -> tensor<3xi32>
        attributes {hal.export, hal.load_constants = ["device.workgroup_threads", "device.subgroup_threads", "device.shared_bytes"]} {
      %e = tensor.empty() : tensor<3xi32>
      %a = arith.index_cast %workgroup : index to i32
      %b = arith.index_cast %subgroup : index to i32
      %c = arith.index_cast %shared : index to i32
      %all = tensor.from_elements %a, %b, %c : tensor<3xi32>
      %r = linalg.add ins(%x, %all : tensor<3xi32>, tensor<3xi32>) outs(%e : tensor<3xi32>) -> tensor<3xi32>
      return %r : tensor<3xi32>
    }
  }
  func.func private @k_0(tensor<3xi32>) -> tensor<3xi32> attributes {hal.entry = @k::@k_0}
  func.func @main(%x: tensor<3xi32>) -> tensor<3xi32> {
    %r = call @k_0(%x) : (tensor<3xi32>) -> tensor<3xi32>
    return %r : tensor<3xi32>
  }
}
