//! Numbers are made wider where they are read, so that what is stored stays narrow, and kernels multiply bytes as they are. Reshapes
//! move the narrow numbers; several readers make them wider each for itself.
use super::structure::{Kind, Structure};
use halyard_ir::{Affine, Attr, Builder, Op, Structured, Type};

/// Does this for `tensor.expand_shape` of dimensions that are known or given, and for static `tensor.collapse_shape`.
pub(super) fn widen_after_reshapes(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        let static_collapse = op.is("tensor.collapse_shape") && op.result(0).ty().is_static();
        if op.is("tensor.expand_shape") || static_collapse {
            found.push(op);
        }
    });
    for op in found {
        _ = swap(op);
    }
}

/// Gives each of several readers a copy of what makes numbers wider.
pub(super) fn widen_for_each_reader(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        let is_shared = op.is("linalg.generic") && op.result_count() == 1 && op.result(0).uses().len() > 1;
        if is_shared && Structure::of(op).is_some_and(|s| s.kind == Kind::Widen) {
            found.push(op);
        }
    });
    for op in found {
        // In a loop it would be done again and again.
        let reads = |(user, _): &(Op, usize)| user.block() == op.block() && !user.is("func.return");
        let mut first = None;
        for (user, operand) in op.result(0).uses().into_iter().filter(reads) {
            // The first reader keeps the original.
            if *first.get_or_insert(user) != user {
                let copy = Builder::before(user).insert(op.duplicate());
                user.set_operand(operand, copy.result(0));
            }
        }
    }
}

fn swap(reshape: Op) -> Option<()> {
    let wide = reshape.operand(0);
    let widening = wide.def().filter(|d| d.is("linalg.generic") && wide.uses().len() == 1)?;
    if Structure::of(widening)?.kind != Kind::Widen {
        return None;
    }
    let structured = Structured::of(widening)?;
    let all: Vec<usize> = (0..structured.loops()).collect();
    let moved = |at: usize| structured.maps[at].projected_permutation().as_ref() == Some(&all);
    let input = (0..structured.inputs).find(|at| moved(*at))?;
    // A zero point per channel would have to be reshaped, too.
    let others = (0..structured.inputs).filter(|at| *at != input);
    if !moved(structured.inputs) || others.into_iter().any(|at| !structured.maps[at].results().is_empty()) {
        return None;
    }
    let (builder, result) = (Builder::before(reshape), reshape.result(0).ty());
    let context = builder.context();
    let of = |element: Type| Type::tensor(&result.shape(), element);
    let narrow = builder.insert(reshape.duplicate());
    narrow.set_operand(0, widening.operand(input));
    narrow.result(0).set_ty(of(widening.operand(input).ty().element()));
    // Of a shape that is expanded, the operands are the sizes that are not known.
    let sizes = &reshape.operands()[1..];
    let empty = builder.value("tensor.empty", sizes, of(wide.ty().element()), &[]);
    let again = builder.insert(widening.duplicate());
    again.set_operand(input, narrow.result(0));
    again.set_operand(structured.inputs, empty);
    let rank = result.rank();
    let maps = (0..structured.maps.len()).map(|at| {
        let dims: Vec<usize> = if at == input || at == structured.inputs { (0..rank).collect() } else { Vec::new() };
        Attr::affine_map(Affine::of_dims(context, rank, &dims))
    });
    again.set_attr("indexing_maps", Attr::array(context, &maps.collect::<Vec<_>>()));
    let parallel = Attr::parse(context, "#linalg.iterator_type<parallel>")?;
    again.set_attr("iterator_types", Attr::array(context, &vec![parallel; rank]));
    again.result(0).set_ty(of(wide.ty().element()));
    reshape.result(0).replace_all_uses(again.result(0));
    reshape.erase();
    widening.erase();
    Some(())
}
