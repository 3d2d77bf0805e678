// REQUIRES: x86
// Matrices of f16 that are weights are read in panels, and made wide in registers; f32 as well, unless few rows meet one whose rows are columns
// of the result. A product whose result is stored transposed is a convolution.
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=text | FileCheck %s --check-prefix=PACKED
// RUN: hal-translate %s --target=cpu:x86-64-v4 --emit=asm --executable=halves | FileCheck %s
// RUN: hal-translate %s --target=cpu:x86-64-v4 --explain=schedule -o /dev/null 2>&1 | FileCheck %s --check-prefix=PLAN
// RUN: hal-translate %s --verify -o /dev/null
// RUN: hal-translate %s --target=cpu:x86-64 --verify -o /dev/null
// CHECK: vcvtph2ps {{.*}}, %zmm
// CHECK: vfmadd231ps {{.*}}, %zmm
// PACKED: hal.packed = [{argument = 1 : i32, layout = "row_panels"}]
// PACKED: hal.packed = [{argument = 1 : i32, layout = "column_panels"}]
// PACKED: hal.packed = [{argument = 1 : i32, layout = "column_panels"}]
// PACKED: hal.packed = [{argument = 1 : i32, layout = "column_panels"}]
// PACKED: hal.packed = [{argument = 1 : i32, layout = "column_panels"}]
// PACKED-NOT: hal.packed
// PLAN: @halves{{.*}}
// PLAN: hal.schedule = {family = "panel_product", rows = 2, workgroups = 5}
// PLAN: @few{{.*}}
// PLAN: hal.schedule = {family = "panel_product", rows = 8, workgroups = 5}
// PLAN: @many{{.*}}
// PLAN: hal.schedule = {family = "panel_product", rows = 9, workgroups = 5}
// PLAN: @batches{{.*}}
// PLAN: hal.schedule = {family = "panel_product", rows = 12, workgroups = 20}
// PLAN: @turned{{.*}}
// PLAN: hal.schedule = {family = "direct_convolution"
#x = affine_map<(d0, d1, d2) -> (d0, d2)>
#w = affine_map<(d0, d1, d2) -> (d1, d2)>
#y = affine_map<(d0, d1, d2) -> (d0, d1)>
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @halves attributes {hal.executable} {
    func.func @halves(%x: tensor<2x333xf32>, %w: tensor<140x333xf16> {hal.weight}) -> tensor<2x140xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<2x140xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<2x140xf32>) -> tensor<2x140xf32>
      %r = linalg.generic {indexing_maps = [#x, #w, #y], iterator_types = ["parallel", "parallel", "reduction"]} ins(%x, %w : tensor<2x333xf32>, tensor<140x333xf16>) outs(%f : tensor<2x140xf32>) {
      ^bb0(%a: f32, %b: f16, %sum: f32):
        %wide = arith.extf %b : f16 to f32
        %p = arith.mulf %a, %wide : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      } -> tensor<2x140xf32>
      return %r : tensor<2x140xf32>
    }
  }
  module @few attributes {hal.executable} {
    func.func @few(%x: tensor<8x333xf32>, %w: tensor<333x140xf32> {hal.weight}) -> tensor<8x140xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<8x140xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x140xf32>) -> tensor<8x140xf32>
      %r = linalg.matmul ins(%x, %w : tensor<8x333xf32>, tensor<333x140xf32>) outs(%f : tensor<8x140xf32>) -> tensor<8x140xf32>
      return %r : tensor<8x140xf32>
    }
  }
  module @many attributes {hal.executable} {
    func.func @many(%x: tensor<9x333xf32>, %w: tensor<333x140xf32> {hal.weight}) -> tensor<9x140xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<9x140xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<9x140xf32>) -> tensor<9x140xf32>
      %r = linalg.matmul ins(%x, %w : tensor<9x333xf32>, tensor<333x140xf32>) outs(%f : tensor<9x140xf32>) -> tensor<9x140xf32>
      return %r : tensor<9x140xf32>
    }
  }
  module @batches attributes {hal.executable} {
    func.func @batches(%x: tensor<4x30x333xf32>, %w: tensor<333x140xf32> {hal.weight}, %b: tensor<140xf32>) -> tensor<4x30x140xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<4x30x140xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x30x140xf32>) -> tensor<4x30x140xf32>
      %r = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, d)>, affine_map<(a, b, c, d) -> (d, c)>, affine_map<(a, b, c, d) -> (a, b, c)>],
          iterator_types = ["parallel", "parallel", "parallel", "reduction"]} ins(%x, %w : tensor<4x30x333xf32>, tensor<333x140xf32>) outs(%f : tensor<4x30x140xf32>) {
      ^bb0(%l: f32, %m: f32, %sum: f32):
        %p = arith.mulf %l, %m : f32
        %s = arith.addf %sum, %p : f32
        linalg.yield %s : f32
      } -> tensor<4x30x140xf32>
      %y = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (c)>, affine_map<(a, b, c) -> (a, b, c)>],
          iterator_types = ["parallel", "parallel", "parallel"]} ins(%r, %b : tensor<4x30x140xf32>, tensor<140xf32>) outs(%e : tensor<4x30x140xf32>) {
      ^bb0(%l: f32, %m: f32, %o: f32):
        %s = arith.addf %l, %m : f32
        linalg.yield %s : f32
      } -> tensor<4x30x140xf32>
      return %y : tensor<4x30x140xf32>
    }
  }
  module @turned attributes {hal.executable} {
    func.func @turned(%x: tensor<40x333xf32>, %w: tensor<333x140xf32> {hal.weight}) -> tensor<140x40xf32> attributes {hal.export} {
      %zero = arith.constant 0.0 : f32
      %e = tensor.empty() : tensor<40x140xf32>
      %f = linalg.fill ins(%zero : f32) outs(%e : tensor<40x140xf32>) -> tensor<40x140xf32>
      %r = linalg.matmul ins(%x, %w : tensor<40x333xf32>, tensor<333x140xf32>) outs(%f : tensor<40x140xf32>) -> tensor<40x140xf32>
      %o = tensor.empty() : tensor<140x40xf32>
      %t = linalg.transpose ins(%r : tensor<40x140xf32>) outs(%o : tensor<140x40xf32>) permutation = [1, 0]
      return %t : tensor<140x40xf32>
    }
  }
  func.func private @call_batches(tensor<4x30x333xf32>, tensor<333x140xf32>, tensor<140xf32>) -> tensor<4x30x140xf32> attributes {hal.entry = @batches::@batches}
  func.func private @call_turned(tensor<40x333xf32>, tensor<333x140xf32>) -> tensor<140x40xf32> attributes {hal.entry = @turned::@turned}
  func.func private @call_halves(tensor<2x333xf32>, tensor<140x333xf16>) -> tensor<2x140xf32> attributes {hal.entry = @halves::@halves}
  func.func private @call_few(tensor<8x333xf32>, tensor<333x140xf32>) -> tensor<8x140xf32> attributes {hal.entry = @few::@few}
  func.func private @call_many(tensor<9x333xf32>, tensor<333x140xf32>) -> tensor<9x140xf32> attributes {hal.entry = @many::@many}
}
