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

#[test]
fn each_group_has_filters_of_its_own() {
    const GROUPED: &str = "conv-2x3x24x17x17-f32";
    let of = |change: &[(&str, &str)]| family(GROUPED, change, &cpu(|_| {}), None).0;
    let Some(Family::Direct(plan)) = of(&[]) else { panic!("it is a convolution") };
    assert_eq!((plan.form.groups, plan.form.sizes.n, plan.form.sizes.filters), (Some(3), 6, 12));
    // One group's filters for the channels of another.
    assert!(of(&[("-> (d1, d2 floordiv 32", "-> (d1 mod 2, d2 floordiv 32")]).is_none());
}

#[test]
fn halves_become_wide_and_results_may_be_several() {
    const HALVES: &str = "conv-1x24x36x9x9-f16";
    let of = |change: &[(&str, &str)]| family(HALVES, change, &cpu(|_| {}), None).0;
    let Some(Family::Direct(plan)) = of(&[]) else { panic!("it is a convolution") };
    assert_eq!((plan.form.w_bytes, plan.form.roots.len(), plan.form.filters_inside()), (2, 2, true));
    // What is done to the input may be anything; filters are only made wider.
    assert!(
        of(&[("%6 = arith.extf %in : f16 to f32", "%8 = arith.negf %in : f16\n %6 = arith.extf %8 : f16 to f32")])
            .is_none()
    );
}

#[test]
fn a_vector_of_filters_needs_no_second_one() {
    use super::form::Direct;
    assert_eq!([1, 16, 17, 32].map(|filters| Direct::vectors(filters, 16)), [1, 1, 2, 2]);
    assert_eq!([8, 9, 32].map(|filters| Direct::vectors(filters, 8)), [1, 2, 2]);
}

#[test]
fn only_what_windows_meet_of_a_dilated_image_is_read() {
    use super::inside::Inside;
    let image = |low| Inside { low, size: 14 };
    // 14 places, 3 elements of a window with "same" padding: all meet the image, the middle one alone does, none of two does.
    assert_eq!(image(12).live(14, 3, 1, 12), (0, 3));
    assert_eq!(image(24).live(14, 3, 1, 24), (1, 2));
    assert_eq!(image(40).live(14, 2, 1, 20), (0, 1));
    // More padding before the image than behind it.
    assert_eq!(image(24).live(26, 3, 1, 12), (0, 3));
    assert_eq!(image(36).live(14, 3, 1, 12), (2, 3));
}
