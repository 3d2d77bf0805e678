//! Operations that move elements: reshape, transpose, slice, pad, gather by position.
use super::{
    Body, Context, Dim, Iter, Known, Num, Outcome, Scalar, Value,
    context::require::{Rule, shown},
    dims,
    generic::{map, shape_text},
    problem::invalid,
    tensor::{positions, strides},
};
use std::rc::Rc;

/// A part of an expansion or collapse: dimensions of both sides with the same product.
struct Group {
    from: std::ops::Range<usize>,
    to: std::ops::Range<usize>,
}

impl Context<'_> {
    /// Reshapes to another shape with the same number of elements. Fails if the numbers surely differ.
    pub(crate) fn reshape(&mut self, value: &Value, shape: &[Dim]) -> Outcome<Value> {
        let ramps = match value.ramps.as_deref().map(Vec::as_slice) {
            Some([ramp]) => ramp.reshaped(&value.shape, shape).map(|ramp| Rc::new(vec![ramp])),
            _ => None,
        };
        Ok(Value { label: value.label.clone(), ramps, ..self.reshaped(value, shape)? })
    }

    fn reshaped(&mut self, value: &Value, shape: &[Dim]) -> Outcome<Value> {
        let (value, shape) = (&self.settle(value), &*self.settle_shape(shape));
        if value.shape == shape {
            return Ok(value.clone());
        }
        let to = match dims::fixed(shape) {
            Some(sizes) => match sizes.iter().try_fold(1i64, |n, &d| n.checked_mul(d)) {
                None => return invalid(format!("shape {} has more elements than there can be", shape_text(shape))),
                count => count,
            },
            None => None,
        };
        if let (Some(from), Some(to)) = (value.count(), to)
            && from != to
        {
            return invalid(format!("shape {} cannot be reshaped to {}", shape_text(&value.shape), shape_text(shape)));
        }
        match &value.known {
            Some(Known::Tensor(t)) if to.is_some() => return Ok(Value::constant(t.reshaped(as_usize(shape)))),
            Some(Known::Dims(d)) if to.is_some() => return Ok(Value::dims(value.elem, shape.to_vec(), d.to_vec())),
            _ => {}
        }
        let (own, wanted) = (self.product(&value.shape), self.product(shape));
        let text = format!("{} has {{0}} elements, which cannot be reshaped to {{1}}", shown(value));
        self.require(Rule::Equal(own.clone(), wanted.clone()), &text, &[&own, &wanted])?;
        // If one side surely has no element, neither does the other, whatever their sizes.
        if value.is_empty() || shape.iter().any(|d| d.is(0)) {
            return Ok(self.empty(value.elem, shape));
        }
        let (value, shape) = (&self.settle(value), &*self.settle_shape(shape));
        if value.shape == shape {
            return Ok(value.clone());
        }
        let groups = self.groups(&value.shape, shape);
        // The common refinement of both shapes: one dimension for each group.
        let mut middle = Vec::new();
        for g in &groups {
            middle.push(self.joined(&value.shape[g.from.clone()]));
        }
        let (mut from_groups, mut to_groups) = (
            groups.iter().map(|g| g.from.clone()).collect::<Vec<_>>(),
            groups.iter().map(|g| g.to.clone()).collect::<Vec<_>>(),
        );
        // A group without a dimension on one side can only be the last, and of size 1; it joins its neighbour.
        for list in [&mut from_groups, &mut to_groups] {
            list.retain(|g| !g.is_empty());
        }
        let collapsed = if value.rank() == 0 {
            middle.clear();
            value.clone()
        } else if shape.is_empty() {
            self.collapse(value, &[], Vec::new())
        } else if from_groups.len() == value.rank() && from_groups.len() == middle.len() {
            value.clone()
        } else {
            self.collapse(value, &from_groups, middle.clone())
        };
        if collapsed.shape.len() == shape.len() {
            // Equal products may be known in different forms.
            return Ok(self.cast(&collapsed, shape));
        }
        let to_groups = if collapsed.rank() == 0 { Vec::new() } else { to_groups };
        let mut collapsed = collapsed;
        if collapsed.rank() > 0 {
            let wanted: Vec<_> = to_groups.iter().map(|g| self.joined(&shape[g.clone()])).collect();
            collapsed = self.cast(&collapsed, &wanted);
        }
        Ok(self.expand(&collapsed, &to_groups, shape))
    }

    /// The product of sizes as the type of what they are collapsed to has it: dynamic if one of them is, even where a check
    /// has told their product.
    fn joined(&mut self, dims: &[Dim]) -> Dim {
        let product = self.product(dims);
        if product.get().is_none() || dims.iter().all(|d| d.get().is_some()) {
            return product;
        }
        let ssa = self.index(&product);
        self.fresh_symbol(ssa)
    }

    /// Cuts two shapes of equal products into the smallest groups of equal products.
    fn groups(&mut self, from: &[Dim], to: &[Dim]) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let (mut i, mut j) = (0, 0);
        while i < from.len() && j < to.len() {
            let (start_i, start_j) = (i, j);
            let (mut a, mut b) = (from[i].clone(), to[j].clone());
            (i, j) = (i + 1, j + 1);
            while a != b {
                // Take from the side that is surely behind; where that is not known, from the one that has more left.
                let from_next = match (a.get(), b.get()) {
                    (Some(x), Some(y)) => x < y,
                    (Some(_), None) => true,
                    (None, Some(_)) => false,
                    (None, None) => b.exact_quotient(1).is_some() && from.len() - i >= to.len() - j,
                };
                if from_next && i < from.len() {
                    a = self.product(&from[start_i..=i]);
                    i += 1;
                } else if j < to.len() {
                    b = self.product(&to[start_j..=j]);
                    j += 1;
                } else if i < from.len() {
                    a = self.product(&from[start_i..=i]);
                    i += 1;
                } else {
                    break;
                }
            }
            groups.push(Group { from: start_i..i, to: start_j..j });
        }
        // The remaining dimensions have size 1.
        match groups.last_mut() {
            Some(last) => (last.from.end, last.to.end) = (from.len(), to.len()),
            None => groups.push(Group { from: 0..from.len(), to: 0..to.len() }),
        }
        groups
    }

    fn collapse(&mut self, value: &Value, groups: &[std::ops::Range<usize>], shape: Vec<Dim>) -> Value {
        let (ssa, ty) = (self.ssa(value), value.ty());
        let result = super::value::tensor_type(value.elem, &shape);
        self.value(
            format!("tensor.collapse_shape {ssa} {} : {ty} into {result}", reassociation(groups)),
            value.elem,
            shape,
        )
    }

    fn expand(&mut self, value: &Value, groups: &[std::ops::Range<usize>], shape: &[Dim]) -> Value {
        let (ssa, ty) = (self.ssa(value), value.ty());
        let sizes: Vec<_> = shape.iter().map(|d| d.get().map_or_else(|| self.index(d), |d| d.to_string())).collect();
        let result = super::value::tensor_type(value.elem, shape);
        self.value(
            format!(
                "tensor.expand_shape {ssa} {} output_shape [{}] : {ty} into {result}",
                reassociation(groups),
                sizes.join(", ")
            ),
            value.elem,
            shape.to_vec(),
        )
    }

    /// Dimension `i` of the result is dimension `permutation[i]` of the value.
    pub(crate) fn transpose(&mut self, value: &Value, permutation: &[usize]) -> Value {
        let value = &self.settle(value);
        let shape: Vec<_> = permutation.iter().map(|&p| value.shape[p].clone()).collect();
        if permutation.iter().enumerate().all(|(i, &p)| i == p) {
            return value.clone();
        }
        if let Some(known) = &value.known
            && let Some(to) = fixed(&shape)
        {
            if let Known::Tensor(tensor) = known {
                return Value::constant(tensor.transposed(permutation));
            }
            let steps = strides(&as_usize(&value.shape));
            let source = positions(&to, |index| index.iter().zip(permutation).map(|(i, &p)| i * steps[p]).sum());
            return pick(known, value, shape, source);
        }
        let out = self.empty(value.elem, &shape);
        let (ssa, out_ssa) = (self.ssa(value), self.ssa(&out));
        let list: Vec<_> = permutation.iter().map(ToString::to_string).collect();
        self.value(
            format!(
                "linalg.transpose ins({ssa} : {}) outs({out_ssa} : {}) permutation = [{}]",
                value.ty(),
                out.ty(),
                list.join(", ")
            ),
            value.elem,
            shape,
        )
    }

    /// A box with positive steps, all within the value.
    pub(crate) fn slice(&mut self, value: &Value, offsets: &[Dim], sizes: &[Dim], steps: &[i64]) -> Value {
        let value = &self.settle(value);
        let (offsets, sizes) = (&*self.settle_shape(offsets), &*self.settle_shape(sizes));
        if offsets.iter().all(|o| o.is(0)) && steps.iter().all(|&s| s == 1) && sizes == value.shape {
            return value.clone();
        }
        if let Some(known) = &value.known
            && let (Some(offsets), Some(to)) = (dims::fixed(offsets), fixed(sizes))
        {
            let from = strides(&as_usize(&value.shape));
            let source = positions(&to, |index| {
                index.iter().enumerate().map(|(d, i)| (offsets[d] as usize + i * steps[d] as usize) * from[d]).sum()
            });
            return pick(known, value, sizes.to_vec(), source);
        }
        if value.is_empty() || sizes.iter().any(|s| s.is(0)) {
            return self.empty(value.elem, sizes);
        }
        let ssa = self.ssa(value);
        let mut list = |dims: &[Dim]| {
            let texts: Vec<_> = dims.iter().map(|d| d.get().map_or_else(|| self.index(d), |d| d.to_string())).collect();
            format!("[{}]", texts.join(", "))
        };
        let steps: Vec<_> = steps.iter().map(|&s| Dim::fixed(s)).collect();
        let boxed = format!("{} {} {}", list(offsets), list(sizes), list(&steps));
        let result = super::value::tensor_type(value.elem, sizes);
        self.value(
            format!("tensor.extract_slice {ssa}{boxed} : {} to {result}", value.ty()),
            value.elem,
            sizes.to_vec(),
        )
    }

    /// Selects `index` along an axis, which is removed.
    pub(crate) fn take(&mut self, value: &Value, axis: usize, index: &Dim) -> Outcome<Value> {
        let mut offsets = vec![Dim::fixed(0); value.rank()];
        let mut sizes = value.shape.clone();
        (offsets[axis], sizes[axis]) = (index.clone(), Dim::fixed(1));
        let sliced = self.slice(value, &offsets, &sizes, &vec![1; value.rank()]);
        sizes.remove(axis);
        self.reshape(&sliced, &sizes)
    }

    /// Pads with a constant; sizes are not negative.
    pub(crate) fn pad(&mut self, value: &Value, low: &[Dim], high: &[Dim], with: Num) -> Value {
        let with = self.scalar(value.elem, with);
        self.pad_with(value, low, high, &with)
    }

    /// Does the same as [`Context::pad`], with a scalar of the module.
    pub(crate) fn pad_with(&mut self, value: &Value, low: &[Dim], high: &[Dim], with: &str) -> Value {
        if low.iter().chain(high).all(|d| d.is(0)) {
            return value.clone();
        }
        let value = &self.settle(value);
        let (low, high) = (&*self.settle_shape(low), &*self.settle_shape(high));
        let shape: Vec<_> = value.shape.iter().zip(low.iter().zip(high)).map(|(d, (l, h))| d.plus(l).plus(h)).collect();
        let ssa = self.ssa(value);
        let mut list = |dims: &[Dim]| {
            let texts: Vec<_> = dims.iter().map(|d| d.get().map_or_else(|| self.index(d), |d| d.to_string())).collect();
            texts.join(", ")
        };
        let head = format!("tensor.pad {ssa} low[{}] high[{}] {{", list(low), list(high));
        let name = self.w.open_values(1, &head).remove(0);
        self.w.block(&vec!["index"; value.rank()]);
        self.w.line(format!("tensor.yield {with} : {}", value.elem.mlir()));
        self.w.close(&format!("}} : {} to {}", value.ty(), super::value::tensor_type(value.elem, &shape)));
        Value::new(name, value.elem, shape)
    }

    /// The tensor whose element at each position is the value's at the indices that `at` computes. `outside` are sizes
    /// that `at` is given as scalars after the positions.
    pub(crate) fn gather_at(
        &mut self,
        value: &Value,
        shape: &[Dim],
        outside: &[Dim],
        at: impl FnOnce(&mut Body<'_>, &[Scalar], &[Scalar]) -> Vec<Scalar>,
    ) -> Value {
        let out = self.empty(value.elem, shape);
        let (ssa, ty) = (self.ssa(value), value.ty());
        let outside: Vec<_> = outside.iter().map(|d| Scalar::index(self.index(d))).collect();
        let all: Vec<_> = (0..shape.len()).collect();
        self.generic(&vec![Iter::Parallel; shape.len()], &[], &[(&out, map(&all))], |b, _| {
            let here: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
            let at = at(b, &here, &outside);
            vec![b.extract(&ssa, &ty, value.elem, &at)]
        })
        .remove(0)
    }
}

