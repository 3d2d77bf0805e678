use crate::families::Family;
use crate::families::testing::{cpu, family};
use crate::machine::{MachineModel, dot_products::DotProducts};

const EXPORT: &str = "winograd-1x64x32x32-f32";

#[test]
fn three_products_with_the_right_matrices_are_a_convolution() {
    let of = |change: &[(&str, &str)]| family(EXPORT, change, &cpu(|_| {}), None).0;
    let Some(Family::Winograd(plan)) = of(&[]) else { panic!("it is a convolution") };
    assert_eq!((plan.form.m, plan.form.tile), (2, 4));
    assert_eq!((plan.form.input.len(), plan.form.output.len()), (16, 8));
    // Where elements are not multiplied by both matrices, the input is not transformed.
    assert!(of(&[("%11 = arith.mulf %10, %in_3", "%11 = arith.addf %10, %in_3")]).is_none());
}

#[test]
fn stripes_are_what_a_cache_holds() {
    let rows = |l2: u64| match family(EXPORT, &[], &cpu(|t| t.l2 = l2), None).0 {
        Some(Family::Winograd(plan)) => (plan.blocking.rows, plan.form.tiles.expect("they are known")[0]),
        _ => panic!("it is a convolution"),
    };
    let ((small, all), (large, _)) = (rows(256 << 10), rows(8 << 20));
    assert!(small < large && all % small == 0 && all % large == 0, "{small}, {large} of {all}");
}

#[test]
fn sums_fit_the_registers() {
    for registers in [16, 32] {
        let Some(Family::Winograd(plan)) = family(EXPORT, &[], &cpu(|t| t.registers = registers), None).0 else {
            panic!("it is a convolution")
        };
        assert!((plan.rows + 1) * 2 < i64::from(registers), "{} rows", plan.rows);
    }
    let (_, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("stripe", 7)));
    assert!(refused[0].starts_with("nest 0 cannot have `stripe = 7`"), "{refused:?}");
}

#[test]
fn images_of_unknown_size_have_as_many_tiles_as_a_cache_holds() {
    let of = |l2: u64, asked| match family("winograd-1x64xDxD-f32", &[], &cpu(|t| t.l2 = l2), asked).0 {
        Some(Family::Winograd(plan)) => (plan.form.tiles, plan.tiles_together()),
        _ => panic!("it is a convolution"),
    };
    let ((small, few), (large, many)) = (of(512 << 10, None), of(8 << 20, None));
    assert!(small.is_none() && large.is_none() && 28 <= few && few < many, "{few}, {many}");
    assert_eq!(of(1 << 20, Some(("stripe", 40))).1, 40);
    // Tiles of the image start where tiles of the algorithm do.
    let Some(Family::Winograd(plan)) = family("winograd-1x64xDxD-f32", &[], &cpu(|_| {}), None).0 else { panic!() };
    assert!(plan.blocking.tiles.is_some_and(|image| image.unit == 2 && image.most.iter().all(|most| most % 2 == 0)));
}

#[test]
fn bytes_are_multiplied_as_words_where_these_hold_transformed_numbers() {
    const WORDS: &str = "winograd-1x35x9x14-u8";
    let pairs = |change: &dyn Fn(&mut MachineModel)| {
        cpu(|t| {
            t.dots = DotProducts::of("x86_64", 256, false, |feature| feature == "avx2");
            change(t);
        })
    };
    let of = |change: &[(&str, &str)], machine: &MachineModel| family(WORDS, change, machine, None).0;
    let Some(Family::Winograd(plan)) = of(&[], &pairs(&|_| {})) else { panic!("it is a convolution") };
    assert!(plan.form.words.is_some() && plan.describe().contains("of words"));
    // Pairs of 35 channels.
    assert_eq!(plan.form.sizes.channels, 18);
    // A zero point so large that transformed numbers are no words, numbers that are no bytes, and CPUs without products of words.
    let not_winograd = |family| !matches!(family, Some(Family::Winograd(_)));
    let large = ("arith.constant 100", "arith.constant 8000");
    assert!(not_winograd(of(&[large], &pairs(&|_| {}))));
    let wide = [("1x35x9x14xi8>", "1x35x9x14xi16>"), ("^bb0(%in: i8,", "^bb0(%in: i16,"), ("i8 to i32", "i16 to i32")];
    assert!(not_winograd(of(&wide, &pairs(&|_| {}))));
    assert!(not_winograd(of(&[], &pairs(&|t| t.dots = DotProducts::default()))));
}
