use super::{Graph, Kind, Tensors, Unsupported};
use crate::MachineModel;
use crate::analysis::access::{NEST, Stride, Sym, stride};
use halyard_ir::{Op, Session};
use std::collections::BTreeSet;

/// What `read` makes of the only function of a module, and whether the module is as it was.
fn read(text: &str, target: &MachineModel) -> Result<String, String> {
    let session = Session::new();
    let module = session.parse(text.as_bytes(), "test").expect("the test's module parses");
    let func = Op::from(&module).body().expect("a module has a body").ops()[0];
    let before = Op::from(&module).to_string();
    let graph =
        Graph::read(func).and_then(|g| g.check(target).map(|()| g.to_string())).map_err(|Unsupported(reason)| reason);
    assert_eq!(Op::from(&module).to_string(), before, "reading changes nothing");
    graph
}

/// The lines of a graph without the spaces before them.
fn lines(text: &str) -> Vec<&str> {
    text.lines().map(str::trim).filter(|l| !l.is_empty()).collect()
}

#[test]
fn sizes_are_symbols() {
    let graph = read(
        r#"func.func @f(%x: tensor<?x?x4xf32>, %b: f32) -> tensor<?xf32> {
            %flat = tensor.collapse_shape %x [[0, 1, 2]] : tensor<?x?x4xf32> into tensor<?xf32>
            %c0 = arith.constant 0 : index
            %n = tensor.dim %flat, %c0 : tensor<?xf32>
            %e = tensor.empty(%n) : tensor<?xf32>
            %r = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>, affine_map<(i) -> (i)>],
                iterator_types = ["parallel"]} ins(%flat, %b : tensor<?xf32>, f32) outs(%e : tensor<?xf32>) {
            ^bb0(%a: f32, %c: f32, %o: f32):
                %s = arith.addf %a, %c : f32
                linalg.yield %s : f32
            } -> tensor<?xf32>
            return %r : tensor<?xf32>
        }"#,
        &MachineModel::default(),
    );
    let expected = "
        n0 = argument 0
        n1 = argument 1
        n2 = n1 * 4
        t0 : f32[n0, n1, 4] = binding 0, strides [n2, 4, 1]
        n3 = argument 2
        x0 = argument 3 : f32
        n4 = (n0) * (n1)
        n5 = n4 * 4
        t1 : f32[n5] = collapse t0, groups [[0, 1, 2]]
        x1 = constant 0 : index
        x2 = size n5
        n6 = x2
        t2 : f32[n6] = empty
        node 0: loops [n5], reductions []
        in t1 at [d0]
        in x0 at []
        out t2 at [d0]
        body arith.addf, linalg.yield
        t3 : f32[n6] = result 0 of node 0
        return t3";
    assert_eq!(lines(&graph.unwrap()), lines(expected));
}

#[test]
fn known_sizes_are_computed() {
    let graph = read(
        r#"func.func @f(%x: tensor<2x3xf32>) -> tensor<2x8xf32> {
            %z = arith.constant 0.0 : f32
            %p = tensor.pad %x low[0, 2] high[0, 3] {
            ^bb0(%i: index, %j: index):
                tensor.yield %z : f32
            } : tensor<2x3xf32> to tensor<2x8xf32>
            return %p : tensor<2x8xf32>
        }"#,
        &MachineModel::vulkan(),
    );
    let expected = "
        t0 : f32[2, 3] = binding 0, strides [3, 1]
        x0 = constant 0.000000e+00 : f32
        t1 : f32[2, 8] = pad t0, low [0, 2], by tensor.yield
        return t1";
    assert_eq!(lines(&graph.unwrap()), lines(expected));
}

