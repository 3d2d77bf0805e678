// Objects that are missing, damaged, for another machine or without the kernel are refused by the import.
// RUN: rm -rf %t && mkdir -p %t/folder.o && cd %t && clang -O2 -fPIC -I%include -c %S/Inputs/kernels.c -o kernels.o && echo rubbish > rubbish.o && touch empty.o
// RUN: clang -O2 -fPIC -I%include --target=aarch64-linux-gnu -ffreestanding -c %S/Inputs/kernels.c -o arm.o
// RUN: clang -O2 -fPIC -I%include -x c++ -c %S/Inputs/kernels.c -o cpp.o && clang -shared -fPIC %S/Inputs/dot.c -o shared.o

// RUN: exits 3 hal-import %s 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error[missing-object]: object `WHICH.o` of `@matmul` cannot be found
// MISSING-NEXT: --> {{.*}}objects-are-checked.mlir:[[@LINE+34]]:1
// MISSING: note: looked for `WHICH.o`
// MISSING: hint: paths are relative to the working directory; `--object-path=FOLDER` names further folders
// RUN: exits 3 hal-import %s --object-path=/nowhere 2>&1 | FileCheck %s --check-prefix=FOLDERS
// FOLDERS: note: looked for `WHICH.o`, `/nowhere/WHICH.o`
// RUN: sed s/WHICH/folder/ %s | exits 3 hal-import 2>&1 | FileCheck %s --check-prefix=FOLDER
// FOLDER: object `folder.o` of `@matmul` is a folder
// RUN: sed s/WHICH/rubbish/ %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=RUBBISH
// RUBBISH: error[bad-object]: object `rubbish.o` of `@matmul`: this is {{.*}}, not an ELF object
// RUN: sed s/WHICH/empty/ %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error[bad-object]: object `empty.o` of `@matmul`: this is {{.*}}empty
// RUN: sed s/WHICH/shared/ %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=SHARED
// SHARED: error[bad-object]: object `shared.o` of `@matmul`: this is a{{.*}} shared object
// RUN: sed s/WHICH/cpp/ %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=CPP
// CPP: error[missing-symbol]: no object of `@matmul` defines the function `matmul`
// CPP: hint: declare it `extern "C"`
// RUN: sed 's/WHICH/kernels/; s/@matmul/@matmult/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=NEAR
// NEAR: error[missing-symbol]: no object of `@matmult` defines the function `matmult`
// NEAR: note: they define `add`, `matmul`, `scale`, `which`
// NEAR: hint: did you mean `matmul`?
// RUN: sed 's/WHICH/arm/; s/{path/{target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64">, path/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=ARM
// ARM: error[wrong-architecture]: the objects of `@matmul` are for `aarch64`, their target is for `x86_64`
// RUN: sed 's/WHICH.o"}/kernels.o"}, {path = "kernels.o"}/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=TWICE
// TWICE: error[bad-declaration]: kernel `@matmul` has two entries for the target
// RUN: sed 's/WHICH.o"/kernels.o", hash = "00"/' %s | exits 1 hal-import 2>&1 | FileCheck %s --check-prefix=HASH
// HASH: error[wrong-object]: object `kernels.o` of `@matmul` has an unexpected hash: `{{[0-9a-f]*}}` instead of `00`
// What an object calls must be somewhere; who needs it is named.
// RUN: sed 's/WHICH/kernels/' %s | hal-import | hal-translate -o p.mlir && exits 1 hal-link p.mlir -o p.so 2>&1 | FileCheck %s --check-prefix=UNDEFINED
// UNDEFINED: error[undefined-symbol]: undefined symbol `dot`, needed by variant `cpu_x86_64` of executable `matmul_kernel`
// Only objects for another architecture than the rest of the program.
// RUN: sed 's/WHICH/arm/' %s | hal-import | exits 1 hal-translate 2>&1 | FileCheck %s --check-prefix=FOREIGN
// FOREIGN: error[no-source]: executable `@matmul_kernel` has no source and no objects for all of the targets
// FOREIGN: note: it has objects for `cpu:generic@aarch64-unknown-linux-gnu`
// REQUIRES: x86
func.func private @matmul(tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32> attributes {
  hal.objects = [{path = "WHICH.o"}], hal.workgroups = array<i64: 4>}
func.func @main(%a: tensor<4x8xf32>, %b: tensor<8x16xf32>) -> tensor<4x16xf32> {
  %r = call @matmul(%a, %b) : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
  return %r : tensor<4x16xf32>
}
