use super::plan::DepthwisePlan;
use crate::families::Family;
use crate::families::testing::{cpu, family};
use crate::machine::MachineModel;
use crate::machine::dot_products::Instruction;

const EXPORT: &str = "depthwise-conv-1x24x7x7-f32";
const BYTES: &str = "depthwise-conv-1x24x7x7-i8";

fn plan(change: &[(&str, &str)], target: &MachineModel) -> Option<DepthwisePlan> {
    plan_of(EXPORT, change, target)
}

fn plan_of(export: &str, change: &[(&str, &str)], target: &MachineModel) -> Option<DepthwisePlan> {
    match family(export, change, target, None).0 {
        Some(Family::Depthwise(plan)) => Some(plan),
        _ => None,
    }
}

#[test]
fn a_filter_for_each_channel_is_a_depthwise_convolution() {
    let found = plan(&[], &cpu(|_| {})).expect("it is one").form;
    assert_eq!((found.image, found.before, found.sizes), (Some([14, 14]), [2, 2], [1, 24, 7, 7]));
    assert_eq!((found.window, found.stride, found.dilation), ([5, 5], [2, 2], [1, 1]));
    assert_eq!((found.under(0, 7), found.under(1, 3)), (17, 9));
}

#[test]
fn what_comes_close_is_none() {
    let is = |change: &[(&str, &str)]| plan(change, &cpu(|_| {})).is_some();
    // Another number than zero around the image, an operand for each pixel, sums of another kind.
    assert!(!is(&[("tensor.yield %zero", "%one = arith.constant 1.0 : f32 tensor.yield %one")]));
    assert!(!is(&[("(n, c, h, w) -> (c)>", "(n, c, h, w) -> (w)>"), ("tensor<24xf32>", "tensor<7xf32>")]));
    assert!(!is(&[(
        "%start = linalg.fill ins(%zero",
        "%two = arith.constant 2.0 : f32 %start = linalg.fill ins(%two"
    )]));
}

#[test]
fn bytes_less_a_zero_point_are_multiplied_as_floats() {
    let bytes = |change: &[(&str, &str)]| plan_of(BYTES, change, &cpu(|_| {})).and_then(|plan| plan.form.bytes);
    assert!(bytes(&[]).is_some_and(|bytes| bytes.input.is_some()));
    // Without a zero point, of the other sign, and less one that is no byte.
    assert!(bytes(&[("arith.subi %large, %point", "arith.addi %large, %zero")]).is_some());
    assert!(bytes(&[("%large = arith.extui", "%large = arith.extsi")]).is_some());
    assert!(bytes(&[("arith.constant 22 : i32", "arith.constant -700 : i32")]).is_some());
    // Numbers whose sums f32 does not hold, and padding that does not stand for zero.
    assert!(bytes(&[("arith.constant 22 : i32", "arith.constant 70000 : i32")]).is_none());
    assert!(bytes(&[("tensor.yield %zero", "%one = arith.constant 1 : i32 tensor.yield %one")]).is_none());
    // Products of each channel with another one's filter are no such convolution.
    assert!(
        bytes(&[("(c, h, w) -> (c, h, w)>, affine_map<(c, h, w)", "(c, h, w) -> (c, w, h)>, affine_map<(c, h, w)")])
            .is_none()
    );
}

#[test]
fn lanes_go_along_the_rows_where_that_costs_less() {
    let wide = |t: &mut MachineModel| t.vector_bits = 512;
    assert!(plan(&[], &cpu(wide)).is_some());
    // Few channels fill a vector badly.
    assert!(plan(&[("24x", "3x")], &cpu(wide)).is_none());
    // Vectors of four lanes are not worth it.
    assert!(plan(&[], &cpu(|t| t.vector_bits = 128)).is_none());
    assert!(plan(&[], &cpu(|t| t.cpu.depthwise.turned = [2000, 6, 40])).is_none());
}

