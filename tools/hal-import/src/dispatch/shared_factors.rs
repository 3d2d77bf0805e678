//! Products with a matrix that is repeated, such as the keys of attention that several heads of queries share: the matrix is read once, and the
//! rows that share it become rows of one product.
//!
//! `A[.., g · h, rows, k] · repeat(B)[.., g · h, k, columns]` becomes `A[.., g, h · rows, k] · B[.., g, k, columns]`, where only a run knows
//! some sizes of the matrices. Where all are known, attention is one kernel, which repeats keys as it reads them.
use super::dims::dim_of;
use halyard_ir::{Attr, Builder, Op, Structured, Type, Value, is_contraction};

/// Rewrites these products in a function.
pub(super) fn share_factors(function: Op) {
    let mut found = Vec::new();
    function.walk(&mut |op| {
        if op.is("linalg.generic") && is_contraction(op) {
            found.push(op);
        }
    });
    for op in found {
        if let Some(product) = Product::of(op) {
            product.rewrite();
        }
    }
}

/// A product whose right factor is repeated.
struct Product {
    op: Op,
    factor: Repeated,
    /// The dimension of the left factor, and that of the result, which count the repetitions too; rows come next.
    left: usize,
    result: usize,
}

/// A matrix that is repeated, and then changed element by element.
struct Repeated {
    /// What is repeated.
    source: Value,
    /// Its dimension that repetitions follow, its size, and the number of repetitions.
    at: usize,
    size: i64,
    times: i64,
    /// Elementwise operations on what is repeated, the first one first, and where the dimension is in their results.
    steps: Vec<(Op, usize)>,
}

impl Product {
    fn of(op: Op) -> Option<Self> {
        let structured = Structured::of(op)?;
        if structured.inputs != 2 || op.result_count() != 1 || !op.operand(2).def()?.is("linalg.fill") {
            return None;
        }
        let maps: Vec<Vec<usize>> =
            structured.maps.iter().map(|map| map.projected_permutation()).collect::<Option<_>>()?;
        // Of a matrix: not a dimension of all three.
        let inside = |d: &usize| !maps.iter().all(|map| map.contains(d));
        let open = |(map, value): (&Vec<usize>, Value)| {
            map.iter().zip(value.ty().shape()).any(|(d, size)| size.is_none() && inside(d))
        };
        if !maps.iter().zip(op.operands()).any(open) {
            return None;
        }
        let factor = Repeated::of(op.operand(1))?;
        let shared = *maps[1].get(factor.last())?;
        let place = |map: &[usize]| map.iter().position(|d| *d == shared);
        let (left, result) = (place(&maps[0])?, place(&maps[2])?);
        let rows = *maps[0].get(left + 1)?;
        let fits = maps[2].get(result + 1) == Some(&rows) && !maps[1].contains(&rows);
        let known = op.operand(0).ty().shape()[left] == Some(factor.size * factor.times);
        (fits && known).then_some(Self { op, factor, left, result })
    }

    fn rewrite(self) {
        let (op, factor) = (self.op, &self.factor);
        let b = Builder::before(op);
        let (x, init) = (op.operand(0), op.operand(2));
        let (split, wide) = (Split::of(x, self.left, factor), Split::of(init, self.result, factor));
        let rows = dim_of(&b, x, self.left + 1);
        let index = Type::index(b.context());
        let together = b.value("arith.muli", &[rows, b.index(factor.times)], index, &[]);
        let left = b.reshape(split.apart(&b, x, rows), split.joined, &split.rows);
        let right = factor.narrow(&b);
        let open = (0..wide.joined.rank()).filter(|d| wide.joined.shape()[*d].is_none());
        let sizes: Vec<Value> =
            open.map(|d| if d == self.result + 1 { together } else { dim_of(&b, init, d) }).collect();
        let empty = b.value("tensor.empty", &sizes, wide.joined, &[]);
        let start = b.fill(init.def().expect("seen above").operand(0), empty);
        let product = b.insert(op.duplicate());
        product.set_operands(&[left, right, start]);
        product.result(0).set_ty(wide.joined);
        let apart = wide.divided(&b, product.result(0), init, rows);
        op.result(0).replace_all_uses(b.reshape(apart, init.ty(), &wide.heads));
        op.erase();
    }
}

/// A dimension taken apart into the size and the repetitions, which join the rows that come next.
struct Split {
    /// The shapes with one more dimension, and with repetitions and rows as one.
    apart: Type,
    joined: Type,
    /// The dimensions of the longer shape for each of the first one and of the last one.
    heads: Vec<Vec<usize>>,
    rows: Vec<Vec<usize>>,
    /// The dimension of rows in the longer shape.
    at: usize,
}

impl Split {
    fn of(value: Value, at: usize, factor: &Repeated) -> Self {
        let (mut apart, element) = (value.ty().shape(), value.ty().element());
        apart.splice(at..=at, [Some(factor.size), Some(factor.times)]);
        let mut joined = apart.clone();
        joined.splice(at + 1..=at + 2, [apart[at + 2].map(|rows| rows * factor.times)]);
        let pairs = |first: usize| {
            let one = |d: usize| if d == first { vec![d, d + 1] } else { vec![d + usize::from(d > first)] };
            (0..apart.len() - 1).map(one).collect()
        };
        let (heads, rows) = (pairs(at), pairs(at + 1));
        Self { apart: Type::tensor(&apart, element), joined: Type::tensor(&joined, element), heads, rows, at: at + 2 }
    }

