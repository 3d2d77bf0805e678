//! Selects the best elements of rows one after the other. Each block of a row keeps its best element, so that the next
//! one is found among these; when it is removed, only its block is searched again. For loops over elements.
use super::ranking::goes_first;
use crate::onnx::{Body, Context, Dim, Elem, Iter, Num, Order, Outcome, Scalar, Value, generic::map};

/// The number of elements of a block.
const BLOCK: i64 = 128;

/// Rows, which are the last dimension of a value, in blocks, and the best of each block.
pub(super) struct Leaders {
    /// `[…, blocks, BLOCK]`, with what goes nowhere at the end.
    blocks: Value,
    ssa: String,
    size: Scalar,
    count: Scalar,
    largest: bool,
    /// `[…, blocks]`: the best elements, and their positions in the row (i64), or -1.
    pub(super) state: [Value; 2],
}

/// An element: its block, itself, and its position in the row (i64), or -1 where there is none.
pub(super) struct Best {
    pub(super) block: Scalar,
    pub(super) value: Scalar,
    pub(super) place: Scalar,
    /// Whether there is one.
    pub(super) some: Scalar,
}

impl Leaders {
    pub(super) fn of(c: &mut Context<'_>, x: &Value, largest: bool) -> Outcome<Self> {
        let axis = x.rank() - 1;
        let size = x.shape[axis].clone();
        let count = c.size_over(&size.offset(BLOCK - 1), &Dim::fixed(BLOCK));
        let (zeros, mut high) = (vec![Dim::fixed(0); x.rank()], vec![Dim::fixed(0); x.rank()]);
        high[axis] = count.times(BLOCK).minus(&size);
        let padded = c.pad(x, &zeros, &high, Num::I(0));
        let mut shape = x.shape.clone();
        shape.splice(axis.., [count.clone(), Dim::fixed(BLOCK)]);
        let blocks = c.reshape(&padded, &shape)?;
        let end = Scalar::index(c.index(&size));
        let (values, places) =
            (c.filled(x.elem, &shape[..=axis], Num::I(0)), c.filled(Elem::I64, &shape[..=axis], Num::I(-1)));
        let (all, out): (Vec<_>, Vec<_>) = ((0..=axis + 1).collect(), (0..=axis).collect());
        let iters = [vec![Iter::Parallel; axis + 1], vec![Iter::Reduction]].concat();
        let found =
            c.generic(&iters, &[(&blocks, map(&all))], &[(&values, map(&out)), (&places, map(&out))], |b, v| {
                let (block, at) = (b.position(axis), b.position(axis + 1));
                let place = place_of(b, &block, &at);
                let end = b.cast(&end, Elem::I64);
                let inside = b.compare(Order::Lt, &place, &end);
                let better = is_better(b, (&v[0], &place), (&v[1], &v[2]), largest);
                let take = b.and(&inside, &better);
                vec![b.select(&take, &v[0], &v[1]), b.select(&take, &place, &v[2])]
            });
        let [values, places] = [found[0].clone(), found[1].clone()];
        let ssa = c.ssa(&blocks);
        let count = Scalar::index(c.index(&count));
        Ok(Self { blocks, ssa, size: end, count, largest, state: [values, places] })
    }

