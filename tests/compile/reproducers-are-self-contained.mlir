// `--reproduce` packs what is needed to run the same compilation elsewhere; it is written even if compiling fails.
// RUN: rm -rf %t && mkdir -p %t/elsewhere && cp %s %t/m.mlir && cd %t
// RUN: hal-compile -q m.mlir -o m.so --fast-math --stage=input:cse --reproduce=r
// RUN: ls r r/inputs | FileCheck %s --check-prefix=FILES
// FILES: inputs
// FILES: pipe.sh
// FILES: run.sh
// FILES: versions.txt
// FILES: m.mlir
// RUN: FileCheck %s --check-prefix=VERSIONS < r/versions.txt
// VERSIONS: hal-compile {{.*}} (LLVM 22
// RUN: FileCheck %s --check-prefix=SCRIPT < r/run.sh
// SCRIPT: hal-compile inputs/m.mlir --stage=input:cse --target=cpu:{{.*}}@{{.*}} -O3 --fast-math -o m.so
// RUN: mv r elsewhere/ && ./elsewhere/r/run.sh && cmp m.so elsewhere/r/m.so
// RUN: rm elsewhere/r/m.so && ./elsewhere/r/pipe.sh && cmp m.so elsewhere/r/m.so
// RUN: hal-compile -q m.mlir -o m.so --reproduce=r.tar && hal-compile -q m.mlir -o m.so --reproduce=s.tar && cmp r.tar s.tar
// RUN: mkdir x && tar -C x -xf r.tar && ./x/reproduce/run.sh && cmp m.so x/reproduce/m.so
// RUN: echo 'not MLIR' > bad.mlir && exits 1 hal-compile -q bad.mlir -o bad.so --reproduce=bad && ls bad/inputs | FileCheck %s --check-prefix=BAD
// BAD: bad.mlir
// Data beside the model are not packed, which is said.
// RUN: sed 's/^func.func @main/ml_program.global private @w(#ml_program.extern : tensor<3xf32>) : tensor<3xf32> {hal.parameter = {archive = "w.safetensors", key = "w"}}\nfunc.func @main/' m.mlir > w.mlir
// RUN: hal-compile w.mlir --to=input --reproduce=w 2>&1 | FileCheck %s --check-prefix=ELSEWHERE
// ELSEWHERE: warning: the model may refer to data in other files, which were not packed
// ELSEWHERE: hint: copy them to the folder `inputs` of `w`
// Files that are stages, pipeline files and what they include, and objects of kernels are packed under their own paths, of a compilation that failed, too.
// RUN: mkdir -p b/st b/lib && cp %S/../stages/Inputs/tile.mlir b/st/ && printf 'pipeline:\n  - pass: cse\n  - include: inner.yaml\n' > b/st/outer.yaml && printf 'pipeline:\n  - pass: canonicalize\n' > b/st/inner.yaml && cp %S/../samples/c-kernel/model.mlir b/ck.mlir
// RUN: clang -O2 -fPIC -I%include -c %S/../samples/c-kernel/rms_norm.c -o b/lib/rms_norm.o
// RUN: cd %t/b && hal-compile ck.mlir -o ck.so --stage=input:outer.yaml --stage-path=st --executable-object-search-path=lib --reproduce=p.tar 2>&1 | FileCheck %s --check-prefix=PACKED --implicit-check-not=warning
// PACKED: compiled 2 executables
// RUN: cd %t/elsewhere && tar -xf ../b/p.tar && ls reproduce/st/outer.yaml reproduce/st/inner.yaml reproduce/lib/rms_norm.o && mv ../b/st ../b/away && ./reproduce/run.sh && cmp ../b/ck.so reproduce/ck.so && rm reproduce/ck.so && ./reproduce/pipe.sh && cmp ../b/ck.so reproduce/ck.so && mv ../b/away ../b/st
// RUN: cd %t/b && exits 2 hal-compile ck.mlir -o no.so --stage=input:st/inner.yaml --stage=input:cze --executable-object-search-path=lib --reproduce=failed 2>/dev/null && ls failed/st/inner.yaml
// What is not below the working folder is named.
// RUN: cd %t && hal-compile b/ck.mlir -o ck.so --executable-object-search-path=%t/b/lib --reproduce=k 2>&1 | FileCheck %s --check-prefix=PATHS
// PATHS: warning: files outside of the working folder were not packed: `{{.*}}/b/lib/rms_norm.o`
// PATHS: hint: they are read from the same paths again
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
