// What `hal-opt --check-preprocessor` sends: an executable for each thing that a tool must be able to pass through.
module @check attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @static attributes {hal.executable} {
    func.func @static_scale(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<4x8xf32>
      %r = linalg.mul ins(%x, %y : tensor<4x8xf32>, tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
      return %r : tensor<4x8xf32>
    }
  }
  module @dynamic attributes {hal.executable} {
    func.func @dynamic_copy(%x: tensor<?x8xf32>, %n: index) -> (tensor<?x8xf32> {hal.dims = array<i64: 1>}) attributes {hal.export} {
      %e = tensor.empty(%n) : tensor<?x8xf32>
      %r = linalg.abs ins(%x : tensor<?x8xf32>) outs(%e : tensor<?x8xf32>) -> tensor<?x8xf32>
      return %r : tensor<?x8xf32>
    }
  }
  module @two_exports attributes {hal.executable} {
    func.func @two_exports_first(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = func.call @helper(%x) : (tensor<16xf32>) -> tensor<16xf32>
      return %r : tensor<16xf32>
    }
    func.func @two_exports_second(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.negf %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
    func.func private @helper(%x: tensor<16xf32>) -> tensor<16xf32> {
      %r = arith.addf %x, %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
  }
  module @variant attributes {hal.executable} {
    func.func @variant_negate(%x: tensor<16xf32>) -> tensor<16xf32> attributes {hal.export} {
      %r = arith.negf %x : tensor<16xf32>
      return %r : tensor<16xf32>
    }
    module @cpu attributes {hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.variant} {
    }
  }
  module @tied attributes {hal.executable} {
    func.func @tied_add(%x: tensor<16xf32>, %y: tensor<16xf32>) -> (tensor<16xf32> {hal.tied = 0 : i32}) attributes {hal.export} {
      %r = arith.addf %x, %y : tensor<16xf32>
      return %r : tensor<16xf32>
    }
  }
  module @types attributes {hal.executable} {
    func.func @types_convert(%a: tensor<4xi8>, %b: tensor<4xf16>, %c: tensor<4xi1>, %s: f64) -> (tensor<4xi32>, tensor<4xf32>) attributes {hal.export} {
      %w = arith.extsi %a : tensor<4xi8> to tensor<4xi32>
      %f = arith.extf %b : tensor<4xf16> to tensor<4xf32>
      %t = arith.truncf %s : f64 to f32
      %d = tensor.splat %t : tensor<4xf32>
      %g = arith.select %c, %f, %d : tensor<4xi1>, tensor<4xf32>
      return %w, %g : tensor<4xi32>, tensor<4xf32>
    }
  }
  module @constants attributes {hal.executable} {
    func.func @constants_add(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} {
      %c = arith.constant dense_resource<table> : tensor<4xf32>
      %r = arith.addf %x, %c : tensor<4xf32>
      return %r : tensor<4xf32>
    }
  }
  module @"odd name.1" attributes {hal.executable} {
    func.func @"odd$export.name-1"(%x: tensor<f32>) -> tensor<f32> attributes {hal.export} {
      return %x : tensor<f32>
    }
  }
}
{-#
  dialect_resources: { builtin: { table: "0x040000000000803f000000400000404000008040" } }
#-}
