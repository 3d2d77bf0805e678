use super::*;
use crate::{AbiBinding, AbiConstant, KernelAbi};
use proptest::prelude::*;
use rspirv::{
    binary::Assemble,
    dr::{Builder, Operand},
    spirv::{
        AddressingModel, Capability, Decoration, ExecutionMode, ExecutionModel, FunctionControl, MemoryModel,
        StorageClass,
    },
};

/// A shader that copies a number from binding 0 to binding 1 with two push constants and a specialisation constant, which
/// is the width of its workgroups.
fn sample(entry: &str) -> Vec<u8> {
    let mut b = Builder::new();
    b.set_version(1, 3);
    b.capability(Capability::Shader);
    b.memory_model(AddressingModel::Logical, MemoryModel::GLSL450);
    let (void, float, uint) = (b.type_void(), b.type_float(32, None), b.type_int(32, 0));
    let array = b.type_runtime_array(float);
    b.decorate(array, Decoration::ArrayStride, [Operand::LiteralBit32(4)]);
    let buffer = b.type_struct([array]);
    b.decorate(buffer, Decoration::Block, []);
    b.member_decorate(buffer, 0, Decoration::Offset, [Operand::LiteralBit32(0)]);
    let push = b.type_struct([uint, float]);
    b.decorate(push, Decoration::Block, []);
    for (member, offset) in [(0, 0), (1, 4)] {
        b.member_decorate(push, member, Decoration::Offset, [Operand::LiteralBit32(offset)]);
    }
    b.member_name(push, 1, "alpha");
    let buffer_pointer = b.type_pointer(None, StorageClass::StorageBuffer, buffer);
    let float_pointer = b.type_pointer(None, StorageClass::StorageBuffer, float);
    let push_pointer = b.type_pointer(None, StorageClass::PushConstant, push);
    let member_pointer = b.type_pointer(None, StorageClass::PushConstant, float);
    let mut bindings = Vec::new();
    for n in 0..2 {
        let v = b.variable(buffer_pointer, None, StorageClass::StorageBuffer, None);
        b.decorate(v, Decoration::DescriptorSet, [Operand::LiteralBit32(0)]);
        b.decorate(v, Decoration::Binding, [Operand::LiteralBit32(n)]);
        bindings.push(v);
    }
    b.name(bindings[1], "y");
    let constants = b.variable(push_pointer, None, StorageClass::PushConstant, None);
    let (zero, one) = (b.constant_bit32(uint, 0), b.constant_bit32(uint, 1));
    let width = b.spec_constant_bit32(uint, 64);
    b.decorate(width, Decoration::SpecId, [Operand::LiteralBit32(7)]);
    b.name(width, "width");
    let vector = b.type_vector(uint, 3);
    let size = b.spec_constant_composite(vector, [width, one, one]);
    b.decorate(size, Decoration::BuiltIn, [Operand::BuiltIn(rspirv::spirv::BuiltIn::WorkgroupSize)]);
    let function_type = b.type_function(void, []);
    let main = b.begin_function(void, None, FunctionControl::NONE, function_type).unwrap();
    b.begin_block(None).unwrap();
    let from = b.access_chain(float_pointer, None, bindings[0], [zero, zero]).unwrap();
    let value = b.load(float, None, from, None, []).unwrap();
    let alpha = b.access_chain(member_pointer, None, constants, [one]).unwrap();
    let alpha = b.load(float, None, alpha, None, []).unwrap();
    let product = b.f_mul(float, None, value, alpha).unwrap();
    let to = b.access_chain(float_pointer, None, bindings[1], [zero, zero]).unwrap();
    b.store(to, product, None, []).unwrap();
    b.ret().unwrap();
    b.end_function().unwrap();
    b.entry_point(ExecutionModel::GLCompute, main, entry, []);
    b.execution_mode(main, ExecutionMode::LocalSize, [1, 1, 1]);
    b.module().assemble().into_iter().flat_map(u32::to_le_bytes).collect()
}