/// Known elements, picked by position.
pub(crate) fn pick(known: &Known, value: &Value, shape: Vec<Dim>, source: impl Fn(usize) -> usize) -> Value {
    match known {
        Known::Tensor(t) => Value::constant(t.gathered(as_usize(&shape), source)),
        Known::Dims(d) => {
            let count = as_usize(&shape).iter().product::<usize>();
            let dims = (0..count).map(|i| d[source(i)].clone()).collect();
            let rc: Rc<Vec<Dim>> = Rc::new(dims);
            Value::dims(value.elem, shape, rc.to_vec())
        }
    }
}

/// A shape, if it is static.
pub(crate) fn fixed(shape: &[Dim]) -> Option<Vec<usize>> {
    dims::fixed(shape).map(|s| s.into_iter().map(|d| d as usize).collect())
}

/// Returns a static shape.
///
/// # Panics
/// If it is dynamic.
pub(crate) fn as_usize(shape: &[Dim]) -> Vec<usize> {
    fixed(shape).expect("a static shape")
}

fn reassociation(groups: &[std::ops::Range<usize>]) -> String {
    let groups: Vec<_> = groups
        .iter()
        .map(|g| format!("[{}]", g.clone().map(|i| i.to_string()).collect::<Vec<_>>().join(", ")))
        .collect();
    format!("[{}]", groups.join(", "))
}
