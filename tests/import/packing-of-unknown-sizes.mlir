// `linalg.pack` and `linalg.unpack` of unknown sizes run, and what does not fit is an error.
// RUN: hal-compile %s -o %t.so
// RUN: hal-run %t.so --function=pack --input=3x3xf32=1 | FileCheck %s --check-prefix=PACK
// RUN: hal-run %t.so --function=unpack --input=1x2x4x2xf32=1 --input=i64=3 --input=i64=4 | FileCheck %s --check-prefix=UNPACK
// RUN: exits 1 hal-run %t.so --function=unpack --input=1x2x4x2xf32=1 --input=i64=3 --input=i64=5 2>&1 | FileCheck %s --check-prefix=LARGE
// RUN: exits 1 hal-run %t.so --function=exact --input=6xf32=1 2>&1 | FileCheck %s --check-prefix=REST
// PACK: output 0: 1x2x4x2xf32
// PACK-NEXT: [1., 1.],
// PACK: [1., 0.],
// PACK: [0., 0.]
// UNPACK: output 0: 3x4xf32
// LARGE: error[assertion-failed]: `linalg.unpack` of `@unpack`, line {{[0-9]+}}: dimension 1 is 5, which is not what the packed tensor holds: 4
// REST: error[assertion-failed]: `linalg.pack` of `@exact`, line {{[0-9]+}}: dimension 0 is 6, which is not what the packed tensor holds: 4
func.func @pack(%x: tensor<?x?xf32>) -> tensor<?x?x4x2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2 = arith.constant 2 : index
  %z = arith.constant 0.0 : f32
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %mo = arith.ceildivsi %m, %c4 : index
  %no = arith.ceildivsi %n, %c2 : index
  %e = tensor.empty(%mo, %no) : tensor<?x?x4x2xf32>
  %p = linalg.pack %x padding_value(%z : f32) inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<?x?xf32> -> tensor<?x?x4x2xf32>
  return %p : tensor<?x?x4x2xf32>
}
func.func @unpack(%x: tensor<?x?x4x2xf32>, %m: index, %n: index) -> tensor<?x?xf32> {
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %p = linalg.unpack %x inner_dims_pos = [0, 1] inner_tiles = [4, 2] into %e : tensor<?x?x4x2xf32> -> tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}
func.func @exact(%x: tensor<?xf32>) -> tensor<?x4xf32> {
  %c0 = arith.constant 0 : index
  %c4 = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %no = arith.divsi %n, %c4 : index
  %e = tensor.empty(%no) : tensor<?x4xf32>
  %p = linalg.pack %x inner_dims_pos = [0] inner_tiles = [4] into %e : tensor<?xf32> -> tensor<?x4xf32>
  return %p : tensor<?x4xf32>
}
