//! Assumptions of programs about sizes that are known only at run time.
use super::*;

fn named(name: &str, node: NodeProto) -> NodeProto {
    NodeProto { name: Some(name.into()), ..node }
}

/// An input whose sizes have these names, or are numbers.
fn input(name: &str, sizes: &[&str]) -> ValueInfo {
    let mut made = info(name, FLOAT, &vec![None; sizes.len()]);
    let shape = made.ty.as_mut().and_then(|t| t.tensor.as_mut()).and_then(|t| t.shape.as_mut()).expect("a shape");
    for (d, size) in shape.dim.iter_mut().zip(sizes) {
        d.value = Some(size.parse().map_or_else(|_| DimensionValue::Name((*size).into()), DimensionValue::Size));
    }
    made
}

fn graph(inputs: Vec<ValueInfo>, initializer: Vec<TensorProto>, node: Vec<NodeProto>, rank: usize) -> Model {
    model(Graph {
        input: inputs,
        output: vec![info("y", FLOAT, &vec![None; rank])],
        initializer,
        node,
        ..Default::default()
    })
}

fn checks(text: &str) -> Vec<&str> {
    text.lines().filter_map(|l| l.split_once("hal.check = ")).map(|(_, l)| l.trim_end_matches('}')).collect()
}

#[test]
fn sizes_that_must_be_equal_are_checked_and_named() {
    let concat = named("join", node("Concat", &["a", "b"], &["y"], vec![int("axis", 1)]));
    let (text, _) = text_of(&graph(vec![input("a", &["M", "N"]), input("b", &["K", "L"])], vec![], vec![concat], 2));
    assert_eq!(
        checks(&text),
        ["\"Concat `join`: dimension 0 of `a` is {0}, of `b` {1}; they must be equal\""],
        "{text}"
    );
    assert!(text.contains("attributes {hal.check") && text.contains("func.call @check_0("), "{text}");
}

#[test]
fn names_that_inputs_share_are_one_size_and_need_one_check() {
    let add = node("Add", &["a", "b"], &["s"], vec![]);
    let product = node("Mul", &["s", "b"], &["y"], vec![]);
    let (text, _) = text_of(&graph(vec![input("a", &["N"]), input("b", &["N"])], vec![], vec![add, product], 1));
    assert_eq!(
        checks(&text),
        [
            "\"size `N`: it is {0} in dimension 0 of input `a` and {1} in dimension 0 of input `b`, which Add of output `s` reads\""
        ]
    );
}

#[test]
fn what_was_checked_is_known_from_then_on() {
    let nodes = vec![
        node("MatMul", &["a", "w"], &["p"], vec![]),
        node("MatMul", &["a", "v"], &["q"], vec![]),
        node("Add", &["p", "q"], &["y"], vec![]),
    ];
    let (text, _) =
        text_of(&graph(vec![input("a", &["M", "K"])], vec![floats("w", &[4, 3]), floats("v", &[4, 3])], nodes, 2));
    assert_eq!(
        checks(&text),
        ["\"MatMul of output `p`: dimension 1 of `a` is {0}, dimension 0 of `w` 4; they must be equal\""]
    );
    assert_eq!(text.matches("func.call").count(), 1, "{text}");
}

#[test]
fn a_size_that_splits_is_a_product_from_then_on() {
    let nodes = vec![
        node("SpaceToDepth", &["x"], &["s"], vec![int("blocksize", 2)]),
        node("DepthToSpace", &["s"], &["y"], vec![int("blocksize", 2)]),
    ];
    let (text, _) = text_of(&graph(vec![input("x", &["N", "3", "H", "W"])], vec![], nodes, 4));
    assert_eq!(checks(&text).len(), 2, "{text}");
}

#[test]
fn braces_in_names_are_no_places() {
    let add = named("{0}", node("Add", &["{a}", "b"], &["y"], vec![]));
    let (text, _) = text_of(&graph(vec![input("{a}", &["N"]), input("b", &["3"])], vec![], vec![add], 1));
    assert_eq!(checks(&text), ["\"Add `{{0}}`: dimension 0 of `{{a}}` is {0}, which does not broadcast to 3\""]);
}

