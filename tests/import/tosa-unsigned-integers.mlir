// Unsigned integers are signless inside, and marked where people see them. What would compute with them wrongly is an
// error.
// RUN: hal-import %s --function=moves | FileCheck %s
// RUN: sed 's/^\/\/ADD //' %s | not hal-import 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: func.func @moves(%{{.*}}: tensor<2x3xi8> {hal.name = "x", hal.unsigned}) -> (tensor<3x2xi8> {hal.unsigned})
// ERROR: error[unsupported]: operation `tosa.add` on unsigned integers is not supported
// ERROR: hint: `tosa.rescale` brings them to signed integers first
func.func @moves(%x: tensor<2x3xui8> {hal.name = "x"}) -> tensor<3x2xui8> {
  %0 = tosa.transpose %x {perms = array<i32: 1, 0>} : (tensor<2x3xui8>) -> tensor<3x2xui8>
  return %0 : tensor<3x2xui8>
}
//ADD func.func @adds(%x: tensor<4xui8>) -> tensor<4xui8> {
//ADD   %0 = tosa.add %x, %x : (tensor<4xui8>, tensor<4xui8>) -> tensor<4xui8>
//ADD   return %0 : tensor<4xui8>
//ADD }
