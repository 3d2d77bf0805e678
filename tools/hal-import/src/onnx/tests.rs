//! Imports whole models that are made in memory.
mod checks;

use super::{OnnxOptions, OnnxWeight, looks_like_onnx, proto::*, to_text};
use prost::Message;
use std::path::Path;

const FLOAT: i32 = 1;
const INT64: i32 = 7;

fn info(name: &str, elem: i32, shape: &[Option<i64>]) -> ValueInfo {
    let dim = shape
        .iter()
        .enumerate()
        .map(|(i, d)| Dimension {
            value: Some(d.map_or_else(|| DimensionValue::Name(format!("n{i}")), DimensionValue::Size)),
        })
        .collect();
    let tensor = TensorType { elem_type: Some(elem), shape: Some(Shape { dim }) };
    ValueInfo { name: Some(name.into()), ty: Some(TypeProto { tensor: Some(tensor), ..TypeProto::default() }) }
}

fn node(op: &str, inputs: &[&str], outputs: &[&str], attributes: Vec<Attribute>) -> NodeProto {
    let list = |names: &[&str]| names.iter().map(|n| (*n).to_owned()).collect();
    NodeProto {
        op_type: Some(op.into()),
        input: list(inputs),
        output: list(outputs),
        attribute: attributes,
        ..Default::default()
    }
}

fn ints(name: &str, ints: &[i64]) -> Attribute {
    Attribute { name: Some(name.into()), ints: ints.to_vec(), ..Default::default() }
}

fn int(name: &str, value: i64) -> Attribute {
    Attribute { name: Some(name.into()), i: Some(value), ..Default::default() }
}

fn list(name: &str, values: &[i64]) -> TensorProto {
    TensorProto {
        name: Some(name.into()),
        dims: vec![values.len() as i64],
        data_type: Some(INT64),
        int64_data: values.to_vec(),
        ..Default::default()
    }
}

fn floats(name: &str, dims: &[i64]) -> TensorProto {
    let count = dims.iter().product::<i64>();
    TensorProto {
        name: Some(name.into()),
        dims: dims.to_vec(),
        data_type: Some(FLOAT),
        float_data: (0..count).map(|v| v as f32).collect(),
        ..Default::default()
    }
}

fn model(graph: Graph) -> Model {
    Model {
        ir_version: Some(8),
        producer_name: None,
        opset_import: vec![OperatorSet { domain: None, version: Some(17) }],
        graph: Some(graph),
        functions: Vec::new(),
    }
}

fn text_of(model: &Model) -> (String, Vec<OnnxWeight>) {
    let bytes = model.encode_to_vec();
    assert!(looks_like_onnx(&bytes));
    let imported = to_text(bytes.clone().into(), "m.onnx", Path::new("/nowhere"), &OnnxOptions::default());
    let (text, weights) = imported
        .unwrap_or_else(|e| panic!("{}", halyard_diag::render(&e, halyard_diag::DiagnosticFormat::Human, false)));
    halyard_ir::Session::new().parse(text.as_bytes(), "m.onnx").unwrap_or_else(|e| panic!("{e}\n{text}"));
    (text, weights)
}

fn error_of(model: &Model) -> String {
    let error = to_text(model.encode_to_vec().into(), "m.onnx", Path::new("/nowhere"), &OnnxOptions::default())
        .expect_err("an error");
    halyard_diag::render(&error, halyard_diag::DiagnosticFormat::Human, false)
}

#[test]
fn nodes_stand_in_any_order() {
    let nodes = vec![node("Neg", &["m"], &["y"], vec![]), node("Relu", &["x"], &["m"], vec![])];
    let graph = |node| Graph {
        input: vec![info("x", FLOAT, &[Some(2)])],
        output: vec![info("y", FLOAT, &[Some(2)])],
        node,
        ..Default::default()
    };
    let turned = nodes.iter().rev().cloned().collect();
    assert_eq!(text_of(&model(graph(nodes))).0, text_of(&model(graph(turned))).0);
    let circle = vec![node("Neg", &["m"], &["y"], vec![]), node("Relu", &["y"], &["m"], vec![])];
    assert!(error_of(&model(graph(circle))).contains("made by no node before it"));
}

