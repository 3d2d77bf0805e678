// Every element type, static and dynamic shapes, rank 0 and no elements at all can be passed.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q && clang -O2 -Wall -Wextra -Werror -shared -fPIC -I%include %S/Inputs/echo.c -o echo.so
// RUN: hal-run p.so --module=echo.so --function=floats --input=2xf32=1,2 --input=f64=3 --input=2x1xf16=4,5 --input=0x3xbf16=0 --expect=2xf32=1,2 --expect=f64=3 --expect=2x1xf16=4,5 --expect=0x3xbf16=0
// RUN: hal-run p.so --module=echo.so --function=integers --input=3xi1=1,0,1 --input=i8=-3 --input=2xi16=-4,5 --input=i32=-6 --input=1x2xi64=7,-8 --expect=3xi1=1,0,1 --expect=i8=-3 --expect=2xi16=-4,5 --expect=i32=-6 --expect=1x2xi64=7,-8
// Numbers, and indices in a tensor.
// RUN: hal-run p.so --module=echo.so --function=numbers --input=i1=1 --input=f16=2.5 --input=i64=-3 --input=2xi64=4,-5 --expect=i1=1 --expect=f16=2.5 --expect=i64=-3 --expect=2xi64=4,-5
// Integers that the declaration calls unsigned.
// RUN: hal-run p.so --module=echo.so --function=unsigned --input=2xu8=255,1 --expect=i32=6 --expect=i32=5
func.func private @f32(tensor<2xf32>) -> tensor<2xf32> attributes {hal.host_function = "echo.one"}
func.func private @f64(tensor<f64>) -> tensor<f64> attributes {hal.host_function = "echo.one"}
func.func private @f16(tensor<?x1xf16>) -> tensor<?x1xf16> attributes {hal.host_function = "echo.one"}
func.func private @bf16(tensor<?x3xbf16>) -> tensor<?x3xbf16> attributes {hal.host_function = "echo.one"}
func.func private @i1(tensor<?xi1>) -> tensor<?xi1> attributes {hal.host_function = "echo.one"}
func.func private @i8(tensor<i8>) -> tensor<i8> attributes {hal.host_function = "echo.one", hal.module_version = 3 : i32}
func.func private @i16(tensor<2xi16>) -> tensor<2xi16> attributes {hal.host_function = "echo.one"}
func.func private @i32(tensor<i32>) -> tensor<i32> attributes {hal.host_function = "echo.one"}
func.func private @i64(tensor<1x?xi64>) -> tensor<1x?xi64> attributes {hal.host_function = "echo.one"}
func.func private @b(i1, tensor<?xindex>) -> (i1, tensor<?xindex>) attributes {hal.host_function = "echo.two"}
func.func private @h(f16, tensor<1xi8>) -> (f16, tensor<1xi8>) attributes {hal.host_function = "echo.two"}
func.func private @n(index, tensor<1xi8>) -> (index, tensor<1xi8>) attributes {hal.host_function = "echo.two"}
func.func private @type_of_u8(tensor<2xi8> {hal.unsigned}) -> i32 attributes {hal.host_function = "echo.type_of"}
func.func private @type_of_i8(tensor<2xi8>) -> i32 attributes {hal.host_function = "echo.type_of"}
func.func @floats(%a: tensor<2xf32>, %b: tensor<f64>, %c: tensor<?x1xf16>, %d: tensor<?x3xbf16>) -> (tensor<2xf32>, tensor<f64>, tensor<?x1xf16>, tensor<?x3xbf16>) {
  %0 = call @f32(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = call @f64(%b) : (tensor<f64>) -> tensor<f64>
  %2 = call @f16(%c) : (tensor<?x1xf16>) -> tensor<?x1xf16>
  %3 = call @bf16(%d) : (tensor<?x3xbf16>) -> tensor<?x3xbf16>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<f64>, tensor<?x1xf16>, tensor<?x3xbf16>
}
func.func @integers(%a: tensor<?xi1>, %b: tensor<i8>, %c: tensor<2xi16>, %d: tensor<i32>, %e: tensor<1x?xi64>) -> (tensor<?xi1>, tensor<i8>, tensor<2xi16>, tensor<i32>, tensor<1x?xi64>) {
  %0 = call @i1(%a) : (tensor<?xi1>) -> tensor<?xi1>
  %1 = call @i8(%b) : (tensor<i8>) -> tensor<i8>
  %2 = call @i16(%c) : (tensor<2xi16>) -> tensor<2xi16>
  %3 = call @i32(%d) : (tensor<i32>) -> tensor<i32>
  %4 = call @i64(%e) : (tensor<1x?xi64>) -> tensor<1x?xi64>
  return %0, %1, %2, %3, %4 : tensor<?xi1>, tensor<i8>, tensor<2xi16>, tensor<i32>, tensor<1x?xi64>
}
func.func @numbers(%a: i1, %b: f16, %c: index, %d: tensor<?xindex>) -> (i1, f16, index, tensor<?xindex>) {
  %s = arith.constant dense<1> : tensor<1xi8>
  %0:2 = call @b(%a, %d) : (i1, tensor<?xindex>) -> (i1, tensor<?xindex>)
  %1:2 = call @h(%b, %s) : (f16, tensor<1xi8>) -> (f16, tensor<1xi8>)
  %2:2 = call @n(%c, %1#1) : (index, tensor<1xi8>) -> (index, tensor<1xi8>)
  return %0#0, %1#0, %2#0, %0#1 : i1, f16, index, tensor<?xindex>
}
func.func @unsigned(%a: tensor<2xi8> {hal.unsigned}) -> (i32, i32) {
  %0 = call @type_of_u8(%a) : (tensor<2xi8>) -> i32
  %1 = call @type_of_i8(%a) : (tensor<2xi8>) -> i32
  return %0, %1 : i32, i32
}
