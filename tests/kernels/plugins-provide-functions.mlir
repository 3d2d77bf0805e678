// Functions that are imported come from plugins when the program is loaded; what is missing is named, with who needs it.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-import %s | hal-translate -o o.mlir && FileCheck %s < o.mlir && hal-link o.mlir -o p.so
// CHECK: hal.imports = ["squash"]
// RUN: clang -O2 -shared -fPIC -I%include %S/Inputs/plugin.c -o plugin.so -lm
// RUN: hal-run p.so --executable-plugin=plugin.so --input=8xf32=3 --expect=8xf32=0.75
// A library that knows nothing of us, an absolute path.
// RUN: clang -O2 -shared -fPIC %S/Inputs/squash.c -o plain.so -lm
// RUN: hal-run p.so --executable-plugin=%t/plain.so --input=8xf32=3 --expect=8xf32=0.75
// RUN: hal-benchmark p.so --executable-plugin=plain.so --runs=1 --min-time=0 | FileCheck %s --check-prefix=BENCH
// BENCH: main
// RUN: hal-run p.so --list | FileCheck %s --check-prefix=LIST
// LIST: functions of plugins:
// LIST-NEXT: squash, called by main_dispatch_0

// RUN: exits 3 hal-run p.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: error[missing-import]: the program needs function `squash` from plugins, and no plugin is given
// NONE: note: `squash` is called by executable `main_dispatch_0`
// NONE: hint: name the library that has them: `--executable-plugin=FILE.so`
// RUN: clang -O2 -shared -fPIC -DWITHOUT -I%include %S/Inputs/plugin.c -o without.so
// RUN: exits 3 hal-run p.so --executable-plugin=without.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=WITHOUT
// WITHOUT: error[missing-import]: the program needs function `squash` from plugins, which `without.so` does not export
// WITHOUT: note: `without.so` has `squish`
// Two plugins with one function: which one is meant is not for us to say.
// RUN: exits 1 hal-run p.so --executable-plugin=plugin.so --executable-plugin=plain.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error[duplicate-import]: function `squash` is in two kernel libraries: `plugin.so` and `plain.so`
// A plugin that is of no use.
// RUN: hal-run p.so --executable-plugin=plugin.so --executable-plugin=without.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=IDLE
// IDLE: warning[idle-plugin]: plugin `without.so` defines no function that the program needs
// RUN: clang -O2 -shared -fPIC -DVERSION=7 -I%include %S/Inputs/plugin.c -o version.so -lm
// RUN: exits 1 hal-run p.so --executable-plugin=version.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=VERSION
// VERSION: error[bad-plugin]: plugin `version.so` was made for version 7 of plugins, this runtime has version 1
// RUN: exits 3 hal-run p.so --executable-plugin=nowhere.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=NOWHERE
// NOWHERE: error[bad-plugin]: cannot read `nowhere.so`: no such file or directory
// RUN: exits 1 hal-run p.so --executable-plugin=o.mlir --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=MLIR
// MLIR: error[bad-plugin]: plugin `o.mlir` is no shared library
// RUN: clang -c %S/Inputs/squash.c -o squash.o && exits 1 hal-run p.so --executable-plugin=squash.o --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=OBJECT
// OBJECT: error[bad-plugin]: plugin `squash.o` is an ELF file, but no shared library
// RUN: head -c 400 plugin.so > cut.so && exits 1 hal-run p.so --executable-plugin=cut.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=CUT
// CUT: error[bad-plugin]: plugin `cut.so` is damaged
// RUN: echo 'float nobody(float); float squash(float x) { return nobody(x); }' | clang -x c - -shared -fPIC -o needs.so
// RUN: exits 3 hal-run p.so --executable-plugin=needs.so --input=8xf32=3 2>&1 | FileCheck %s --check-prefix=NEEDS
// NEEDS: error[bad-plugin]: plugin `needs.so` cannot be loaded: {{.*}}undefined symbol: nobody

// Only what is declared may be left open.
// RUN: sed 's/hal.imports = ."squash".,//' o.mlir > undeclared.mlir && exits 1 hal-link undeclared.mlir -o q.so 2>&1 | FileCheck %s --check-prefix=UNDECLARED
// UNDECLARED: error[undefined-symbol]: undefined symbol `squash`, needed by variant
// UNDECLARED: declare a function of a kernel library with `hal.import`
// An object that has the function makes the plugin superfluous.
// RUN: clang -O2 -fPIC -c %S/Inputs/squash.c -o squash.o && hal-link o.mlir squash.o -o own.so && hal-run own.so --input=8xf32=3 --expect=8xf32=0.75
#v = affine_map<(d0) -> (d0)>
func.func private @squash(f32) -> f32 attributes {hal.import}
func.func @main(%x: tensor<8xf32>) -> tensor<8xf32> {
  %e = tensor.empty() : tensor<8xf32>
  %a = linalg.generic {indexing_maps = [#v, #v], iterator_types = ["parallel"]} ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) {
  ^bb0(%i: f32, %o: f32):
    %v = func.call @squash(%i) : (f32) -> f32
    linalg.yield %v : f32
  } -> tensor<8xf32>
  return %a : tensor<8xf32>
}
