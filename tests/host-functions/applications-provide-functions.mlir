// An application in C registers functions by their address, as a module, or from a library; calls come from several threads at once.
// REQUIRES: libhalyard
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q && clang -Wall -Wextra -Werror -I%include %S/Inputs/embed.c -L%libhalyard -lhalyard -Wl,-rpath,%libhalyard -lpthread -o app
// RUN: ./app ./p.so function | FileCheck %s --check-prefix=FUNCTION
// FUNCTION: 4 8 12 16
// RUN: ./app ./p.so module | FileCheck %s --check-prefix=MODULE
// MODULE: 6 12 18 24
// RUN: ./app ./p.so threads | FileCheck %s --check-prefix=THREADS
// THREADS: 800 calls
// RUN: clang -shared -fPIC -I%include %S/Inputs/search.c -o search.so && not ./app ./p.so library ./search.so | FileCheck %s --check-prefix=LIBRARY
// LIBRARY: the program needs host function `app.scale`, and no module `app` is given; there is `search.above`; `@main` of the program calls `app.scale` as `(tensor<4xf32>) -> tensor<4xf32>`; hint:
// RUN: not ./app ./p.so library ./nowhere.so | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: cannot read `./nowhere.so`: no such file or directory
// RUN: not ./app ./p.so nothing | FileCheck %s --check-prefix=NOTHING
// NOTHING: the program needs host function `app.scale`, and no module is given
// RUN: not ./app ./p.so name | FileCheck %s --check-prefix=NAME
// NAME: `scale` is not a name of a host function; hint: write `module.function`
// RUN: not ./app ./p.so signature | FileCheck %s --check-prefix=SIGNATURE
// SIGNATURE: host function `app.scale` does not have the signature that the program expects; `@main` of the program calls `app.scale` as `(tensor<4xf32>) -> tensor<4xf32>`; the application has it as `(tensor<4xf64>) -> tensor<4xf32>`; argument 0 is
// RUN: not ./app ./p.so twice | FileCheck %s --check-prefix=TWICE
// TWICE: host function `app.scale` is there already
// RUN: not ./app ./p.so null | FileCheck %s --check-prefix=NULL
// NULL: the function is NULL
// A function that calls the instance that calls it; the instance is usable afterwards.
// RUN: ./app ./p.so reenter | FileCheck %s --check-prefix=REENTER
// REENTER: host function `app.scale` failed: the instance is in a call already: a host function, or another thread, must not call it; it is a function of the application
// REENTER-NEXT: 4 8 12 16
// A function that frees the instance that calls it: that happens when the call ends.
// RUN: ./app ./p.so free | FileCheck %s --check-prefix=FREE
// FREE: freed 0
func.func private @scale(tensor<4xf32>) -> tensor<4xf32> attributes {hal.host_function = "app.scale"}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %s = call @scale(%x) : (tensor<4xf32>) -> tensor<4xf32>
  %e = tensor.empty() : tensor<4xf32>
  %y = linalg.add ins(%s, %s : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}
