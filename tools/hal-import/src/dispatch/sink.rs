//! Moves reshapes below the elementwise operations that follow a convolution, contraction or reduction, so that bias and
//! activation can share its executable: `activation(reshape(matmul))` becomes `reshape(activation(matmul))`.
use super::structure::{Kind, Structure};
use halyard_ir::{Affine, Attr, Block, Builder, Op, Structured, Type, Value};
use std::collections::HashSet;

/// Does this in a block and in blocks inside.
pub(super) fn sink_reshapes(block: Block) {
    // What can be in the executable of a convolution, contraction or reduction.
    let mut attached: HashSet<Op> = HashSet::new();
    for op in block.ops() {
        match Structure::of(op).map(|s| s.kind) {
            None => {
                for inner in op.regions().into_iter().flat_map(|r| r.blocks()) {
                    sink_reshapes(inner);
                }
            }
            Some(Kind::Contraction | Kind::Conv | Kind::Reduction) => _ = attached.insert(op),
            Some(Kind::Elementwise) => {
                let moved = (op.is("linalg.generic")).then(|| sink_below(op, &attached)).flatten();
                let op = moved.unwrap_or(op);
                if op.operands().iter().any(|v| v.def().is_some_and(|d| attached.contains(&d))) {
                    attached.insert(op);
                }
            }
            Some(_) => {}
        }
    }
}

fn sink_below(op: Op, attached: &HashSet<Op>) -> Option<Op> {
    let structured = Structured::of(op)?;
    let loops: Vec<usize> = (0..structured.loops()).collect();
    let identity = |i: usize| structured.maps[i].projected_permutation().as_ref() == Some(&loops);
    if !(structured.inputs..structured.maps.len()).all(identity) || uses_indices(op) {
        return None;
    }
    (0..structured.inputs).filter(|i| identity(*i)).find_map(|i| {
        let reshape = op.operand(i).def().filter(|d| d.is("tensor.collapse_shape") || d.is("tensor.expand_shape"))?;
        let single = |v: Value| v.uses().len() == 1;
        let source = reshape.operand(0);
        if !source.def().is_some_and(|d| attached.contains(&d)) || !single(source) || !single(op.operand(i)) {
            return None;
        }
        Reshape::of(reshape)?.sink(op, &structured, reshape)
    })
}

fn uses_indices(op: Op) -> bool {
    op.body().is_none_or(|b| b.ops().iter().any(|o| o.is("linalg.index") || !o.regions().is_empty()))
}

/// A reshape between static shapes.
struct Reshape {
    /// Which dimensions of the longer shape each one of the shorter shape stands for.
    groups: Vec<Vec<usize>>,
    /// The shape before the reshape, in which the elementwise operation will work.
    inner: Vec<i64>,
    /// Whether the shape before is the longer one.
    collapses: bool,
}

impl Reshape {
    fn of(op: Op) -> Option<Self> {
        let groups = op.attr("reassociation")?.as_array()?;
        let group = |g: Attr| g.as_i64s().map(|g| g.into_iter().map(|d| d as usize).collect());
        let groups: Vec<Vec<usize>> = groups.into_iter().map(group).collect::<Option<_>>()?;
        let inner: Vec<i64> = op.operand(0).ty().shape().into_iter().collect::<Option<_>>()?;
        (op.result(0).ty().is_static() && !groups.is_empty()).then(|| Self {
            groups,
            inner,
            collapses: op.is("tensor.collapse_shape"),
        })
    }

    /// For an operand that is indexed by some loops around the reshape: the loops inside that index it, and which of its
    /// dimensions belong together, as in [`Builder::reshape`]. `None` if it cannot be reshaped accordingly.
    fn translate(&self, dims: &[usize]) -> Option<(Vec<usize>, Vec<Vec<usize>>)> {
        let (mut inside, mut together) = (Vec::new(), Vec::new());
        if self.collapses {
            for d in dims {
                let at = inside.len();
                inside.extend(&self.groups[*d]);
                together.push((at..inside.len()).collect());
            }
            return Some((inside, together));
        }
        let mut at = 0;
        while at < dims.len() {
            let s = self.groups.iter().position(|g| g.first() == Some(&dims[at]))?;
            let end = at + self.groups[s].len();
            if dims.get(at..end)? != self.groups[s] {
                return None;
            }
            inside.push(s);
            together.push((at..end).collect());
            at = end;
        }
        Some((inside, together))
    }

    fn sink(&self, op: Op, structured: &Structured, reshape: Op) -> Option<Op> {
        let builder = Builder::before(op);
        let context = builder.context();
        let operands = op.operands();
        let mut plan = Vec::new();
        for (map, value) in structured.maps.iter().zip(&operands) {
            let dims = map.projected_permutation()?;
            // Scalars have no dimensions and no shape.
            if value.ty().is_ranked_tensor() && !value.ty().is_static() {
                return None;
            }
            plan.push(self.translate(&dims)?);
        }
        let mut maps = Vec::new();
        let mut values = Vec::new();
        for ((inside, together), value) in plan.iter().zip(&operands) {
            maps.push(Attr::affine_map(Affine::of_dims(context, self.inner.len(), inside)));
            let shape: Vec<Option<i64>> = inside.iter().map(|l| Some(self.inner[*l])).collect();
            values.push(if *value == reshape.result(0) {
                reshape.operand(0)
            } else if together.iter().all(|g| g.len() == 1) {
                *value
            } else {
                let to = Type::tensor(&shape, value.ty().element());
                if value.def().is_some_and(|d| d.is("tensor.empty")) {
                    builder.value("tensor.empty", &[], to, &[])
                } else {
                    builder.reshape(*value, to, together)
                }
            });
        }
        let moved = op.block()?.insert_before(op, op.duplicate());
        moved.set_operands(&values);
        moved.set_attr("indexing_maps", Attr::array(context, &maps));
        let parallel = Attr::parse(context, "#linalg.iterator_type<parallel>")?;
        moved.set_attr("iterator_types", Attr::array(context, &vec![parallel; self.inner.len()]));
        for (old, (new, value)) in
            op.results().into_iter().zip(moved.results().into_iter().zip(&values[structured.inputs..]))
        {
            new.set_ty(value.ty());
            old.replace_all_uses(builder.reshape(new, old.ty(), &self.groups));
        }
        op.erase();
        Some(moved)
    }
}