    /// The value in the longer shape.
    fn apart(&self, b: &Builder, value: Value, rows: Value) -> Value {
        b.expand(value, &self.sizes(b, value, rows), self.apart, &self.heads)
    }

    /// The value in the last shape, in the longer one; `like` has the sizes of the first one.
    fn divided(&self, b: &Builder, value: Value, like: Value, rows: Value) -> Value {
        b.expand(value, &self.sizes(b, like, rows), self.apart, &self.rows)
    }

    /// The open sizes of the longer shape.
    fn sizes(&self, b: &Builder, like: Value, rows: Value) -> Vec<Value> {
        let shape = self.apart.shape();
        let before = |d: usize| if d > self.at { d - 1 } else { d };
        let open = (0..shape.len()).filter(|d| shape[*d].is_none());
        open.map(|d| if d == self.at { rows } else { dim_of(b, like, before(d)) }).collect()
    }
}

impl Repeated {
    fn of(value: Value) -> Option<Self> {
        let reshape = value.def()?;
        if value.uses().len() > 1 && !reshape.is("tensor.collapse_shape") {
            return None;
        }
        if reshape.is("tensor.collapse_shape") {
            return Self::of_reshape(reshape);
        }
        let places = elementwise(reshape)?;
        let mut repeated = Self::of(reshape.operand(0))?;
        let place = places.iter().position(|d| *d == repeated.last())?;
        repeated.steps.push((reshape, place));
        Some(repeated)
    }

    /// A reshape that joins the repetitions with the dimension before.
    fn of_reshape(reshape: Op) -> Option<Self> {
        let groups = reshape.attr("reassociation")?.as_array()?;
        let groups: Vec<Vec<i64>> = groups.into_iter().map(Attr::as_i64s).collect::<Option<_>>()?;
        let mut pairs = (0..groups.len()).filter(|at| groups[*at].len() > 1);
        let at = pairs.next().filter(|at| pairs.next().is_none() && groups[*at].len() == 2)?;
        let repetition = reshape.operand(0).def().filter(|d| d.is("linalg.generic"))?;
        let structured = Structured::of(repetition)?;
        let body = repetition.body()?;
        let copies = body.ops().len() == 1 && body.ops()[0].operand(0) == body.args()[0];
        if structured.inputs != 1 || repetition.result_count() != 1 || !copies {
            return None;
        }
        let dims: Vec<usize> = (0..structured.loops()).collect();
        let kept: Vec<usize> = dims.iter().copied().filter(|d| *d != at + 1).collect();
        let read = structured.maps[0].projected_permutation()?;
        let repeats = read == kept && structured.maps[1].projected_permutation()? == dims;
        let shape = repetition.result(0).ty().shape();
        let (size, times) = (shape[at]?, shape[at + 1]?);
        let source = repetition.operand(0);
        (repeats && times > 1 && size > 0).then_some(Self { source, at, size, times, steps: Vec::new() })
    }

    /// Where the dimension is in the end.
    fn last(&self) -> usize {
        self.steps.last().map_or(self.at, |(_, at)| *at)
    }

    /// The steps on what is not repeated.
    fn narrow(&self, b: &Builder) -> Value {
        self.steps.iter().fold(self.source, |value, (step, at)| {
            let places = elementwise(*step).expect("seen when it was found");
            let mut shape = step.result(0).ty().shape();
            shape[*at] = Some(self.size);
            let open = (0..shape.len()).filter(|d| shape[*d].is_none());
            let sizes: Vec<Value> = open.map(|d| dim_of(b, value, places[d])).collect();
            let ty = Type::tensor(&shape, step.result(0).ty().element());
            let empty = b.value("tensor.empty", &sizes, ty, &[]);
            let copy = b.insert(step.duplicate());
            copy.set_operands(&[value, empty]);
            copy.result(0).set_ty(ty);
            copy.result(0)
        })
    }
}

/// For each dimension of the result of an operation that computes each element from one of its operand: that of the operand.
fn elementwise(op: Op) -> Option<Vec<usize>> {
    if op.is("linalg.transpose") {
        let order = op.attr("permutation")?.as_i64s()?;
        return Some(order.into_iter().map(|d| d as usize).collect());
    }
    let structured =
        Structured::of(op).filter(|s| op.is("linalg.generic") && s.inputs == 1 && op.result_count() == 1)?;
    let body = op.body()?;
    let positions = body.ops().iter().any(|o| o.is("linalg.index") || !o.regions().is_empty());
    if positions || !body.args().last()?.uses().is_empty() {
        return None;
    }
    let [read, written] = [0, 1].map(|at| structured.maps[at].projected_permutation());
    let (read, written) = (read?, written?);
    let whole = read.len() == structured.loops() && written.len() == structured.loops();
    let place = |d: &usize| read.iter().position(|r| r == d);
    if whole { written.iter().map(place).collect() } else { None }
}
