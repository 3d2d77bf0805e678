//! What each family takes, and what comes close but is none of its: an export of `tests/golden` is of the family, and a small
//! change to it makes it one of another. Where the match of a family is too narrow, the first is not of it any more; where
//! it is too wide, the second still is.
use halyard_ir::{Op, Session};
use halyard_kernel::{DotProducts, EmitOutcome, MachineModel, Wanted, emit};
use std::{fs, path::Path};

/// An export that is of a family, and a change after which it is of another.
struct NearMiss {
    /// The file in `tests/golden`.
    export: &'static str,
    machine: fn() -> MachineModel,
    /// How the plan of the export begins.
    plan: &'static str,
    /// Pieces of the text and what takes their place.
    change: &'static [(&'static str, &'static str)],
    /// How the plan begins then, or why there is none.
    changed: &'static str,
}

const NEAR_MISSES: &[NearMiss] = &[
    // With channels last, lanes run along the channels, and windows need no loads of their own.
    NearMiss {
        export: "pool-max-1x16x64x64-f32",
        machine: cpu,
        plan: "pooling, windows of 2 x 2",
        change: &[
            ("pooling_nchw_max", "pooling_nhwc_max"),
            ("1x16x128x128", "1x128x128x16"),
            ("1x16x64x64", "1x64x64x16"),
        ],
        changed: "reduction, tiles of",
    },
    // Where elements are not multiplied by both matrices, the input is not transformed.
    NearMiss {
        export: "winograd-1x64x32x32-f32",
        machine: cpu,
        plan: "minimal filtering F(2×2, 3×3)",
        change: &[("%11 = arith.mulf %10, %in_3", "%11 = arith.addf %10, %in_3")],
        changed: "product, tiles of",
    },
    // The largest product is no sum of products.
    NearMiss {
        export: "conv-1x512x7x7-f32",
        machine: cpu,
        plan: "packed filters",
        change: &[("%5 = arith.addf %out, %4", "%5 = arith.maximumf %out, %4")],
        changed: "product, tiles of",
    },
    // Numbers of 32 bits are not short.
    NearMiss {
        export: "matmul-40x72x96-i8",
        machine: cpu,
        plan: "product of short numbers by pmaddwd",
        change: &[("xi8>", "xi32>")],
        changed: "product, tiles of 8 x 48",
    },
    // Numbers of three bits are not taken out of bytes.
    NearMiss {
        export: "block-product-3x40x64-f32",
        machine: cpu,
        plan: "product with numbers of 4 bits in blocks of 32, numbers made floats in registers",
        change: &[("%c15_i32 = arith.constant 15", "%c15_i32 = arith.constant 7")],
        changed: "product, 8 x 2 results in registers",
    },
    // What lies in panels is read in panels.
    NearMiss {
        export: "panel-product-3x40x75-f16",
        machine: cpu,
        plan: "product with a matrix in panels, 3 rows at a time",
        change: &[("d1 floordiv 32, d2, d1 mod 32", "d1 floordiv 32, d2, (d1 + 1) mod 32")],
        changed: "product",
    },
    // Tensor cores have no products of f32 in full precision.
    NearMiss {
        export: "matmul-40x48x64-f16",
        machine: cuda,
        plan: "product on tensor cores",
        change: &[("xf16>", "xf32>")],
        changed: "product, tiles of",
    },
    // A product with one column has rows to add up, and nothing to keep in tiles.
    NearMiss {
        export: "matmul-40x48x64-f16",
        machine: MachineModel::vulkan,
        plan: "product, tiles of",
        change: &[("40x48x", "40x1x"), ("64x48x", "64x1x")],
        changed: "rows of 40",
    },
    // Where rows stay rows, nothing is transposed.
    NearMiss {
        export: "transpose-130x100-f32",
        machine: cpu,
        plan: "transposition, blocks of",
        change: &[("100x130", "130x100"), ("[1, 0]", "[0, 1]")],
        changed: "elementwise",
    },
    NearMiss {
        export: "transpose-130x100-f32",
        machine: cuda,
        plan: "transposition of 130 x 100 through shared memory",
        change: &[("100x130", "130x100"), ("[1, 0]", "[0, 1]")],
        changed: "elements of 130 x 100, one per thread",
    },
    // A softmax down the columns cannot be computed row by row.
    NearMiss {
        export: "attention-2x32x48x16-f32",
        machine: cuda,
        plan: "rows of 2 x 32 x 8, 8 at a time, 3 inner sums of a row in shared memory, 2 products in tiles",
        change: &[("dimension(2)", "dimension(1)")],
        changed: "rows of 2 x 32 x 8, 8 at a time, 3 inner sums of a row in shared memory, a product in tiles",
    },
    // The place of what loses is no argmax.
    NearMiss {
        export: "argmax-64x1000-f32",
        machine: cuda,
        plan: "rows of 64, 1 at a time by 256 lanes",
        change: &[("%c, %here, %place", "%c, %place, %here")],
        changed: "elements of 64, one per thread",
    },
];

fn cpu() -> MachineModel {
    let features = ["avx2", "avx512bw", "avx512vl"];
    MachineModel {
        vector_bits: 512,
        registers: 32,
        l1: 48 << 10,
        l2: 1 << 20,
        fma: true,
        dots: DotProducts::of("x86_64", 512, false, |feature| features.contains(&feature)),
        ..MachineModel::default()
    }
}

fn cuda() -> MachineModel {
    MachineModel::cuda(80)
}

/// The plan of an export, or why there is none.
fn plan(text: &str, name: &str, machine: &MachineModel) -> String {
    let session = Session::new();
    session.load_dialects(&["gpu", "nvvm", "spirv"]);
    let module = session.parse(text.as_bytes(), name).unwrap_or_else(|e| panic!("{name}: {e:?}"));
    match emit(&session, Op::from(&module), "kernel", machine, Wanted::default())
        .unwrap_or_else(|e| panic!("{name}: {e:?}"))
    {
        EmitOutcome::Emitted(kernel) => kernel.family.unwrap_or_default(),
        EmitOutcome::Unsupported(why) => format!("unsupported: {why}"),
        EmitOutcome::Refused(why) => panic!("{name}: {why:?}"),
    }
}

#[test]
fn families_take_their_form_and_nothing_that_is_near_it() {
    let mut findings = Vec::new();
    for near in NEAR_MISSES {
        let machine = (near.machine)();
        let on = machine.gpu.as_ref().map_or("CPU", |gpu| gpu.name);
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(near.export).with_extension("mlir");
        let mut text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", near.export));
        let mut expect = |text: &str, begins: &str, what: &str| {
            let is = plan(text, near.export, &machine);
            if !is.starts_with(begins) {
                findings.push(format!("{} for {on}{what}: `{is}`, not `{begins}…`", near.export));
            }
        };
        expect(&text, near.plan, "");
        for (from, to) in near.change {
            assert!(text.contains(from), "{} has no `{from}`", near.export);
            text = text.replace(from, to);
        }
        expect(&text, near.changed, " as changed");
    }
    assert!(findings.is_empty(), "\n{}", findings.join("\n"));
}