#[test]
fn shape_arithmetic_of_dynamic_sizes_vanishes() {
    // What exporters write for `x.view(x.shape[0], -1)`.
    let graph = Graph {
        name: Some("net".into()),
        input: vec![info("x", FLOAT, &[None, Some(4), Some(5)])],
        output: vec![info("y", FLOAT, &[None, Some(20)])],
        initializer: vec![list("zero", &[0]), list("rest", &[-1])],
        node: vec![
            node("Shape", &["x"], &["s"], vec![]),
            node("Gather", &["s", "zero"], &["n"], vec![int("axis", 0)]),
            node("Concat", &["n", "rest"], &["to"], vec![int("axis", 0)]),
            node("Reshape", &["x", "to"], &["y"], vec![]),
        ],
        ..Default::default()
    };
    let (text, weights) = text_of(&model(graph));
    assert!(
        text.contains("tensor.collapse_shape %arg0 [[0], [1, 2]] : tensor<?x4x5xf32> into tensor<?x20xf32>"),
        "{text}"
    );
    assert!(!text.contains("divsi") && weights.is_empty(), "{text}");
}

#[test]
fn large_constants_become_weights_and_equal_ones_splats() {
    let mut ones = floats("ones", &[100]);
    ones.float_data = vec![1.0; 100];
    let graph = Graph {
        input: vec![info("x", FLOAT, &[Some(100)])],
        output: vec![info("y", FLOAT, &[Some(100)])],
        initializer: vec![floats("layer/w:0", &[100]), ones, floats("unused", &[100])],
        node: vec![node("Add", &["x", "layer/w:0"], &["t"], vec![]), node("Mul", &["t", "ones"], &["y"], vec![])],
        ..Default::default()
    };
    let (text, weights) = text_of(&model(graph));
    assert!(text.contains("@layer_w_0(#ml_program.extern : tensor<100xf32>) : tensor<100xf32> {hal.parameter = {archive = \"\", key = \"layer/w:0\"}}"), "{text}");
    assert_eq!(weights.len(), 1);
    assert_eq!(
        (weights[0].name.as_str(), &weights[0].shape[..], weights[0].bytes.len()),
        ("layer/w:0", &[100][..], 400)
    );
}

#[test]
fn all_that_is_not_supported_is_in_one_error() {
    let mut foreign = node("Fancy", &["x"], &["b"], vec![]);
    foreign.domain = Some("com.example".into());
    foreign.name = Some("my_node".into());
    let graph = Graph {
        input: vec![info("x", FLOAT, &[Some(1)])],
        output: vec![info("y", FLOAT, &[Some(1)])],
        node: vec![
            node("Nonsense", &["x"], &["a"], vec![]),
            foreign,
            node("Add", &["a", "b"], &["c"], vec![]),
            node("Nonsense", &["c"], &["y"], vec![]),
        ],
        ..Default::default()
    };
    let said = error_of(&model(graph));
    assert!(said.contains("3 parts of the model are not supported"), "{said}");
    assert!(said.contains("`Nonsense` (opset 17), nodes of output `a`, of output `y`"), "{said}");
    assert!(said.contains("`com.example.Fancy` (no opset), node `my_node`"), "{said}");
}

#[test]
fn two_values_of_one_name_are_refused() {
    let graph = |outputs: [&str; 2], inputs: &[&str]| Graph {
        input: inputs.iter().map(|name| info(name, FLOAT, &[Some(1)])).collect(),
        output: vec![info("y", FLOAT, &[Some(1)])],
        node: vec![node("Relu", &["x"], &outputs[..1], vec![]), node("Neg", &["x"], &outputs[1..], vec![])],
        ..Default::default()
    };
    for (outputs, inputs, name) in
        [(["y", "y"], &["x"][..], "y"), (["y", "z"], &["x", "x"], "x"), (["x", "y"], &["x"], "x")]
    {
        let said = error_of(&model(graph(outputs, inputs)));
        assert!(said.contains(&format!("has two values with the name `{name}`")), "{said}");
    }
}

/// What a newer version of an operator adds is not passed over.
#[test]
fn attributes_and_inputs_that_an_operator_does_not_have_are_refused() {
    let graph = |inputs: &[&str], attributes| Graph {
        input: vec![info("x", FLOAT, &[Some(1)])],
        output: vec![info("y", FLOAT, &[Some(1)])],
        node: vec![node("Relu", inputs, &["y"], attributes)],
        ..Default::default()
    };
    let said = error_of(&model(graph(&["x"], vec![int("fresh", 1)])));
    assert!(said.contains("attribute `fresh` is not known"), "{said}");
    let mut newer = graph(&["x", "", "x"], vec![]);
    (newer.node[0].op_type, newer.node[0].domain) = (Some("QuickGelu".into()), Some("com.microsoft".into()));
    let said = error_of(&model(newer));
    assert!(said.contains("input 2 (`x`) is not known"), "{said}");
}

