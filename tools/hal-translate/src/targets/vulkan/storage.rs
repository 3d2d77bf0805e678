//! Assigns SPIR-V storage classes to the memory of a kernel.
use super::{
    environment::{class, with_class},
    flatten::unsupported,
};
use halyard_diag::Result;
use halyard_ir::{Op, Session, Type};

/// Assigns storage classes to private memory (`memref.alloca`) and memory of workgroups (`memref.alloc` in memory
/// space 3, or in `#gpu.address_space<workgroup>`); existing ones are kept. Fails for other allocations, for memory of
/// unknown size, and for uses that require pointers.
pub(super) fn place(session: &Session, module: Op) -> Result<()> {
    let mut found: Vec<(Op, &str)> = Vec::new();
    let mut other = None;
    module.walk(&mut |op| match &*op.name() {
        "memref.alloca" => found.push((op, "Function")),
        "memref.alloc" if is_shared(op.result(0).ty()) => found.push((op, "Workgroup")),
        "memref.alloc" | "memref.global" | "memref.get_global" => other = other.or(Some(op)),
        _ => {}
    });
    if let Some(op) = other {
        return Err(unsupported(session, op));
    }
    for (op, name) in found {
        let memory = op.result(0);
        if memory.ty().to_string().contains("#spirv.storage_class") {
            continue;
        }
        for (user, operand) in memory.uses() {
            let is_access = (user.is("memref.load") && operand == 0) || (user.is("memref.store") && operand == 1);
            if !is_access || !memory.ty().is_static() {
                return Err(unsupported(session, user));
            }
        }
        memory.set_ty(with_class(memory.ty(), class(op.context(), name)));
    }
    Ok(())
}

fn is_shared(ty: Type) -> bool {
    let text = ty.to_string();
    text.ends_with(", 3>") || text.contains("address_space<workgroup>") || text.contains("storage_class<Workgroup>")
}
