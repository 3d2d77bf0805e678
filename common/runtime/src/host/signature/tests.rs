use super::*;

fn called(inputs: &[(DType, &[Option<usize>])], results: &[(DType, &[Option<usize>])]) -> HostFunction {
    let types = |list: &[(DType, &[Option<usize>])]| {
        list.iter().map(|(dtype, s)| HostType { dtype: *dtype, shape: s.to_vec(), scalar: s.is_empty() }).collect()
    };
    let (inputs, results) = (types(inputs), types(results));
    HostFunction { name: "m.f".into(), version: None, inputs, results, called_by: Vec::new() }
}

#[test]
fn text_is_read_and_printed() {
    let texts = [
        "() -> ()",
        "(f32) -> f32",
        "(tensor<?x8xf32>, i64) -> (tensor<bf16>, tensor<*xany>)",
        "(tensor<1x?xi1>, any) -> tensor<0xu8>",
    ];
    for text in texts {
        assert_eq!(Signature::parse(text).unwrap().to_string(), text);
    }
    let odd = Signature::parse(" ( index,tensor<3xui8> )->si32 ").unwrap();
    assert_eq!(odd.to_string(), "(i64, tensor<3xu8>) -> i32");
}

#[test]
fn what_is_wrong_is_told_with_its_place() {
    let wrong = |text: &str| Signature::parse(text).unwrap_err();
    insta::assert_snapshot!(wrong(""), @"expected `(` at column 1, found the end");
    insta::assert_snapshot!(wrong("(f32)"), @"expected `->` at column 6, found the end");
    insta::assert_snapshot!(wrong("(f31) -> f32"), @"expected a type such as `f32` at column 2, found `f31) -> f32`");
    insta::assert_snapshot!(wrong("(tensor<4f32>) -> ()"), @"expected `x` at column 10, found `f32>) -> ()`");
    insta::assert_snapshot!(wrong("(f32 f32) -> ()"), @"expected `,` at column 6, found `f32) -> ()`");
    insta::assert_snapshot!(wrong("(f32) -> f32 f32"), @"expected the end at column 14, found `f32`");
    assert!(wrong("(tensor<99999999999999999999999xf32>) -> ()").contains("a size"));
}

#[test]
fn modules_may_be_more_general() {
    let f32 = DType::F32;
    let fits = |text: &str, function: &HostFunction| Signature::parse(text).unwrap().differs(function);
    let program = called(&[(f32, &[Some(4)])], &[(f32, &[Some(4)])]);
    for text in
        ["(tensor<4xf32>) -> tensor<4xf32>", "(tensor<?xf32>) -> tensor<?xf32>", "(tensor<*xany>) -> tensor<*xf32>"]
    {
        assert_eq!(fits(text, &program), None, "{text}");
    }
    let dynamic = called(&[(f32, &[None])], &[(f32, &[None])]);
    assert_eq!(fits("(tensor<?xf32>) -> tensor<4xf32>", &dynamic), None);
    for (text, function) in [
        ("(tensor<4xf32>) -> tensor<4xf32>", &dynamic),
        ("(tensor<?xf32>) -> tensor<5xf32>", &program),
        ("(tensor<?x?xf32>) -> tensor<4xf32>", &program),
        ("(tensor<?xf64>) -> tensor<4xf32>", &program),
        ("(tensor<4xf32>, f32) -> tensor<4xf32>", &program),
        ("(tensor<4xf32>) -> ()", &program),
    ] {
        assert!(fits(text, function).is_some(), "{text}");
    }
    let bytes = called(&[(DType::U8, &[None])], &[]);
    assert_eq!(fits("(tensor<?xi8>) -> ()", &bytes), None);
}
