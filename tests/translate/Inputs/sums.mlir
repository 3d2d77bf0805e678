func.func @sums(%a: tensor<?x?xf32>, %keep: tensor<?xi1>, %scale: f32, %n: index) -> (tensor<?xf32> {hal.dims = array<i64: 3>}) {
  %one = arith.constant 1 : index
  %zero = arith.constant 0 : index
  %none = arith.constant 0.0 : f32
  %k = tensor.dim %a, %one : tensor<?x?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %r = scf.for %i = %zero to %n step %one iter_args(%t = %e) -> tensor<?xf32> {
    %p = tensor.extract %keep[%i] : tensor<?xi1>
    %s = scf.if %p -> f32 {
      %sum = scf.for %j = %zero to %k step %one iter_args(%acc = %none) -> f32 {
        %x = tensor.extract %a[%i, %j] : tensor<?x?xf32>
        %next = arith.addf %acc, %x : f32
        scf.yield %next : f32
      }
      %scaled = arith.mulf %sum, %scale : f32
      scf.yield %scaled : f32
    } else {
      scf.yield %none : f32
    }
    %u = tensor.insert %s into %t[%i] : tensor<?xf32>
    scf.yield %u : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
