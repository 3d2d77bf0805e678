use crate::families::Family;
use crate::families::testing::{cpu, family};
use crate::families::transposed::ProductRows;
use crate::machine::MachineModel;

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
fn bytes_are_multiplied_four_at_a_time() {
    use crate::machine::dot_products::{DotProducts, Instruction};
    const BYTES: &str = "conv-1x40x9x16-i8";
    let features = ["avx512vnni", "avx512bw", "avx512vl", "avx2"];
    let vnni = cpu(|t| t.dots = DotProducts::of("x86_64", 512, false, |feature| features.contains(&feature)));
    let of = |change: &[(&str, &str)]| match family(BYTES, change, &vnni, None).0 {
        Some(Family::Direct(plan)) => Some(plan),
        _ => None,
    };
    let plan = of(&[]).expect("it is a convolution");
    let bytes = plan.form.bytes.as_ref().expect("of bytes");
    assert_eq!((bytes.instruction, bytes.raw.signed, bytes.channels), (Instruction::Bytes, false, 22));
    // Six groups of four channels.
    assert_eq!((plan.form.sizes.channels, plan.form.block()), (6, 6 * 9 * 32));
    // Filters that are not signed are moved on the way; an image of words is none of bytes; nor is one with padding that is no byte.
    assert!(of(&[("arith.extsi", "arith.extui")]).is_none());
    assert!(of(&[("arith.constant 100 : i32", "arith.constant 300 : i32")]).is_none());
    assert!(
        of(&[
            ("tensor<1x22x9x16xi8>", "tensor<1x22x9x16xi16>"),
            (
                "%in: i8, %out: i32):\n      %8 = arith.extui %in : i8",
                "%in: i16, %out: i32):\n      %8 = arith.extui %in : i16"
            )
        ])
        .is_none()
    );
    // Without such instructions it is another kernel.
    assert!(!matches!(family(BYTES, &[], &cpu(|_| {}), None).0, Some(Family::Direct(_))));
}

#[test]
fn one_vector_of_filters_leaves_room_for_whole_vectors_of_pixels() {
    use crate::machine::dot_products::DotProducts;
    let features = ["avx512vnni", "avx512bw", "avx512vl", "avx2"];
    let vnni = cpu(|t| t.dots = DotProducts::of("x86_64", 512, false, |feature| features.contains(&feature)));
    let of = |export| match family(export, &[], &vnni, None).0 {
        Some(Family::Direct(plan)) => plan,
        _ => panic!("it is a convolution"),
    };
    // Rows of 16 are two tiles of 14 pixels, but one vector.
    assert_eq!([12, 14, 16].map(|points| of("conv-1x40x9x16-i8").form.filter_vectors(points, 16)), [1, 1, 2]);
    // Sums of f32 are long.
    assert_eq!(of(EXPORT).form.filter_vectors(14, 16), 2);
}

#[test]
fn words_in_short_vectors_take_two_vectors_of_filters() {
    let Some(Family::Direct(plan)) = family("conv-1x40x9x16-i8-pairs", &[], &avx2(), None).0 else {
        panic!("it is a convolution")
    };
    // Rows of 16 are three tiles of 6 pixels, but two vectors.
    assert_eq!(plan.form.filter_vectors(6, 8), 2);
}

