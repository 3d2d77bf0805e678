//! Rewrites an export whose workgroups are the iterations of `scf.forall`: each loop is replaced by its body, for the
//! iteration that the workgroup's number selects. The body writes only to slices of the results' buffers, so that no
//! workgroup accesses memory that another one writes.
use super::{
    Workgroups,
    cover::{Reach, leaves_rest, reach},
    forall::{Axes, Forall, Init, Slice, Write},
    view::view,
};
use halyard_ir::{Attr, Block, Bound, Builder, Op, Region, Type, Value};

/// The number of a workgroup in a dimension of the grid, 0 to 2.
pub(crate) type Id<'a> = &'a dyn Fn(&Builder, usize) -> Value;

impl Workgroups {
    /// Rewrites the body of the export, which is already in its kernel. `outputs` are the buffers of its results,
    /// `end` is its terminator.
    pub(crate) fn place(&self, end: Op, outputs: &[Value], id: Id<'_>) {
        end.set_operands(&[]);
        let mut start: Option<Value> = None;
        for forall in &self.foralls {
            let at = Builder::before(forall.op);
            let rest: Vec<&Write> = forall.writes.iter().filter(|w| leaves_rest(forall, w)).collect();
            if !rest.is_empty() {
                let first = first(&at, id);
                rest.into_iter().for_each(|write| fill_rest(forall, write, outputs[write.result], &at, first));
            }
            if let ([_], Axes::Apart(axes)) = (&self.foralls[..], &forall.axes) {
                let ids: Vec<Value> = axes.iter().map(|&axis| id(&at, axis)).collect();
                if !self.counts_rest() {
                    body(forall, outputs, &at, &ids);
                    continue;
                }
                let pairs = ids.iter().zip(forall.loops()).map(|(&id, l)| compare(&at, BELOW, id, l.trips_at(&at)));
                let inside = all(&at, pairs.collect());
                when(&at, inside, |inner| body(forall, outputs, inner, &ids));
            } else {
                let (index, number) = (Type::index(at.context()), id(&at, 0));
                let trips: Vec<Value> = forall.loops().iter().map(|l| l.trips_at(&at)).collect();
                let count = trips.iter().fold(at.index(1), |n, &t| at.value("arith.muli", &[n, t], index, &[]));
                let own = start.map_or(number, |start| at.value("arith.subi", &[number, start], index, &[]));
                // Numbers below the start are large as unsigned ones.
                let inside = compare(&at, BELOW, own, count);
                when(&at, inside, |inner| body(forall, outputs, inner, &numbers(inner, &forall.axes, &trips, own)));
                start = Some(start.map_or(count, |start| at.value("arith.addi", &[start, count], index, &[])));
            }
        }
        self.foralls.iter().rev().for_each(|forall| forall.op.erase());
    }

    /// Whether a workgroup is needed even if the loops have no iteration, for elements that they do not write.
    pub(super) fn counts_rest(&self) -> bool {
        self.foralls.iter().any(|forall| forall.writes.iter().any(|write| leaves_rest(forall, write)))
    }
}

/// The iteration of each loop out of its number.
fn numbers(at: &Builder, axes: &Axes, trips: &[Value], number: Value) -> Vec<Value> {
    let index = Type::index(at.context());
    let order = match axes {
        Axes::Numbered(order) => order.clone(),
        Axes::Apart(axes) => {
            let mut order: Vec<usize> = (0..axes.len()).collect();
            order.sort_by_key(|&i| std::cmp::Reverse(axes[i]));
            order
        }
    };
    let mut ids = vec![number; trips.len()];
    let mut rest = number;
    for (i, &k) in order.iter().enumerate().rev() {
        if i == 0 {
            ids[k] = rest;
        } else {
            ids[k] = at.value("arith.remui", &[rest, trips[k]], index, &[]);
            rest = at.value("arith.divui", &[rest, trips[k]], index, &[]);
        }
    }
    ids
}

