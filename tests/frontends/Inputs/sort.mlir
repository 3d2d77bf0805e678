// Keys and values of unknown number, sorted by keys in descending order.
func.func public @main(%keys: tensor<?xf32> loc("keys"), %values: tensor<?xui8> loc("values")) -> (tensor<?xf32>, tensor<?xui8>) {
  %0:2 = "stablehlo.sort"(%keys, %values) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %p: tensor<ui8>, %q: tensor<ui8>):
    %1 = stablehlo.compare GT, %a, %b, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  }) : (tensor<?xf32>, tensor<?xui8>) -> (tensor<?xf32>, tensor<?xui8>)
  return %0#0, %0#1 : tensor<?xf32>, tensor<?xui8>
}