#[test]
fn what_the_function_does_beyond_a_graph_is_refused() {
    let refused = |body: &str, target: &MachineModel| {
        let text = format!("func.func @f(%x: tensor<20000xf32>) -> tensor<20000xf32> {{ {body} }}");
        read(&text, target).unwrap_err()
    };
    let reverse = "%r = tensor.reshape %x(%s) : (tensor<20000xf32>, tensor<1xindex>) -> tensor<20000xf32>";
    let shape = "%s = arith.constant dense<20000> : tensor<1xindex>";
    let text = format!("{shape} {reverse} return %r : tensor<20000xf32>");
    assert_eq!(refused(&text, &MachineModel::default()), "`tensor.reshape`");
    let numbers: Vec<String> = (0..20000).map(|n| format!("{n}.0")).collect();
    let text = format!(
        "%c = arith.constant dense<[{}]> : tensor<20000xf32> return %c : tensor<20000xf32>",
        numbers.join(", ")
    );
    assert_eq!(
        refused(&text, &MachineModel::vulkan()),
        "a constant of 20000 elements (code for Vulkan holds 16384 at most)"
    );
}

#[test]
fn only_bodies_that_are_computed_are_checked() {
    let generic = |result: &str| {
        format!(
            r#"func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {{
                %r = linalg.generic {{indexing_maps = [affine_map<(i) -> (i)>], iterator_types = ["parallel"]}}
                    outs(%x : tensor<4xf32>) {{
                ^bb0(%o: f32):
                    %yes = arith.constant true
                    %s = scf.if %yes -> f32 {{ scf.yield %o : f32 }} else {{ scf.yield %o : f32 }}
                    linalg.yield %s : f32
                }} -> tensor<4xf32>
                return {result} : tensor<4xf32>
            }}"#
        )
    };
    assert_eq!(read(&generic("%r"), &MachineModel::default()).unwrap_err(), "`scf.if` in a body");
    assert!(read(&generic("%x"), &MachineModel::default()).is_ok());
}

#[test]
fn accesses_are_analysed_without_a_kernel() {
    let text = r#"func.func @f(%a: tensor<?x64xf32>, %b: tensor<64x32xf32>, %c: tensor<?x32xf32>) -> tensor<?x32xf32> {
        %r = linalg.generic {
            indexing_maps = [affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, affine_map<(i, j, k) -> (i, j)>],
            iterator_types = ["parallel", "parallel", "reduction"]
        } ins(%a, %b : tensor<?x64xf32>, tensor<64x32xf32>) outs(%c : tensor<?x32xf32>) {
        ^bb0(%x: f32, %y: f32, %s: f32):
            %p = arith.mulf %x, %y : f32
            %t = arith.addf %s, %p : f32
            linalg.yield %t : f32
        } -> tensor<?x32xf32>
        return %r : tensor<?x32xf32>
    }"#;
    let session = Session::new();
    let module = session.parse(text.as_bytes(), "test").expect("the test's module parses");
    let func = Op::from(&module).body().expect("a module has a body").ops()[0];
    let graph = Graph::read(func).expect("it is a graph");
    let root = graph.id(graph.returned[0]).expect("the result is a tensor");
    let must_materialize = BTreeSet::new();
    let Graph { tensors, nodes, tensor_of, .. } = &graph;
    let all = Tensors { tensors, nodes, tensor_of, must_materialize: &must_materialize };
    let uses = all.uses(root, vec![Sym::var((NEST, 0)), Sym::var((NEST, 1))], &must_materialize);
    let strides = |binding: usize| {
        let found = uses.iter().find(|u| u.id == binding).expect("the operand is read");
        let Kind::Memory(memory) = &graph.tensors[binding].kind else { panic!("it is in memory") };
        [(NEST, 0), (NEST, 1), (0, 2)].map(|var| stride(memory, &found.idx, var))
    };
    assert_eq!(strides(0), [Stride::Known(64), Stride::Known(0), Stride::Known(1)]);
    assert_eq!(strides(1), [Stride::Known(0), Stride::Known(1), Stride::Known(32)]);
    assert_eq!(uses.iter().filter(|u| u.inside == [0]).count(), 2, "the factors are read inside the sum");
}
