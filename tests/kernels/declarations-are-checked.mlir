// What is wrong with a declaration is told where it stands, whatever reads the program.
// RUN: hal-opt %s --split-input-file --verify-diagnostics
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{kernel `@k` has no workgroup count (`hal.workgroups`)}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}]}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{kernel `@k` has a workgroup count, but no objects (`hal.objects`)}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{`hal.objects` of `@k` is empty}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{`hal.objects` of `@k` is `"k.o"`, not a list}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = "k.o", hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{`hal.objects` of `@k` has an unknown key `file`}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{file = "k.o"}], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{names the target `"cpu"`; `#llvm.target`, `#spirv.target_env` and `#nvvm.target` are known}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{target = "cpu", path = "k.o"}], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{`hal.workgroups` of `@k` is `array<i64: 0, 1, 1>`; it takes one to three positive numbers}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 0, 1, 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{workgroup count `@n` of kernel `@k` does not exist}}
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = @n}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  func.func private @k(tensor<?xf32>, index) -> (tensor<?xf32> {hal.dims = array<i64: 1>}) attributes {hal.objects = [{path = "k.o"}], hal.workgroups = @n}
  // expected-error@below {{workgroup count `@n` takes `index`; kernel `@k` has 3 constants, each an `index`}}
  func.func private @n(%a: index) -> (index, index, index) {
    return %a, %a, %a : index, index, index
  }
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  func.func private @k(tensor<4xf32>) -> tensor<4xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = @n}
  // expected-error@below {{workgroup count `@n` returns `index`, not three `index`: x, y and z}}
  func.func private @n() -> index {
    %a = arith.constant 1 : index
    return %a : index
  }
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{result 0 of `@k` has 1 dynamic dimensions; `hal.dims` must name an `index` argument for each}}
  func.func private @k(tensor<?xf32>) -> tensor<?xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{result 0 of `@k` is tied to argument 0, which is not a tensor of its type}}
  func.func private @k(tensor<8xf32>) -> (tensor<4xf32> {hal.tied = 0 : i32}) attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{kernel `@k` cannot be imported from a plugin; functions that kernels call can}}
  func.func private @k(tensor<8xf32>) -> tensor<8xf32> attributes {hal.import, hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{`@f` has objects and is imported; it is either or}}
  func.func private @f(f32) -> f32 attributes {hal.import, hal.objects = [{path = "f.o"}]}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-note@below {{see existing symbol definition here}}
  func.func private @k(tensor<8xf32>) -> tensor<8xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
  // expected-error@below {{redefinition of symbol named 'k'}}
  func.func private @k(tensor<8xf32>) -> tensor<8xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  // expected-error@below {{kernel `@k` is declared in a program of phase `executables`; `hal-import` makes executables of kernels}}
  func.func private @k(tensor<8xf32>) -> tensor<8xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = array<i64: 1>}
}
// -----
module attributes {hal.phase = "input", hal.version = 1 : i32} {
  // expected-error@below {{argument 0 of `@k` has type `tensor<*xf32>`; an export takes ranked tensors and scalars}}
  func.func private @k(tensor<*xf32>) -> tensor<8xf32> attributes {hal.objects = [{path = "k.o"}], hal.workgroups = @n}
  func.func private @n() -> (index, index, index) {
    %a = arith.constant 1 : index
    return %a, %a, %a : index, index, index
  }
}
