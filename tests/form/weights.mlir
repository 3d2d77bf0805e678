// Which arguments are weights, and which ones a variant takes packed, must fit the interface and the calls.
// RUN: hal-opt %s --split-input-file --verify-diagnostics

module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<1x4x8x8xf32>, %w: tensor<8x4x3x3xf32> {hal.weight}, %b: tensor<8x4x3x3xf32>, %n: index) -> tensor<1x4x8x8xf32> attributes {hal.export} { return %x : tensor<1x4x8x8xf32> }
    module @right attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      func.func private @k(tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>, index) -> tensor<1x4x8x8xf32> attributes {hal.export, hal.workgroups = @n, hal.packed = [{argument = 1 : i32, layout = "winograd2"}]}
      func.func private @n(%a: index) -> (index, index, index) { return %a, %a, %a : index, index, index }
    }
    module @unknown attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@below {{`hal.packed` of export `@k` of variant `@e::@unknown`: unknown layout `winograd` (did you mean `winograd2`, `winograd2_words` or `winograd4`?); there are `winograd2`, `winograd4`, `winograd2_words`, `filter_blocks`, `channels_last`, `byte_blocks`, `byte_tap_blocks`, `byte_row_panels`, `byte_column_panels`}}
      func.func private @k(tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>, index) -> tensor<1x4x8x8xf32> attributes {hal.export, hal.workgroups = @n, hal.packed = [{argument = 1 : i32, layout = "winograd"}]}
      func.func private @n(%a: index) -> (index, index, index) { return %a, %a, %a : index, index, index }
    }
    module @many attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@+4 {{layout `channels_last` is not for argument 1 of type `tensor<8x4x3x3xf32>`}}
      // expected-error@+3 {{argument 2 of the source is no weight (`hal.weight`)}}
      // expected-error@+2 {{argument 3 is no tensor argument}}
      // expected-error@+1 {{argument 9 is no tensor argument}}
      func.func private @k(tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>, index) -> tensor<1x4x8x8xf32> attributes {hal.export, hal.workgroups = @n, hal.packed = [{argument = 1, layout = "channels_last"}, {argument = 2, layout = "winograd2"}, {argument = 3, layout = "winograd2"}, {argument = 9, layout = "winograd2"}]}
      func.func private @n(%a: index) -> (index, index, index) { return %a, %a, %a : index, index, index }
    }
    module @twice attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@below {{`hal.packed` of export `@k` of variant `@e::@twice`: argument 1 has two layouts}}
      func.func private @k(tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>, index) -> tensor<1x4x8x8xf32> attributes {hal.export, hal.workgroups = @n, hal.packed = [{argument = 1, layout = "winograd2"}, {argument = 1, layout = "winograd4"}]}
      func.func private @n(%a: index) -> (index, index, index) { return %a, %a, %a : index, index, index }
    }
    module @malformed attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@below {{`{argument = 1 : i64}` does not say `argument` and `layout`, like `[{argument = 1 : i32, layout = "winograd2"}]`}}
      func.func private @k(tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>, index) -> tensor<1x4x8x8xf32> attributes {hal.export, hal.workgroups = @n, hal.packed = [{argument = 1}]}
      func.func private @n(%a: index) -> (index, index, index) { return %a, %a, %a : index, index, index }
    }
    module @unlisted attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@below {{it is `"winograd2"`, not a list like `[{argument = 1 : i32, layout = "winograd2"}]`}}
      func.func private @k(tensor<1x4x8x8xf32>, tensor<8x4x3x3xf32>, tensor<8x4x3x3xf32>, index) -> tensor<1x4x8x8xf32> attributes {hal.export, hal.workgroups = @n, hal.packed = "winograd2"}
      func.func private @n(%a: index) -> (index, index, index) { return %a, %a, %a : index, index, index }
    }
  }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  // expected-error@below {{argument 0 of `@no_export` has `hal.weight`, and the function is no export}}
  func.func private @no_export(tensor<4xf32> {hal.weight})
  module @e attributes {hal.executable} {
    // expected-error@+2 {{argument 1 of `@k` has `hal.weight` and type `tensor<?xf32>`; a weight is a tensor of known sizes}}
    // expected-error@+1 {{argument 2 of `@k` has `hal.weight` and type `index`; a weight is a tensor of known sizes}}
    func.func @k(%x: tensor<4xf32> {hal.weight}, %y: tensor<?xf32> {hal.weight}, %n: index {hal.weight}) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
    module @v attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {
      // expected-error@below {{`hal.packed` of export `@k` of variant `@e::@v`: its body is on tensors, and takes arguments as the model has them}}
      func.func @k(%x: tensor<4xf32>, %y: tensor<?xf32>, %n: index) -> tensor<4xf32> attributes {hal.export, hal.packed = []} { return %x : tensor<4xf32> }
    }
  }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32> {hal.weight}) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  ml_program.global private @w(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
  ml_program.global private mutable @state(dense<1.0> : tensor<4xf32>) : tensor<4xf32>
  func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
    %w = ml_program.global_load_const @w : tensor<4xf32>
    %fine = call @k(%w) : (tensor<4xf32>) -> tensor<4xf32>
    // expected-error@below {{argument 0 of `@k` is a weight (`hal.weight`), and this call does not pass the value of a constant global}}
    %r = call @k(%x) : (tensor<4xf32>) -> tensor<4xf32>
    %s = ml_program.global_load @state : tensor<4xf32>
    // expected-error@below {{argument 0 of `@k` is a weight (`hal.weight`), and this call does not pass the value of a constant global}}
    %t = call @k(%s) : (tensor<4xf32>) -> tensor<4xf32>
    return %fine, %r, %t : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
  }
}
