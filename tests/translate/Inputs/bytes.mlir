module @k attributes {hal.executable} {
  func.func @bytes(%a: tensor<37x129xi8>, %b: tensor<129x41xi8>) -> tensor<37x41xi32> attributes {hal.export} {
    %zero = arith.constant 0 : i32
    %seven = arith.constant 7 : i32
    %empty = tensor.empty() : tensor<37x41xi32>
    %fill = linalg.fill ins(%zero : i32) outs(%empty : tensor<37x41xi32>) -> tensor<37x41xi32>
    %r = linalg.generic {indexing_maps = [affine_map<(m,n,k)->(m,k)>, affine_map<(m,n,k)->(k,n)>, affine_map<(m,n,k)->(m,n)>], iterator_types = ["parallel","parallel","reduction"]}
      ins(%a, %b : tensor<37x129xi8>, tensor<129x41xi8>) outs(%fill : tensor<37x41xi32>) {
      ^bb0(%x: i8, %y: i8, %s: i32):
       %u = arith.extui %x : i8 to i32
       %uz = arith.subi %u, %seven : i32
       %v = arith.extui %y : i8 to i32
       %p = arith.muli %uz, %v : i32
       %t = arith.addi %s, %p : i32
       linalg.yield %t : i32
      } -> tensor<37x41xi32>
    return %r : tensor<37x41xi32>
  }
}