#[test]
fn stripes_fit_the_cache_and_are_enough_to_share_out() {
    let rows = |target| plan(&[], &target).map(|plan| (plan.rows, plan.stripes, plan.share.units)).expect("it is one");
    let wide = |t: &mut MachineModel| (t.vector_bits, t.registers) = (512, 32);
    // A stripe is at least as high as a window.
    assert_eq!(rows(cpu(wide)), (7, 1, 2));
    assert_eq!(
        rows(cpu(|t| {
            wide(t);
            t.l2 = 4 * 4096;
        })),
        (3, 3, 6)
    );
}

#[test]
fn dilated_windows_have_high_stripes() {
    // Windows that reach over 33 rows of 14: stripes of few rows would read most of the image again and again.
    let dilated = [
        ("dilations = dense<1>", "dilations = dense<8>"),
        ("low[0, 0, 2, 2] high[0, 0, 2, 2]", "low[0, 0, 16, 16] high[0, 0, 16, 16]"),
        ("18x18", "46x46"),
    ];
    let l2 = |bytes: u64| cpu(move |t| (t.vector_bits, t.registers, t.l2) = (512, 32, bytes));
    let rows = |target| plan(&dilated, &target).map(|plan| (plan.form.under(0, 1), plan.rows, plan.stripes));
    assert_eq!(rows(l2(1 << 20)), Some((33, 7, 1)));
    assert_eq!(rows(l2(1 << 18)), Some((33, 7, 1)));
}

#[test]
fn a_schedule_says_how_many_rows() {
    let Some(Family::Depthwise(plan)) = family(EXPORT, &[], &cpu(|_| {}), Some(("rows", 3))).0 else { panic!() };
    assert_eq!((plan.rows, plan.stripes), (3, 3));
    let (_, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("rows", 8)));
    assert!(refused[0].starts_with("nest 0 cannot have `rows = 8`"), "{refused:?}");
}

#[test]
fn images_of_unknown_size_are_divided_into_tiles() {
    let machine = cpu(|t| (t.vector_bits, t.registers, t.l2) = (512, 32, 1 << 20));
    let plan = plan_of("depthwise-conv-1x24xDxD-f32", &[], &machine).expect("it is one");
    let tiles = plan.tiles.expect("there are tiles");
    assert_eq!((plan.form.image, tiles.most[1], plan.rows), (None, plan.form.sizes[3], tiles.most[0]));
    assert!(plan.form.under(0, plan.rows) * plan.form.under(1, 56) * 64 <= (1 << 20) / 4);
}

#[test]
fn bytes_of_rows_are_multiplied_four_at_once() {
    let machine = |change: fn(&mut MachineModel)| {
        cpu(move |t| {
            (t.vector_bits, t.registers, t.dots.bytes) = (512, 32, Some(Instruction::Bytes));
            t.cpu.depthwise.row_dots = [0; 4];
            change(t);
        })
    };
    let dots = |change: &[(&str, &str)], target: &MachineModel| {
        plan_of(BYTES, change, target).and_then(|plan| plan.row_dots.map(|dots| (dots.pitch, plan.blocks)))
    };
    // A unit of work for each channel, rows with their padding.
    assert_eq!(dots(&[], &machine(|_| {})), Some((17, 24)));
    assert!(dots(&[("%large = arith.extui", "%large = arith.extsi")], &machine(|_| {})).is_some());
    // Lanes go along the rows: what follows may have an element for each column.
    let for_columns = [("(n, c, h, w) -> (c)>", "(n, c, h, w) -> (w)>"), ("tensor<24xf32>", "tensor<7xf32>")];
    assert!(dots(&for_columns, &machine(|_| {})).is_some());
    assert!(dots(&for_columns, &machine(|t| t.dots.bytes = None)).is_none());
    // What stands for zero is no byte; rows too short to be worth it; another instruction, or none.
    assert!(dots(&[("arith.constant 22 : i32", "arith.constant -700 : i32")], &machine(|_| {})).is_none());
    let costs = |t: &mut MachineModel| t.cpu.depthwise.row_dots = [1190, 7, 60, 13];
    assert!(dots(&[], &machine(costs)).is_none());
    assert!(dots(&[], &machine(|t| t.dots.bytes = Some(Instruction::SignedBytes))).is_none());
    assert!(dots(&[], &machine(|t| t.dots.bytes = None)).is_none());
}
