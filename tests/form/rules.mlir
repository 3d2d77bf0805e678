// The rules of the exchange form beyond MLIR's own, each with the message that keeps it.
// RUN: hal-opt %s --split-input-file --verify-diagnostics

module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{executable `@e` in a program of phase `input`}}
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  // expected-error@below {{executable `@e` has no export (a function with `hal.export`)}}
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> { return %x : tensor<4xf32> }
  }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    // expected-error@below {{argument 1 of `@k` has type `vector<4xf32>`; an export takes ranked tensors and scalars}}
    func.func @k(%x: tensor<4xf32>, %v: vector<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
    // expected-error@below {{result 0 of `@l` has type `f32`; an export returns ranked tensors}}
    func.func @l(%x: f32) -> f32 attributes {hal.export} { return %x : f32 }
    // expected-error@below {{result 0 of `@m` is tied to argument 1, which is not a tensor of its type}}
    func.func @m(%x: tensor<4xf32>, %y: tensor<2xf32>) -> (tensor<4xf32> {hal.tied = 1 : i32}) attributes {hal.export} { return %x : tensor<4xf32> }
    // expected-error@below {{result 0 of `@n` has 1 dynamic dimensions; `hal.dims` must name an `index` argument for each}}
    func.func @n(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> attributes {hal.export} { return %x : tensor<?xf32> }
    // expected-error@below {{result 0 of `@o` has 1 dynamic dimensions; `hal.dims` must name an `index` argument for each}}
    func.func @o(%x: tensor<?xf32>, %n: index) -> (tensor<?xf32> {hal.dims = array<i64: 0>}) attributes {hal.export} { return %x : tensor<?xf32> }
    // expected-error@below {{export `@p` is on tensors, and `hal.interface` says another type than it has}}
    func.func @p(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.interface = (tensor<2xf32>) -> tensor<4xf32>} { return %x : tensor<4xf32> }
  }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
    module @a attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {
      // expected-error@below {{export `@k` of variant `@e::@a` was made for another interface: `(tensor<2xf32>) -> tensor<4xf32>` here, `(tensor<4xf32>) -> tensor<4xf32>` in the executable}}
      func.func private @k(tensor<2xf32>) -> tensor<4xf32> attributes {hal.export}
    }
    // expected-error@below {{variant `@e::@b` has no `hal.target`}}
    module @b attributes {hal.variant} {}
  }
  // expected-error@below {{entry `@entry` and export `@e::@k` have different interfaces: `(tensor<4xf32>) -> tensor<8xf32>` and `(tensor<4xf32>) -> tensor<4xf32>`}}
  func.func private @entry(tensor<4xf32>) -> tensor<8xf32> attributes {hal.entry = @e::@k}
  // expected-error@below {{entry `@tied` and export `@ties::@k` have different interfaces: `(tensor<4xf32>) -> tensor<4xf32>` and `(tensor<4xf32>) -> tensor<4xf32>`, result 0 tied to argument 0}}
  func.func private @tied(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @ties::@k}
  module @ties attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.export} { return %x : tensor<4xf32> }
  }
  // expected-error@below {{entry `@none` names executable `@f`, which does not exist}}
  func.func private @none(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @f::@k}
  // expected-error@below {{entry `@export` names export `@l`, which executable `@e` does not have (it has `@k`)}}
  func.func private @export(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@l}
  // expected-error@below {{must name an export, as in `@executable::@export`}}
  func.func private @flat(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e}
  // expected-error@below {{global `@w` is external, but `hal.parameter` does not say which `archive` and `key` hold its data}}
  ml_program.global private @w(#ml_program.extern : tensor<4xf32>) : tensor<4xf32>
  // expected-error@below {{global `@u` of type `tensor<4xf32>` has a value of type `tensor<5xf32>`}}
  ml_program.global private mutable @u(dense<0.0> : tensor<5xf32>) : tensor<4xf32>
  // expected-error@below {{global `@t` of type `tensor<?xf32>` has a value of type `tensor<2x2xf32>`}}
  ml_program.global private mutable @t(dense<0.0> : tensor<2x2xf32>) : tensor<?xf32>
  // expected-error@below {{global `@s` has type `tensor<?xf32>`; only what is mutable may have sizes that change}}
  ml_program.global private @s(dense<0.0> : tensor<2xf32>) : tensor<?xf32>
  ml_program.global private mutable @r : tensor<?xf32> {hal.name = "q"}
  // expected-error@below {{two states are called `q`}}
  ml_program.global private mutable @q : tensor<?xf32>
  // expected-error@below {{`hal.dim_names` of global `@p` is no list of 1 strings, one for each dimension}}
  ml_program.global private mutable @p : tensor<?xf32> {hal.dim_names = []}
}

