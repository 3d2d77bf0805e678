use crate::families::Family;
use crate::families::testing::{cpu, family};

const EXPORT: &str = "pool-max-1x16x64x64-f32";

#[test]
fn windows_over_planes_are_poolings() {
    let of = |change: &[(&str, &str)]| family(EXPORT, change, &cpu(|_| {}), None).0;
    let Some(Family::Pooling(plan)) = of(&[]) else { panic!("it is a pooling") };
    assert_eq!((plan.pool.window, plan.pool.stride, plan.pool.before), ([2, 2], [2, 2], [0, 0]));
    assert_eq!((plan.pool.from, plan.pool.to), ([1, 16, 128, 128], [1, 16, 64, 64]));
    // Lanes cannot go along the rows of an image whose channels are last.
    let last = [("nchw_max", "nhwc_max"), ("1x16x128x128", "1x128x128x16"), ("1x16x64x64", "1x64x64x16")];
    assert!(of(&last).is_none());
}

#[test]
fn rows_that_are_combined_fit_the_cache() {
    let rows = |target| match family(EXPORT, &[], &target, None).0 {
        Some(Family::Pooling(plan)) => plan.rows,
        _ => panic!("it is a pooling"),
    };
    let large = rows(cpu(|_| {}));
    let small = rows(cpu(|t| t.cpu.convolutions.pooled_bytes = 2 * 4 * 128));
    assert!(small < large && 64 % large == 0 && 64 % small == 0, "{small}, {large}");
}

#[test]
fn a_schedule_says_how_many_rows() {
    let Some(Family::Pooling(plan)) = family(EXPORT, &[], &cpu(|_| {}), Some(("rows", 4))).0 else { panic!() };
    assert_eq!(plan.rows, 4);
    // It does not divide the rows of the result.
    let (_, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("rows", 5)));
    assert!(refused[0].starts_with("nest 0 cannot have `rows = 5`"), "{refused:?}");
}

#[test]
fn poolings_of_unknown_size_are_divided_into_tiles() {
    let target = cpu(|_| {});
    let Some(Family::Pooling(plan)) = family("pool-max-Dx5xDxD-f32", &[], &target, None).0 else { panic!() };
    let image = plan.tiles.expect("tiles");
    assert_eq!(image.most, [target.cpu.convolutions.open_rows, target.cpu.convolutions.open_columns]);
    // A vector may be written after the end of a row, and whole vectors of windows are read.
    assert!(plan.pitch >= image.most[1] + plan.pool.window[1] - 1 + plan.lanes - 1, "{}", plan.pitch);
    assert!(plan.rows > 1 && plan.describe().contains("tiles of up to"));
}