#[test]
fn what_surely_does_not_hold_is_an_error_of_the_import() {
    let top = node("TopK", &["x", "k"], &["y"], vec![]);
    let error = error_of(&graph(vec![input("x", &["3"])], vec![list("k", &[4])], vec![top], 1));
    assert!(error.contains("`k` is 4, more than the 3 elements of dimension 0 of `x`"), "{error}");
}

#[test]
fn products_in_any_form_are_one_size() {
    // [B, S, 8] → [B·S, 8] → [B, S, 2, 4]: nothing is left to be checked.
    let shape =
        |from: &str, to: &str, at: i64| vec![node("Shape", &[from], &[to], vec![int("start", at), int("end", at + 1)])];
    let nodes = [
        shape("x", "b", 0),
        shape("x", "s", 1),
        vec![
            node("Mul", &["b", "s"], &["bs"], vec![]),
            node("Concat", &["bs", "eight"], &["flat"], vec![int("axis", 0)]),
            node("Reshape", &["x", "flat"], &["f"], vec![]),
            node("Concat", &["b", "s", "two", "four"], &["split"], vec![int("axis", 0)]),
            node("Reshape", &["f", "split"], &["y"], vec![]),
        ],
    ]
    .concat();
    let lists = vec![list("eight", &[8]), list("two", &[2]), list("four", &[4])];
    let (text, _) = text_of(&graph(vec![input("x", &["B", "S", "8"])], lists, nodes, 4));
    assert!(checks(&text).is_empty(), "{text}");
}

#[test]
fn sizes_that_outputs_declare_are_checked() {
    let declared = |op: &str, elem: i32, dims: &[Option<i64>]| {
        let mut model = graph(vec![input("x", &["N"])], vec![], vec![node(op, &["x"], &["y"], vec![])], 1);
        model.graph.as_mut().expect("a graph").output = vec![info("y", elem, dims)];
        checks(&text_of(&model).0).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        declared("NonZero", INT64, &[None, Some(3)]),
        ["\"output `y`: dimension 1 of `y` is {0}, not 3, as the model declares\""]
    );
    // A model cannot declare sizes that inputs determine.
    assert!(declared("Relu", FLOAT, &[Some(3)]).is_empty());
}

#[test]
fn sizes_that_must_be_known_are_named_with_a_way_out() {
    let nodes = vec![
        node("GatherND", &["x", "i"], &["t"], vec![]),
        node("ReduceSum", &["t"], &["y"], vec![int("keepdims", 0)]),
    ];
    let gather = graph(vec![input("x", &["M", "N"]), info("i", INT64, &[None, None])], vec![], nodes, 0);
    let lstm = vec![node("LSTM", &["x", "w", "r"], &["y"], vec![])];
    let inputs = ["x", "w", "r"].map(|name| input(name, &["A", "B", "C"])).to_vec();
    for (model, size) in [(gather, "dimension 1 of `i`"), (graph(inputs, vec![], lstm, 4), "dimension 2 of `r`")] {
        let text = error_of(&model);
        assert!(text.contains(size) && text.contains("--dim") && text.contains("onnx-unsupported"), "{text}");
    }
}

#[test]
fn the_largest_integer_is_no_size() {
    // `N` is at most 300, as is known from the first node; of the `N` boxes all may be chosen.
    let nodes = vec![
        node("Shape", &["z"], &["n"], vec![]),
        node("TopK", &["x", "n"], &["score", "at"], vec![]),
        node("Reshape", &["score", "scores"], &["s"], vec![]),
        node("Tile", &["score", "four"], &["corners"], vec![]),
        node("Reshape", &["corners", "boxes"], &["b"], vec![]),
        node("NonMaxSuppression", &["b", "s", "all"], &["y"], vec![]),
    ];
    let lists =
        vec![list("scores", &[1, 1, -1]), list("four", &[4]), list("boxes", &[1, -1, 4]), list("all", &[i64::MAX])];
    let (text, _) = text_of(&graph(vec![input("x", &["300"]), input("z", &["N"])], lists, nodes, 2));
    assert!(!text.contains("9223372036854775807x"), "{text}");
}