fn abi(bindings: &[(&str, bool)], constants: &[&str]) -> KernelAbi {
    let binding = |(i, (element, written)): (usize, &(&str, bool))| AbiBinding {
        element: (*element).into(),
        written: *written,
        what: format!("argument {i}"),
    };
    let constant =
        |(i, element): (usize, &&str)| AbiConstant { element: (*element).into(), what: format!("number {i}") };
    KernelAbi {
        name: "scale".into(),
        bindings: bindings.iter().enumerate().map(binding).collect(),
        constants: constants.iter().enumerate().map(constant).collect(),
        load_constants: Vec::new(),
        arguments: None,
    }
}

fn look(bytes: &[u8]) -> Result<SpirvModule, String> {
    inspect_spirv(bytes, "`k.spv`").map_err(|e| e.to_string())
}

fn fit(abi: &KernelAbi, size: Option<[u32; 3]>) -> Result<Fitted, String> {
    fit_spirv(&mut look(&sample("main")).unwrap(), abi, size).map_err(|e| e.to_string())
}

#[test]
fn what_a_shader_takes_is_read() {
    let module = look(&sample("main")).unwrap();
    assert_eq!((module.version, module.capabilities.join(" ")), ((1, 3), "Shader".into()));
    assert_eq!(module.features(), Vec::<String>::new());
    let [entry] = module.entries.as_slice() else { panic!("{:?}", module.entries) };
    assert_eq!(entry.name, "main");
    assert_eq!(entry.local_size.map(|s| s.value), [64, 1, 1]);
    assert_eq!(entry.local_size[0].spec_id, Some(7));
    let float = Scalar { float: true, bits: 32 };
    let elements = Resource::Buffer(Some(Elements { scalar: float, lanes: 1, stride: 4 }));
    assert!(entry.bindings.iter().all(|b| b.set == 0 && b.resource == elements));
    let seen: Vec<_> = entry.bindings.iter().map(|b| (b.binding, b.name.as_deref(), b.written)).collect();
    assert_eq!(seen, [(0, None, Access::No), (1, Some("y"), Access::Yes)]);
    let push = entry.push_constants.as_ref().unwrap();
    assert_eq!(push.size, 8);
    assert_eq!(push.slots[1], (4, float, Some("alpha".into())));
    assert_eq!(module.spec_constants[0].describe(), "7 (`width`)");
}

#[test]
fn the_kernel_of_the_interface_fits() {
    let fitted = fit(&abi(&[("f32", false), ("f32", true)], &["index", "f32"]), None).unwrap();
    assert_eq!(fitted.workgroup_size, [64, 1, 1]);
    assert_eq!(fitted.remarks, ["its entry point `main` is called `scale` from now on"]);
    let mut module = look(&sample("scale")).unwrap();
    let size = Some([256, 1, 1]);
    let fitted = fit_spirv(&mut module, &abi(&[("f32", false), ("f32", true)], &["index", "f32"]), size).unwrap();
    assert_eq!(fitted.workgroup_size, [256, 1, 1]);
    let again = look(&module.bytes()).unwrap();
    assert_eq!(again.entries[0].local_size[0].value, 256);
}

