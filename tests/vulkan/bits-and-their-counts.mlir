// Single bits are numbers to arithmetic, and bits are counted in integers of any width.
// REQUIRES: vulkan
// RUN: hal-import %s | hal-translate --target=vulkan -O0 | hal-link -o %t.so
// RUN: hal-run %t.so --device=vulkan --function=bits --input=4xi1=0,0,1,1 --input=4xi1=0,1,0,1 --expect=4xf32=0,0,-1,-1 --expect=4xi1=0,0,1,0 --expect=4xi1=0,1,0,0 --expect=4xi1=0,1,1,0
// RUN: hal-run %t.so --device=vulkan --function=counts --input=3xi8=0,1,-128 --input=3xi64=0,4294967296,-1 --expect=3xi8=8,7,0 --expect=3xi8=8,0,7 --expect=3xi8=0,1,1 --expect=3xi64=64,31,0 --expect=3xi64=64,32,0 --expect=3xi64=0,1,64
// RUN: hal-import %s | hal-translate --target=vulkan | hal-link -o %t.so
// RUN: hal-run %t.so --device=vulkan --function=bits --input=4xi1=0,0,1,1 --input=4xi1=0,1,0,1 --expect=4xf32=0,0,-1,-1 --expect=4xi1=0,0,1,0 --expect=4xi1=0,1,0,0 --expect=4xi1=0,1,1,0
// RUN: hal-run %t.so --device=vulkan --function=counts --input=3xi8=0,1,-128 --input=3xi64=0,4294967296,-1 --expect=3xi8=8,7,0 --expect=3xi8=8,0,7 --expect=3xi8=0,1,1 --expect=3xi64=64,31,0 --expect=3xi64=64,32,0 --expect=3xi64=0,1,64
func.func @bits(%x: tensor<4xi1>, %y: tensor<4xi1>) -> (tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>) {
  %f = arith.sitofp %x : tensor<4xi1> to tensor<4xf32>
  %s = arith.cmpi slt, %x, %y : tensor<4xi1>
  %u = arith.cmpi ult, %x, %y : tensor<4xi1>
  %a = arith.addi %x, %y : tensor<4xi1>
  return %f, %s, %u, %a : tensor<4xf32>, tensor<4xi1>, tensor<4xi1>, tensor<4xi1>
}
func.func @counts(%x: tensor<3xi8>, %y: tensor<3xi64>) -> (tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>) {
  %a = math.ctlz %x : tensor<3xi8>
  %b = math.cttz %x : tensor<3xi8>
  %c = math.ctpop %x : tensor<3xi8>
  %d = math.ctlz %y : tensor<3xi64>
  %e = math.cttz %y : tensor<3xi64>
  %f = math.ctpop %y : tensor<3xi64>
  return %a, %b, %c, %d, %e, %f : tensor<3xi8>, tensor<3xi8>, tensor<3xi8>, tensor<3xi64>, tensor<3xi64>, tensor<3xi64>
}
