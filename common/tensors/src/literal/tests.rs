use super::*;

fn ty(text: &str) -> TensorType {
    TensorType::parse(text).unwrap()
}

#[test]
fn types() {
    assert_eq!(ty("2x3xf32"), TensorType { dtype: DType::F32, shape: vec![2, 3] });
    assert_eq!(ty("f32"), TensorType { dtype: DType::F32, shape: vec![] });
    assert_eq!(ty("0xi1").shape, [0]);
    for bad in ["", "2", "2x", "x", "2x3", "f33", "-1xf32", "2xxf32", "?xf32", "+1xf32", "99999999999999999999xf32"] {
        assert_eq!(TensorType::parse(bad), None, "{bad}");
    }
    assert_eq!(ty("2x3xbf16").to_string(), "2x3xbf16");
}

#[test]
fn values() {
    assert_eq!(parse(&ty("2x2xf32"), "1,2, 3 4").unwrap().as_slice::<f32>().unwrap(), [1.0, 2.0, 3.0, 4.0]);
    assert_eq!(parse(&ty("3xi8"), "-128").unwrap().as_slice::<i8>().unwrap(), [-128; 3]);
    assert_eq!(parse(&ty("2xi1"), "true,0").unwrap().bytes(), [1, 0]);
    assert_eq!(parse(&ty("u64"), "0xffffffffffffffff").unwrap().as_slice::<u64>().unwrap(), [u64::MAX]);
    assert!(parse(&ty("f32"), "nan").unwrap().as_slice::<f32>().unwrap()[0].is_nan());
    assert_eq!(parse(&ty("f64"), "-inf").unwrap().as_slice::<f64>().unwrap(), [f64::NEG_INFINITY]);
    assert_eq!(parse(&ty("0xf32"), "1").unwrap().element_count(), 0);
    assert_eq!(parse(&ty("0xf32"), "").unwrap().element_count(), 0);
}

#[test]
fn mistakes() {
    let message = |t: &str, text: &str| parse(&ty(t), text).unwrap_err().to_string();
    assert_eq!(message("2x2xf32", "1,2,3"), "`2x2xf32` takes 1 or 4 numbers, there are 3");
    assert_eq!(message("i8", "200"), "200 does not fit into `i8`");
    assert_eq!(message("i32", "1.5"), "`1.5` is not an integer");
    assert_eq!(message("f32", "abc"), "`abc` is not a number");
    assert_eq!(message("2xi1", "2"), "2 does not fit into `i1`");
    assert!(message("9999999999x9999999999xf32", "0").contains("does not fit into memory"));
    assert!(message("9999999999x9999xf32", "0").contains("does not fit into memory"));
}

#[test]
fn brackets() {
    let numbers = |t: &str, text: &str| parse(&ty(t), text).map(|t| t.as_slice::<f32>().unwrap().to_vec());
    for text in ["[[1,2],[3,4]]", "[[1 2] [3 4]]", "[1,2],[3,4]", "[1 2][3 4]", " [ [1., 2.],\n  [3., 4.] ] "] {
        assert_eq!(numbers("2x2xf32", text).unwrap(), [1.0, 2.0, 3.0, 4.0], "{text}");
    }
    assert_eq!(numbers("2x1xf32", "[1][2]").unwrap(), [1.0, 2.0]);
    assert_eq!(numbers("2xf32", "[1, 2]").unwrap(), [1.0, 2.0]);
    assert_eq!(numbers("1x2x0xf32", "[[[], []]]").unwrap(), Vec::<f32>::new());
    let message = |t: &str, text: &str| numbers(t, text).unwrap_err().to_string();
    assert_eq!(
        message("2x2xf32", "[[1,2],[3]]"),
        "a list of dimension 1 has 1 of 2 elements in the value of a `2x2xf32`"
    );
    assert_eq!(
        message("2x2xf32", "[1,2,3][4]"),
        "a list of dimension 1 has more elements than 2 in the value of a `2x2xf32`"
    );
    assert_eq!(message("2x2xf32", "[1,2][3,4][5,6]"), "`[` is too much in the value of a `2x2xf32`");
    assert_eq!(message("2x2xf32", "[[1,2],[3,4]"), "a bracket is not closed in the value of a `2x2xf32`");
    assert_eq!(message("2xf32", "[[1,2]]"), "there are too many brackets in the value of a `2xf32`");
    assert_eq!(message("f32", "[1]"), "there are too many brackets in the value of a `f32`");
    assert_eq!(message("2x2xf32", "1,2,[3,4]"), "`1` stands where `[` is expected in the value of a `2x2xf32`");
    assert_eq!(message("2xf32", "1]2"), "a list of dimension 0 has 1 of 2 elements in the value of a `2xf32`");
}
