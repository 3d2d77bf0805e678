use super::*;

fn f32s(values: &[f32]) -> Tensor {
    Tensor::from_slice(&[values.len()], values)
}

const EXACT: Tolerance = Tolerance { rtol: 0.0, atol: 0.0 };

#[test]
fn special_values() {
    let odd = f32s(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0]);
    assert_eq!(compare(&odd, &f32s(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0]), EXACT), None);
    let loose = Tolerance { rtol: 1e9, atol: 1e9 };
    let d = compare(&odd, &f32s(&[1.0, 1.0, f32::INFINITY, f32::NAN]), loose).unwrap();
    assert_eq!((d.count, d.accepted_by), (4, None));
    assert!(compare(&f32s(&[1.0]), &f32s(&[f32::INFINITY]), loose).is_some());
}

#[test]
fn tolerance_is_numpys() {
    let expected = f32s(&[100.0, 0.0]);
    assert_eq!(compare(&f32s(&[101.0, 0.5]), &expected, Tolerance { rtol: 0.01, atol: 0.5 }), None);
    let d = compare(&f32s(&[102.0, 0.25]), &expected, Tolerance { rtol: 0.0, atol: 1.0 }).unwrap();
    assert_eq!((d.count, d.first, d.accepted_by), (1, vec![0], Some(0.01)));
    assert_eq!(d.largest, (2.0, vec![0]));
}

#[test]
fn large_integers_are_exact() {
    let a = Tensor::from_slice(&[1, 1], &[i64::MAX]);
    let b = Tensor::from_slice(&[1, 1], &[i64::MAX - 1]);
    let d = compare(&a, &b, EXACT).unwrap();
    assert_eq!((d.first.clone(), d.largest.0), (vec![0, 0], 1.0));
    insta::assert_snapshot!(d.notes(EXACT).join("\n"), @r"
    first at [0, 0]: got 9223372036854775807, expected 9223372036854775806
    largest absolute difference 1.000e0 at [0, 0], relative 1.084e-19 at [0, 0]
    tolerance: rtol 0e0, atol 0e0
    ");
}

#[test]
fn empty_tensors_are_equal() {
    assert_eq!(compare(&f32s(&[]), &f32s(&[]), EXACT), None);
}

proptest::proptest! {
    #[test]
    fn accepted_by_accepts(got in proptest::collection::vec(-1e6f32..1e6, 1..40), seed in 0u64..1000) {
        let expected = crate::random(&crate::TensorType { dtype: DType::F32, shape: vec![got.len()] }, seed).unwrap();
        let got = f32s(&got);
        if let Some(d) = compare(&got, &expected, EXACT) && let Some(rtol) = d.accepted_by {
            let wider = Tolerance { rtol: rtol * (1.0 + 1e-12), atol: 0.0 };
            proptest::prop_assert_eq!(compare(&got, &expected, wider), None);
        }
    }
}

#[test]
fn small_elements_are_measured_by_the_typical_one() {
    let tolerance = Tolerance { rtol: 1e-5, atol: 0.0 };
    let (got, expected) = (f32s(&[100.0, 1.0005]), f32s(&[100.0, 1.0]));
    assert!(compare(&got, &expected, tolerance).is_some());
    assert_eq!(compare_by_scale(&got, &expected, tolerance), None);
    let d = compare_by_scale(&f32s(&[100.0, 1.01]), &expected, tolerance).unwrap();
    assert_eq!((d.count, &*d.first), (1, &[1][..]));
    assert!(d.scale.is_some_and(|s| (s - 70.7).abs() < 0.1), "{d:?}");
    // Integers are compared one by one.
    let ints = |v: &[i32]| Tensor::from_slice(&[v.len()], v);
    assert!(compare_by_scale(&ints(&[1000, 2]), &ints(&[1000, 1]), EXACT).is_some());
}

#[test]
fn ulps_are_counted_across_zero() {
    let ulp = |a: f32, b: f32| compare(&f32s(&[a]), &f32s(&[b]), EXACT).unwrap().ulp();
    assert_eq!(ulp(1.0, f32::from_bits(1.0f32.to_bits() + 3)), Some(3));
    assert_eq!(ulp(f32::from_bits(1), -f32::from_bits(2)), Some(3));
    assert_eq!((ulp(1.0, f32::NAN), ulp(f32::INFINITY, 1.0)), (None, None));
}
