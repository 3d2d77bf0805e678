use super::plan::PanelPlan;
use crate::families::Family;
use crate::families::testing::{cpu, family};
use crate::machine::MachineModel;

const EXPORT: &str = "panel-product-3x40x75-f16";

fn plan(change: &[(&str, &str)], target: &MachineModel) -> Option<PanelPlan> {
    match family(EXPORT, change, target, None).0 {
        Some(Family::PanelProduct(plan)) => Some(plan),
        _ => None,
    }
}

#[test]
fn the_form_is_found_by_how_the_matrix_is_read() {
    let found = plan(&[], &cpu(|_| {})).expect("it is a product with a matrix in panels");
    assert_eq!((found.form.columns, found.form.steps, found.form.panels()), (40, 75, 2));
    // Either factor may be the first.
    let swapped = [("arith.mulf %a, %wide", "arith.mulf %wide, %a")];
    assert!(plan(&swapped, &cpu(|_| {})).is_some());
}

#[test]
fn what_comes_close_is_no_such_product() {
    let is = |from: &str, to: &str| plan(&[(from, to)], &cpu(|_| {})).is_some();
    assert!(!is("d1 floordiv 32, d2, d1 mod 32", "d1 floordiv 32, d2, (d1 + 1) mod 32"));
    assert!(!is("%next = arith.addf", "%next = arith.maximumf"));
    assert!(!is("%zero = arith.constant 0.0", "%zero = arith.constant 1.0"));
    // More panels than there are columns.
    assert!(!is("2x75x32xf16", "3x75x32xf16"));
}

#[test]
fn tiles_fill_the_registers() {
    let rows = |count: &str, target: &MachineModel| {
        let (x, y) = (format!("tensor<{count}x75xf32>"), format!("tensor<{count}x40xf32>"));
        let found = plan(&[("tensor<3x75xf32>", &x), ("tensor<3x40xf32>", &y)], target).expect("a product");
        (found.rows, found.vectors, found.heights())
    };
    let wide = cpu(|target| (target.vector_bits, target.registers) = (512, 32));
    assert_eq!(rows("1", &wide), (1, 2, vec![1]));
    assert_eq!(rows("100", &wide), (12, 2, vec![12, 4]));
    assert_eq!(rows("16", &wide), (8, 2, vec![8]));
    assert_eq!(rows("49", &wide), (10, 2, vec![10, 9]));
    let narrow = cpu(|target| (target.vector_bits, target.registers) = (256, 16));
    assert_eq!(rows("1", &narrow), (1, 4, vec![1]));
    assert_eq!(rows("5", &narrow), (5, 2, vec![5]));
}

#[test]
fn a_schedule_says_how_many_rows() {
    let (found, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("rows", 2)));
    let Some(Family::PanelProduct(plan)) = found else { panic!("a product") };
    assert_eq!((plan.rows, refused.len()), (2, 0));
    let (_, refused) = family(EXPORT, &[], &cpu(|_| {}), Some(("rows", 17)));
    assert!(refused[0].starts_with("nest 0 cannot have `rows = 17`"), "{refused:?}");
}

#[test]
fn chunks_of_rows_are_shared_out_where_there_are_few_panels() {
    let wide = cpu(|target| (target.vector_bits, target.registers) = (512, 32));
    let grid = |count: &str, columns: i64| {
        let panels = (columns + 31) / 32;
        let size = "%zero = arith.constant 0 : index %n = tensor.dim %x, %zero : tensor<?x75xf32> %z = arith.constant 0.0 : f32";
        let unknown = count == "?";
        let changes = [
            ("ins(%zero :", if unknown { "ins(%z :" } else { "ins(%zero :" }.to_owned()),
            (
                "%zero = arith.constant 0.0 : f32",
                if unknown { size } else { "%zero = arith.constant 0.0 : f32" }.to_owned(),
            ),
            ("tensor.empty()", if unknown { "tensor.empty(%n)" } else { "tensor.empty()" }.to_owned()),
            ("tensor<3x75xf32>", format!("tensor<{count}x75xf32>")),
            ("tensor<3x40xf32>", format!("tensor<{count}x{columns}xf32>")),
            ("tensor<2x75x32xf16>", format!("tensor<{panels}x75x32xf16>")),
        ];
        let changes: Vec<(&str, &str)> = changes.iter().map(|(from, to)| (*from, &**to)).collect();
        let grid = plan(&changes, &wide).expect("a product").grid;
        (grid.together, grid.panels, grid.whole, grid.workgroups)
    };
    // The last panel of 40 columns has one vector of two.
    assert_eq!(grid("1200", 40), (144, 2, 1, 18));
    assert_eq!(grid("1200", 640), (252, 20, 20, 64));
    assert_eq!(grid("3", 640), (3, 20, 20, 20));
    assert_eq!(grid("?", 50), (24, 2, 2, 64));
}

#[test]
fn matrix_tiles_multiply_several_rows_of_bytes() {
    let features = ["amx-int8", "avx512vnni", "avx512bw", "avx512vl", "avx2"];
    let with = |tiles: bool| {
        cpu(|t| {
            let has = |f: &str| features.contains(&f) && (tiles || f != "amx-int8");
            t.dots = crate::machine::dot_products::DotProducts::of("x86_64", 512, false, has);
            (t.vector_bits, t.registers) = (512, 32);
        })
    };
    let tiles = |rows: &str, target: &MachineModel| match family(
        "panel-product-37x40x75-u8",
        &[("<37x", &format!("<{rows}x"))],
        target,
        None,
    )
    .0
    {
        Some(Family::PanelProduct(plan)) => plan.tiles,
        _ => panic!("it is a product"),
    };
    assert_eq!(
        [("37", true), ("3", true), ("37", false)].map(|(rows, has)| tiles(rows, &with(has))),
        [true, false, false]
    );
}
