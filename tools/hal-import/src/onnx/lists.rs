//! Lists of integers that belong to axes: starts, ends, pads, sizes.
use super::{
    Context, Dim, Elem, Iter, Num, Order, Outcome, Scalar, Value,
    axes::Axes,
    generic::map,
    problem::{invalid, unsupported},
};

impl Context<'_> {
    /// The number that a list has for each of `rank` dimensions, which `axes` name (in order, where they are left out), or
    /// `default`. `what` names the list for errors.
    pub(crate) fn per_axis(
        &mut self,
        list: &Value,
        axes: Option<&Axes>,
        rank: usize,
        default: i64,
        what: &str,
    ) -> Outcome<Vec<Dim>> {
        if list.rank() != 1 || list.elem.is_float() {
            return invalid(format!("{what} of type `{}` is no list of integers", list.ty()));
        }
        let mut numbers = vec![Dim::fixed(default); rank];
        match axes {
            Some(Axes::Known(axes)) => {
                for (number, &axis) in self.one_for_each(list, axes.len(), what)?.into_iter().zip(axes) {
                    numbers[axis] = number;
                }
            }
            None => match list.count() {
                Some(count) if count as usize > rank => {
                    return invalid(format!("{what} has {count} numbers for rank {rank}"));
                }
                Some(_) => {
                    for (slot, number) in numbers.iter_mut().zip(self.read_dims(list)?) {
                        *slot = number;
                    }
                }
                None => return self.filled_up(list, rank, default, false, what),
            },
            Some(Axes::Data(axes)) => {
                let Some(count) = list.count().or_else(|| axes.count()) else {
                    return self.spread(list, axes, rank, default);
                };
                let axes = self.one_for_each(axes, count as usize, "`axes`")?;
                for (number, axis) in self.one_for_each(list, count as usize, what)?.iter().zip(&axes) {
                    let axis = self.read_axis(axis, rank)?;
                    for (d, slot) in numbers.iter_mut().enumerate() {
                        let here = self.compare_dims("eq", &axis, &Dim::fixed(d as i64));
                        *slot = self.choose(&here, number, slot);
                    }
                }
            }
        }
        Ok(numbers)
    }

    fn one_for_each(&mut self, list: &Value, count: usize, what: &str) -> Outcome<Vec<Dim>> {
        let numbers = self.read_list(list, Some(count), what)?;
        if numbers.len() != count {
            return invalid(format!("{what} has {} numbers for {count} axes", numbers.len()));
        }
        Ok(numbers)
    }

    /// A list of any length as one of `length` numbers: what is missing at its end, or at its front, is `default`.
    pub(crate) fn filled_up(
        &mut self,
        list: &Value,
        length: usize,
        default: i64,
        front: bool,
        what: &str,
    ) -> Outcome<Vec<Dim>> {
        if let Some(count) = list.count() {
            let missing = length.checked_sub(count as usize);
            let Some(missing) = missing else {
                return invalid(format!("{what} has {count} numbers, more than {length}"));
            };
            let (numbers, rest) = (self.read_dims(list)?, vec![Dim::fixed(default); missing]);
            return Ok(if front { [rest, numbers].concat() } else { [numbers, rest].concat() });
        }
        let (own, all) = (list.shape[0].clone(), Dim::fixed(length as i64));
        self.require(
            super::context::require::Rule::AtLeast(all.clone(), own.clone()),
            "there are {0} numbers, more than {1}",
            &[&own, &all],
        )?;
        let (missing, none) = (all.minus(&own), Dim::fixed(0));
        let (low, high) = if front { (missing, none) } else { (none, missing) };
        let padded = self.pad(list, &[low], &[high], Num::I(default.into()));
        let padded = self.cast(&padded, &[all]);
        self.read_dims(&padded)
    }

    /// Does the same as [`Context::per_axis`] for lists of any length: a dispatch searches them for each dimension.
    fn spread(&mut self, list: &Value, axes: &Value, rank: usize, default: i64) -> Outcome<Vec<Dim>> {
        if axes.rank() != 1 {
            return unsupported(format!("axes of type `{}`", axes.ty()));
        }
        self.require_same((list, 0), (axes, 0))?;
        let (list, axes) = (self.settle(list), self.settle(axes));
        let size = Dim::fixed(rank as i64);
        self.require_range(&axes, &size.times(-1), &size.offset(-1))?;
        let start = self.filled(Elem::I64, &[size], Num::I(default.into()));
        let found = self
            .generic(
                &[Iter::Parallel, Iter::Reduction],
                &[(&list, map(&[1])), (&axes, map(&[1]))],
                &[(&start, map(&[0]))],
                |b, v| {
                    let here = b.position(0);
                    let here = b.cast(&here, Elem::I64);
                    let (number, axis) = (b.cast(&v[0], Elem::I64), b.cast(&v[1], Elem::I64));
                    let (zero, rank): (Scalar, _) = (b.int(Elem::I64, 0), b.int(Elem::I64, rank as i64));
                    let up = b.add(&axis, &rank);
                    let negative = b.compare(Order::Lt, &axis, &zero);
                    let axis = b.select(&negative, &up, &axis);
                    let hit = b.compare(Order::Eq, &axis, &here);
                    vec![b.select(&hit, &number, &v[2])]
                },
            )
            .remove(0);
        self.read_dims(&found)
    }
}