#[test]
fn other_kernels_do_not_fit() {
    let two = [("f32", false), ("f32", true)];
    let error = |bindings: &[(&str, bool)], constants: &[&str]| fit(&abi(bindings, constants), None).unwrap_err();
    let of = "`k.spv`: entry point `scale` ";
    assert_eq!(
        error(&[("f32", true)], &["index", "f32"]),
        format!("{of}uses binding 1 (`y`); the kernel has 1 binding, 0 is the first")
    );
    assert_eq!(
        error(&[("f32", false), ("f32", false), ("f32", true)], &["index", "f32"]),
        format!("{of}writes to binding 1 (`y`), argument 1, which the kernel only reads")
    );
    assert_eq!(
        error(&[("f32", false), ("f32", true), ("f32", true)], &["index", "f32"]),
        format!("{of}does not use binding 2, argument 2, which the kernel writes")
    );
    assert_eq!(
        error(&[("f32", true), ("f32", true)], &["index", "f32"]),
        format!("{of}never writes to binding 0, argument 0, which the kernel writes")
    );
    assert_eq!(
        error(&[("f16", false), ("f32", true)], &["index", "f32"]),
        format!("{of}has numbers of type `f32` at binding 0; argument 0 has `f16`")
    );
    assert_eq!(
        error(&two, &["index"]),
        format!("{of}has 8 bytes of push constants; the kernel passes 4: number 0 (`index`)")
    );
    assert_eq!(
        error(&two, &["index", "f16"]),
        format!("{of}has the push constant `alpha`, a `f32`, at offset 4, where number 1 is, an `f16`")
    );
    assert_eq!(error(&two, &[]), format!("{of}has 8 bytes of push constants; the kernel passes 0"));
    let size = fit(&abi(&two, &["index", "f32"]), Some([64, 2, 1])).unwrap_err();
    assert_eq!(size, format!("{of}has workgroups of 64 × 1 × 1 threads, 64 × 2 × 1 are declared"));
    let size = fit(&abi(&two, &["index", "f32"]), Some([2048, 1, 1])).unwrap_err();
    assert_eq!(size, format!("{of}has workgroups of 2048 × 1 × 1 threads, which no device takes"));
}

#[test]
fn specialisation_constants_are_set_by_number_and_name() {
    let mut module = look(&sample("main")).unwrap();
    module.set_spec_constant("width", 32).unwrap();
    assert_eq!(look(&module.bytes()).unwrap().spec_constants[0].default, 32);
    let error = module.set_spec_constant("widht", 32).unwrap_err();
    assert_eq!(error.to_string(), "`k.spv`: there is no specialisation constant `widht`");
    assert_eq!(error.diagnostics[0].hints, ["did you mean `width`?"]);
    let error = module.set_spec_constant("7", 1 << 40).unwrap_err();
    assert_eq!(error.to_string(), "`k.spv`: specialisation constant `7` is an `i32`, 1099511627776 does not fit");
}

#[test]
fn modules_are_merged() {
    let (mut a, mut b) = (look(&sample("a")).unwrap(), look(&sample("b")).unwrap());
    let error = merge_spirv(&[a.clone(), b.clone()]).unwrap_err().to_string();
    assert_eq!(error, "`k.spv` cannot be merged: the size of the workgroups of `a` is a specialisation constant");
    for module in [&mut a, &mut b] {
        let spec = |i: &rspirv::dr::Instruction| i.operands.get(1) == Some(&Operand::Decoration(Decoration::SpecId));
        module.module.annotations.retain(|i| !spec(i));
        *module = look(&module.bytes()).unwrap();
    }
    let merged = merge_spirv(&[a.clone(), b]).unwrap();
    let names: Vec<_> = merged.entries.iter().map(|e| e.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);
    assert!(merged.entries.iter().all(|e| e.local_size.map(|s| s.value) == [64, 1, 1]));
    assert!(merged.entries.iter().all(|e| e.bindings.len() == 2 && e.bindings[1].written == Access::Yes));
    assert!(merged.bytes().len() < 2 * a.bytes().len());
    let error = merge_spirv(&[a.clone(), a]).unwrap_err().to_string();
    assert_eq!(error, "entry point `a` is defined twice: by `k.spv` and by `k.spv`");
}

