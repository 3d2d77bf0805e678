//! Checks what operands require according to SPIR-V's grammar: a capability that the module declares, and before
//! SPIR-V 1.3 an extension.
use super::Checked;
use crate::spirv::layout::number;
use rspirv::{
    dr::{Instruction, Module, Operand},
    spirv::{Capability, Op},
};
use std::collections::HashSet;

/// The version from which on what kernels use of extensions is part of SPIR-V.
const WITHOUT_EXTENSIONS: (u8, u8) = (1, 3);

/// Checks all instructions of a module. Errors: the first operand that lacks something.
pub(super) fn check(module: &Module) -> Checked {
    let version = module.header.as_ref().map_or((1, 0), |h| h.version());
    let extensions: HashSet<&str> = module.extensions.iter().filter_map(text).collect();
    let mut capabilities = HashSet::new();
    for operand in module.capabilities.iter().flat_map(|i| &i.operands) {
        let Operand::Capability(capability) = *operand else { continue };
        if for_kernels_of_opencl(capability) {
            return Err(format!("it declares the capability `{capability:?}`, which Vulkan does not have"));
        }
        let since_1_3 = Capability::GroupNonUniform as u32..=Capability::GroupNonUniformQuad as u32;
        if version < (1, 3) && since_1_3.contains(&(capability as u32)) {
            return Err(format!("it declares the capability `{capability:?}`, which SPIR-V has from 1.3 on"));
        }
        declare(capability, &mut capabilities);
    }
    for instruction in module.all_inst_iter() {
        for operand in &instruction.operands {
            let needs = operand.required_extensions();
            if version < WITHOUT_EXTENSIONS && !needs.is_empty() && !needs.iter().any(|e| extensions.contains(e)) {
                let name = instruction.class.opname;
                return Err(format!(
                    "an Op{name} needs the extension `{}`, which it does not declare",
                    needs.join("` or `")
                ));
            }
            let needs = operand.required_capabilities();
            if instruction.class.opcode != Op::Capability {
                declared(instruction, &needs, &capabilities)?;
            }
        }
        declared(instruction, of_width(instruction), &capabilities)?;
    }
    // Types of few bits may be declared for what lies in buffers; to compute with them is another capability.
    for constant in
        module.types_global_values.iter().filter(|i| matches!(i.class.opcode, Op::Constant | Op::SpecConstant))
    {
        let ty =
            module.types_global_values.iter().find(|t| t.result_id.is_some() && t.result_id == constant.result_type);
        let needs = ty.map_or(&[][..], of_width);
        declared(constant, needs.get(..1).unwrap_or_default(), &capabilities)?;
    }
    Ok(())
}

/// Errors: an instruction needs one of some capabilities, and none is declared.
fn declared(instruction: &Instruction, needs: &[Capability], capabilities: &HashSet<Capability>) -> Checked {
    if needs.is_empty() || needs.iter().any(|c| capabilities.contains(c)) {
        return Ok(());
    }
    let needs = needs.iter().map(|c| format!("`{c:?}`")).collect::<Vec<_>>().join(" or ");
    Err(format!("an Op{} needs the capability {needs}, which it does not declare", instruction.class.opname))
}

/// The capabilities one of which the type of a number needs by its width: that to compute with it first.
fn of_width(ty: &Instruction) -> &'static [Capability] {
    use Capability as C;
    match (ty.class.opcode, number(ty.operands.first())) {
        (Op::TypeInt, Some(8)) => {
            &[C::Int8, C::StorageBuffer8BitAccess, C::UniformAndStorageBuffer8BitAccess, C::StoragePushConstant8]
        }
        (Op::TypeInt, Some(16)) => {
            &[C::Int16, C::StorageBuffer16BitAccess, C::UniformAndStorageBuffer16BitAccess, C::StoragePushConstant16]
        }
        (Op::TypeInt, Some(64)) => &[C::Int64],
        // For types with an encoding (bfloat16, float8), the operand determines the requirement.
        (Op::TypeFloat, Some(16)) if ty.operands.len() == 1 => {
            &[C::Float16, C::StorageBuffer16BitAccess, C::UniformAndStorageBuffer16BitAccess, C::StoragePushConstant16]
        }
        (Op::TypeFloat, Some(64)) => &[C::Float64],
        _ => &[],
    }
}

fn text(extension: &Instruction) -> Option<&str> {
    match extension.operands.first() {
        Some(Operand::LiteralString(name)) => Some(name),
        _ => None,
    }
}

/// Whether only modules for OpenCL may have a capability.
fn for_kernels_of_opencl(capability: Capability) -> bool {
    let needs = Operand::Capability(capability).required_capabilities();
    matches!(capability, Capability::Kernel | Capability::Addresses | Capability::Linkage)
        || needs.contains(&Capability::Kernel)
        || needs.contains(&Capability::Addresses)
}

/// A capability and those that it implies.
fn declare(capability: Capability, all: &mut HashSet<Capability>) {
    if all.insert(capability) {
        Operand::Capability(capability).required_capabilities().into_iter().for_each(|c| declare(c, all));
    }
}
