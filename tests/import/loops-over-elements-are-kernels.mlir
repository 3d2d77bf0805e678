// A loop that moves single elements, and a loop that someone has distributed already, is one kernel; what the host
// cannot run is an error with its place.
// RUN: hal-import %s --function=scatters --function=distributed | FileCheck %s
// RUN: hal-import %s --function=scatters --bounds=trust | FileCheck %s --check-prefix=TRUST
// RUN: not hal-import %s --message-format=short 2>&1 | FileCheck %s --check-prefix=ERROR

// CHECK: func.func @scatters_dispatch_0_loop_8_f32(%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<4xindex>) -> (tensor<8xf32>, tensor<1xi64>)
// CHECK: scf.for
// TRUST: func.func @scatters_dispatch_0_loop_8_f32(%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<4xindex>) -> tensor<8xf32>
// CHECK: func.func @distributed_dispatch_0_loop_8_f32(%{{.*}}: tensor<8xf32>) -> tensor<8xf32>
// CHECK: scf.forall
func.func @scatters(%x: tensor<8xf32>, %at: tensor<4xindex>) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %one = arith.constant 1.0 : f32
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %x) -> tensor<8xf32> {
    %k = tensor.extract %at[%i] : tensor<4xindex>
    %z = tensor.insert %one into %y[%k] : tensor<8xf32>
    scf.yield %z : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}
func.func @distributed(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %r = scf.forall (%i) in (8) shared_outs(%o = %e) -> tensor<8xf32> {
    %s = tensor.extract_slice %x[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    %t = math.exp %s : tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %t into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  }
  return %r : tensor<8xf32>
}
func.func @reads_bits(%x: tensor<8xf32>) -> tensor<8xi32> {
  // ERROR: :[[@LINE+1]]:8: error: operation `tensor.bitcast` of function `@reads_bits` cannot be put into an executable, and the host cannot run it
  %r = tensor.bitcast %x : tensor<8xf32> to tensor<8xi32>
  return %r : tensor<8xi32>
}
