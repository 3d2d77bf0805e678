// The same as `schedule.mlir`, by a pattern.
func.func private @layer(tensor<?x?xf32>, tensor<?x?xf32>, tensor<?xf32>, tensor<?x?xf32>) -> (tensor<?x?xf32> {hal.tied = 3 : i32})
  attributes {hal.objects = [{path = "layer.o"}], hal.workgroups = @rows}
func.func private @rows(%x0: index, %x1: index, %w0: index, %w1: index, %b0: index, %o0: index, %o1: index, %r0: index, %r1: index)
    -> (index, index, index) {
  %one = arith.constant 1 : index
  return %x0, %one, %one : index, index, index
}

pdl.pattern @one_layer : benefit(1) {
  %type = pdl.type
  %x = pdl.operand
  %w = pdl.operand
  %b = pdl.operand
  %init = pdl.operand
  // A product whose operands are not transposed, a bias that is the same for all rows.
  %plain = pdl.attribute = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (k, n)>, affine_map<(m, n, k) -> (m, n)>]
  %matmul = pdl.operation "linalg.matmul" (%x, %w, %init : !pdl.value, !pdl.value, !pdl.value) {"indexing_maps" = %plain} -> (%type : !pdl.type)
  %product = pdl.result 0 of %matmul
  %empty = pdl.operand
  %rows = pdl.attribute = array<i64: 0>
  %broadcast = pdl.operation "linalg.broadcast" (%b, %empty : !pdl.value, !pdl.value) {"dimensions" = %rows} -> (%type : !pdl.type)
  %bias = pdl.result 0 of %broadcast
  %out = pdl.operand
  %sum = pdl.operation "linalg.add" (%product, %bias, %out : !pdl.value, !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %sum {
    %matrix = pdl.type : tensor<?x?xf32>
    %vector = pdl.type : tensor<?xf32>
    %dx = pdl.operation "tensor.cast" (%x : !pdl.value) -> (%matrix : !pdl.type)
    %dw = pdl.operation "tensor.cast" (%w : !pdl.value) -> (%matrix : !pdl.type)
    %db = pdl.operation "tensor.cast" (%b : !pdl.value) -> (%vector : !pdl.type)
    %di = pdl.operation "tensor.cast" (%init : !pdl.value) -> (%matrix : !pdl.type)
    %vx = pdl.result 0 of %dx
    %vw = pdl.result 0 of %dw
    %vb = pdl.result 0 of %db
    %vi = pdl.result 0 of %di
    %callee = pdl.attribute = @layer
    %call = pdl.operation "func.call" (%vx, %vw, %vb, %vi : !pdl.value, !pdl.value, !pdl.value, !pdl.value) {"callee" = %callee} -> (%matrix : !pdl.type)
    %vcall = pdl.result 0 of %call
    %cast = pdl.operation "tensor.cast" (%vcall : !pdl.value) -> (%type : !pdl.type)
    pdl.replace %sum with %cast
  }
}
