//! Workgroup counts that are not made by code generation.
use super::{Export, Interface};
use crate::{Attr, Block, Builder, Op, Region, Type};

/// A workgroup count that is the same for all sizes, in no block.
pub fn count_function(export: Export, name: &str, count: [u32; 3]) -> Op {
    let (context, loc) = (export.op.context(), export.op.loc());
    let index = Type::index(context);
    let inputs = vec![index; Interface::of_kernel(export.op).constant_count()];
    let body = Block::create(&inputs, loc);
    let at = Builder::at_end(body, loc);
    let values = count.map(|n| at.index(i64::from(n)));
    at.op("func.return", &values, &[], &[]);
    let region = Region::create();
    region.append(body);
    let attrs = [
        ("sym_name", Attr::string(context, name)),
        ("function_type", Attr::ty(Type::function(context, &inputs, &[index; 3]))),
    ];
    Builder::create(loc, "func.func", &[], &[], &attrs, vec![region])
}