#[test]
fn checks_of_a_branch_stay_in_it() {
    let branch = |name: &str, w: &str| {
        let out = format!("{name}_out");
        let graph = Graph {
            output: vec![info(&out, FLOAT, &[None, None])],
            node: vec![node("MatMul", &["a", w], &[&out], vec![])],
            ..Default::default()
        };
        Attribute { name: Some(format!("{name}_branch")), g: Some(graph), ..Default::default() }
    };
    let choose = node("If", &["c"], &["y"], vec![branch("then", "w"), branch("else", "v")]);
    let weights = vec![floats("w", &[4, 3]), floats("v", &[5, 3])];
    let (text, _) = text_of(&graph(vec![info("c", 9, &[]), input("a", &["M", "K"])], weights, vec![choose], 2));
    let said = checks(&text);
    assert!(
        said.len() == 2 && said[0].contains("dimension 0 of `w` 4") && said[1].contains("dimension 0 of `v` 5"),
        "{text}"
    );
}

#[test]
fn a_branch_that_does_not_fit_what_follows_is_not_taken() {
    let branch = |name: &str, op: &str, rank: usize| {
        let out = format!("{name}_out");
        let body = node(op, &["x"], &[&out], if op == "Flatten" { vec![int("axis", 0)] } else { vec![] });
        let body = Graph { output: vec![info(&out, FLOAT, &vec![None; rank])], node: vec![body], ..Default::default() };
        Attribute { name: Some(format!("{name}_branch")), g: Some(body), ..Default::default() }
    };
    let asked = info("c", 9, &[]);
    let model = |op: &str, attributes: Vec<Attribute>, rank: usize| {
        let choose = node("If", &["c"], &["z"], vec![branch("then", "Identity", 3), branch("else", "Flatten", 2)]);
        graph(
            vec![asked.clone(), input("x", &["A", "B", "C"])],
            vec![],
            vec![choose, node(op, &["z"], &["y"], attributes)],
            rank,
        )
    };
    let (text, _) = text_of(&model("Transpose", vec![ints("perm", &[1, 0])], 2));
    assert!(checks(&text).iter().any(|c| c.contains("the only one with which the rest of the model fits")), "{text}");
    // The rank of an output tells as well.
    let (text, _) = text_of(&model("Exp", vec![], 3));
    assert!(!text.contains("scf.if") && text.contains("rank 3"), "{text}");
    let error = error_of(&model("ReduceSum", vec![int("keepdims", 0)], 0));
    assert!(error.contains("what follows does not tell which") && error.contains("`z`"), "{error}");
}

#[test]
fn embeddings_of_rank_two_have_nothing_to_turn() {
    let turn = node("RotaryEmbedding", &["x", "c", "s"], &["y"], vec![]);
    let inputs = vec![input("x", &["2", "4"]), input("c", &["2", "2"]), input("s", &["2", "2"])];
    let error = error_of(&graph(inputs, vec![], vec![turn], 2));
    assert!(error.contains("is of neither rank 3 nor rank 4"), "{error}");
}

#[test]
fn positions_cut_from_a_list_are_as_many_as_there_are_tokens() {
    let nodes = vec![
        node("Shape", &["x"], &["s"], vec![int("start", 0), int("end", 1)]),
        node("Slice", &["w", "zero", "s", "zero"], &["p"], vec![]),
        node("Add", &["x", "p"], &["y"], vec![]),
    ];
    let (text, _) =
        text_of(&graph(vec![input("x", &["S", "4"])], vec![floats("w", &[16, 4]), list("zero", &[0])], nodes, 2));
    assert_eq!(checks(&text), ["\"Add of output `y`: dimension 0 of `p` is {0}, which does not broadcast to {1}\""]);
    assert!(!text.contains("tensor.extract "), "{text}");
}