/// Whether this is the first workgroup.
fn first(at: &Builder, id: Id<'_>) -> Value {
    let zero = at.index(0);
    let ids = (0..3).map(|axis| compare(at, SAME, id(at, axis), zero));
    all(at, ids.collect())
}

/// The numbers of `arith.cmpi`'s predicates `eq` and `ult`.
const SAME: i64 = 0;
const BELOW: i64 = 6;

fn compare(at: &Builder, predicate: i64, a: Value, b: Value) -> Value {
    let predicate = Attr::integer(Type::integer(at.context(), 64), predicate);
    at.value("arith.cmpi", &[a, b], Type::integer(at.context(), 1), &[("predicate", predicate)])
}

fn all(at: &Builder, conditions: Vec<Value>) -> Value {
    let bit = Type::integer(at.context(), 1);
    let all = conditions.into_iter().reduce(|a, b| at.value("arith.andi", &[a, b], bit, &[]));
    all.unwrap_or_else(|| at.constant(Attr::integer(bit, 1)))
}

/// Writes something under a condition.
fn when(at: &Builder, condition: Value, write: impl FnOnce(&Builder)) {
    let block = Block::create(&[], at.loc);
    let (yes, no) = (Region::create(), Region::create());
    yes.append(block);
    let end = Builder::at_end(block, at.loc).op("scf.yield", &[], &[], &[]);
    at.op_with_regions("scf.if", &[condition], &[], &[], vec![yes, no]);
    write(&Builder { loc: at.loc, ..Builder::before(end) });
}

/// Fills what no tile reaches: nothing, where the sizes that tiles reach to are those of the result.
fn fill_rest(forall: &Forall, write: &Write, output: Value, at: &Builder, first: Value) {
    let insert = forall.inserts(write)[0];
    let reaches = reach(forall, &Slice::of(insert, 2), output.ty()).expect("it was found before");
    let scalar = scalar(forall, write);
    let (index, rank) = (Type::index(at.context()), reaches.len());
    when(at, first, |inner| {
        let sizes: Vec<Value> = (0..rank).map(|d| size(inner, output, d)).collect();
        // The part that is beyond the reach in one dimension, and within it in the previous ones.
        for d in 0..rank {
            let Reach::To(end) = reaches[d] else { continue };
            let rest = inner.value("arith.subi", &[sizes[d], end], index, &[]);
            let mut slice = Slice {
                offsets: vec![Bound::Known(0); rank],
                sizes: sizes.iter().map(|&s| Bound::Given(s)).collect(),
                strides: vec![Bound::Known(1); rank],
            };
            slice.offsets[d] = Bound::Given(end);
            slice.sizes[d] = Bound::Given(rest);
            for before in 0..d {
                if let Reach::To(end) = reaches[before] {
                    slice.sizes[before] = Bound::Given(end);
                }
            }
            let part = Type::tensor(&vec![None; rank], output.ty().element());
            let memory = view(inner, output, &slice, part);
            let filled = inner.fill(scalar, tensor(inner, memory, part));
            store(inner, filled, memory);
        }
    });
}

fn size(at: &Builder, memory: Value, d: usize) -> Value {
    match memory.ty().shape()[d] {
        Some(known) => at.index(known),
        None => at.value("memref.dim", &[memory, at.index(d as i64)], Type::index(at.context()), &[]),
    }
}

/// Inlines the body of a loop for the iteration of these numbers; returns its operations, except the terminator.
pub(super) fn iteration(forall: &Forall, at: &Builder, ids: &[Value]) -> Vec<Op> {
    let index = Type::index(at.context());
    for ((iv, id), l) in forall.ivs().into_iter().zip(ids).zip(forall.loops()) {
        let step = l.step.value(at);
        let scaled = if l.step.known() == Some(1) { *id } else { at.value("arith.muli", &[*id, step], index, &[]) };
        let lower = l.lower.value(at);
        let value = match l.lower.known() {
            Some(0) => scaled,
            _ => at.value("arith.addi", &[scaled, lower], index, &[]),
        };
        iv.replace_all_uses(value);
    }
    let block = forall.op.body().expect("a loop has a body");
    let end = block.terminator().expect("a loop ends with what it writes");
    let ops: Vec<Op> = block.ops().into_iter().filter(|op| *op != end).collect();
    for &op in &ops {
        op.detach();
        at.insert(op);
    }
    ops
}

