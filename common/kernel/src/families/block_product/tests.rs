use super::form::Zero;
use super::plan::{BlockPlan, Way};
use crate::families::Family;
use crate::families::testing::{cpu, family};
use crate::machine::MachineModel;
use crate::machine::dot_products::{DotProducts, Instruction};

const EXPORT: &str = "block-product-3x40x64-f32";

fn vnni(target: &mut MachineModel) {
    let has = ["avx512vnni", "avx512bw", "avx512vl", "avx2"];
    target.dots = DotProducts::of("x86_64", 512, false, |feature| has.contains(&feature));
}

fn plan(change: &[(&str, &str)], target: &MachineModel) -> Option<BlockPlan> {
    match family(EXPORT, change, target, None).0 {
        Some(Family::BlockProduct(plan)) => Some(plan),
        _ => None,
    }
}

#[test]
fn the_form_is_found_by_what_it_computes() {
    let found = plan(&[], &cpu(vnni)).expect("it is a product with packed numbers");
    let form = &found.form;
    assert_eq!((form.columns, form.steps, form.bits, form.block, form.blocks), (40, 64, 4, 32, 2));
    assert!(matches!(form.zero, Zero::Packed(_, 4)));
    // Four low halves of bytes, which are even steps, then the four upper ones.
    assert_eq!(form.order[..8], [0, 2, 4, 6, 1, 3, 5, 7]);
    assert_eq!((form.order[8], form.order[31], form.short), (8, 31, false));
    // The halves the other way round are other steps.
    let swapped = plan(
        &[
            (
                "%6 = arith.remsi %5, %c2 : index",
                "%30 = arith.addi %5, %c1 : index\n      %6 = arith.remsi %30, %c2 : index",
            ),
            ("%c2 = arith.constant 2 : index", "%c2 = arith.constant 2 : index\n    %c1 = arith.constant 1 : index"),
        ],
        &cpu(vnni),
    )
    .expect("it is, too");
    assert_eq!(swapped.form.order[..8], [1, 3, 5, 7, 0, 2, 4, 6]);
}

#[test]
fn what_comes_close_is_no_such_product() {
    let is = |from: &str, to: &str| plan(&[(from, to)], &cpu(vnni)).is_some();
    // A zero point of another block, a number of three bits, a sum instead of a scale, the largest product.
    assert!(!is("%13 = arith.divsi %5, %c32", "%13 = arith.divsi %5, %c2"));
    assert!(!is("%c15_i32 = arith.constant 15 : i32", "%c15_i32 = arith.constant 7 : i32"));
    assert!(!is("%22 = arith.mulf %21, %in_0", "%22 = arith.addf %21, %in_0"));
    assert!(!is("%6 = arith.addf %out, %5", "%6 = arith.maximumf %out, %5"));
    // Scales of the next row.
    assert!(!is(
        "#scales = affine_map<(d0, d1) -> (d0 floordiv 32, d1 floordiv 32, d0 mod 32)>",
        "#scales = affine_map<(d0, d1) -> (d0 floordiv 32, d1 floordiv 32, (d0 + 1) mod 32)>"
    ));
}

#[test]
fn digits_are_for_cpus_that_multiply_bytes() {
    let digits = |n| Way::Digits { instruction: Instruction::Bytes, digits: n };
    assert_eq!(plan(&[], &cpu(vnni)).expect("a product").way, digits(3));
    assert_eq!(plan(&[], &cpu(|_| {})).expect("a product").way, Way::Floats);
    // One is enough where the model says so.
    let marked =
        [("outs(%3 : tensor<3x40xf32>) {", "outs(%3 : tensor<3x40xf32>) attrs = {hal.activations = \"i8\"} {")];
    assert_eq!(plan(&marked, &cpu(vnni)).expect("a product").way, digits(1));
}

#[test]
fn a_schedule_says_how_many_rows() {
    let (found, refused) = family(EXPORT, &[], &cpu(vnni), Some(("rows", 3)));
    let Some(Family::BlockProduct(plan)) = found else { panic!("a product") };
    assert_eq!((plan.rows, refused.len()), (3, 0));
    let (_, refused) = family(EXPORT, &[], &cpu(vnni), Some(("rows", 17)));
    assert!(refused[0].starts_with("nest 0 cannot have `rows = 17`"), "{refused:?}");
}
