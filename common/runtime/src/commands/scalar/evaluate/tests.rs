use super::*;

fn int(op: Binary, width: u8, a: i64, b: i64) -> i64 {
    let ty = ScalarType::Int(width);
    signed(ty, binary(op, ty, a as u64 & ty.mask(), b as u64 & ty.mask()).unwrap())
}

#[test]
fn division_rounds_as_named() {
    for (a, b) in [(7, 2), (-7, 2), (7, -2), (-7, -2), (6, 3), (-6, 3), (0, 5)] {
        let exact = a as f64 / b as f64;
        assert_eq!(int(Binary::DivS, 64, a, b), exact.trunc() as i64);
        assert_eq!(int(Binary::CeilDivS, 64, a, b), exact.ceil() as i64, "{a} {b}");
        assert_eq!(int(Binary::FloorDivS, 64, a, b), exact.floor() as i64, "{a} {b}");
    }
    assert!(binary(Binary::DivU, ScalarType::INDEX, 1, 0).is_err());
    assert_eq!(int(Binary::DivS, 64, i64::MIN, -1), i64::MIN);
}

#[test]
fn sizes_do_not_wrap() {
    let product = |a: i64, b: i64| binary(Binary::MulSize, ScalarType::INDEX, a as u64, b as u64);
    assert_eq!(product(1 << 31, 1 << 31), Ok(1 << 62));
    assert_eq!(product(0, i64::MAX), Ok(0));
    assert_eq!(product(1 << 32, 1 << 31), Err("a tensor is larger than any memory"));
    assert_eq!(product(-2, -3), Err("a tensor has a negative size"));
    assert_eq!(product(0, -1), Err("a tensor has a negative size"));
}

#[test]
fn narrow_integers_wrap() {
    assert_eq!(int(Binary::Add, 8, 127, 1), -128);
    assert_eq!(int(Binary::ShrS, 8, -128, 9), -1);
    assert_eq!(int(Binary::MaxU, 8, -1, 1), -1);
    assert!(compare(Compare::Slt, ScalarType::Int(8), 0xff, 0));
    assert!(!compare(Compare::Ult, ScalarType::Int(8), 0xff, 0));
    assert_eq!(unary(Unary::CountLeadingZeros, ScalarType::Int(8), 1), 7);
}

#[test]
fn floats_are_rounded_to_their_type() {
    let bits = |v: f32| u64::from(v.to_bits());
    assert_eq!(binary(Binary::AddF, ScalarType::F32, bits(1e8), bits(1.0)).unwrap(), bits(1e8));
    assert_eq!(unary(Unary::NegF, ScalarType::F32, bits(0.0)), bits(-0.0));
    let nan = compare(Compare::Une, ScalarType::F32, bits(f32::NAN), bits(1.0));
    assert!(nan && !compare(Compare::One, ScalarType::F32, bits(f32::NAN), bits(1.0)));
    assert_eq!(binary(Binary::MaximumF, ScalarType::F32, bits(-0.0), bits(0.0)).unwrap(), bits(0.0));
}

#[test]
fn conversions_extend_saturate_and_round_once() {
    use ScalarType::{F32, F64, Int};
    assert_eq!(convert(Int(8), Int(64), true, 0xff), u64::MAX);
    assert_eq!(convert(Int(8), Int(64), false, 0xff), 255);
    assert_eq!(convert(F64, Int(8), true, 300f64.to_bits()), 127);
    assert_eq!(convert(F64, Int(8), false, (-1f64).to_bits()), 0);
    let big = (1u64 << 60) + (1 << 36) + 1;
    assert_eq!(convert(Int(64), F32, false, big), u64::from((big as f32).to_bits()));
}
