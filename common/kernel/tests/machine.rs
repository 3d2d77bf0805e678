//! What a kernel becomes follows the numbers of the machine model: whoever changes one, as a tuner would, gets another kernel.
use halyard_ir::{Op, Session};
use halyard_kernel::{EmitOutcome, MachineModel, Wanted, emit};
use std::{fs, path::Path};

/// The plan of an export of `tests/golden` on a machine.
fn plan(export: &str, machine: &MachineModel) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(export).with_extension("mlir");
    let text = fs::read_to_string(&file).unwrap_or_else(|e| panic!("{export}: {e}"));
    let session = Session::new();
    session.load_dialects(&["gpu", "nvvm", "spirv"]);
    let module = session.parse(text.as_bytes(), export).unwrap_or_else(|e| panic!("{export}: {e:?}"));
    match emit(&session, Op::from(&module), "kernel", machine, Wanted::default())
        .unwrap_or_else(|e| panic!("{export}: {e:?}"))
    {
        EmitOutcome::Emitted(kernel) => kernel.family.unwrap_or_default(),
        other => panic!("{export}: {other:?}"),
    }
}

/// The plans of an export before and after a change of the machine.
fn plans(export: &str, mut machine: MachineModel, change: impl Fn(&mut MachineModel)) -> [String; 2] {
    let before = plan(export, &machine);
    change(&mut machine);
    [before, plan(export, &machine)]
}

fn avx512() -> MachineModel {
    MachineModel { vector_bits: 512, registers: 32, l1: 48 << 10, l2: 1 << 20, fma: true, ..MachineModel::default() }
}

#[test]
fn the_rows_of_a_register_tile_are_a_number_of_the_machine() {
    let [before, after] = plans("matmul-8x12x16-f32", avx512(), |machine| machine.cpu.loops.tallest_tile = 2);
    assert!(before.starts_with("product, tiles of 8 x 16 "), "{before}");
    assert!(after.starts_with("product, tiles of 2 x 16 "), "{after}");
}

/// A CPU with 16 registers of eight lanes.
fn avx2() -> MachineModel {
    MachineModel { vector_bits: 256, registers: 16, l2: 512 << 10, fma: true, ..MachineModel::default() }
}

#[test]
fn planes_that_lie_apart_are_copied_together() {
    const COPIED: &str = "operand packed into panels because its rows are far apart in memory";
    let further = |machine: &mut MachineModel| machine.cpu.memory.packed_distance_of_small_tiles = 1000;
    let [before, after] = plans("conv-1x48x14x14-f32", avx2(), further);
    assert!(before.starts_with("product, tiles of 16 x 6 ") && before.contains(COPIED), "{before}");
    assert!(!after.contains(COPIED), "{after}");
    // As if all planes began at the same place of the cache.
    let competing = |machine: &mut MachineModel| {
        machine.cpu.memory.cache_way = 16;
        machine.cpu.memory.packed_distance = 500;
    };
    let [before, after] = plans("conv-1x48x14x14-f32", avx512(), competing);
    assert!(!before.contains(COPIED), "{before}");
    assert!(after.contains(COPIED), "{after}");
}

#[test]
fn the_least_work_of_a_workgroup_is_a_number_of_the_machine() {
    let less = |machine: &mut MachineModel| machine.cpu.workgroups.worth_handing_out = 100.0;
    let [before, after] = plans("transpose-130x100-f32", avx512(), less);
    assert!(before.ends_with("one workgroup"), "{before}");
    assert!(!after.ends_with("one workgroup"), "{after}");
}

#[test]
fn what_is_too_small_to_transpose_is_a_number_of_a_gpu() {
    let more = |machine: &mut MachineModel| {
        machine.gpu.as_mut().expect("it is of a GPU").threads.transposed_least = 1 << 40;
    };
    for machine in [MachineModel::cuda(80), MachineModel::vulkan()] {
        let [before, after] = plans("transpose-130x100-f32", machine, more);
        assert!(before.starts_with("transposition of 130 x 100"), "{before}");
        assert!(after.starts_with("elements of 130 x 100"), "{after}");
    }
}