// -----

module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  // expected-error@below {{executable `@e` has no variant in a program of phase `objects`}}
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
  module @f attributes {hal.executable} {
    func.func @l(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
    // expected-error@below {{variant `@f::@a` lacks export `@l`}}
    // expected-error@below {{variant `@f::@a` has no objects}}
    module @a attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">} {}
    module @b attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@below {{export `@l` of variant `@f::@b` has no workgroup count (`hal.workgroups`)}}
      func.func private @l(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export}
    }
  }
}

// -----

// expected-error@unknown {{unknown phase `baked`}}
// expected-note@unknown {{known phases are `input`, `executables` and `objects`}}
module attributes {hal.phase = "baked", hal.version = 1 : i32} {
}

// -----

module attributes {hal.phase = "objects", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
    // expected-error@below {{variant `@e::@vulkan` is for `vulkan`, which takes `spirv`, and has an object of format `ptx`}}
    module @vulkan attributes {hal.variant, hal.target = #spirv.target_env<#spirv.vce<v1.3, [Shader], []>, api=Vulkan, #spirv.resource_limits<>>, hal.objects = [{format = "ptx", path = "k.ptx"}]} {
      // expected-error@below {{export `@k` of variant `@e::@vulkan` does not declare its workgroup size (`hal.workgroup_size`)}}
      func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @count}
      func.func @count() -> (index, index, index) { %0 = arith.constant 1 : index  return %0, %0, %0 : index, index, index }
    }
    module @other attributes {hal.variant, hal.target = #spirv.target_env<#spirv.vce<v1.3, [Shader], []>, api=Vulkan, #spirv.resource_limits<>>, hal.objects = [{format = "spirv", path = "k.spv"}]} {
      // expected-error@below {{export `@k` of variant `@e::@other` has `hal.shared_memory`, which is for CUDA only}}
      func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @count, hal.workgroup_size = array<i64: 4, 1, 1>, hal.shared_memory = 64 : i64}
      func.func @count() -> (index, index, index) { %0 = arith.constant 1 : index  return %0, %0, %0 : index, index, index }
    }
    module @cuda attributes {hal.variant, hal.target = #nvvm.target<chip = "sm_80">, hal.objects = [{format = "ptx", path = "k.ptx"}]} {
      // expected-error@below {{export `@k` of variant `@e::@cuda`: `hal.workgroup_size` is `array<i64: 4, 0, 1>`, not three positive numbers}}
      func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @count, hal.workgroup_size = array<i64: 4, 0, 1>}
      func.func @count() -> (index, index, index) { %0 = arith.constant 1 : index  return %0, %0, %0 : index, index, index }
    }
    module @cpu attributes {hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, hal.objects = [{format = "elf", path = "k.o"}]} {
      // expected-error@below {{export `@k` of variant `@e::@cpu` has `hal.workgroup_size`, which is for GPUs only}}
      func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.export, hal.workgroups = @count, hal.workgroup_size = array<i64: 4, 1, 1>}
      func.func @count() -> (index, index, index) { %0 = arith.constant 1 : index  return %0, %0, %0 : index, index, index }
    }
  }
}

// -----

