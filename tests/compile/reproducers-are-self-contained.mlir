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
// So are objects of kernels and files that are stages.
// RUN: exits 3 hal-compile %S/../kernels/functions-are-linked-in.mlir -o k.so --reproduce=k --stage=input:find.mlir[seq=x] 2>&1 | FileCheck %s --check-prefix=PATHS
// PATHS: warning: files that are named by paths were not packed: objects of the kernels that the model declares, stage `find.mlir[seq=x]`
// PATHS: hint: copy them into `k`, where they are found by the same paths
func.func @main(%x: tensor<3xf32>) -> tensor<3xf32> {
  %r = arith.addf %x, %x : tensor<3xf32>
  return %r : tensor<3xf32>
}
