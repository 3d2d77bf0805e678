// The graph has loops and choices as regions of its nodes, and is drawn as SVG and for Graphviz.
// RUN: rm -rf %t && mkdir %t && cd %t && hal-compile %s -o p.so -q
// RUN: hal-report p.so --no-run -o r.html && %python %S/Inputs/look.py r.html | FileCheck %s
// CHECK: node dispatch main_dispatch_{{.*}} loop 1
// CHECK: node dispatch main_dispatch_{{.*}} if 2
// RUN: hal-report p.so --graph=dot | FileCheck %s --check-prefix=DOT
// DOT: digraph "main" {
// DOT: n0 [label="input 0", tooltip="input 0", shape=ellipse];
// DOT: [label="main_dispatch_{{.*}}", tooltip=
// DOT: n{{[0-9]+}} -> n{{[0-9]+}}
// DOT: }
// RUN: hal-report p.so --graph=svg -o g.svg && %python -c "import xml.dom.minidom as d; s = d.parse('g.svg'); print(len(s.getElementsByTagName('rect')), 'nodes')" | FileCheck %s --check-prefix=SVG
// SVG: {{[5-9]}} nodes

// Inputs of any size need one to be run.
// RUN: exits 2 hal-report p.so -o none.html 2>&1 | FileCheck %s --check-prefix=SIZE
// SIZE: error[unknown-size]: input 0 of `main` is `?x?xf32`: its size is not known
// SIZE: `--no-run` needs no inputs
// RUN: test ! -e none.html
// RUN: hal-report p.so --size=8 --input=1=3 --runs=2 --no-assembly -o sized.html && test -s sized.html
// RUN: exits 2 hal-report p.so --no-run --runs=3 2>&1 | FileCheck %s --check-prefix=RUNS
// RUNS: the argument '--no-run' cannot be used with '--runs <N>'
// RUN: not hal-report %s 2>&1 | FileCheck %s --check-prefix=MLIR
// MLIR: error
func.func @main(%x: tensor<?x?xf32>, %n: index) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f32
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<?x?xf32> {
    %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
    %b = linalg.exp ins(%a : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %b : tensor<?x?xf32>
  }
  %many = arith.cmpi sgt, %n, %c1 : index
  %y = scf.if %many -> tensor<?x?xf32> {
    %e = tensor.empty(%d0, %d1) : tensor<?x?xf32>
    %b = linalg.tanh ins(%r : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
    scf.yield %b : tensor<?x?xf32>
  } else {
    scf.yield %r : tensor<?x?xf32>
  }
  return %y : tensor<?x?xf32>
}