// expected-error@below {{`hal.bounds` of the program is `"maybe"`; it is `"check"` or `"trust"`}}
module attributes {hal.phase = "input", hal.version = 1 : i32, hal.bounds = "maybe"} {
  func.func private @fine(i1, index, i8 {hal.unsigned}, bf16) attributes {hal.check = "{0}, {1}, {2} and {{}}"}
  // expected-error@below {{function `@body` has a body and `hal.check`, which is for declarations}}
  func.func @body(%c: i1) attributes {hal.check = "no"} { return }
  // expected-error@below {{check `@none` does not take its condition, an `i1`, as its first argument}}
  func.func private @none() attributes {hal.check = "no"}
  // expected-error@below {{check `@size` does not take its condition, an `i1`, as its first argument}}
  func.func private @size(index, i1) attributes {hal.check = "no"}
  // expected-error@below {{argument 1 of check `@tensor` has type `tensor<4xf32>`; a message takes `index`, integers of up to 64 bits and floats}}
  func.func private @tensor(i1, tensor<4xf32>) attributes {hal.check = "no"}
  // expected-error@below {{argument 2 of check `@wide` has type `i128`; a message takes}}
  func.func private @wide(i1, i64, i128) attributes {hal.check = "no"}
  // expected-error@below {{check `@results` has results; it either returns nothing or fails}}
  func.func private @results(i1) -> index attributes {hal.check = "no"}
  // expected-error@below {{`hal.check` of `@unit` is no string; it is the message of a check that fails}}
  func.func private @unit(i1) attributes {hal.check}
  // expected-error@below {{`hal.check` of `@empty` is empty; it is the message of a check that fails}}
  func.func private @empty(i1) attributes {hal.check = ""}
  // expected-error@below {{a `{` of `{0` is neither doubled nor part of a `{0}`, `{1}`, …}}
  func.func private @brace(i1, index) attributes {hal.check = "{0"}
  // expected-error@below {{`hal.check` of `@range` has `{2}`, but the check gets 2 values}}
  func.func private @range(i1, index, index) attributes {hal.check = "{0} is not {2}"}
  // expected-error@below {{`@both` has `hal.check` and `hal.host_function`; it is either or}}
  func.func private @both(i1) attributes {hal.check = "no", hal.host_function = "m.f"}
}

// -----

#id = affine_map<(d0) -> (d0)>
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  func.func private @check(i1) attributes {hal.check = "no"}
  func.func @main(%x: tensor<4xf32>, %c: i1) -> tensor<4xf32> {
    %r = linalg.generic {indexing_maps = [#id], iterator_types = ["parallel"]} outs(%x : tensor<4xf32>) {
    ^bb0(%a: f32):
      // expected-error@below {{check `@check` is called inside of `linalg.generic`, which runs on a device; only the host program can call it}}
      func.call @check(%c) : (i1) -> ()
      linalg.yield %a : f32
    } -> tensor<4xf32>
    return %r : tensor<4xf32>
  }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    // expected-error@below {{check `@check` is declared in an executable; only the host program can call it}}
    func.func private @check(i1) attributes {hal.check = "no"}
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { return %x : tensor<4xf32> }
  }
}

// -----

module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@+2 {{`hal.dim_names` of argument 0 is no list of 2 strings, one for each dimension}}
  // expected-error@+1 {{`hal.dim_names` of result 0 is no list of 2 strings, one for each dimension}}
  func.func @main(%x: tensor<?x?xf32> {hal.dim_names = ["batch"]}) -> (tensor<?x?xf32> {hal.dim_names = [1, 2]}) { return %x : tensor<?x?xf32> }
  func.func @fine(%x: tensor<?x4xf32> {hal.dim_names = ["batch", ""]}) -> (tensor<?x4xf32>) { return %x : tensor<?x4xf32> }
}

// -----

module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @e attributes {hal.executable} {
    func.func @k(%x: tensor<4xf32>) -> tensor<4xf32> attributes {hal.export} { %r = arith.negf %x : tensor<4xf32> return %r : tensor<4xf32> }
  }
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.entry = @e::@k}
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    // expected-error@below {{`hal.values` is no list of 1 strings on a call, one for each result}}
    %r = call @k(%x) {hal.values = ["a", "b"]} : (tensor<4xf32>) -> tensor<4xf32>
    %s = call @k(%r) {hal.values = ["a"]} : (tensor<4xf32>) -> tensor<4xf32>
    return %s : tensor<4xf32>
  }
}
