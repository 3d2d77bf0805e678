//! What no kernel is made of is refused, and its module is as it was.
use halyard_ir::{
    Op, Session,
    form::{NestSchedule, ScheduleSetting},
};
use halyard_kernel::{EmitOutcome, MachineModel, Wanted, emit};

/// A product, which the emitter's own passes rewrite, before a body that `inside` is part of.
fn export(inside: &str) -> String {
    format!(
        r#"func.func @f(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> {{
            %c0 = arith.constant 0 : index
            %c1 = arith.constant 1 : index
            %zero = arith.constant 0.0 : f32
            %e = tensor.empty() : tensor<8x8xf32>
            %z = linalg.fill ins(%zero : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
            %p = linalg.matmul ins(%a, %b : tensor<8x8xf32>, tensor<8x8xf32>) outs(%z : tensor<8x8xf32>) -> tensor<8x8xf32>
            %r = linalg.map ins(%p : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) (%x: f32, %out: f32) {{
                {inside}
                linalg.yield %y : f32
            }}
            return %r : tensor<8x8xf32>
        }}"#
    )
}

/// What comes of an export, and the module before and after.
fn outcome(text: &str, target: &MachineModel, given: Option<&[NestSchedule]>) -> (EmitOutcome, String, String) {
    let session = Session::new();
    session.load_dialects(&["gpu", "nvvm", "spirv"]);
    let module = session.parse(text.as_bytes(), "test").expect("the test's module parses");
    let op = Op::from(&module);
    let before = op.to_string();
    let outcome = emit(&session, op, "f", target, Wanted { schedule: given, family: false }).expect("no pass fails");
    assert!(op.verify(), "{op}");
    (outcome, before, op.to_string())
}

#[test]
fn a_module_changes_only_if_there_is_a_kernel() {
    let looping = export(
        "%i = linalg.index 0 : index
        %y = scf.for %k = %c0 to %i step %c1 iter_args(%sum = %x) -> f32 {
            %more = arith.addf %sum, %x : f32
            scf.yield %more : f32
        }",
    );
    let plain = export("%y = arith.addf %x, %x : f32");
    for target in [MachineModel::default(), MachineModel::vulkan(), MachineModel::cuda(80)] {
        let (refused, before, after) = outcome(&looping, &target, None);
        assert_eq!(refused, EmitOutcome::Unsupported("`scf.for` in a body".to_owned()));
        assert_eq!(before, after);
        let (emitted, before, after) = outcome(&plain, &target, None);
        assert!(matches!(emitted, EmitOutcome::Emitted(_)), "{emitted:?}");
        assert_ne!(before, after);
    }
}

#[test]
fn a_schedule_that_does_not_fit_leaves_the_module_alone() {
    let plain = export("%y = arith.addf %x, %x : f32");
    let given = [NestSchedule(vec![("lanes".to_owned(), ScheduleSetting::Number(5))])];
    let (refused, before, after) = outcome(&plain, &MachineModel::default(), Some(&given));
    assert!(matches!(refused, EmitOutcome::Refused(_)), "{refused:?}");
    assert_eq!(before, after);
}
