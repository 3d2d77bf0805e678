use super::plan::Shared;
use crate::families::Family;
use crate::families::testing::{cpu, family};
use crate::machine::dot_products::{DotProducts, Instruction};

const EXPORT: &str = "matmul-40x72x96-i8";

#[test]
fn products_of_bytes_are_short() {
    let of = |change: &[(&str, &str)]| family(EXPORT, change, &cpu(|_| {}), None).0;
    let Some(Family::ShortProduct(plan)) = of(&[]) else { panic!("it is a product of short numbers") };
    assert_eq!(plan.form.instruction, Instruction::WordsThenAdd);
    assert_eq!((plan.rows, plan.vectors * plan.lanes, plan.form.product(&plan.form.sums)), (40, 80, 96));
    // Numbers of 32 bits are not.
    assert!(of(&[("xi8>", "xi32>")]).is_none());
}

#[test]
fn a_cpu_without_such_instructions_has_no_such_products() {
    assert!(family(EXPORT, &[], &cpu(|t| t.dots = DotProducts::default()), None).0.is_none());
    let vnni = ["avx512vnni", "avx512bw", "avx512vl", "avx2"];
    let vnni = DotProducts::of("x86_64", 512, false, |feature| vnni.contains(&feature));
    let Some(Family::ShortProduct(plan)) = family(EXPORT, &[], &cpu(|t| t.dots = vnni), None).0 else { panic!() };
    assert_eq!(plan.form.instruction, Instruction::Bytes);
}

#[test]
fn tiles_fit_the_registers() {
    for registers in [16, 32] {
        let Some(Family::ShortProduct(plan)) = family(EXPORT, &[], &cpu(|t| t.registers = registers), None).0 else {
            panic!()
        };
        let (rows, vectors) = (plan.tile.rows, plan.tile.vectors);
        assert!(rows * vectors + vectors < i64::from(registers), "{rows} x {vectors}");
    }
    let (_, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("lanes", 3)));
    assert!(refused[0].starts_with("nest 0 cannot have `lanes = 3`"), "{refused:?}");
}

#[test]
fn few_channels_are_packed_by_lines_of_taps() {
    let features = ["avx512vnni", "avx512bw", "avx512vl", "avx2"];
    let vnni = DotProducts::of("x86_64", 512, false, |feature| features.contains(&feature));
    let vnni = cpu(|t| t.dots = vnni);
    let step = |change: &[(&str, &str)]| match family("conv-1x20x8x20-i8-taps", change, &vnni, None).0 {
        Some(Family::ShortProduct(plan)) => (plan.form.tap_step, plan.form.groups()),
        _ => panic!("it is a product of short numbers"),
    };
    // Nine lines of three taps and a zero.
    assert_eq!(step(&[]), (Some(2), 9));
    // Lanes side by side, and registers that do not load any number of bytes.
    assert_eq!(step(&[("strides = dense<2>", "strides = dense<[2, 1]>"), ("x20x8x20x", "x20x8x40x")]), (None, 7));
    let alder_lake = cpu(|t| (t.dots, t.vector_bits, t.registers) = (vnni.dots, 256, 16));
    let Some(Family::ShortProduct(plan)) = family("conv-1x20x8x20-i8-taps", &[], &alder_lake, None).0 else { panic!() };
    assert_eq!(plan.form.tap_step, None);
}

#[test]
fn workgroups_have_whole_images() {
    let plan = |images: &str| {
        let [x, y] = ["40x67x70", "9x65x68"].map(|sizes| format!("{images}x{sizes}"));
        let change = [("1x4x7x70", &*x), ("9x4x3x3", "9x40x3x3"), ("1x9x5x68", &*y)];
        match family("conv-1x9x5x68-u8", &change, &cpu(|_| {}), None).0 {
            Some(Family::ShortProduct(plan)) => plan,
            _ => panic!("it is a product of short numbers"),
        }
    };
    assert!(plan("1").shared == Shared::Panels);
    assert!(plan("16").shared == Shared::Batch);
}