/// Does the same for a loop of workgroups, which write to the buffers of the results.
fn body(forall: &Forall, outputs: &[Value], at: &Builder, ids: &[Value]) {
    // The first operation, where values from outside are known.
    let start = at.index(0).def().expect("a constant is an operation");
    let ops = iteration(forall, at, ids);
    let mut stores = Vec::new();
    for write in &forall.writes {
        for insert in forall.inserts(write) {
            let slice = Slice::of(insert, 2);
            let tile = insert.operand(0);
            let after = slice
                .values()
                .filter_map(|v| v.def())
                .filter(|d| ops.contains(d))
                .reduce(|a, b| if a.is_before(b) { b } else { a });
            let here = after
                .unwrap_or(start)
                .next()
                .map_or(*at, |next| Builder { loc: insert.loc(), ..Builder::before(next) });
            let memory = view(&here, outputs[write.result], &slice, tile.ty());
            let base = reads(forall, write, &slice, memory, tile.ty(), &here);
            stores.push((tile, base, memory));
        }
        rest(forall, write);
    }
    // First into the tensors, so that the analysis sees reads of what they held before.
    for (tile, base, _) in &mut stores {
        if let Some(base) = base {
            *tile = at.value("bufferization.materialize_in_destination", &[*tile, *base], base.ty(), &[]);
        }
    }
    stores.into_iter().for_each(|(tile, _, memory)| store(at, tile, memory));
}

/// Redirects reads of the slice that will be written to the buffer; returns the slice as a tensor, if it is read.
fn reads(forall: &Forall, write: &Write, slice: &Slice, memory: Value, ty: Type, at: &Builder) -> Option<Value> {
    let same = |op: &Op| op.is("tensor.extract_slice") && op.result(0).ty() == ty && Slice::of(*op, 1) == *slice;
    let readers: Vec<Op> = forall.outputs()[write.output].uses().into_iter().map(|(op, _)| op).filter(same).collect();
    if readers.is_empty() {
        return None;
    }
    let base = tensor(at, memory, ty);
    for reader in readers {
        let value = match write.init {
            Init::Nothing | Init::Tied => base,
            Init::Fill => at.fill(scalar(forall, write), base),
            Init::Value => {
                reader.set_operand(0, forall.inits()[write.output]);
                let here = Builder::before(reader.next().expect("a block ends with a terminator"));
                let copy = here.op("bufferization.materialize_in_destination", &[reader.result(0), base], &[ty], &[]);
                reader.result(0).replace_all_uses(copy.result(0));
                copy.set_operand(0, reader.result(0));
                continue;
            }
        };
        reader.result(0).replace_all_uses(value);
        reader.erase();
    }
    Some(base)
}

/// Redirects reads of other slices, or of sizes, to the initial value.
fn rest(forall: &Forall, write: &Write) {
    let before = forall.inits()[write.output];
    for (user, operand) in forall.outputs()[write.output].uses() {
        if !user.is("tensor.parallel_insert_slice") {
            user.set_operand(operand, before);
        }
    }
}

/// Returns the scalar that fills a result initially.
fn scalar(forall: &Forall, write: &Write) -> Value {
    forall.inits()[write.output].def().expect("it is filled").operand(0)
}

fn tensor(at: &Builder, memory: Value, ty: Type) -> Value {
    let unit = Attr::unit(at.context());
    at.value("bufferization.to_tensor", &[memory], ty, &[("restrict", unit), ("writable", unit)])
}

fn store(at: &Builder, tile: Value, memory: Value) {
    let unit = Attr::unit(at.context());
    let attrs = [("restrict", unit), ("writable", unit)];
    at.op("bufferization.materialize_in_destination", &[tile, memory], &[], &attrs);
}
