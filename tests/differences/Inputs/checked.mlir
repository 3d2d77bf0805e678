// Refuses more than four elements.
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %most = arith.constant 4 : index
  %n = tensor.dim %x, %c0 : tensor<?xf32>
  %few = arith.cmpi sle, %n, %most : index
  cf.assert %few, "too many"
  %r = arith.addf %x, %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
