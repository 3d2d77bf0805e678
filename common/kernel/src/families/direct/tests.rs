use crate::families::Family;
use crate::families::testing::{cpu, family};

const EXPORT: &str = "conv-1x512x7x7-f32";

#[test]
fn sums_of_products_with_packed_filters_are_convolutions() {
    let of = |change: &[(&str, &str)]| family(EXPORT, change, &cpu(|_| {}), None).0;
    let Some(Family::Direct(plan)) = of(&[]) else { panic!("it is a convolution") };
    assert_eq!((plan.form.sizes.filters, plan.form.sizes.height, plan.form.sizes.width), (512, 7, 7));
    // The largest product is no sum of products.
    assert!(of(&[("%5 = arith.addf %out, %4", "%5 = arith.maximumf %out, %4")]).is_none());
}

#[test]
fn there_are_units_for_several_threads() {
    let Some(Family::Direct(plan)) = family(EXPORT, &[], &cpu(|_| {}), None).0 else { panic!() };
    assert!(plan.share.units > 1 && plan.share.workgroups > 1 && plan.share.workgroups <= plan.share.units);
    assert_eq!(plan.share.units, plan.blocking.units());
    assert_eq!(plan.form.sizes.height % plan.blocking.rows, 0);
}

#[test]
fn a_schedule_divides_the_filters() {
    let Some(Family::Direct(plan)) = family(EXPORT, &[], &cpu(|_| {}), Some(("filter_parts", 2))).0 else { panic!() };
    assert_eq!((plan.blocking.parts, plan.blocking.parts * plan.blocking.blocks), (2, plan.form.sizes.blocks()));
    let (_, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("filter_parts", 3)));
    assert!(refused[0].starts_with("nest 0 cannot have `filter_parts = 3`"), "{refused:?}");
}
