// A folder that cannot be written is an error; so is dumping what is never made. What one executable lacks is a warning.
// RUN: rm -rf %t && mkdir %t && cd %t && cp %s m.mlir && touch file
// RUN: exits 3 hal-compile m.mlir -o p.so --dump-executable-sources-to=file 2>&1 | FileCheck %s --check-prefix=FILE
// FILE: error: cannot make the folder `file`
// RUN: exits 3 hal-compile m.mlir -o p.so --dump-executable-binaries-to=file/d 2>&1 | FileCheck %s --check-prefix=BELOW
// BELOW: error: cannot make the folder `file/d`
// RUN: exits 3 hal-compile m.mlir -o p.so --dump-executable-files-to=/proc/no 2>&1 | FileCheck %s --check-prefix=PROC
// PROC: error: cannot make the folder `/proc/no`
// RUN: mkdir -p d/main_dispatch_0.mlir && exits 3 hal-compile m.mlir -o p.so --dump-executable-sources-to=d 2>&1 | FileCheck %s --check-prefix=TAKEN
// TAKEN: error: cannot write `d/main_dispatch_0.mlir`
// RUN: mkdir -p o/main_dispatch_0.cpu_x86_64_v3.o && exits 3 hal-compile m.mlir -o p.so --target=cpu:x86-64-v3 --dump-executable-binaries-to=o 2>&1 | FileCheck %s --check-prefix=BINARY
// BINARY: error: cannot write `o/main_dispatch_0.cpu_x86_64_v3.o`
// RUN: not ls p.so
// RUN: exits 2 hal-compile m.mlir -o p.so --dump-executable-sources-to=- 2>&1 | FileCheck %s --check-prefix=DASH
// DASH: error: executables are dumped to a folder, not to standard output
// RUN: exits 2 hal-compile m.mlir --to=executables -o p.mlir --dump-executable-binaries-to=b 2>&1 | FileCheck %s --check-prefix=EARLY
// EARLY: error: `--dump-executable-binaries-to` needs objects, but `--to` stops before they are made
// RUN: exits 2 hal-compile m.mlir --to=input -o p.mlir --dump-executable-files-to=b 2>&1 | FileCheck %s --check-prefix=INPUT
// RUN: exits 2 hal-compile m.mlir --to=input -o p.mlir --dump-executable-files-to=b --dry-run 2>&1 | FileCheck %s --check-prefix=INPUT
// INPUT: error: there are no executables to dump: `--to=input` stops before they are formed

// Dynamic sizes are measured with a size that is told, or that was asked for.
// RUN: hal-compile m.mlir -o p.so --dump-executable-files-to=f 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: warning: `main` takes tensors of dynamic sizes; benchmarks measure it with 16 for each
// RUN: FileCheck %s --check-prefix=SIXTEEN < f/main_dispatch_0.benchmark.mlir
// SIXTEEN: tensor<16xf32>
// RUN: hal-compile m.mlir -o p.so --dump-executable-benchmarks-to=g --dump-executable-benchmarks-size=5 2>&1 | FileCheck %s --check-prefix=ASKED --implicit-check-not=warning
// ASKED: compiled
// RUN: hal-compile -q m.mlir -o p.so --dump-executable-benchmarks-to=h --dump-executable-benchmarks-input=5xf32=random:0 && diff -r g h
func.func @main(%x: tensor<?xf32>) -> tensor<?xf32> {
  %r = math.exp %x : tensor<?xf32>
  return %r : tensor<?xf32>
}
