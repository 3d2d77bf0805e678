//! Round trips through the encoding, and damaged encodings.
use super::*;
use crate::{DType, KernelIdentity, TensorSpec};

fn spec(shape: &[Option<usize>]) -> TensorSpec {
    TensorSpec { name: Some("x".into()), dtype: DType::F32, shape: shape.to_vec(), dim_names: vec![], element: None }
}

fn whole(base: Base, bytes: u64) -> Buffer {
    Buffer { base, offset: Operand::Immediate(0), bytes: Operand::Immediate(bytes) }
}

/// A host program with something of everything.
fn example() -> HostProgram {
    let count = WorkgroupCount {
        registers: 2,
        body: Vec::new(),
        results: [Operand::Register(0), Operand::Immediate(1), Operand::Immediate(1)],
    };
    let kernel = Kernel {
        executable: "e".into(),
        export: "k".into(),
        identity: KernelIdentity { key: "0123456789abcdef".into(), origin: vec!["/conv".into()] },
        fingerprint: "0123".into(),
        bindings: vec![false, true],
        types: vec![
            BindingType { dtype: DType::F32, dims: vec![BindingSize::Fixed(4)] },
            BindingType { dtype: DType::F32, dims: vec![BindingSize::Constant(0)] },
        ],
        results: 1,
        constants: 1,
        work: KernelWork {
            operations: Some(vec![WorkTerm { factor: 7, constants: vec![0] }]),
            kind: Some("f32".into()),
            bytes: None,
        },
        bytes: None,
        variants: vec![
            KernelVariant {
                name: "cpu".into(),
                code: KernelCode::Host { symbol: "k".into() },
                features: vec!["avx2".into()],
                load_constants: vec!["device.threads".into()],
                packed: vec![PackedBinding { binding: 0, layout: "winograd2".into() }],
                digest: "0123456789abcdef".into(),
                workgroups: count.clone(),
            },
            KernelVariant {
                name: "vulkan".into(),
                code: KernelCode::Device(DeviceCode {
                    format: CodeFormat::Spirv,
                    offset: 64,
                    bytes: 20,
                    entry: "k".into(),
                    workgroup_size: [8, 8, 1],
                    shared_memory: 0,
                    constants: vec![ConstantWidth::Index],
                    arguments: None,
                }),
                features: vec!["Float16".into()],
                load_constants: Vec::new(),
                packed: Vec::new(),
                digest: "0123456789abcdef".into(),
                workgroups: count,
            },
        ],
    };
    let add = ScalarInst::Binary {
        op: Binary::Add,
        ty: ScalarType::INDEX,
        target: 0,
        left: Operand::Register(1),
        right: Operand::Immediate(3),
    };
    let body = vec![
        Inst::Scalar(add),
        Inst::Dispatch {
            kernel: 0,
            bindings: vec![whole(Base::Weight(0), 0), whole(Base::Transient(0), 16)],
            constants: vec![Operand::Register(0)],
            values: vec![String::new(), "y".into()],
        },
        Inst::For {
            counter: 1,
            lower: Operand::Immediate(0),
            upper: Operand::Register(0),
            step: Operand::Immediate(1),
            unsigned: false,
            body: vec![Inst::Copy { source: whole(Base::Constant(0), 16), target: whole(Base::Output(0), 16) }],
        },
        Inst::Assert {
            condition: Operand::Immediate(1),
            message: "{0} of {{}}".into(),
            values: vec![MessageValue { value: Operand::Register(0), ty: ScalarType::INDEX, unsigned: false }],
        },
        Inst::Host {
            function: 0,
            inputs: vec![HostInput { buffer: whole(Base::Input(0), 16), dims: vec![Operand::Register(1)] }],
            results: vec![
                HostResult { place: HostPlace::Slot(0), dims: vec![Operand::Register(0)] },
                HostResult {
                    place: HostPlace::Buffer(whole(Base::Transient(0), 16)),
                    dims: vec![Operand::Immediate(4)],
                },
            ],
        },
    ];
    let ty = |shape: &[Option<usize>]| HostType { dtype: DType::F32, shape: shape.to_vec(), scalar: false };
    let function = Function {
        info: FunctionInfo { name: "main".into(), inputs: vec![spec(&[None])], outputs: vec![spec(&[Some(4)])] },
        registers: 2,
        slots: 1,
        arena: 64,
        transients: vec![Transient { offset: 0, bytes: 16 }],
        input_dims: vec![(0, 0, 1)],
        body,
        outputs: vec![OutputSource::Written],
    };
    HostProgram {
        functions: vec![function],
        kernels: vec![kernel],
        constants: [4, 8]
            .map(|n| Constant { dtype: DType::F32, shape: vec![n], data: ConstantData::Splat(vec![0; 4]) })
            .into(),
        weights: vec![WeightForms {
            forms: vec![
                WeightForm { layout: None, constant: 0 },
                WeightForm { layout: Some("winograd2".into()), constant: 1 },
            ],
        }],
        states: vec![
            State {
                spec: TensorSpec { name: Some("cache".into()), ..spec(&[None, Some(4)]) },
                initial: Initial::Zeros(vec![0, 4]),
            },
            State {
                spec: TensorSpec { name: Some("hidden".into()), ..spec(&[Some(4)]) },
                initial: Initial::Constant(0),
            },
        ],
        archives: vec![Archive {
            place: ArchivePlace::Named("w.safetensors".into()),
            bytes: 8,
            header: Some([1; 32]),
            samples: [3; 32],
            content: [2; 32],
        }],
        imports: vec![KernelImport { name: "f".into(), needed_by: vec!["e".into()] }],
        host_functions: vec![HostFunction {
            name: "m.f".into(),
            version: Some(2),
            inputs: vec![ty(&[None])],
            results: vec![ty(&[None]), ty(&[Some(4)])],
            called_by: vec!["main".into()],
        }],
        trusting: vec!["main".into()],
    }
}

