// The same by a pattern.
func.func private @my_matmul(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> attributes {
  hal.objects = [{path = "matmul.o"}], hal.workgroups = array<i64: 4>}

pdl.pattern @small_matmul : benefit(1) {
  %ta = pdl.type : tensor<4x8xf32>
  %tb = pdl.type : tensor<8x16xf32>
  %tc = pdl.type : tensor<4x16xf32>
  %a = pdl.operand : %ta
  %b = pdl.operand : %tb
  // The product starts from zeros.
  %zero = pdl.attribute = 0.0 : f32
  %float = pdl.type : f32
  %constant = pdl.operation "arith.constant" {"value" = %zero} -> (%float : !pdl.type)
  %z = pdl.result 0 of %constant
  %init = pdl.operand : %tc
  %fill = pdl.operation "linalg.fill" (%z, %init : !pdl.value, !pdl.value) -> (%tc : !pdl.type)
  %c = pdl.result 0 of %fill
  %product = pdl.operation "linalg.matmul" (%a, %b, %c : !pdl.value, !pdl.value, !pdl.value) -> (%tc : !pdl.type)
  pdl.rewrite %product {
    %kernel = pdl.attribute = @my_matmul
    %call = pdl.operation "func.call" (%a, %b : !pdl.value, !pdl.value) {"callee" = %kernel} -> (%tc : !pdl.type)
    pdl.replace %product with %call
  }
}

// Turns the product around, for ever.
pdl.pattern @endless : benefit(1) {
  %type = pdl.type
  %a = pdl.operand
  %b = pdl.operand
  %sum = pdl.operation "arith.addf" (%a, %b : !pdl.value, !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %sum {
    %other = pdl.operation "arith.addf" (%b, %a : !pdl.value, !pdl.value) -> (%type : !pdl.type)
    pdl.replace %sum with %other
  }
}
