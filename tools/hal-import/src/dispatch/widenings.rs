//! Numbers are made wider where they are read, so that what is stored stays narrow, and kernels multiply bytes as they are. Reshapes
//! move the narrow numbers; several readers make them wider each for itself.
use super::structure::{Kind, Structure};
use halyard_ir::{Affine, Attr, Builder, Op, Structured, Type, Value};

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
    let widening = Widening::of(wide)?;
    let (builder, result) = (Builder::before(reshape), reshape.result(0).ty());
    let narrow = builder.insert(reshape.duplicate());
    narrow.set_operand(0, widening.narrow);
    narrow.result(0).set_ty(Type::tensor(&result.shape(), widening.narrow.ty().element()));
    // Of a shape that is expanded, the operands are the sizes that are not known.
    let again = widening.again(&builder, narrow.result(0), &reshape.operands()[1..]);
    reshape.result(0).replace_all_uses(again);
    reshape.erase();
    if !wide.has_uses() {
        widening.op.erase();
    }
    Some(())
}

/// What makes all elements of a tensor wider in the same way.
#[derive(Clone, Copy)]
pub(super) struct Widening {
    op: Op,
    /// The tensor.
    pub(super) narrow: Value,
    /// Which operand it is.
    input: usize,
}

impl Widening {
    /// What made a value, if no operand but the tensor has more than one element: a zero point per channel has a place in the shape.
    pub(super) fn of(wide: Value) -> Option<Self> {
        let op = wide.def().filter(|d| d.is("linalg.generic"))?;
        if Structure::of(op)?.kind != Kind::Widen {
            return None;
        }
        let structured = Structured::of(op)?;
        let all: Vec<usize> = (0..structured.loops()).collect();
        let moved = |at: usize| structured.maps[at].projected_permutation().as_ref() == Some(&all);
        let input = (0..structured.inputs).find(|at| moved(*at))?;
        let mut others = (0..structured.inputs).filter(|at| *at != input);
        let alone = moved(structured.inputs) && others.all(|at| structured.maps[at].results().is_empty());
        alone.then(|| Self { op, narrow: op.operand(input), input })
    }

    /// Makes the elements of another tensor wider, whose unknown sizes are given.
    pub(super) fn again(&self, builder: &Builder, narrow: Value, sizes: &[Value]) -> Value {
        let (context, shape) = (builder.context(), narrow.ty().shape());
        let wide = Type::tensor(&shape, self.op.result(0).ty().element());
        let empty = builder.value("tensor.empty", sizes, wide, &[]);
        let again = builder.insert(self.op.duplicate());
        let init = again.operand_count() - 1;
        again.set_operand(self.input, narrow);
        again.set_operand(init, empty);
        let rank = shape.len();
        let maps = (0..=init).map(|at| {
            let dims: Vec<usize> = if at == self.input || at == init { (0..rank).collect() } else { Vec::new() };
            Attr::affine_map(Affine::of_dims(context, rank, &dims))
        });
        again.set_attr("indexing_maps", Attr::array(context, &maps.collect::<Vec<_>>()));
        let parallel = Attr::parse(context, "#linalg.iterator_type<parallel>").expect("an attribute of linalg");
        again.set_attr("iterator_types", Attr::array(context, &vec![parallel; rank]));
        again.result(0).set_ty(wide);
        again.result(0)
    }

    /// The integer that becomes zero, if there is one, and it is the same in each run.
    pub(super) fn zero(&self) -> Option<Attr> {
        let ops = self.op.body()?.ops();
        let [steps @ .., end] = ops.as_slice() else { return None };
        let is_extension = |op: &Op| op.is("arith.extsi") || op.is("arith.extui");
        let steps: Vec<&Op> = steps.iter().filter(|op| !op.is("arith.constant")).collect();
        let (extension, zero) = match steps[..] {
            [extension] => (extension, 0),
            [extension, minus] if minus.is("arith.subi") && minus.operand(0) == extension.result(0) => {
                (extension, minus.operand(1).constant()?)
            }
            _ => return None,
        };
        let ty = self.narrow.ty().element();
        let numbers = match ty.bits() {
            _ if !is_extension(extension) => return None,
            bits @ 1..=16 if extension.is("arith.extsi") => -(1 << (bits - 1))..1 << (bits - 1),
            bits @ 1..=16 => 0..1 << bits,
            _ => return None,
        };
        let is_last = end.operand(0) == steps.last()?.result(0);
        (is_last && numbers.contains(&zero)).then(|| Attr::integer(ty, zero))
    }
}