#[test]
fn a_host_program_survives_the_file() {
    let host_program = example();
    validate(&host_program).unwrap();
    assert_eq!(decode(&encode(&host_program)).unwrap(), host_program);
}

#[test]
fn a_cut_host_program_is_refused() {
    let bytes = encode(&example());
    for length in 0..bytes.len() {
        assert!(decode(&bytes[..length]).is_err(), "{length}");
    }
    assert!(decode(&[&bytes[..], &[0]].concat()).is_err());
}

#[test]
fn a_damaged_host_program_is_refused_or_valid() {
    let bytes = encode(&example());
    for at in 0..bytes.len() {
        for bit in 0..8 {
            let mut damaged = bytes.clone();
            damaged[at] ^= 1 << bit;
            // The checksum of the file detects other damage.
            if let Ok(host_program) = decode(&damaged) {
                let _ = validate(&host_program);
            }
        }
    }
}

/// Whether validation refuses the example after a change.
fn refused(change: impl FnOnce(&mut HostProgram)) -> bool {
    let mut host_program = example();
    change(&mut host_program);
    validate(&host_program).is_err()
}

#[test]
fn wrong_indices_and_writes_are_refused() {
    let copy = |source, target| Inst::Copy { source: whole(source, 16), target: whole(target, 16) };
    assert!(refused(|s| s.functions[0].body.push(copy(Base::Input(1), Base::Output(0)))));
    assert!(refused(|s| s.functions[0].body.push(copy(Base::Output(0), Base::Input(0)))));
    assert!(refused(|s| s.functions[0].body.push(copy(Base::Output(0), Base::Constant(0)))));
    assert!(refused(|s| s.functions[0].body.push(copy(Base::Slot(1), Base::Output(0)))));
    assert!(!refused(|s| s.functions[0].body.push(copy(Base::Slot(0), Base::Output(0)))));
    assert!(refused(|s| s.functions[0].registers = 1));
    assert!(refused(|s| s.functions[0].arena = 8));
    assert!(refused(|s| s.functions[0].transients[0].offset = 8));
    assert!(refused(|s| s.functions[0].outputs.clear()));
    assert!(refused(|s| s.kernels[0].bindings.push(false)));
    assert!(refused(|s| s.kernels[0].bindings[0] = true));
    assert!(refused(|s| s.kernels[0].variants.clear()));
    assert!(refused(|s| s.constants[0].data = ConstantData::Archived { archive: 1, key: "w".into() }));
    assert!(refused(|s| s.archives[0].place = ArchivePlace::Named("../w".into())));
    assert!(refused(|s| s.kernels[0].variants[0].load_constants.push("device.thread".into())));
    assert!(refused(|s| s.kernels[0].variants[0].workgroups.registers = 1));
}