#[test]
fn damage_is_told() {
    let good = sample("main");
    assert_eq!(look(b"").unwrap_err(), "`k.spv`: this is an empty file, not a SPIR-V module");
    assert_eq!(
        look(&good[..good.len() - 2]).unwrap_err(),
        format!("`k.spv`: the SPIR-V module is damaged: it has {} bytes, which are no whole words", good.len() - 2)
    );
    assert!(look(&good[..good.len() - 4]).unwrap_err().contains("is damaged: "));
    assert!(look(&good[..8]).unwrap_err().contains("is damaged: "));
    let mut swapped = good.clone();
    swapped.chunks_mut(4).for_each(<[u8]>::reverse);
    assert_eq!(look(&swapped).unwrap_err(), "`k.spv`: the SPIR-V module is big-endian");
    // The bound is the fourth word.
    let mut bound = good.clone();
    bound[12] = 5;
    assert!(look(&bound).unwrap_err().ends_with("is not below the bound, 5"));
}

/// The sample with a change to its instructions.
fn changed(change: impl Fn(&mut rspirv::dr::Instruction)) -> String {
    let mut module = rspirv::dr::load_bytes(sample("main")).unwrap();
    module.all_inst_iter_mut().for_each(change);
    look(&module.assemble().into_iter().flat_map(u32::to_le_bytes).collect::<Vec<_>>()).unwrap_err()
}

#[test]
fn what_drivers_take_for_granted_is_looked_at() {
    use rspirv::spirv::Op;
    let found = |error: String, why: &str| assert!(error.contains("is damaged: ") && error.contains(why), "{error}");
    // The types of operands and results.
    found(
        changed(|i| {
            if i.class.opcode == Op::FMul {
                i.operands[0] = i.operands[1].clone();
                i.result_type = Some(3)
            }
        }),
        "does not compute with such values",
    );
    found(
        changed(|i| {
            if i.class.opcode == Op::FMul {
                i.operands.pop();
            }
        }),
        "",
    );
    found(
        changed(|i| {
            if i.class.opcode == Op::Load {
                i.operands.swap_remove(0);
                i.operands.push(Operand::IdRef(1))
            }
        }),
        "",
    );
    // Widths that there are not, a constant of another width, an array of none.
    found(
        changed(|i| {
            if i.class.opcode == Op::TypeFloat {
                i.operands[0] = Operand::LiteralBit32(24)
            }
        }),
        "",
    );
    found(
        changed(|i| {
            if i.class.opcode == Op::TypeVector {
                i.operands[1] = Operand::LiteralBit32(7)
            }
        }),
        "there are no such vectors",
    );
    // Where things lie.
    found(
        changed(|i| {
            if i.class.opcode == Op::Variable {
                i.operands[0] = Operand::StorageClass(StorageClass::Private)
            }
        }),
        "storage class",
    );
    found(
        changed(|i| {
            if i.operands.get(1) == Some(&Operand::Decoration(Decoration::ArrayStride)) {
                i.operands[2] = Operand::LiteralBit32(0)
            }
        }),
        "ArrayStride",
    );
    found(
        changed(|i| {
            if i.class.opcode == Op::AccessChain {
                i.operands.push(i.operands[1].clone())
            }
        }),
        "more indices",
    );
    // Features that kernels do not need.
    found(
        changed(|i| {
            if i.class.opcode == Op::Return {
                *i = rspirv::dr::Instruction::new(Op::Kill, None, None, Vec::new())
            }
        }),
        "Op",
    );
}

proptest! {
    /// Damage is an error or another module, never a crash.
    #[test]
    fn damage_is_survived(at in 0usize..4096, byte: u8, keep in 0usize..4096) {
        let mut bytes = sample("main");
        let length = bytes.len();
        bytes[at % length] = byte;
        bytes.truncate(length - (keep % length) / 16 * 4);
        if let Ok(mut module) = look(&bytes) {
            let _ = fit_spirv(&mut module, &abi(&[("f32", false), ("f32", true)], &["index", "f32"]), None);
            let _ = module.set_spec_constant("7", 3);
            let _ = merge_spirv(&[module.clone(), module]);
        }
    }
}
