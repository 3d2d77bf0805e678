//! Types, constants, variables, decorations, entry points.
use super::{Checked, Type, Values, instructions};
use crate::spirv::layout::{id, number};
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Decoration, Op, StorageClass},
};
use std::collections::{HashMap, HashSet};

/// Types nest no deeper than implementations must allow for structures ("Universal Limits").
const DEPTH: u32 = 255;

pub(super) fn check(module: &Module, values: &Values<'_>) -> Checked {
    let mut seen: HashSet<u32> = module.ext_inst_imports.iter().filter_map(|i| i.result_id).collect();
    for instruction in &module.types_global_values {
        let place = |why: String| match instruction.result_id {
            Some(result) => format!("Op{} %{result}: {why}", instruction.class.opname),
            None => format!("Op{}: {why}", instruction.class.opname),
        };
        let before = instruction.operands.iter().filter_map(|o| id(Some(o))).chain(instruction.result_type);
        for operand in before {
            if !seen.contains(&operand) {
                return Err(place(format!("%{operand} is used before it is defined")));
            }
        }
        one(instruction, values).map_err(place)?;
        seen.extend(instruction.result_id);
    }
    decorations(module, values)?;
    for entry in &module.entry_points {
        let function = id(entry.operands.get(1)).and_then(|f| values.defined.get(&f));
        let ty = function.filter(|f| f.class.opcode == Op::Function).and_then(|f| id(f.operands.get(1)));
        match ty.map(|t| values.ty(t)).transpose()? {
            Some(Type::Function(result, parameters)) if parameters.is_empty() && *values.ty(*result)? == Type::Void => {
            }
            _ => return Err("an entry point is no function without parameters and result".into()),
        }
        for variable in entry.operands.iter().skip(3).filter_map(|o| id(Some(o))) {
            let global = module
                .types_global_values
                .iter()
                .any(|i| i.result_id == Some(variable) && i.class.opcode == Op::Variable);
            if !global {
                return Err(format!("%{variable} is in the interface of an entry point and is no variable"));
            }
        }
    }
    for mode in &module.execution_modes {
        let of = id(mode.operands.first());
        if !module.entry_points.iter().any(|e| id(e.operands.get(1)) == of) {
            return Err("an execution mode is for no entry point".into());
        }
    }
    Ok(())
}

