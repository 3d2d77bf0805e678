//! Moves reshapes below the elementwise operations that follow a convolution, contraction or reduction, so that bias and
//! activation can share its executable: `activation(reshape(matmul))` becomes `reshape(activation(matmul))`.
use super::{
    dims::{dim_of, dynamic_dims},
    structure::{Kind, Structure},
};
use halyard_ir::{Affine, Attr, Block, Builder, Op, Structured, Type, Value};
use std::collections::HashSet;

/// Does this in a block and in blocks inside.
pub(super) fn sink_reshapes(block: Block) {
    let mut attached = Attached::default();
    for op in block.ops() {
        match Structure::of(op).map(|s| s.kind) {
            None => {
                for inner in op.regions().into_iter().flat_map(|r| r.blocks()) {
                    sink_reshapes(inner);
                }
            }
            Some(Kind::Contraction | Kind::Conv) => _ = attached.to_heavy.insert(op),
            Some(Kind::Reduction) => _ = attached.to_reductions.insert(op),
            Some(Kind::Elementwise) => {
                let moved = if op.is("linalg.generic") {
                    sink_below(op, &attached)
                } else if op.is("linalg.transpose") {
                    sink_below_transpose(op, &attached)
                } else {
                    None
                };
                let op = moved.unwrap_or(op);
                attached.insert_user(op);
                if op.is("linalg.transpose") {
                    attached.to_transposes.insert(op);
                }
            }
            Some(_) => {}
        }
    }
}

/// What can be in the executable of a convolution, contraction or reduction.
#[derive(Default)]
struct Attached {
    to_heavy: HashSet<Op>,
    to_reductions: HashSet<Op>,
    to_transposes: HashSet<Op>,
}

impl Attached {
    /// Attaches an elementwise operation to what it reads.
    fn insert_user(&mut self, op: Op) {
        for set in [&mut self.to_heavy, &mut self.to_reductions, &mut self.to_transposes] {
            if op.operands().iter().any(|v| v.def().is_some_and(|d| set.contains(&d))) {
                set.insert(op);
            }
        }
    }

    /// Whether a reshape may go below an operation that reads it. A product is worth more than whatever else reads it: the others read it
    /// through a reshape of their own. Beside a reduction, they may be what it belongs to.
    fn lets_sink(&self, op: Op, reshape: Op) -> bool {
        let source = reshape.operand(0);
        // A norm reads it twice, and stays together.
        let reduces = |(user, _): (Op, usize)| Structure::of(user).is_some_and(|s| s.kind.is_row());
        let reduced = |op: Op| op.results().into_iter().flat_map(|r| r.uses()).any(reduces);
        if reduced(reshape) {
            return false;
        }
        let single = |v: Value| v.uses().len() == 1;
        source.def().is_some_and(|d| {
            let alone = single(source) && single(reshape.result(0));
            self.to_heavy.contains(&d)
                || alone && (self.to_reductions.contains(&d) || self.to_transposes.contains(&d) && !reduced(op))
        })
    }
}

fn sink_below(op: Op, attached: &Attached) -> Option<Op> {
    let structured = Structured::of(op)?;
    let loops: Vec<usize> = (0..structured.loops()).collect();
    let identity = |i: usize| structured.maps[i].projected_permutation().as_ref() == Some(&loops);
    if !(structured.inputs..structured.maps.len()).all(identity) || uses_indices(op) {
        return None;
    }
    (0..structured.inputs).filter(|i| identity(*i)).find_map(|i| {
        let reshape = op.operand(i).def().filter(|d| d.is("tensor.collapse_shape") || d.is("tensor.expand_shape"))?;
        attached.lets_sink(op, reshape).then(|| Reshape::of(reshape)?.sink(op, &structured, reshape))?
    })
}

