//! The loops of a linalg operation, computed row by row along its last parallel loop.
use crate::{
    Array,
    array::{indices, strides},
    body::{Body, Outcome, Row, at_lane},
};
use halyard_ir::{AffineKind, Structured};
use halyard_runtime::commands::ScalarType;

/// How an operand is read.
pub(crate) struct Access {
    /// The place at the first iteration, and how far each loop moves it.
    linear: Option<(i64, Vec<i64>)>,
    /// The indices of its dimensions, and what each moves the place by.
    dims: Vec<(AffineKind, i64)>,
}

impl Access {
    /// The loops that move the place, with their steps; `None` if it is not simply moved.
    pub(crate) fn steps(&self) -> Option<&[i64]> {
        self.linear.as_ref().filter(|(start, _)| *start == 0).map(|(_, steps)| &steps[..])
    }

    fn place(&self, index: &[usize]) -> Option<usize> {
        let place = match &self.linear {
            Some((start, steps)) => start + steps.iter().zip(index).map(|(s, i)| s * *i as i64).sum::<i64>(),
            None => self.dims.iter().map(|(e, step)| Some(value(e, index)? * step)).sum::<Option<i64>>()?,
        };
        usize::try_from(place).ok()
    }
}

/// The loops.
pub(crate) struct Nest {
    pub(crate) extents: Vec<usize>,
    pub(crate) parallel: Vec<bool>,
    pub(crate) access: Vec<Access>,
    pub(crate) inputs: usize,
}

impl Nest {
    pub(crate) fn of(structured: &Structured, operands: &[Array]) -> Option<Self> {
        let (loops, inputs) = (structured.loops(), structured.inputs);
        let mut extents = vec![None; loops];
        for (map, array) in structured.maps.iter().zip(operands) {
            let results = map.results();
            if results.len() != array.shape.len() || map.symbols() > 0 {
                return None;
            }
            for (expr, size) in results.iter().zip(&*array.shape) {
                if let AffineKind::Dim(d) = expr {
                    extents[*d] = Some(*size);
                }
            }
        }
        let extents = extents.into_iter().collect::<Option<Vec<_>>>()?;
        let parallel = structured.parallel();
        // Each result is written once at each place.
        let all: Vec<usize> = (0..loops).filter(|l| parallel[*l]).collect();
        for map in &structured.maps[inputs..] {
            let mut dims = map.projected_permutation()?;
            dims.sort_unstable();
            if dims != all {
                return None;
            }
        }
        let access = |(map, array): (&halyard_ir::Affine, &Array)| {
            let dims: Vec<(AffineKind, i64)> =
                map.results().into_iter().zip(strides(&array.shape)).map(|(e, step)| (e, step as i64)).collect();
            let mut linear = Some((0, vec![0; loops]));
            for (expr, step) in &dims {
                linear = linear.filter(|_| is_linear(expr));
                if let Some((start, steps)) = &mut linear {
                    add(expr, *step, start, steps);
                }
            }
            Access { linear, dims }
        };
        let access = structured.maps.iter().zip(operands).map(access).collect();
        Some(Self { extents, parallel, access, inputs })
    }

    /// The loops that are reductions.
    pub(crate) fn reductions(&self) -> impl Iterator<Item = usize> {
        (0..self.extents.len()).filter(|l| !self.parallel[*l])
    }

    /// The results, by going through the loops.
    pub(crate) fn run(&self, body: &Body, operands: &[Array]) -> Option<Vec<Array>> {
        // Rows go along the loop that the last dimension of the first result has.
        let row = self.access[self.inputs]
            .dims
            .last()
            .and_then(|(e, _)| if let AffineKind::Dim(d) = e { Some(*d) } else { None });
        let length = row.map_or(1, |l| self.extents[l]);
        let outer: Vec<usize> = (0..self.extents.len()).filter(|l| self.parallel[*l] && Some(*l) != row).collect();
        let inner: Vec<usize> = self.reductions().collect();
        let extents = |loops: &[usize]| -> Vec<usize> { loops.iter().map(|l| self.extents[*l]).collect() };
        let inits = &operands[self.inputs..];
        if inits.iter().any(|init| init.element_count() == 0) {
            return Some(inits.to_vec());
        }
        let mut results: Vec<Vec<u64>> = inits.iter().map(|init| vec![0; init.element_count()]).collect();
        let (mut rows, mut index) = (body.rows(), vec![0; self.extents.len()]);
        for at in indices(&extents(&outer)) {
            outer.iter().zip(at).for_each(|(l, i)| index[*l] = i);
            inner.iter().for_each(|l| index[*l] = 0);
            let mut totals = Vec::with_capacity(inits.len());
            for (at, init) in inits.iter().enumerate() {
                let mut bits = Row::new();
                self.gather(self.inputs + at, init, &mut index, row, &mut bits)?;
                totals.push(Total::of(body.outcomes[at], &bits, length, init.ty));
            }
            for at in indices(&extents(&inner)) {
                inner.iter().zip(at).for_each(|(l, i)| index[*l] = i);
                for (slot, operand) in operands.iter().enumerate() {
                    match slot.checked_sub(self.inputs) {
                        None => {
                            let mut bits = std::mem::take(&mut rows[slot]);
                            self.gather(slot, operand, &mut index, row, &mut bits)?;
                            rows[slot] = bits;
                        }
                        Some(at) => totals[at].show(&mut rows[slot]),
                    }
                }
                body.run(&mut rows, |l, out| {
                    out.clear();
                    if Some(l) == row { out.extend(0..length as u64) } else { out.push(index[l] as u64) }
                })?;
                for (total, outcome) in totals.iter_mut().zip(&body.outcomes) {
                    total.add(*outcome, &rows);
                }
            }
            for (at, total) in totals.into_iter().enumerate() {
                for (lane, bits) in total.finish().into_iter().enumerate() {
                    if let Some(l) = row {
                        index[l] = lane;
                    }
                    let place = self.access[self.inputs + at].place(&index)?;
                    *results[at].get_mut(place)? = bits;
                }
                if let Some(l) = row {
                    index[l] = 0;
                }
            }
        }
        let arrays = inits.iter().zip(results).map(|(init, bits)| Array::new(init.ty, &init.shape, bits));
        Some(arrays.collect())
    }