fn one(instruction: &Instruction, values: &Values<'_>) -> Checked {
    let operand = |i: usize| id(instruction.operands.get(i)).ok_or("an operand is missing");
    let literal = |i: usize| number(instruction.operands.get(i)).ok_or("a number is missing");
    let result_type = || instruction.result_type.ok_or("it has no type");
    let fail = |holds: bool, why: &str| if holds { Ok(()) } else { Err(why.to_owned()) };
    // What a value in memory or a register can be.
    let is_data = |ty: u32| Ok::<_, String>(!matches!(values.ty(ty)?, Type::Void | Type::Function(..)));
    match instruction.class.opcode {
        Op::TypeVoid | Op::TypeBool | Op::Line | Op::NoLine => Ok(()),
        Op::TypeInt => fail(matches!(literal(0)?, 8 | 16 | 32 | 64) && literal(1)? < 2, "there are no such integers"),
        Op::TypeFloat => fail(matches!(literal(0)?, 8 | 16 | 32 | 64), "there are no such floats"),
        Op::TypeVector => {
            let scalar = matches!(values.ty(operand(0)?)?, Type::Bool | Type::Int(_) | Type::Float(_));
            fail(scalar && matches!(literal(1)?, 2..=4 | 8 | 16), "there are no such vectors")
        }
        Op::TypeMatrix => {
            let float = match values.ty(operand(0)?)? {
                Type::Vector(component, _) => matches!(values.ty(*component)?, Type::Float(_)),
                _ => false,
            };
            fail(float && matches!(literal(1)?, 2..=4), "there are no such matrices")
        }
        Op::TypeArray => {
            let length = operand(1)?;
            let integer = values.is_constant(length) && matches!(values.of(length)?, Type::Int(_));
            let fixed = !matches!(values.ty(operand(0)?)?, Type::RuntimeArray(_));
            fail(integer && fixed && is_data(operand(0)?)?, "there are no such arrays")?;
            fail(values.constant(length).is_none_or(|n| n > 0 && n < 1 << 31), "its length is out of range")
        }
        Op::TypeRuntimeArray => fail(
            is_data(operand(0)?)? && !matches!(values.ty(operand(0)?)?, Type::RuntimeArray(_)),
            "there are no such arrays",
        ),
        Op::TypeStruct => {
            let Type::Struct(members) = values.ty(instruction.result_id.unwrap_or(0))? else {
                return Err("it has no members".into());
            };
            for (i, &member) in members.iter().enumerate() {
                let last = i + 1 == members.len();
                fail(is_data(member)?, "a member is no data")?;
                fail(
                    last || !matches!(values.ty(member)?, Type::RuntimeArray(_)),
                    "an array without a length is not its last member",
                )?;
            }
            fail(depth(instruction.result_id.unwrap_or(0), values, 0).is_ok(), "it nests too deep")
        }
        Op::TypePointer => {
            let class = match instruction.operands.first() {
                Some(Operand::StorageClass(class)) => *class,
                _ => return Err("it has no storage class".into()),
            };
            fail(CLASSES.contains(&class), "kernels have no use for its storage class")?;
            fail(is_data(operand(1)?)?, "it points to no data")
        }
        Op::TypeFunction => {
            let Type::Function(result, parameters) = values.ty(instruction.result_id.unwrap_or(0))? else {
                return Err("it has no result".into());
            };
            fail(!matches!(values.ty(*result)?, Type::Function(..)), "it returns a function")?;
            parameters.iter().try_for_each(|&p| fail(is_data(p)?, "a parameter is no data"))
        }
        Op::TypeCooperativeMatrixKHR => {
            let number = matches!(values.ty(operand(0)?)?, Type::Int(_) | Type::Float(_));
            let constants = (1..5).all(|i| operand(i).is_ok_and(|c| values.is_constant(c)));
            fail(number && constants, "there are no such matrices")
        }
        Op::ConstantTrue | Op::ConstantFalse | Op::SpecConstantTrue | Op::SpecConstantFalse => {
            fail(*values.ty(result_type()?)? == Type::Bool, "its type is not `bool`")
        }
        Op::Constant | Op::SpecConstant => {
            let bits = match values.ty(result_type()?)? {
                Type::Int(bits) | Type::Float(bits) => *bits,
                _ => return Err("its type is no type of numbers".into()),
            };
            let long = matches!(instruction.operands.first(), Some(Operand::LiteralBit64(_)));
            fail(long == (bits == 64) && instruction.operands.len() == 1, "its number has another width than its type")
        }
        Op::ConstantComposite | Op::SpecConstantComposite => {
            for operand in instruction.operands.iter().filter_map(|o| id(Some(o))) {
                fail(values.is_constant(operand), "a part of it is no constant")?;
            }
            instructions::construct(instruction, values)
        }
        Op::ConstantNull | Op::Undef => fail(is_data(result_type()?)?, "its type has no values"),
        Op::SpecConstantOp => {
            let Some(Operand::LiteralSpecConstantOpInteger(op)) = instruction.operands.first() else {
                return Err("it has no operation".into());
            };
            for operand in instruction.operands.iter().filter_map(|o| id(Some(o))) {
                fail(values.is_constant(operand), "an operand is no constant")?;
            }
            let operands = instruction.operands[1..].to_vec();
            let known = instructions::is_pure(*op);
            fail(known, "constants are not made by this operation")?;
            instructions::check(
                &Instruction::new(*op, instruction.result_type, instruction.result_id, operands),
                values,
            )
        }
        Op::Variable => {
            let Some(Operand::StorageClass(class)) = instruction.operands.first() else {
                return Err("it has no storage class".into());
            };
            let Type::Pointer(of, pointee) = values.ty(result_type()?)? else {
                return Err("its type is no pointer".into());
            };
            fail(of == class && *class != StorageClass::Function, "its storage class is not that of its type")?;
            match id(instruction.operands.get(1)) {
                Some(start) => fail(
                    values.is_constant(start) && values.type_of(start)? == *pointee,
                    "its start value does not fit",
                ),
                None => Ok(()),
            }
        }
        _ => Err("it does not belong among types and constants".into()),
    }
}

/// Where memory of kernels lies.
const CLASSES: [StorageClass; 8] = [
    StorageClass::Input,
    StorageClass::Uniform,
    StorageClass::UniformConstant,
    StorageClass::Workgroup,
    StorageClass::Private,
    StorageClass::Function,
    StorageClass::PushConstant,
    StorageClass::StorageBuffer,
];

