//! Collects the rows that the steps of a loop return into one tensor.
//!
//! If their number and shape are known before the loop, they are written into preallocated memory; otherwise the
//! tensor grows.
use super::super::{
    Dim, Num, Outcome, Problem, Scalar, Value, dims::open, graph::Importer, problem::invalid, value::tensor_type,
};

/// The destination of rows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// The dimension that counts them, from the end if negative.
    pub(super) axis: i64,
    /// Whether the last step's row comes first.
    pub(super) backwards: bool,
}

impl Place {
    /// The dimension that counts rows of this rank.
    pub(super) fn of(self, rank: usize) -> Outcome<usize> {
        let rank = rank as i64 + 1;
        let at = if self.axis < 0 { self.axis + rank } else { self.axis };
        if (0..rank).contains(&at) {
            Ok(at as usize)
        } else {
            invalid(format!("axis {} is out of range for rank {rank}", self.axis))
        }
    }
}

/// The rows of a loop.
pub(super) struct Rows {
    /// The name in the body of the rows before its step.
    pub(super) name: String,
    place: Place,
    /// The row of the step.
    row: Value,
    /// The dimension along which rows are collected.
    axis: usize,
    /// The number of rows, if there is memory for all of them.
    room: Option<Dim>,
    /// Whether rows of steps that are not executed are kept.
    padded: bool,
    /// The sizes of a row that are known before the loop.
    known: Vec<Option<Dim>>,
}

impl Rows {
    /// Allocates the rows: of a fixed number, or of at least a number. `symbols` is the number of symbols before the
    /// loop.
    pub(super) fn of(
        i: &mut Importer<'_>,
        place: Place,
        row: Value,
        count: Option<&Dim>,
        length: Option<&Dim>,
        symbols: usize,
    ) -> Result<Self, Problem> {
        if !row.is_tensor() {
            return invalid(format!("a step gives {} as a row", row.kind()));
        }
        let known: Vec<_> =
            row.shape.iter().map(|d| Some(d.clone()).filter(|d| d.terms().iter().all(|t| t.0 < symbols))).collect();
        let room = length.or(count).cloned().filter(|_| known.iter().all(Option::is_some));
        if length.is_some() && room.is_none() {
            return super::unsupported("the shape of a row that a step gives is known only in the step");
        }
        let axis = place.of(row.rank())?;
        let name = i.c.w.name();
        Ok(Self { name, place, row, axis, room, padded: length.is_some(), known })
    }

    /// The shape of the rows: all of them, or those so far.
    fn shape(&self) -> Vec<Dim> {
        let mut shape = self.known.clone();
        match &self.room {
            Some(room) => shape.insert(self.axis, Some(room.clone())),
            None => shape.insert(0, None),
        }
        open(&shape)
    }

    /// Whether each step makes a larger tensor.
    pub(super) fn grows(&self) -> bool {
        self.room.is_none()
    }

    fn ty(&self) -> String {
        tensor_type(self.row.elem, &self.shape())
    }

    /// The name and type of what the loop starts with.
    pub(super) fn initial(&self, i: &mut Importer<'_>) -> (String, String) {
        let elem = self.row.elem;
        let start = match &self.room {
            Some(_) if self.padded => i.c.filled(elem, &self.shape(), Num::I(0)),
            Some(_) => i.c.empty(elem, &self.shape()),
            None => {
                let mut shape: Vec<_> = self.known.iter().map(|d| d.clone().unwrap_or_else(|| Dim::fixed(0))).collect();
                shape.insert(0, Dim::fixed(0));
                let empty = i.c.empty(elem, &shape);
                i.c.cast(&empty, &self.shape())
            }
        };
        (i.c.ssa(&start), self.ty())
    }