    /// The elements of an operand in a row.
    fn gather(
        &self,
        operand: usize,
        array: &Array,
        index: &mut [usize],
        row: Option<usize>,
        out: &mut Row,
    ) -> Option<()> {
        out.clear();
        let access = &self.access[operand];
        if let Some(bits) = array.as_splat() {
            out.push(bits);
            return Some(());
        }
        let Some(l) = row.filter(|l| access.dims.iter().any(|(e, _)| e.uses_dim(*l))) else {
            out.push(*array.bits().get(access.place(index)?)?);
            return Some(());
        };
        if let Some((_, steps)) = &access.linear {
            index[l] = 0;
            let (mut place, step) = (access.place(index)? as i64, steps[l]);
            for _ in 0..self.extents[l] {
                out.push(*array.bits().get(usize::try_from(place).ok()?)?);
                place += step;
            }
            return Some(());
        }
        for i in 0..self.extents[l] {
            index[l] = i;
            out.push(*array.bits().get(access.place(index)?)?);
        }
        index[l] = 0;
        Some(())
    }
}

/// A row of a result while its loops run.
enum Total {
    Bits(Row),
    Sum(Vec<f64>, ScalarType),
}

impl Total {
    fn of(outcome: Outcome, init: &Row, length: usize, ty: ScalarType) -> Self {
        match outcome {
            Outcome::Value(_) => Self::Bits((0..length).map(|at| at_lane(init, at)).collect()),
            Outcome::Sum(..) | Outcome::Products(..) => {
                Self::Sum((0..length).map(|at| ty.to_f64(at_lane(init, at))).collect(), ty)
            }
        }
    }

    /// The row as the body reads it; no body reads a sum.
    fn show(&self, out: &mut Row) {
        out.clear();
        match self {
            Self::Bits(bits) => out.extend(bits),
            Self::Sum(..) => out.push(0),
        }
    }

    fn add(&mut self, outcome: Outcome, rows: &[Row]) {
        match (self, outcome) {
            (Self::Bits(bits), Outcome::Value(slot)) => {
                bits.iter_mut().enumerate().for_each(|(at, bits)| *bits = at_lane(&rows[slot], at));
            }
            (Self::Sum(sums, _), Outcome::Sum(slot, ty)) => {
                sums.iter_mut().enumerate().for_each(|(at, sum)| *sum += ty.to_f64(at_lane(&rows[slot], at)));
            }
            (Self::Sum(sums, _), Outcome::Products([a, b], ty)) => {
                for (at, sum) in sums.iter_mut().enumerate() {
                    *sum += ty.to_f64(at_lane(&rows[a], at)) * ty.to_f64(at_lane(&rows[b], at));
                }
            }
            _ => unreachable!("a total is made for its outcome"),
        }
    }

    fn finish(self) -> Row {
        match self {
            Self::Bits(bits) => bits,
            Self::Sum(sums, ty) => sums.into_iter().map(|sum| ty.from_f64(sum)).collect(),
        }
    }
}

/// Whether an expression is a sum of dimensions times numbers.
fn is_linear(expr: &AffineKind) -> bool {
    match expr {
        AffineKind::Dim(_) | AffineKind::Constant(_) => true,
        AffineKind::Add(a, b) => is_linear(a) && is_linear(b),
        AffineKind::Mul(a, b) => is_linear(a) && matches!(**b, AffineKind::Constant(_)),
        _ => false,
    }
}

/// Adds a linear expression, times a number, to a start and to the steps of loops.
fn add(expr: &AffineKind, times: i64, start: &mut i64, steps: &mut [i64]) {
    match expr {
        AffineKind::Dim(d) => steps[*d] += times,
        AffineKind::Constant(c) => *start += c * times,
        AffineKind::Add(a, b) => {
            add(a, times, start, steps);
            add(b, times, start, steps);
        }
        AffineKind::Mul(a, b) => {
            if let AffineKind::Constant(c) = **b {
                add(a, times * c, start, steps);
            }
        }
        _ => unreachable!("it is linear"),
    }
}

/// The value of an expression; `None` for symbols, and divisions by less than one.
fn value(expr: &AffineKind, index: &[usize]) -> Option<i64> {
    let both = |a: &AffineKind, b: &AffineKind| Some((value(a, index)?, value(b, index)?));
    let divide = |a: &AffineKind, b: &AffineKind| both(a, b).filter(|(_, b)| *b > 0);
    Some(match expr {
        AffineKind::Dim(d) => index[*d] as i64,
        AffineKind::Constant(c) => *c,
        AffineKind::Symbol(_) => return None,
        AffineKind::Add(a, b) => both(a, b).map(|(a, b)| a + b)?,
        AffineKind::Mul(a, b) => both(a, b).map(|(a, b)| a * b)?,
        AffineKind::Mod(a, b) => divide(a, b).map(|(a, b)| a.rem_euclid(b))?,
        AffineKind::FloorDiv(a, b) => divide(a, b).map(|(a, b)| a.div_euclid(b))?,
        AffineKind::CeilDiv(a, b) => divide(a, b).map(|(a, b)| -(-a).div_euclid(b))?,
    })
}
