use super::*;
use crate::onnx::Elem;

const FLOATS: [Elem; 8] = [
    Elem::F8E4M3Fn,
    Elem::F8E4M3Fnuz,
    Elem::F8E5M2,
    Elem::F8E5M2Fnuz,
    Elem::F8E8M0,
    Elem::F6E2M3,
    Elem::F6E3M2,
    Elem::F4E2M1,
];

#[test]
fn codes_stand_for_what_they_are_decoded_to() {
    for elem in FLOATS {
        let format = elem.format().unwrap();
        for code in 0..1u32 << elem.bits() {
            let (code, value) = (code as u8, format.decode(code as u8));
            let back = format.encode(value, Narrowing::default());
            assert!(
                value.is_nan() && format.decode(back).is_nan() || value.is_infinite() || back == code,
                "{elem:?}: {code:#x} is {value}, which is {back:#x}"
            );
        }
    }
}

#[test]
fn numbers_between_two_codes_are_the_nearer_even_one() {
    for elem in FLOATS.into_iter().filter(|e| *e != Elem::F8E8M0) {
        let format = elem.format().unwrap();
        for code in 0..format.largest() {
            let (low, high) = (format.decode(code), format.decode(code + 1));
            let (middle, bit) = (f64::midpoint(low, high), (high - low) / 1024.0);
            let even = if code % 2 == 0 { code } else { code + 1 };
            for (value, wanted) in [(middle - bit, code), (middle, even), (middle + bit, code + 1)] {
                assert_eq!(format.encode(value, Narrowing::default()), wanted, "{elem:?}: {value}");
            }
        }
    }
}

#[test]
fn what_is_too_large_saturates_or_does_not() {
    let open = Narrowing { saturate: false, ..Narrowing::default() };
    for (elem, value, closed, opened) in [
        (Elem::F8E4M3Fn, 1e9, 0x7E, 0x7F),
        (Elem::F8E4M3Fn, -1e9, 0xFE, 0xFF),
        (Elem::F8E4M3Fn, 463.9, 0x7E, 0x7E),
        (Elem::F8E5M2, f64::INFINITY, 0x7B, 0x7C),
        (Elem::F8E5M2, 1e5, 0x7B, 0x7C),
        (Elem::F8E5M2Fnuz, f64::NEG_INFINITY, 0xFF, 0x80),
        (Elem::F8E8M0, f64::INFINITY, 0xFE, 0xFF),
        (Elem::F8E8M0, 0.0, 0, 0xFF),
        (Elem::F4E2M1, 100.0, 7, 7),
    ] {
        let format = elem.format().unwrap();
        assert_eq!(format.encode(value, Narrowing::default()), closed, "{elem:?}: {value}");
        assert_eq!(format.encode(value, open), opened, "{elem:?}: {value}, open");
    }
}