    /// Adds the row of a step, in the body; gives the name of the rows with it.
    pub(super) fn add(&mut self, i: &mut Importer<'_>, step: &Dim) -> String {
        let row = self.row.clone();
        let row_ty = tensor_type(row.elem, &row.shape);
        let (ssa, ty) = (i.c.ssa(&row), self.ty());
        let list = |i: &mut Importer<'_>, dims: &[Dim]| {
            let texts: Vec<_> = dims.iter().map(|d| d.get().map_or_else(|| i.c.index(d), |d| d.to_string())).collect();
            texts.join(", ")
        };
        let rank = row.rank() + 1;
        let mut sizes = row.shape.clone();
        // MLIR has no slice at the start of nothing.
        let nothing = sizes.iter().any(|d| d.get() == Some(0));
        if let Some(room) = self.room.clone() {
            if nothing {
                return self.name.clone();
            }
            let at = if self.place.backwards { room.offset(-1).minus(step) } else { step.clone() };
            let mut offsets = vec![Dim::fixed(0); rank];
            offsets[self.axis] = at;
            sizes.insert(self.axis, Dim::fixed(1));
            let (offsets, sizes) = (list(i, &offsets), list(i, &sizes));
            let steps = vec!["1"; rank].join(", ");
            return i.c.w.value(format!(
                "tensor.insert_slice {ssa} into {}[{offsets}] [{sizes}] [{steps}] : {row_ty} into {ty}",
                self.name
            ));
        }
        let mut grown_shape = row.shape.clone();
        grown_shape.insert(0, step.offset(1));
        let grown = i.c.empty(row.elem, &grown_shape);
        let grown_ty = grown.ty();
        let grown = i.c.ssa(&grown);
        // The rows so far; before the first one, sizes that only a step knows are 0.
        let mut had = vec![step.clone()];
        for (d, known) in self.known.iter().enumerate() {
            had.push(match known {
                Some(size) => size.clone(),
                None => {
                    let at = i.c.index(&Dim::fixed(d as i64 + 1));
                    let size = i.c.w.value(format!("tensor.dim {}, {at} : {ty}", self.name));
                    let size = i.c.fresh_symbol(size);
                    self.check(i, step, &size, &row.shape[d], d);
                    size
                }
            });
        }
        if nothing {
            return if grown_ty == ty {
                grown
            } else {
                i.c.w.value(format!("tensor.cast {grown} : {grown_ty} to {ty}"))
            };
        }
        let (zeros, ones, had) = (vec!["0"; rank].join(", "), vec!["1"; rank].join(", "), list(i, &had));
        let kept = i.c.w.value(format!(
            "tensor.insert_slice {} into {grown}[{zeros}] [{had}] [{ones}] : {ty} into {grown_ty}",
            self.name
        ));
        sizes.insert(0, Dim::fixed(1));
        let mut offsets = vec![Dim::fixed(0); rank];
        offsets[0] = step.clone();
        let (offsets, sizes) = (list(i, &offsets), list(i, &sizes));
        let all = i.c.w.value(format!(
            "tensor.insert_slice {ssa} into {kept}[{offsets}] [{sizes}] [{ones}] : {row_ty} into {grown_ty}"
        ));
        if grown_ty == ty { all } else { i.c.w.value(format!("tensor.cast {all} : {grown_ty} to {ty}")) }
    }

    /// The rows of all steps are of one shape.
    fn check(&self, i: &mut Importer<'_>, step: &Dim, had: &Dim, own: &Dim, axis: usize) {
        let (step, had, own) = (i.c.index(step), i.c.index(had), i.c.index(own));
        let zero = i.c.index(&Dim::fixed(0));
        let first = i.c.w.value(format!("arith.cmpi eq, {step}, {zero} : index"));
        let same = i.c.w.value(format!("arith.cmpi eq, {had}, {own} : index"));
        let fine = i.c.w.value(format!("arith.ori {first}, {same} : i1"));
        let text = format!("step {{0}} gives {{1}} as dimension {axis} of a row, where the steps before gave {{2}}");
        i.c.check_values(&fine, &text, &[Ok((step, "index")), Ok((own, "index")), Ok((had, "index"))]);
    }

    /// The result, from what the loop left. `taken` is how many steps there were.
    pub(super) fn result(&self, i: &mut Importer<'_>, name: String, taken: Option<&Dim>) -> Outcome<Value> {
        if self.room.is_some() {
            let whole = Value::new(name, self.row.elem, self.shape());
            return match taken {
                // A condition may have kept the loop from its first step.
                Some(taken) if !self.padded && self.room.as_ref() != Some(taken) => {
                    let mut sizes = whole.shape.clone();
                    sizes[self.axis] = taken.clone();
                    Ok(i.c.slice(&whole, &vec![Dim::fixed(0); sizes.len()], &sizes, &vec![1; sizes.len()]))
                }
                _ => Ok(whole),
            };
        }
        let mut dims: Vec<Option<Dim>> = vec![None];
        dims.extend(self.known.iter().cloned());
        let mut whole = i.c.sized(name, self.row.elem, &dims);
        if let Some(taken) = taken {
            whole.shape[0] = taken.clone();
        }
        if self.place.backwards {
            let last = whole.shape[0].offset(-1);
            let shape = whole.shape.clone();
            whole = i.c.gather_at(&whole, &shape, &[last], |b, here, outside| {
                let mut at: Vec<Scalar> = here.to_vec();
                at[0] = b.sub(&outside[0], &here[0]);
                at
            });
        }
        let mut order: Vec<_> = (1..whole.rank()).collect();
        order.insert(self.axis, 0);
        Ok(i.c.transpose(&whole, &order))
    }
}
