//! Sequences whose length is known only at run time: the concatenated elements, and a table of their ends and sizes.
//!
//! Sequences of known length are lists at import; one becomes ragged if a loop or a branch leaves its length open.
mod pieces;

use super::{
    Context, Dim, Elem, Num, Outcome, Scalar, Value,
    context::require::Rule,
    problem::{invalid, unsupported},
    strings::refuse,
    value::Ragged,
};
use std::rc::Rc;

impl Context<'_> {
    /// A sequence as one whose length may change; `like` is another one, which tells the elements' type where this one has none.
    pub(crate) fn ragged(&mut self, value: &Value, like: &Value) -> Outcome<Value> {
        if value.ragged.is_some() {
            return Ok(value.clone());
        }
        refuse(value, "a sequence of unknown length")?;
        let list = value.sequence.as_deref().cloned().unwrap_or_default();
        let known = |v: &Value| match (&v.sequence, &v.ragged) {
            (_, Some(r)) => Some((r.data.elem, r.rank)),
            (Some(list), _) => list.first().map(|v| (v.elem, v.rank())),
            _ => None,
        };
        let Some((elem, rank)) = known(value).or_else(|| known(like)) else {
            return unsupported("it is a sequence of unknown length whose elements are not known");
        };
        if let Some(other) = list.iter().find(|v| v.elem != elem || v.rank() != rank) {
            return unsupported(format!(
                "a sequence of unknown length holds `{}` and tensors of rank {rank}",
                other.ty()
            ));
        }
        let (mut end, mut rows, mut parts) = (Dim::fixed(0), Vec::new(), Vec::new());
        for v in &list {
            let v = self.settle(v);
            let size = self.product(&v.shape);
            end = end.plus(&size);
            rows.push(end.clone());
            rows.extend(v.shape.iter().cloned());
            parts.push(self.reshape(&v, &[size])?);
        }
        let shape = vec![Dim::fixed(list.len() as i64), Dim::fixed(rank as i64 + 1)];
        let (data, table) = if parts.is_empty() {
            (self.empty(elem, &[Dim::fixed(0)]), self.empty(Elem::I64, &shape))
        } else {
            (self.concat(&parts, 0)?, Value::dims(Elem::I64, shape, rows))
        };
        Ok(Value::of_ragged(Ragged { data, table, rank }))
    }

    /// Reads an entry of the table.
    fn entry(&mut self, r: &Ragged, row: &Dim, column: usize) -> Dim {
        if let (Some(dims), Some(row)) = (r.table.as_dims(), row.get()) {
            return dims[row as usize * (1 + r.rank) + column].clone();
        }
        let (ssa, ty) = (self.ssa(&r.table), r.table.ty());
        let at = [Scalar::index(self.index(row)), Scalar::index(self.index(&Dim::fixed(column as i64)))];
        let read = self.body().extract(&ssa, &ty, Elem::I64, &at);
        let index = self.body().to_index(&read).name;
        self.fresh_symbol(index)
    }

    /// Returns the start of a tensor in the data.
    fn start(&mut self, r: &Ragged, row: &Dim) -> Dim {
        match row.get() {
            Some(0) => Dim::fixed(0),
            Some(row) => self.entry(r, &Dim::fixed(row - 1), 0),
            None if *row == r.length() => r.data.shape[0].clone(),
            None => {
                let before = self.size_max(&row.offset(-1), &Dim::fixed(0));
                // There may be no row at all.
                let last = self.size_max(&r.length().offset(-1), &Dim::fixed(0));
                let before = self.size_min(&before, &last);
                let end = self.entry(r, &before, 0);
                let (row, zero, end) = (self.index(row), self.index(&Dim::fixed(0)), self.index(&end));
                let first = self.w.value(format!("arith.cmpi eq, {row}, {zero} : index"));
                let start = self.w.value(format!("arith.select {first}, {zero}, {end} : index"));
                self.fresh_symbol(start)
            }
        }
    }

    /// The tensor at a position that is in range.
    pub(crate) fn ragged_at(&mut self, r: &Ragged, row: &Dim) -> Outcome<Value> {
        let start = self.start(r, row);
        let shape: Vec<_> = (0..r.rank).map(|i| self.entry(r, row, i + 1)).collect();
        let size = self.product(&shape);
        let flat = self.slice(&r.data, &[start], &[size], &[1]);
        self.reshape(&flat, &shape)
    }

    /// The sequence with a tensor before a position, or at its end.
    pub(crate) fn ragged_insert(&mut self, r: &Ragged, row: &Dim, item: &Value) -> Outcome<Value> {
        refuse(item, "an element of a sequence of unknown length")?;
        if item.elem != r.data.elem || item.rank() != r.rank {
            return unsupported(format!(
                "`{}` goes into a sequence of unknown length, of tensors of rank {} and type `{}`",
                item.ty(),
                r.rank,
                r.data.elem.mlir()
            ));
        }
        let start = self.start(r, row);
        let size = self.product(&item.shape);
        let flat = self.reshape(item, std::slice::from_ref(&size))?;
        let numbers = std::iter::once(start.plus(&size)).chain(item.shape.iter().cloned()).collect();
        let new = Value::dims(Elem::I64, vec![Dim::fixed(1), Dim::fixed(r.rank as i64 + 1)], numbers);
        let (rest, rows) = (r.data.shape[0].minus(&start), r.length().minus(row));
        let later = self.part(&r.table, row, &rows);
        let later = self.moved(&later, &size)?;
        let data = [self.part(&r.data, &Dim::fixed(0), &start), flat, self.part(&r.data, &start, &rest)];
        let table = [self.part(&r.table, &Dim::fixed(0), row), new, later];
        Ok(Value::of_ragged(Ragged { data: self.concat(&data, 0)?, table: self.concat(&table, 0)?, rank: r.rank }))
    }

    /// The sequence without the tensor at a position that is in range.
    pub(crate) fn ragged_erase(&mut self, r: &Ragged, row: &Dim) -> Outcome<Value> {
        let (start, end) = (self.start(r, row), self.entry(r, row, 0));
        let (rest, rows) = (r.data.shape[0].minus(&end), r.length().minus(row).offset(-1));
        let later = self.part(&r.table, &row.offset(1), &rows);
        let later = self.moved(&later, &start.minus(&end))?;
        let data = [self.part(&r.data, &Dim::fixed(0), &start), self.part(&r.data, &end, &rest)];
        let table = [self.part(&r.table, &Dim::fixed(0), row), later];
        Ok(Value::of_ragged(Ragged { data: self.concat(&data, 0)?, table: self.concat(&table, 0)?, rank: r.rank }))
    }

    /// Returns a range of the first dimension.
    fn part(&mut self, v: &Value, from: &Dim, count: &Dim) -> Value {
        let mut sizes = v.shape.clone();
        let mut offsets = vec![Dim::fixed(0); sizes.len()];
        (sizes[0], offsets[0]) = (count.clone(), from.clone());
        let steps = vec![1; sizes.len()];
        self.slice(v, &offsets, &sizes, &steps)
    }

    /// Rows of a table whose tensors lie further on by so much.
    fn moved(&mut self, table: &Value, by: &Dim) -> Outcome<Value> {
        if table.shape[0].is(0) || by.is(0) {
            return Ok(table.clone());
        }
        let by = Scalar::index(self.index(by));
        self.elementwise(std::slice::from_ref(table), Elem::I64, |b, v| {
            let (column, zero) = (b.position(1), b.index_constant(0));
            let is_end = b.compare(super::Order::Eq, &column, &zero);
            let by = b.cast(&by, Elem::I64);
            let moved = b.add(&v[0], &by);
            b.select(&is_end, &moved, &v[0])
        })
    }

    /// Joins all tensors along an existing axis, or a new one.
    pub(crate) fn ragged_concat(&mut self, r: &Ragged, axis: usize, fresh: bool) -> Outcome<Value> {
        let length = r.length();
        self.require(Rule::NotZero(length.clone()), "the sequence has no element", &[])?;
        let mut sizes = Vec::new();
        for i in 0..r.rank {
            if !fresh && i == axis {
                let column = self.column(r, i + 1);
                let sum = self.reduce(&column, &[0, 1], Elem::I64, Num::I(0), |b, v, a| b.add(a, v));
                let sum = self.read_dims(&sum)?.remove(0);
                self.tighten(&sum);
                sizes.push(sum);
                continue;
            }
            let size = self.entry(r, &Dim::fixed(0), i + 1);
            let column = self.column(r, i + 1).called(&format!("sizes of dimension {i} of the elements"));
            self.require_range(&column, &size, &size)?;
            sizes.push(size);
        }
        if fresh {
            sizes.insert(0, length);
            let whole = self.reshape(&r.data, &sizes)?;
            let mut order: Vec<_> = (1..=r.rank).collect();
            order.insert(axis, 0);
            return Ok(self.transpose(&whole, &order));
        }
        if r.rank == 0 {
            return invalid("scalars have no axis to be concatenated along");
        }
        if axis == 0 {
            return self.reshape(&r.data, &sizes);
        }
        self.ragged_concat_loop(r, axis, &sizes)
    }

    fn column(&mut self, r: &Ragged, column: usize) -> Value {
        let (offsets, sizes) = ([Dim::fixed(0), Dim::fixed(column as i64)], [r.length(), Dim::fixed(1)]);
        self.slice(&r.table, &offsets, &sizes, &[1, 1])
    }

    /// Along an inner axis: each tensor goes to its place in the result.
    fn ragged_concat_loop(&mut self, r: &Ragged, axis: usize, sizes: &[Dim]) -> Outcome<Value> {
        let out = self.empty(r.data.elem, sizes);
        let (first, ty) = (self.ssa(&out), out.ty());
        self.ssa(&r.data);
        self.ssa(&r.table);
        let (zero, one, end) = (self.index(&Dim::fixed(0)), self.index(&Dim::fixed(1)), self.index(&r.length()));
        let (step, whole, offset) = (self.w.name(), self.w.name(), self.w.name());
        let results = self.w.open_values(
            2,
            &format!(
                "scf.for {step} = {zero} to {end} step {one} iter_args({whole} = {first}, {offset} = {zero}) -> ({ty}, index) {{"
            ),
        );
        let scope = self.enter();
        let row = self.fresh_symbol(step);
        let piece = self.ragged_at(r, &row)?;
        let at = self.fresh_symbol(offset);
        let (ssa, piece_ty) = (self.ssa(&piece), piece.ty());
        let list: Vec<_> = piece.shape.iter().map(|d| self.index(d)).collect();
        let mut offsets = vec!["0".to_owned(); sizes.len()];
        offsets[axis] = self.index(&at);
        let sizes_text: Vec<_> =
            piece.shape.iter().zip(&list).map(|(d, ssa)| d.get().map_or(ssa.clone(), |d| d.to_string())).collect();
        let ones = vec!["1"; sizes.len()].join(", ");
        let next = self.w.value(format!(
            "tensor.insert_slice {ssa} into {whole}[{}] [{}] [{ones}] : {piece_ty} into {ty}",
            offsets.join(", "),
            sizes_text.join(", ")
        ));
        let beyond = self.index(&at.plus(&piece.shape[axis]));
        self.leave(scope);
        self.w.line(format!("scf.yield {next}, {beyond} : {ty}, index"));
        self.w.close("}");
        Ok(Value::new(results[0].clone(), r.data.elem, sizes.to_vec()))
    }
}

impl Value {
    /// A sequence whose length only a run knows.
    pub(crate) fn of_ragged(ragged: Ragged) -> Self {
        Self { elem: ragged.data.elem, ragged: Some(Rc::new(ragged)), ..Self::absent() }
    }
}
