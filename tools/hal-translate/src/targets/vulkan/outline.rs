//! Turns a function on flat buffers into a kernel of the gpu dialect.
use super::{
    environment::{class, with_class},
    indices,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type};

/// Moves a function on flat buffers, which [`super::frame`] made, into a `gpu.module` of its name, as a kernel with
/// workgroups of this many threads. Fails for a body of several blocks.
pub(super) fn outline(function: Op, push: bool, workgroup_size: [i64; 3]) -> Result<Op> {
    let context = function.context();
    let name = function.symbol().unwrap_or_default();
    indices::widen(function);
    let blocks = function.region(0).blocks();
    let [body] = blocks.as_slice() else {
        return Err(Error::input(format!(
            "export `@{name}` has branches; a kernel for Vulkan has structured control flow"
        ))
        .code("unsupported-op")
        .hint("use `scf` instead of `cf`"));
    };
    let args = body.args();
    let bindings = args.len() - usize::from(push);
    for (i, argument) in args.iter().enumerate() {
        let class = class(context, if i < bindings { "StorageBuffer" } else { "PushConstant" });
        argument.set_ty(with_class(argument.ty(), class));
    }
    let types: Vec<Type> = args.iter().map(|a| a.ty()).collect();
    let end = body.terminator().expect("a function ends with a return");
    Builder::before(end).op("gpu.return", &[], &[], &[]);
    end.erase();
    let new = Block::create(&types, function.loc());
    for (old, new) in args.iter().zip(new.args()) {
        old.replace_all_uses(new);
    }
    for op in body.ops() {
        op.detach();
        new.append(op);
    }
    let region = Region::create();
    region.append(new);
    let size: Vec<i32> = workgroup_size.iter().map(|&n| n as i32).collect();
    let attrs = [
        ("sym_name", Attr::string(context, &name)),
        ("function_type", Attr::ty(Type::function(context, &types, &[]))),
        ("gpu.kernel", Attr::unit(context)),
        ("known_block_size", Attr::i32s(context, &size)),
    ];
    let kernel = Builder::create(function.loc(), "gpu.func", &[], &[], &attrs, vec![region]);
    let body = Block::create(&[], function.loc());
    body.append(kernel);
    let region = Region::create();
    region.append(body);
    let attrs = [("sym_name", Attr::string(context, &name))];
    let module = Builder::before(function).op_with_regions("gpu.module", &[], &[], &attrs, vec![region]);
    function.erase();
    Ok(module)
}
