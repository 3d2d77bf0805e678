//! Sets the target environment of a kernel of the gpu dialect: the target, the threads of a workgroup, and the types
//! that it may use.
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Op, Session, Type, Value};
use halyard_targets::{Target, Use, VulkanTarget};
use mlir_sys::MlirContext;
use std::collections::BTreeSet;

/// A storage class of SPIR-V as the memory space of a memref.
pub(super) fn class(context: MlirContext, name: &str) -> Attr {
    Attr::parse(context, &format!("#spirv.storage_class<{name}>")).expect("an attribute of the spirv dialect")
}

/// A memref type in a memory space, contiguous.
pub(super) fn with_class(ty: Type, class: Attr) -> Type {
    // SAFETY: a constant of the C API.
    let dynamic = unsafe { mlir_sys::mlirShapedTypeGetDynamicSize() };
    let shape: Vec<i64> = ty.shape().into_iter().map(|d| d.unwrap_or(dynamic)).collect();
    // SAFETY: the element type and the attribute are live, the shape is passed with its length.
    unsafe {
        Type(mlir_sys::mlirMemRefTypeContiguousGet(ty.element().0, shape.len() as isize, shape.as_ptr(), class.0))
    }
}

/// Returns the kernels of a `gpu.module`.
pub(super) fn kernels(module: Op) -> Vec<Op> {
    let ops = module.body_ops();
    ops.into_iter().filter(|op| op.is("gpu.func") && op.has_attr("gpu.kernel")).collect()
}

/// Sets the target environment of a `gpu.module`. Fails for a type that the target cannot store or compute with, and
/// for a kernel without a workgroup size.
pub(super) fn set(session: &Session, module: Op, target: &VulkanTarget) -> Result<()> {
    let context = session.raw();
    check_types(session, module, target)?;
    let attr = Target::Vulkan(target.clone()).attr(session);
    module.set_attr("targets", Attr::array(context, &[attr]));
    // The conversion of `math` looks for it here: without it f16 and f64 are taken for f32.
    module.set_attr("spirv.target_env", attr);
    for kernel in kernels(module) {
        let size = workgroup_size(kernel).ok_or_else(|| {
            let name = kernel.symbol().unwrap_or_default();
            let error = Error::input(format!("kernel `@{name}` does not declare its workgroup size"))
                .code("no-workgroup-size")
                .hint("`known_block_size = array<i32: 64, 1, 1>` on the `gpu.func` does");
            error.at(session.span(kernel))
        })?;
        let text = format!("#spirv.entry_point_abi<workgroup_size = [{}, {}, {}]>", size[0], size[1], size[2]);
        let abi = Attr::parse(context, &text).expect("an attribute of the spirv dialect");
        kernel.set_attr("spirv.entry_point_abi", abi);
    }
    Ok(())
}

/// The threads of a workgroup, as a kernel says them.
fn workgroup_size(kernel: Op) -> Option<Vec<i64>> {
    if let Some(size) = kernel.attr("known_block_size").and_then(Attr::as_i64s) {
        return (size.len() == 3 && size.iter().all(|&n| n > 0)).then_some(size);
    }
    let text = kernel.attr("spirv.entry_point_abi")?.to_string();
    let inside = text.split_once("workgroup_size = [")?.1.split_once(']')?.0;
    let size: Option<Vec<i64>> = inside.split(',').map(|n| n.trim().parse().ok().filter(|&n: &i64| n > 0)).collect();
    size.filter(|s| s.len() == 3)
}

/// Checks every type before anything is lowered: upstream's conversion replaces types that a target lacks.
fn check_types(session: &Session, module: Op, target: &VulkanTarget) -> Result<()> {
    let target = Target::Vulkan(target.clone());
    let mut seen: BTreeSet<(String, bool)> = BTreeSet::new();
    let mut failed: Option<Error> = None;
    let mut check = |op: Op, value: Value| {
        let ty = value.ty();
        let (element, stored) = (ty.element(), ty.is_memref());
        let is_number = element.is_float() || element.is_integer() || element.is_index();
        if !is_number || failed.is_some() || !seen.insert((element.to_string(), stored)) {
            return;
        }
        let what = if stored { Use::Stored } else { Use::Computed };
        if let Err(error) = target.require(&element.to_string(), what) {
            failed = Some(error.at(session.span(op)));
        }
    };
    module.walk(&mut |op| {
        let mut arguments = Vec::new();
        for region in op.regions() {
            arguments.extend(region.blocks().into_iter().flat_map(|b| b.args()));
        }
        arguments.into_iter().chain(op.results()).for_each(|value| check(op, value));
    });
    failed.map_or(Ok(()), Err)
}
