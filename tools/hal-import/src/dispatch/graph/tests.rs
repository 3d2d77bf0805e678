use super::{Edge, Graph, Uses};
use halyard_ir::{Op, Session, form::Program};
use proptest::prelude::*;
use std::collections::{BTreeSet, HashMap};

/// Groups of single operations with edges between them, and no operations.
fn bare(n: usize, edges: &[(usize, usize)]) -> Graph {
    let mut graph = Graph {
        ops: Vec::new(),
        structures: Vec::new(),
        number: HashMap::new(),
        uses: Uses::default(),
        group: (0..n).collect(),
        members: (0..n).map(|i| vec![i]).collect(),
        place: (0..n).collect(),
        before: vec![Vec::new(); n],
        after: vec![Vec::new(); n],
    };
    for &(a, b) in edges {
        graph.after[a].push(b);
        graph.before[b].push(a);
    }
    graph
}

/// The same by looking everywhere.
fn has_detour_anywhere(graph: &Graph, from: usize, to: usize) -> bool {
    let mut seen = BTreeSet::from([from]);
    let mut stack: Vec<usize> = graph.next(from).filter(|g| *g != to).collect();
    while let Some(g) = stack.pop() {
        if g == to {
            return true;
        }
        if seen.insert(g) {
            stack.extend(graph.next(g));
        }
    }
    false
}

proptest! {
    #[test]
    fn detours_are_found_between_two_places(
        edges in prop::collection::btree_set((0usize..14, 0usize..14), 0..40),
        merges in prop::collection::vec((0usize..14, 0usize..14), 0..12),
    ) {
        let edges: Vec<_> = edges.into_iter().filter(|(a, b)| a < b).collect();
        let mut graph = bare(14, &edges);
        for (a, b) in merges {
            let (from, into) = (graph.group[a], graph.group[b]);
            if from == into || has_detour_anywhere(&graph, from, into) || has_detour_anywhere(&graph, into, from) {
                continue;
            }
            graph.merge(from, into);
            let live: Vec<usize> = (0..14).filter(|g| !graph.members[*g].is_empty()).collect();
            for &g in &live {
                prop_assert!(graph.next(g).all(|n| graph.place[g] < graph.place[n]), "{:?}", graph.place);
            }
            prop_assert_eq!(graph.place.iter().collect::<BTreeSet<_>>().len(), 14, "{:?}", graph.place);
            for (&from, &to) in live.iter().flat_map(|a| live.iter().map(move |b| (a, b))).filter(|(a, b)| a != b) {
                prop_assert_eq!(graph.has_detour(from, to), has_detour_anywhere(&graph, from, to), "{} to {}", from, to);
            }
        }
    }
}

const DIAMOND: &str = "
    func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
      %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      %b = tensor.cast %a : tensor<4xf32> to tensor<?xf32>
      %c = tensor.cast %b : tensor<?xf32> to tensor<4xf32>
      %d = linalg.add ins(%a, %c : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
      return %d : tensor<4xf32>
    }";

fn with_graph(text: &str, check: impl FnOnce(Graph)) {
    let session = Session::new();
    let module = session.parse(text.as_bytes(), "test").unwrap();
    let function = (Program { op: Op::from(&module) }).functions()[0];
    check(Graph::of(function.body().unwrap()));
}

#[test]
fn a_way_through_the_host_is_a_detour() {
    with_graph(DIAMOND, |graph| {
        assert!(graph.has_detour(0, 3));
        assert!(!graph.has_detour(0, 1));
        assert!(!graph.only_used_by(0, 3));
        assert_eq!(graph.producers(3), vec![0]);
    });
}

#[test]
fn groups_come_after_what_they_need() {
    with_graph(DIAMOND, |mut graph| {
        graph.merge(1, 2);
        assert_eq!(graph.order(), vec![0, 2, 3]);
    });
}

#[test]
fn state_is_read_and_written_in_order() {
    let text = "
        ml_program.global private mutable @s(dense<0.0> : tensor<f32>) : tensor<f32>
        func.func @f(%x: tensor<f32>) -> tensor<f32> {
          %a = ml_program.global_load @s : tensor<f32>
          ml_program.global_store @s = %x : tensor<f32>
          %b = ml_program.global_load @s : tensor<f32>
          return %b : tensor<f32>
        }";
    with_graph(text, |graph| assert_eq!(graph.order(), vec![0, 1, 2]));
}

#[test]
fn edges_are_uses_by_operands() {
    with_graph(DIAMOND, |mut graph| {
        let places = |edges: Vec<Edge>| edges.iter().map(|e| (e.from, e.result, e.to, e.operand)).collect::<Vec<_>>();
        assert_eq!(graph.edges(0, 3).map(places), Some(vec![(0, 0, 3, 0)]));
        assert_eq!(graph.edges(0, 2).map(places), Some(vec![]));
        graph.merge(2, 0);
        assert_eq!(graph.edges(0, 3).map(places), Some(vec![(0, 0, 3, 0), (2, 0, 3, 1)]));
        // What the function returns leaves the block.
        assert!(!graph.only_used_by(3, 0));
    });
}

#[test]
fn values_that_regions_capture_have_no_edges() {
    let text = r#"
        func.func @f(%x: tensor<4xf32>, %e: tensor<4xf32>) -> tensor<4xf32> {
          %a = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
          %b = linalg.generic {
            indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>],
            iterator_types = ["parallel"]
          } ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) {
          ^bb0(%in: f32, %out: f32):
            %i = linalg.index 0 : index
            %v = tensor.extract %a[%i] : tensor<4xf32>
            %s = arith.addf %in, %v : f32
            linalg.yield %s : f32
          } -> tensor<4xf32>
          return %b : tensor<4xf32>
        }"#;
    with_graph(text, |graph| {
        assert!(graph.edges(0, 1).is_none());
        assert!(graph.only_used_by(0, 1));
        assert_eq!(graph.producers(1), vec![0]);
    });
}