#[test]
fn missing_external_data_names_the_file() {
    let mut weight = floats("w", &[]);
    weight.data_location = Some(1);
    weight.float_data.clear();
    weight.external_data = vec![Entry { key: Some("location".into()), value: Some("w.bin".into()) }];
    let graph = Graph {
        input: vec![info("x", FLOAT, &[])],
        output: vec![info("y", FLOAT, &[])],
        initializer: vec![weight.clone()],
        node: vec![node("Add", &["x", "w"], &["y"], vec![])],
        ..Default::default()
    };
    assert!(error_of(&model(graph.clone())).contains("cannot read `/nowhere/w.bin`"));
    weight.external_data[0].value = Some("../secret".into());
    let said = error_of(&model(Graph { initializer: vec![weight], ..graph }));
    assert!(said.contains("outside the folder of the model"), "{said}");
}

#[test]
fn damage_is_an_error() {
    let graph = Graph {
        input: vec![info("x", FLOAT, &[Some(3)])],
        output: vec![info("x", FLOAT, &[Some(3)])],
        ..Default::default()
    };
    let bytes = model(graph).encode_to_vec();
    for cut in 1..bytes.len() {
        // A cut at the end of a field leaves a message that protobuf accepts.
        let _ = to_text(bytes[..cut].to_vec().into(), "m.onnx", Path::new(""), &OnnxOptions::default());
    }
    let error = to_text(bytes[..bytes.len() - 1].to_vec().into(), "m.onnx", Path::new(""), &OnnxOptions::default())
        .expect_err("a cut model");
    assert!(error.to_string().starts_with("the ONNX model is damaged"), "{error}");
}

#[test]
fn functions_of_the_model_are_inlined_with_their_attributes() {
    let reference = Attribute { name: Some("axis".into()), ref_attr_name: Some("along".into()), ..Default::default() };
    let function = Function {
        name: Some("Fold".into()),
        domain: Some("local".into()),
        input: vec!["a".into()],
        output: vec!["b".into()],
        node: vec![node("Flatten", &["a"], &["b"], vec![reference])],
        opset_import: vec![OperatorSet { domain: None, version: Some(17) }],
        ..Default::default()
    };
    let mut call = node("Fold", &["x"], &["y"], vec![int("along", 2)]);
    call.domain = Some("local".into());
    let graph = Graph {
        input: vec![info("x", FLOAT, &[Some(2), Some(3), Some(4)])],
        output: vec![info("y", FLOAT, &[Some(6), Some(4)])],
        node: vec![call],
        ..Default::default()
    };
    let (text, _) = text_of(&Model { functions: vec![function], ..model(graph) });
    assert!(text.contains("into tensor<6x4xf32>"), "{text}");
}

#[test]
fn a_function_that_calls_itself_is_an_error() {
    let mut call = node("Loopy", &["x"], &["y"], vec![]);
    call.domain = Some("local".into());
    let function = Function {
        name: Some("Loopy".into()),
        domain: Some("local".into()),
        input: vec!["x".into()],
        output: vec!["y".into()],
        node: vec![call.clone()],
        ..Default::default()
    };
    let graph = Graph {
        input: vec![info("x", FLOAT, &[])],
        output: vec![info("y", FLOAT, &[])],
        node: vec![call],
        ..Default::default()
    };
    assert!(error_of(&Model { functions: vec![function], ..model(graph) }).contains("nested too deeply"));
}

#[test]
fn symbolic_sizes_broadcast_when_they_may_be_one() {
    let graph = Graph {
        input: vec![info("a", FLOAT, &[None]), info("b", FLOAT, &[Some(4)])],
        output: vec![info("y", FLOAT, &[Some(4)])],
        node: vec![node("Add", &["a", "b"], &["y"], vec![])],
        ..Default::default()
    };
    let (text, _) = text_of(&model(graph));
    assert!(text.contains("tensor.extract %arg0") && text.contains("arith.minsi"), "{text}");
}

#[test]
fn convolutions_pad_first_and_add_the_bias_last() {
    let graph = Graph {
        input: vec![info("x", FLOAT, &[Some(1), Some(2), Some(5), Some(5)])],
        output: vec![info("y", FLOAT, &[])],
        initializer: vec![floats("w", &[4, 2, 3, 3]), floats("b", &[4])],
        node: vec![node("Conv", &["x", "w", "b"], &["y"], vec![ints("pads", &[1, 1, 1, 1]), ints("strides", &[2, 2])])],
        ..Default::default()
    };
    let (text, weights) = text_of(&model(graph));
    let (pad, conv, add) = (text.find("tensor.pad"), text.find("linalg.conv_2d_nchw_fchw"), text.find("arith.addf"));
    assert!(pad.is_some() && pad < conv && conv < add, "{text}");
    assert!(text.contains("-> tensor<1x4x3x3xf32>") && weights.len() == 1, "{text}");
}
