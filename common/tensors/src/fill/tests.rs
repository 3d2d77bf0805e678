use super::*;

fn ty(text: &str) -> TensorType {
    TensorType::parse(text).unwrap()
}

/// These values are promised: people compare files made on different machines.
#[test]
fn random_numbers_never_change() {
    let t = random(&ty("4xf32"), 0).unwrap();
    insta::assert_debug_snapshot!(t.as_slice::<f32>().unwrap(), @r"
    [
        0.8135875,
        0.07804632,
        0.6034233,
        -0.8003991,
    ]
    ");
    let t = random(&ty("8xi64"), 7).unwrap();
    insta::assert_compact_debug_snapshot!(t.as_slice::<i64>().unwrap(), @"[2, 4, 1, 2, 9, 5, 1, 3]");
}

#[test]
fn random_numbers_stay_in_their_range() {
    for dtype in DType::ALL {
        let ty = TensorType { dtype, shape: vec![1000] };
        let t = random(&ty, 1).unwrap();
        let range = Range::default_of(dtype);
        for i in 0..1000 {
            let v = crate::number(&t, i).to_f64();
            assert!(range.low <= v && v <= range.high, "{dtype}: {v}");
        }
    }
    let t = random_in(&ty("1000xi8"), 3, Range::new(-128.0, 128.0).unwrap()).unwrap();
    assert!(t.as_slice::<i8>().unwrap().contains(&-128) && t.as_slice::<i8>().unwrap().contains(&127));
    assert!(random_in(&ty("1000xi8"), 3, Range::new(0.0, 1000.0).unwrap()).is_err());
    assert!(Range::new(1.0, 1.0).is_err() && Range::new(0.0, f64::INFINITY).is_err());
}

#[test]
fn counting() {
    assert_eq!(iota(&ty("2x2xi32")).unwrap().as_slice::<i32>().unwrap(), [0, 1, 2, 3]);
    assert!(iota(&ty("300xi8")).is_err());
}
