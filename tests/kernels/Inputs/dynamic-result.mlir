module @e attributes {hal.executable} {
  func.func private @triple(tensor<?xf32>) -> tensor<?xf32> attributes {hal.objects = [{path = "tensors.o"}]}
  func.func @k(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
    %r = func.call @triple(%x) : (tensor<?xf32>) -> tensor<?xf32>
    return %r : tensor<?xf32>
  }
}