/// Moves a reshape that only drops dimensions of one element below a transpose, which then transposes the longer shape.
fn sink_below_transpose(op: Op, attached: &Attached) -> Option<Op> {
    let reshape = op.operand(0).def().filter(|d| d.is("tensor.collapse_shape"))?;
    let source = reshape.operand(0);
    if !attached.lets_sink(op, reshape) {
        return None;
    }
    let Reshape { groups, inner, .. } = Reshape::of(reshape)?;
    let unit = |group: &Vec<usize>| group.iter().filter(|d| inner[**d] != Some(1)).count() <= 1;
    if !groups.iter().all(unit) {
        return None;
    }
    let order: Vec<usize> = op.attr("permutation")?.as_i64s()?.into_iter().map(|d| d as usize).collect();
    let permutation: Vec<usize> = order.iter().flat_map(|d| groups[*d].iter().copied()).collect();
    let mut at = 0;
    let together: Vec<Vec<usize>> = (order.iter())
        .map(|d| {
            at += groups[*d].len();
            (at - groups[*d].len()..at).collect()
        })
        .collect();
    let (builder, ty) = (Builder::before(op), op.result(0).ty());
    let shape: Vec<Option<i64>> = permutation.iter().map(|d| inner[*d]).collect();
    let known = dynamic_dims(&builder, source, &inits(source)).ok()?;
    let open: Vec<usize> = (0..inner.len()).filter(|d| inner[*d].is_none()).collect();
    let size = |d: &usize| open.iter().position(|at| at == d).map(|at| known[at]);
    let sizes: Vec<Value> = permutation.iter().filter_map(size).collect();
    let empty = builder.value("tensor.empty", &sizes, Type::tensor(&shape, ty.element()), &[]);
    let permutation: Vec<i64> = permutation.into_iter().map(|d| d as i64).collect();
    let attrs = [("permutation", Attr::i64s(op.context(), &permutation))];
    let moved = builder.named_linalg("linalg.transpose", &[source, empty], &[empty.ty()], &attrs);
    op.result(0).replace_all_uses(builder.reshape(moved.result(0), ty, &together));
    op.erase();
    Some(moved)
}

fn uses_indices(op: Op) -> bool {
    op.body().is_none_or(|b| b.ops().iter().any(|o| o.is("linalg.index") || !o.regions().is_empty()))
}

/// What becomes of an operand of the elementwise operation.
enum Operand {
    AsIs(Value),
    /// To which type, by which groups of dimensions.
    Reshaped(Value, Type, Vec<Vec<usize>>),
}

/// A reshape; one that collapses knows the sizes that it collapses.
struct Reshape {
    /// Which dimensions of the longer shape each one of the shorter shape stands for.
    groups: Vec<Vec<usize>>,
    /// The shape before the reshape, in which the elementwise operation will work, and after it.
    inner: Vec<Option<i64>>,
    outer: Vec<Option<i64>>,
    /// Whether the shape before is the longer one.
    collapses: bool,
}

