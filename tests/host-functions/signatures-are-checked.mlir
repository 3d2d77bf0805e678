// What a module has is compared with what a program calls when the program is loaded: missing functions, other types, other versions.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s | hal-translate | hal-link -o p.so && clang -O2 -shared -fPIC -I%include %S/Inputs/search.c -o search.so
// RUN: exits 3 hal-run p.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error[missing-host-function]: the program needs host function `search.above`, and no module is given
// NONE: note: `@main` of the program calls `search.above` as `(tensor<?xf32>, f32) -> (tensor<?xf32>, i64)`
// NONE: hint: name the library that has it: `--module=FILE.so`
// RUN: exits 3 hal-benchmark p.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=NONE

// RUN: clang -shared -fPIC -I%include -DNAME='"abov"' %S/Inputs/search.c -o near.so && exits 3 hal-run p.so --module=near.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error[missing-host-function]: the program needs host function `search.above`, which `near.so` does not have
// NEAR: note: there is `search.abov`

// RUN: clang -shared -fPIC -I%include '-DSIGNATURE="(tensor<?xf64>, f32) -> (tensor<?xf32>, index)"' %S/Inputs/search.c -o type.so && exits 1 hal-run p.so --module=type.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: error[host-signature]: host function `search.above` does not have the signature that the program expects
// TYPE: note: `@main` of the program calls `search.above` as `(tensor<?xf32>, f32) -> (tensor<?xf32>, i64)`
// TYPE: note: `type.so` has it as `(tensor<?xf64>, f32) -> (tensor<?xf32>, i64)`
// TYPE: note: argument 0 is `tensor<?xf32>` in the program, `tensor<?xf64>` in the module
// A function for one size cannot take all sizes; one of another rank, or with another number of results, is another function.
// RUN: clang -shared -fPIC -I%include '-DSIGNATURE="(tensor<4xf32>, f32) -> (tensor<?xf32>, index)"' %S/Inputs/search.c -o size.so && exits 1 hal-run p.so --module=size.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: note: argument 0 is `tensor<?xf32>` in the program, `tensor<4xf32>` in the module
// RUN: clang -shared -fPIC -I%include '-DSIGNATURE="(tensor<?xf32>, f32) -> (tensor<?x?xf32>, index)"' %S/Inputs/search.c -o rank.so && exits 1 hal-run p.so --module=rank.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=RANK
// RANK: note: result 0 is `tensor<?xf32>` in the program, `tensor<?x?xf32>` in the module
// RUN: clang -shared -fPIC -I%include '-DSIGNATURE="(tensor<?xf32>, f32) -> tensor<?xf32>"' %S/Inputs/search.c -o count.so && exits 1 hal-run p.so --module=count.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=COUNT
// COUNT: note: the program has 2 results, the module 1
// More general is fine.
// RUN: clang -shared -fPIC -I%include '-DSIGNATURE="(tensor<*xany>, any) -> (tensor<*xf32>, i64)"' %S/Inputs/search.c -o general.so && hal-run p.so --module=general.so --input=8xf32=3 --expect=8xf32=3

// Versions: of the module, if the program says one, and of what modules are.
// RUN: sed 's/hal.host_function = "search.above"/&, hal.module_version = 2 : i32/' %s | hal-compile - -o v2.so -q && exits 1 hal-run v2.so --module=search.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error[wrong-module-version]: the program needs version 2 of module `search`, `search.so` is version 1
// VERSION: note: `@main` of the program calls `search.above`
// RUN: clang -shared -fPIC -I%include -DVERSION=2 %S/Inputs/search.c -o two.so && hal-run v2.so --module=two.so --input=8xf32=3 --expect=8xf32=3 && hal-run v2.so --list | FileCheck %s --check-prefix=LIST
// LIST: search.above(tensor<?xf32>, f32) -> (tensor<?xf32>, i64), version 2, called by main

// Two modules with the function; one that is of no use.
// RUN: exits 1 hal-run p.so --module=search.so --module=two.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error[duplicate-host-function]: host function `search.above` is in two host libraries: `search.so` and `two.so`
// RUN: hal-run p.so --module=search.so --module=near.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: warning[idle-module]: module `near.so` defines no function that the program calls

// A program that lacks functions can be looked at.
// RUN: hal-run p.so --list | FileCheck %s --check-prefix=LOOK
// LOOK: search.above
func.func private @above(tensor<?xf32>, f32) -> (tensor<?xf32>, index) attributes {hal.host_function = "search.above"}
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %two = arith.constant 2.0 : f32
  %a:2 = call @above(%x, %two) : (tensor<?xf32>, f32) -> (tensor<?xf32>, index)
  return %a#0 : tensor<?xf32>
}