/// Returns the bindings of the dispatch.
fn bindings(s: &mut HostProgram) -> &mut Vec<Buffer> {
    let Inst::Dispatch { bindings, .. } = &mut s.functions[0].body[1] else { unreachable!() };
    bindings
}

#[test]
fn weights_that_do_not_fit_are_refused() {
    assert!(refused(|s| s.weights.clear()));
    assert!(refused(|s| drop(s.weights[0].forms.remove(0))));
    assert!(refused(|s| drop(s.weights[0].forms.remove(1))));
    assert!(refused(|s| s.weights[0].forms[1].constant = 2));
    assert!(refused(|s| s.weights[0].forms[1].layout = None));
    assert!(refused(|s| s.weights[0].forms[1].layout = Some("winograd4".into())));
    assert!(refused(|s| bindings(s)[0].bytes = Operand::Immediate(16)));
    assert!(refused(|s| bindings(s)[0].offset = Operand::Immediate(16)));
    assert!(refused(|s| bindings(s)[0] = whole(Base::Input(0), 16)));
    assert!(refused(|s| bindings(s)[1] = whole(Base::Weight(0), 0)));
    let packed = |binding: u32, layout: &str| PackedBinding { binding, layout: layout.into() };
    let of = |s: &mut HostProgram, list: Vec<PackedBinding>| s.kernels[0].variants[0].packed = list;
    assert!(!refused(|s| of(s, Vec::new())));
    assert!(refused(|s| of(s, vec![packed(0, "winograd2"); 2])));
    assert!(refused(|s| of(s, vec![packed(0, "")])));
    assert!(refused(|s| of(s, vec![packed(0, "winograd2"), packed(1, "winograd2")])));
    assert!(refused(|s| of(s, vec![packed(0, "winograd2"), packed(2, "winograd2")])));
    let weight = whole(Base::Weight(0), 0);
    assert!(refused(|s| s.functions[0].body.push(Inst::Copy { source: weight, target: whole(Base::Output(0), 16) })));
}

#[test]
fn the_chosen_variant_gets_its_form_of_a_weight() {
    for (chosen, constant, bytes) in [(0, 1, 32), (1, 0, 16)] {
        let mut host_program = example();
        host_program.bind_weights(&[chosen]);
        assert_eq!(bindings(&mut host_program)[0], whole(Base::Constant(constant), bytes));
        // The model's form is the initial value of a state, too.
        assert_eq!(host_program.used_constants(), [true, chosen == 0]);
    }
}