    /// The best of a row. `now` are the names that the state has there.
    pub(super) fn best(&self, b: &mut Body<'_>, row: &[Scalar], now: &[String; 2]) -> Best {
        let (zero, one) = (b.index_constant(0), b.index_constant(1));
        let (none, start) = (b.int(Elem::I64, -1), b.number(self.blocks.elem, Num::I(0)));
        let ty = self.blocks.elem.mlir();
        let names = [b.w.name(), b.w.name(), b.w.name(), b.w.name()];
        let head = format!(
            "scf.for {} = {} to {} step {} iter_args({} = {}, {} = {}, {} = {}) -> (index, {ty}, i64) {{",
            names[0],
            zero.name,
            self.count.name,
            one.name,
            names[1],
            zero.name,
            names[2],
            start.name,
            names[3],
            none.name
        );
        let found = b.w.open_values(3, &head);
        let [at, block] = [0, 1].map(|i| Scalar::index(&names[i]));
        let (value, place) = (Scalar::new(&names[2], self.blocks.elem), Scalar::new(&names[3], Elem::I64));
        let here = [row, std::slice::from_ref(&at)].concat();
        let [v, p] = [0, 1].map(|i| b.extract(&now[i], &self.state[i].ty(), self.state[i].elem, &here));
        let from = b.int(Elem::I64, 0);
        let some = b.compare(Order::Ge, &p, &from);
        let better = is_better(b, (&v, &p), (&value, &place), self.largest);
        let take = b.and(&some, &better);
        let next = [b.select(&take, &at, &block), b.select(&take, &v, &value), b.select(&take, &p, &place)];
        b.w.line(format!("scf.yield {}, {}, {} : index, {ty}, i64", next[0].name, next[1].name, next[2].name));
        b.w.close("}");
        let block = Scalar::index(&found[0]);
        let (value, place) = (Scalar::new(&found[1], self.blocks.elem), Scalar::new(&found[2], Elem::I64));
        let from = b.int(Elem::I64, 0);
        let some = b.compare(Order::Ge, &place, &from);
        let (low, high) = (b.compare(Order::Ge, &block, &zero), b.compare(Order::Lt, &block, &self.count));
        let inside = b.and(&low, &high);
        let some = b.and(&inside, &some);
        Best { block, value, place, some }
    }

    /// The state without the best of a row, and so without all before it: its names. There is one.
    pub(super) fn without(&self, b: &mut Body<'_>, row: &[Scalar], best: &Best, now: &[String; 2]) -> [String; 2] {
        let (zero, one, end) = (b.index_constant(0), b.index_constant(1), b.index_constant(BLOCK));
        let (none, start) = (b.int(Elem::I64, -1), b.number(self.blocks.elem, Num::I(0)));
        let ty = self.blocks.elem.mlir();
        let names = [b.w.name(), b.w.name(), b.w.name()];
        let head = format!(
            "scf.for {} = {} to {} step {} iter_args({} = {}, {} = {}) -> ({ty}, i64) {{",
            names[0], zero.name, end.name, one.name, names[1], start.name, names[2], none.name
        );
        let found = b.w.open_values(2, &head);
        let at = Scalar::index(&names[0]);
        let (value, place) = (Scalar::new(&names[1], self.blocks.elem), Scalar::new(&names[2], Elem::I64));
        let here = [row, &[best.block.clone(), at.clone()]].concat();
        let v = b.extract(&self.ssa, &self.blocks.ty(), self.blocks.elem, &here);
        let p = place_of(b, &best.block, &at);
        let size = b.cast(&self.size, Elem::I64);
        let inside = b.compare(Order::Lt, &p, &size);
        let after = goes_first(b, (&best.value, &best.place), (&v, &p), self.largest);
        let better = is_better(b, (&v, &p), (&value, &place), self.largest);
        let take = b.and(&inside, &after);
        let take = b.and(&take, &better);
        let next = [b.select(&take, &v, &value), b.select(&take, &p, &place)];
        b.w.line(format!("scf.yield {}, {} : {ty}, i64", next[0].name, next[1].name));
        b.w.close("}");
        let place: Vec<_> = row.iter().chain([&best.block]).map(|s| s.name.as_str()).collect();
        [0, 1].map(|i| {
            b.w.value(format!(
                "tensor.insert {} into {}[{}] : {}",
                found[i],
                now[i],
                place.join(", "),
                self.state[i].ty()
            ))
        })
    }
}

/// Returns the position in the row.
fn place_of(b: &mut Body<'_>, block: &Scalar, at: &Scalar) -> Scalar {
    let length = b.index_constant(BLOCK);
    let start = b.mul(block, &length);
    let place = b.add(&start, at);
    b.cast(&place, Elem::I64)
}

/// Whether an element precedes another one, or there is no other.
fn is_better(b: &mut Body<'_>, a: (&Scalar, &Scalar), other: (&Scalar, &Scalar), largest: bool) -> Scalar {
    let zero = b.int(Elem::I64, 0);
    let none = b.compare(Order::Lt, other.1, &zero);
    let first = goes_first(b, a, other, largest);
    b.or(&none, &first)
}
