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