#[test]
fn states_that_do_not_fit_are_refused() {
    let named = |s: &mut HostProgram, name: &str| s.states[0].spec.name = Some(name.into());
    assert!(refused(|s| named(s, "hidden")));
    assert!(refused(|s| named(s, "")));
    assert!(refused(|s| s.states[0].spec.name = None));
    assert!(refused(|s| s.states[1].initial = Initial::Constant(1)));
    assert!(refused(|s| s.states[1].initial = Initial::Zeros(vec![5])));
    assert!(refused(|s| s.states[0].initial = Initial::Constant(0)));
    assert!(refused(|s| s.states[0].initial = Initial::Zeros(vec![u64::MAX, 4])));
    let load = |slot, state, dims: &[u32]| Inst::LoadState { slot, state, dims: dims.to_vec(), take: true };
    assert!(!refused(|s| s.functions[0].body.push(load(0, 0, &[1]))));
    assert!(refused(|s| s.functions[0].body.push(load(1, 0, &[1]))));
    assert!(refused(|s| s.functions[0].body.push(load(0, 2, &[1]))));
    assert!(refused(|s| s.functions[0].body.push(load(0, 0, &[2]))));
    assert!(refused(|s| s.functions[0].body.push(load(0, 0, &[]))));
    let store =
        |state, from, dims: &[Operand]| Inst::StoreState { state, source: whole(from, 16), dims: dims.to_vec() };
    assert!(!refused(|s| s.functions[0].body.push(store(1, Base::Slot(0), &[Operand::Immediate(4)]))));
    assert!(refused(|s| s.functions[0].body.push(store(2, Base::Slot(0), &[Operand::Immediate(4)]))));
    assert!(refused(|s| s.functions[0].body.push(store(1, Base::Slot(1), &[Operand::Immediate(4)]))));
    assert!(refused(|s| s.functions[0].body.push(store(1, Base::Slot(0), &[]))));
    assert!(refused(|s| s.functions[0].body.push(store(1, Base::Slot(0), &[Operand::Register(2)]))));
}

#[test]
fn wrong_modules_are_refused() {
    let code = |change: &dyn Fn(&mut DeviceCode)| {
        refused(|s| {
            let KernelCode::Device(code) = &mut s.kernels[0].variants[1].code else { unreachable!() };
            change(code);
        })
    };
    assert!(code(&|c| c.offset = 8));
    assert!(code(&|c| c.bytes = u64::MAX));
    assert!(code(&|c| c.bytes = 0));
    assert!(code(&|c| c.entry.clear()));
    assert!(code(&|c| c.entry.push('\0')));
    assert!(code(&|c| c.workgroup_size[1] = 0));
    assert!(code(&|c| c.workgroup_size = [1 << 16; 3]));
    assert!(code(&|c| c.constants.clear()));
    assert!(!code(&|c| c.constants[0] = ConstantWidth::Long));
    assert!(refused(|s| s.kernels[0].variants[0].code = KernelCode::Host { symbol: String::new() }));
}

#[test]
fn constants_are_packed_by_their_widths() {
    use ConstantWidth::{Index, Long, Word};
    let bytes = |list: &[ConstantWidth]| ConstantWidth::packed_bytes(list);
    assert_eq!((bytes(&[]), bytes(&[Index, Word]), bytes(&[Word, Long, Word]), bytes(&[Long, Word])), (0, 8, 20, 12));
}

#[test]
fn calls_that_do_not_fit_host_functions_are_refused() {
    let call = |s: &mut HostProgram, change: &dyn Fn(&mut Vec<HostInput>, &mut Vec<HostResult>)| {
        let Some(Inst::Host { inputs, results, .. }) = s.functions[0].body.last_mut() else { unreachable!() };
        change(inputs, results);
    };
    assert!(refused(|s| s.host_functions.clear()));
    assert!(refused(|s| call(s, &|inputs, _| inputs.clear())));
    assert!(refused(|s| call(s, &|inputs, _| inputs[0].dims.clear())));
    assert!(refused(|s| call(s, &|_, results| drop(results.pop()))));
    assert!(refused(|s| call(s, &|_, results| results[0].place = HostPlace::Slot(1))));
    // A result of unknown size goes to a register, a known size is what the type says.
    assert!(refused(|s| call(s, &|_, results| results[0].dims = vec![Operand::Immediate(4)])));
    assert!(refused(|s| call(s, &|_, results| results[1].dims = vec![Operand::Immediate(5)])));
    let input = HostPlace::Buffer(whole(Base::Input(0), 16));
    assert!(refused(|s| call(s, &|_, results| results[1].place = input.clone())));
}
