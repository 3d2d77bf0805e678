// Every element type goes in and out; threads do not change results.
// RUN: hal-compile -q %s -o %t.so
// RUN: hal-run %t.so -i 2xf64=0.1,2 -i 2xf16=0.1,2 -i 2xbf16=0.1,2 -i 2xi1=true,false -i -128,127 -i 2xu16=65535,1 -i 5,-5 --threads=1 > %t.1
// RUN: hal-run %t.so -i 2xf64=0.1,2 -i 2xf16=0.1,2 -i 2xbf16=0.1,2 -i 2xi1=true,false -i -128,127 -i 2xu16=65535,1 -i 5,-5 --threads=3 --device=cpu > %t.3
// RUN: cmp %t.1 %t.3
// RUN: FileCheck %s < %t.1
// CHECK: array([0.1, 2. ])
// CHECK: array([0.1, 2. ], dtype=float16)
// CHECK: array([0.1, 2. ], dtype=bfloat16)
// CHECK: array([ True, False])
// CHECK: array([-128,  127], dtype=int8)
// CHECK: array([-1,  1], dtype=int16)
// CHECK: array([ 5, -5])
// RUN: exits 2 hal-run %t.so --device=abacus 2>&1 | FileCheck %s --check-prefix=DEVICE
// DEVICE: invalid value 'abacus' for '--device <DEVICE>'
// DEVICE: there are `cpu`, `vulkan`, `vulkan:N`, `cuda` and `cuda:N`
func.func @main(%a: tensor<2xf64>, %b: tensor<2xf16>, %c: tensor<2xbf16>, %d: tensor<2xi1>, %e: tensor<2xi8>, %f: tensor<2xi16>, %g: tensor<2xi64>)
    -> (tensor<2xf64>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi1>, tensor<2xi8>, tensor<2xi16>, tensor<2xi64>) {
  return %a, %b, %c, %d, %e, %f, %g : tensor<2xf64>, tensor<2xf16>, tensor<2xbf16>, tensor<2xi1>, tensor<2xi8>, tensor<2xi16>, tensor<2xi64>
}