fn depth(ty: u32, values: &Values<'_>, above: u32) -> Checked {
    if above > DEPTH {
        return Err("it nests too deep".into());
    }
    match values.ty(ty)? {
        Type::Struct(members) => members.iter().try_for_each(|&m| depth(m, values, above + 1)),
        Type::Array(element, _) | Type::RuntimeArray(element) => depth(*element, values, above + 1),
        _ => Ok(()),
    }
}

/// Decorations stand at what they are for; what lies in buffers has places.
fn decorations(module: &Module, values: &Values<'_>) -> Checked {
    let mut strides: HashMap<u32, u32> = HashMap::new();
    let mut offsets: HashSet<(u32, u32)> = HashSet::new();
    for decoration in &module.annotations {
        let Some(target) = id(decoration.operands.first()) else { continue };
        let Some(defined) = values.defined.get(&target) else { continue };
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
            if *what == Decoration::Offset {
                if number(decoration.operands.get(at)).is_none_or(|o| o > 1 << 30) {
                    return wrong();
                }
                offsets.insert((target, member));
            }
            continue;
        }
        let fits = match what {
            Decoration::Block | Decoration::BufferBlock => opcode == Op::TypeStruct,
            Decoration::ArrayStride => {
                let stride = number(decoration.operands.get(at)).filter(|&s| s > 0 && s <= 1 << 30);
                strides.extend(stride.map(|s| (target, s)));
                stride.is_some() && matches!(opcode, Op::TypeArray | Op::TypeRuntimeArray | Op::TypePointer)
            }
            Decoration::Binding | Decoration::DescriptorSet => opcode == Op::Variable,
            Decoration::SpecId => matches!(opcode, Op::SpecConstant | Op::SpecConstantTrue | Op::SpecConstantFalse),
            Decoration::BuiltIn => built_in(decoration, defined, values),
            Decoration::Offset | Decoration::MatrixStride | Decoration::RowMajor | Decoration::ColMajor => false,
            Decoration::NonWritable
            | Decoration::NonReadable
            | Decoration::Restrict
            | Decoration::Aliased
            | Decoration::Coherent
            | Decoration::Volatile => {
                matches!(opcode, Op::Variable | Op::FunctionParameter)
            }
            // On values; what kernels have no use for changes nothing where drivers know it, and is not known elsewhere.
            Decoration::NoContraction
            | Decoration::RelaxedPrecision
            | Decoration::NoSignedWrap
            | Decoration::NoUnsignedWrap => true,
            Decoration::NonUniform
            | Decoration::RestrictPointer
            | Decoration::AliasedPointer
            | Decoration::UserSemantic => true,
            Decoration::Uniform
            | Decoration::UniformId
            | Decoration::SaturatedConversion
            | Decoration::FPFastMathMode
            | Decoration::FPRoundingMode => true,
            Decoration::Alignment | Decoration::Invariant | Decoration::Component | Decoration::Location => true,
            _ => false,
        };
        if !fits {
            return wrong();
        }
    }
    for variable in module.types_global_values.iter().filter(|i| i.class.opcode == Op::Variable) {
        if let Some(Type::Pointer(class, pointee)) = variable.result_type.and_then(|t| values.types.get(&t))
            && matches!(class, StorageClass::StorageBuffer | StorageClass::Uniform | StorageClass::PushConstant)
        {
            placed(*pointee, values, &strides, &offsets, true)?;
        }
    }
    Ok(())
}

/// What a built-in value is: a vector of three words, or a word.
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

/// Whether all parts of what lies in a buffer have a place.
fn placed(
    ty: u32,
    values: &Values<'_>,
    strides: &HashMap<u32, u32>,
    offsets: &HashSet<(u32, u32)>,
    top: bool,
) -> Checked {
    match values.ty(ty)? {
        Type::Struct(members) => members.iter().enumerate().try_for_each(|(i, &member)| {
            if !offsets.contains(&(ty, i as u32)) {
                return Err(format!("member {i} of %{ty}, which lies in a buffer, has no offset"));
            }
            placed(member, values, strides, offsets, false)
        }),
        // An array of buffers has no stride; it is refused elsewhere.
        Type::Array(element, _) | Type::RuntimeArray(element) if top => {
            placed(*element, values, strides, offsets, true)
        }
        Type::Array(element, _) | Type::RuntimeArray(element) => {
            if !strides.contains_key(&ty) {
                return Err(format!("the array %{ty}, which lies in a buffer, has no stride"));
            }
            placed(*element, values, strides, offsets, false)
        }
        Type::Bool | Type::Pointer(..) => Err(format!("%{ty} cannot lie in a buffer")),
        _ => Ok(()),
    }
}