#[test]
fn rows_are_finished_at_once_where_much_follows_their_sums() {
    let of = |export, machine: &MachineModel| match family(export, &[], machine, None).0 {
        Some(Family::Direct(plan)) => plan.finish_rows,
        _ => panic!("it is a convolution"),
    };
    // Rows of 14 are three tiles, but two vectors.
    assert!(of("conv-1x40x6x14-i8-activated", &avx2()));
    // Nothing follows; tiles of 14 pixels.
    assert!(!of(EXPORT, &avx2()) && !of(EXPORT, &cpu(|_| {})));
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

/// A machine with sixteen registers of eight lanes.
fn avx2() -> crate::machine::MachineModel {
    use crate::machine::dot_products::DotProducts;
    cpu(|t| {
        (t.vector_bits, t.registers, t.l2) = (256, 16, 512 << 10);
        t.dots = DotProducts::of("x86_64", 256, false, |feature| feature == "avx2");
    })
}

#[test]
fn with_few_registers_channels_are_last_and_divided() {
    let Some(Family::Direct(plan)) = family(EXPORT, &[], &avx2(), None).0 else { panic!("it is a convolution") };
    assert!(plan.channels_last && plan.waiting().is_none());
    assert_eq!(plan.chunk, 256);
    // A small cache holds a part of the filters.
    let small = crate::machine::MachineModel { l2: 64 << 10, ..avx2() };
    let Some(Family::Direct(plan)) = family(EXPORT, &[], &small, None).0 else { panic!("it is a convolution") };
    assert!(plan.channels_last && plan.chunk < 256 && plan.chunk % 16 == 0 && plan.waiting().is_some());
    // With 32 registers planes are read as they are.
    let Some(Family::Direct(plan)) = family(EXPORT, &[], &cpu(|_| {}), None).0 else { panic!("it is a convolution") };
    assert!(!plan.channels_last);
}

#[test]
fn bytes_are_multiplied_in_pairs_where_there_are_no_products_of_bytes() {
    let Some(Family::Direct(plan)) = family("conv-1x40x9x16-i8-pairs", &[], &avx2(), None).0 else { panic!() };
    let bytes = plan.form.bytes.as_ref().expect("of bytes");
    assert_eq!((bytes.short().group(), bytes.channels, plan.form.sizes.channels, plan.form.w_bytes), (2, 22, 11, 2));
    // Groups of four are for another machine.
    assert!(!matches!(family("conv-1x40x9x16-i8", &[], &avx2(), None).0, Some(Family::Direct(_))));
}

#[test]
fn products_with_transposed_results_are_convolutions() {
    const PRODUCT: &str = "transposed-product-9x14x66x96-f32";
    let machine = avx2();
    let of = |change: &[(&str, &str)]| family(PRODUCT, change, &machine, None).0;
    let Some(Family::Direct(plan)) = of(&[]) else { panic!("it is a convolution") };
    let sizes = plan.form.sizes;
    assert_eq!((sizes.n, sizes.filters, sizes.height, sizes.width, sizes.channels), (1, 66, 9, 14, 96));
    assert!(plan.form.rows == Some(ProductRows { dims: 2, divided: None }));
    assert!(plan.in_rows && !plan.form.filters_inside());
    // Results in the order of the product have a family of their own.
    let plain =
        [("(d1, d2, d0)", "(d0, d1, d2)"), ("(d0, d1, d2) -> (d0)>", "(d0, d1, d2) -> (d2)>"), ("66x9x14", "9x14x66")];
    assert!(matches!(of(&plain), Some(Family::PanelProduct(_))));
}

#[test]
fn long_rows_of_products_are_divided() {
    const PRODUCT: &str = "transposed-product-2x392x66x96-f32";
    let of = |machine: &MachineModel, change: &[(&str, &str)]| match family(PRODUCT, change, machine, None).0 {
        Some(Family::Direct(plan)) => Some(plan),
        None => None,
        Some(_) => panic!("it is a convolution, or a nest"),
    };
    // Pieces that registers hold without a rest.
    let wide = of(&cpu(|_| {}), &[]).expect("it is a convolution");
    assert_eq!((wide.form.sizes.n, wide.form.sizes.height, wide.form.sizes.width), (2, 7, 56));
    // One that has no divisor of that kind is whole.
    let prime = of(&avx2(), &[("392", "397")]).expect("it is a convolution");
    assert_eq!((prime.form.sizes.n, prime.form.sizes.height, prime.form.sizes.width), (1, 2, 397));
    // With 32 registers, rows that compete for the cache are not copied for few filters; with 16 they are.
    let competes = [("x96x", "x1024x")];
    assert!(of(&cpu(|_| {}), &competes).is_none());
    assert!(of(&avx2(), &competes).is_some_and(|plan| plan.copied && !plan.in_rows));
}

#[test]
fn images_of_unknown_size_are_divided_into_tiles() {
    const OPEN: &str = "conv-1x96xDxD-f32";
    let of = |target: &crate::machine::MachineModel| match family(OPEN, &[], target, None).0 {
        Some(Family::Direct(plan)) => plan,
        _ => panic!("it is a convolution"),
    };
    let plan = of(&cpu(|t| (t.vector_bits, t.registers, t.l2) = (512, 32, 1 << 20)));
    let tiles = plan.blocking.tiles.expect("there are tiles");
    assert_eq!((tiles.most, plan.form.input[1], plan.copied), ([23, 28], 57, true));
    // A smaller cache holds fewer rows, then fewer columns.
    let small = of(&cpu(|t| (t.vector_bits, t.registers, t.l2) = (512, 32, 256 << 10))).blocking.tiles.expect("tiles");
    assert!(small.most[0] * small.most[1] < tiles.most[0] * tiles.most[1] && small.most[1] % plan.rows == 0);
    // Rows are limited by what a schedule asks for.
    let asked = family(OPEN, &[], &cpu(|_| {}), Some(("stripe", 5))).0;
    assert!(matches!(asked, Some(Family::Direct(plan)) if plan.blocking.tiles.is_some_and(|t| t.most[0] == 5)));
    let (_, refused) = family(OPEN, &[], &cpu(|_| {}), Some(("stripe", 57)));
    assert!(refused[0].starts_with("nest 0 cannot have `stripe = 57`"), "{refused:?}");
}

#[test]
fn large_padding_is_left_out() {
    const DILATED: &str = "conv-1x40x14x19-dilated-f32";
    let of = |machine: &MachineModel, change: &[(&str, &str)]| match family(DILATED, change, machine, None).0 {
        Some(Family::Direct(plan)) => plan,
        _ => panic!("it is a convolution"),
    };
    for machine in [cpu(|_| {}), avx2()] {
        let plan = of(&machine, &[]);
        assert!(plan.form.skips_padding && !plan.copied && !plan.channels_last);
        assert_eq!((plan.form.input, plan.form.before), ([14, 19], [12, 12]));
    }
    // With 16 registers the padding of a smaller dilation is copied: the registers hold fewer pixels of a row.
    let less = [("* 12", "* 3"), ("12, 12]", "3, 3]"), ("38x43", "20x25")];
    assert!(of(&cpu(|_| {}), &less).form.skips_padding);
    assert!(!of(&avx2(), &less).form.skips_padding);
    // Padding that is not zero is read.
    assert!(
        !of(&cpu(|_| {}), &[("tensor.yield %cst", "%one = arith.constant 1.0 : f32 tensor.yield %one")])
            .form
            .skips_padding
    );
}

#[test]
fn a_long_row_of_few_filters_is_divided() {
    let plan = |change: &[(&str, &str)]| match family("conv-1x24x1x300-f32", change, &cpu(|_| {}), None).0 {
        Some(Family::Direct(plan)) => plan,
        _ => panic!("it is a convolution"),
    };
    let Some(image) = plan(&[]).share.tiles else { panic!("it has tiles") };
    assert!(image.most[0] == 1 && 300 / image.most[1] >= 8, "{image:?}");
    // With many filters each part of them reads whole rows.
    let many = [
        ("tensor<24xf32>", "tensor<512xf32>"),
        ("tensor<1x24x1x300xf32>", "tensor<1x512x1x300xf32>"),
        ("tensor<1x9x1x4x32xf32>", "tensor<16x9x1x4x32xf32>"),
    ];
    assert!(plan(&many).share.tiles.is_none());
}

fn with_tiles() -> MachineModel {
    let features = ["amx-int8", "avx512vnni", "avx512bw", "avx512vl", "avx2"];
    cpu(|t| {
        t.dots = crate::machine::dot_products::DotProducts::of("x86_64", 512, false, |f| features.contains(&f));
        (t.vector_bits, t.registers, t.l2) = (512, 32, 2 << 20);
    })
}

#[test]
fn matrix_tiles_go_on_from_row_to_row() {
    let tiles = |change: &[(&str, &str)]| match family("conv-1x40x9x16-i8-tiles", change, &with_tiles(), None).0 {
        Some(Family::Direct(plan)) => (plan.tiles.map(|run| (run.rows, run.columns)), plan.form.joins_taps()),
        _ => panic!("it is a convolution"),
    };
    // Rows of 16 points fill tiles; three of 14 points, with padding, fill them better than one.
    assert_eq!(tiles(&[]), (Some((1, 16)), true));
    assert_eq!(tiles(&[("1x40x9x16", "1x40x9x12")]), (Some((3, 12)), true));
    // With steps of two each row is a run of its own.
    let step = [("d2 + d5, d3 + d6", "d2 * 2 + d5, d3 * 2 + d6"), ("1x40x9x16", "1x40x5x8")];
    assert_eq!(tiles(&step), (Some((1, 8)), true));
    // Dilated taps are no neighbours.
    let dilated = [("d2 + d5, d3 + d6", "d2 + d5 * 2, d3 + d6 * 2"), ("1x40x9x16", "1x40x7x14")];
    assert_eq!(tiles(&dilated), (Some((7, 14)), false));
}

#[test]
fn filters_tap_by_tap_are_for_matrix_tiles_alone() {
    let of = |target: &MachineModel| family("conv-1x40x9x16-i8-tiles", &[], target, None).0;
    assert!(!matches!(of(&cpu(|t| t.dots.tiles = false)), Some(Family::Direct(_))));
    let (_, refused) = family("conv-1x40x9x16-i8-tiles", &[], &with_tiles(), Some(("rows", 3)));
    assert!(refused[0].contains("rows"), "{refused:?}");
}
