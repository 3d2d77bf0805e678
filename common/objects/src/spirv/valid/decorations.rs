//! Checks that decorations apply to the right kinds of identifiers.
use super::{
    Checked, Type, Values,
    placement::{self, Places},
};
use crate::spirv::layout::{id, number};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Decoration, Op, StorageClass},
};

/// Checks all decorations, and with them how buffers are laid out. Errors: the first that does not fit.
pub(super) fn check(module: &Module, values: &Values<'_>) -> Checked {
    let mut places = Places::default();
    for decoration in &module.annotations {
        let Some(target) = id(decoration.operands.first()) else { continue };
        let defined = values.defined.get(&target).ok_or_else(|| format!("it decorates %{target}, which nothing is"))?;
        let (what, at) = match decoration.class.opcode {
            Op::MemberDecorate => (decoration.operands.get(2), 3),
            Op::Decorate | Op::DecorateId => (decoration.operands.get(1), 2),
            Op::DecorationGroup | Op::GroupDecorate | Op::GroupMemberDecorate => {
                return Err("it has groups of decorations".into());
            }
            _ => continue,
        };
        let Some(Operand::Decoration(what)) = what else { continue };
        let wrong = || Err(format!("the decoration `{what:?}` does not fit %{target}, an Op{}", defined.class.opname));
        let opcode = defined.class.opcode;
        if decoration.class.opcode == Op::MemberDecorate {
            let Some(Type::Struct(members)) = values.types.get(&target) else { return wrong() };
            let member = number(decoration.operands.get(1)).filter(|&m| (m as usize) < members.len());
            let Some(member) = member else { return wrong() };
            if !OF_MEMBERS.contains(what) {
                return wrong();
            }
            if *what == Decoration::Offset {
                let offset = number(decoration.operands.get(at)).filter(|&o| o <= 1 << 30);
                let Some(offset) = offset else { return wrong() };
                places.offsets.insert((target, member), offset);
            }
            continue;
        }
        let fits = match what {
            Decoration::Block | Decoration::BufferBlock => {
                let kind = if *what == Decoration::Block { &mut places.blocks } else { &mut places.buffer_blocks };
                kind.insert(target);
                opcode == Op::TypeStruct
            }
            Decoration::ArrayStride => {
                let stride = number(decoration.operands.get(at)).filter(|&s| s > 0 && s <= 1 << 30);
                places.strides.extend(stride.map(|s| (target, s)));
                stride.is_some() && matches!(opcode, Op::TypeArray | Op::TypeRuntimeArray | Op::TypePointer)
            }
            Decoration::Binding | Decoration::DescriptorSet => {
                let kind = if *what == Decoration::Binding { &mut places.bindings } else { &mut places.sets };
                kind.insert(target) && opcode == Op::Variable
            }
            Decoration::SpecId => matches!(opcode, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse),
            Decoration::BuiltIn => built_in(decoration, defined, values),
            Decoration::Offset | Decoration::MatrixStride | Decoration::RowMajor | Decoration::ColMajor => false,
            Decoration::NonWritable
            | Decoration::NonReadable
            | Decoration::Restrict
            | Decoration::Aliased
            | Decoration::Coherent
            | Decoration::Volatile => of_buffer(defined, values),
            // On values; what kernels have no use for changes nothing where drivers know it, and is not known elsewhere.
            Decoration::NoContraction
            | Decoration::RelaxedPrecision
            | Decoration::NoSignedWrap
            | Decoration::NoUnsignedWrap => true,
            Decoration::NonUniform
            | Decoration::RestrictPointer
            | Decoration::AliasedPointer
            | Decoration::UserSemantic
            | Decoration::Uniform
            | Decoration::SaturatedConversion
            | Decoration::FPFastMathMode
            | Decoration::FPRoundingMode => true,
            Decoration::UniformId => module.header.as_ref().is_some_and(|h| h.version() >= (1, 4)),
            _ => false,
        };
        if !fits {
            return wrong();
        }
    }
    placement::check(module, values, &places)
}

/// The decorations of members of a buffer.
const OF_MEMBERS: [Decoration; 12] = [
    Decoration::Offset,
    Decoration::MatrixStride,
    Decoration::RowMajor,
    Decoration::ColMajor,
    Decoration::NonWritable,
    Decoration::NonReadable,
    Decoration::Restrict,
    Decoration::Aliased,
    Decoration::Coherent,
    Decoration::Volatile,
    Decoration::RelaxedPrecision,
    Decoration::UserSemantic,
];

/// Whether an instruction is a variable, or a parameter, that refers to a buffer.
fn of_buffer(instruction: &Instruction, values: &Values<'_>) -> bool {
    let class = match instruction.result_type.and_then(|ty| values.types.get(&ty)) {
        Some(Type::Pointer(class, _)) => *class,
        _ => return false,
    };
    matches!(instruction.class.opcode, Op::Variable | Op::FunctionParameter)
        && matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform)
}

/// Checks the type of a built-in variable: a vector of three words, or a word.
fn built_in(decoration: &Instruction, defined: &Instruction, values: &Values<'_>) -> bool {
    use rspirv::spirv::BuiltIn;
    let Some(Operand::BuiltIn(what)) = decoration.operands.get(2) else { return false };
    let vector = match what {
        BuiltIn::WorkgroupSize
        | BuiltIn::NumWorkgroups
        | BuiltIn::WorkgroupId
        | BuiltIn::LocalInvocationId
        | BuiltIn::GlobalInvocationId => 3,
        BuiltIn::LocalInvocationIndex
        | BuiltIn::SubgroupSize
        | BuiltIn::NumSubgroups
        | BuiltIn::SubgroupId
        | BuiltIn::SubgroupLocalInvocationId => 1,
        BuiltIn::SubgroupEqMask
        | BuiltIn::SubgroupGeMask
        | BuiltIn::SubgroupGtMask
        | BuiltIn::SubgroupLeMask
        | BuiltIn::SubgroupLtMask => 4,
        _ => return false,
    };
    let ty = match (what, defined.class.opcode, defined.result_type.and_then(|t| values.types.get(&t))) {
        (BuiltIn::WorkgroupSize, Op::ConstantComposite | Op::SpecConstantComposite, _) => defined.result_type,
        (BuiltIn::WorkgroupSize, ..) => None,
        (_, Op::Variable, Some(Type::Pointer(StorageClass::Input, pointee))) => Some(*pointee),
        _ => None,
    };
    ty.is_some_and(|ty| values.lanes(ty).is_ok_and(|(scalar, lanes)| scalar == Type::Int(32) && lanes == vector))
}