impl Reshape {
    fn of(op: Op) -> Option<Self> {
        let groups = op.attr("reassociation")?.as_array()?;
        let group = |g: Attr| g.as_i64s().map(|g| g.into_iter().map(|d| d as usize).collect());
        let groups: Vec<Vec<usize>> = groups.into_iter().map(group).collect::<Option<_>>()?;
        let collapses = op.is("tensor.collapse_shape");
        let (inner, outer) = (op.operand(0).ty().shape(), op.result(0).ty().shape());
        // The other operands are taken apart into the sizes that were collapsed.
        let known = !collapses || groups.iter().all(|g| g.len() == 1 || g.iter().all(|d| inner[*d].is_some()));
        (known && !groups.is_empty()).then_some(Self { groups, inner, outer, collapses })
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
            let s = self.groups.iter().position(|g| g.contains(&dims[at]))?;
            let group = &self.groups[s];
            let end = at + dims[at..].iter().take_while(|d| group.contains(d)).count();
            if !self.reads_whole(group, &dims[at..end]) {
                return None;
            }
            inside.push(s);
            together.push((at..end).collect());
            at = end;
        }
        Some((inside, together))
    }

    /// Whether an operand that some dimensions of a group index has all of its elements, in order. Those of one element need not be there.
    fn reads_whole(&self, group: &[usize], dims: &[usize]) -> bool {
        let mut dims = dims.iter().peekable();
        let whole = group.iter().all(|d| dims.next_if_eq(&d).is_some() || self.outer[*d] == Some(1));
        whole && dims.next().is_none()
    }

    /// The shape that an operand has inside. `None` if it is to take sizes apart that are not known.
    fn reshaped(&self, shape: &[Option<i64>], inside: &[usize], together: &[Vec<usize>]) -> Option<Vec<Option<i64>>> {
        if self.collapses {
            let parts = |(size, group): (&Option<i64>, &Vec<usize>)| match group[..] {
                [_] => Some(vec![*size]),
                _ => size.map(|_| group.iter().map(|d| self.inner[inside[*d]]).collect()),
            };
            return Some(shape.iter().zip(together).map(parts).collect::<Option<Vec<_>>>()?.concat());
        }
        Some(together.iter().map(|group| group.iter().map(|d| shape[*d]).product()).collect())
    }

    fn sink(&self, op: Op, structured: &Structured, reshape: Op) -> Option<Op> {
        let builder = Builder::before(op);
        let context = builder.context();
        let operands = op.operands();
        let mut plan = Vec::new();
        for (map, value) in structured.maps.iter().zip(&operands) {
            let (inside, together) = self.translate(&map.projected_permutation()?)?;
            // Another reshape can give way only if it groups the dimensions as this one does.
            let alike = if together == self.groups { reshapes_alike(*value, reshape) } else { None };
            let source = match alike {
                Some(source) => source,
                None if together.iter().all(|g| g.len() == 1) => *value,
                None => {
                    let to =
                        Type::tensor(&self.reshaped(&value.ty().shape(), &inside, &together)?, value.ty().element());
                    plan.push((inside, Operand::Reshaped(*value, to, together)));
                    continue;
                }
            };
            plan.push((inside, Operand::AsIs(source)));
        }
        // The results take the shape of the reshape's source.
        if op.results().iter().any(|r| r.ty().shape() != reshape.result(0).ty().shape()) {
            return None;
        }
        let sizes = dynamic_dims(&builder, reshape.operand(0), &inits(reshape.operand(0))).ok()?;
        let mut maps = Vec::new();
        let mut values = Vec::new();
        for (inside, operand) in &plan {
            maps.push(Attr::affine_map(Affine::of_dims(context, self.inner.len(), inside)));
            values.push(match operand {
                Operand::AsIs(value) => *value,
                // The results have all loops of the inner shape, in order.
                Operand::Reshaped(value, to, _) if value.def().is_some_and(|d| d.is("tensor.empty")) => {
                    builder.value("tensor.empty", &sizes, *to, &[])
                }
                Operand::Reshaped(value, to, together) if self.collapses => {
                    let open = value.ty().shape().into_iter().enumerate().filter(|(_, size)| size.is_none());
                    let sizes: Vec<Value> = open.map(|(d, _)| dim_of(&builder, *value, d)).collect();
                    builder.expand(*value, &sizes, *to, together)
                }
                Operand::Reshaped(value, to, together) => builder.reshape(*value, *to, together),
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
            let reshaped = builder.insert(reshape.duplicate());
            reshaped.set_operand(0, new);
            reshaped.result(0).set_ty(old.ty());
            old.replace_all_uses(reshaped.result(0));
        }
        op.erase();
        Some(moved)
    }
}

/// The operations that give a value its shape.
fn inits(value: Value) -> Vec<Op> {
    let mut at = Vec::new();
    let mut next = value.def();
    while let Some(op) = next.filter(|op| op.is_of("linalg") && op.result_count() > 0) {
        at.push(op);
        next = op.operand(op.operand_count() - op.result_count()).def();
    }
    at
}

/// What a value is the same reshape of.
fn reshapes_alike(value: Value, reshape: Op) -> Option<Value> {
    let other = value.def().filter(|d| d.name() == reshape.name())?;
    let same = other.attr("reassociation") == reshape.attr("reassociation")
        && other.operand(0).ty().shape() == reshape.operand(0).ty().shape()
        && other.operands()[1..] == reshape.operands()[1..];
    same.then(|| other.operand(0))
}
