//! Axes that are data: their values are known only at run time.
use super::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    context::require::{Rule, shown},
    generic::map,
    problem::{invalid, unsupported},
};

/// Axes of a value, as attributes, inputs and defaults give them.
pub(crate) enum Axes {
    /// Known axes, counted from the start.
    Known(Vec<usize>),
    /// A list that is read at run time.
    Data(Value),
}

impl Axes {
    /// Axes that are an attribute in old versions and an input in new ones; `None` where they are left out or are no axes.
    pub(crate) fn of(n: &Node, name: &str, input: usize, rank: usize) -> Outcome<Option<Self>> {
        let ints = match n.ints(name) {
            Some(ints) => ints,
            None => match n.optional(input) {
                None => return Ok(None),
                Some(v) => match v.tensor() {
                    Some(t) => t.ints(),
                    None if v.is_empty() => return Ok(None),
                    None if v.rank() > 1 => return invalid(format!("`{name}` of type `{}` is not a list", v.ty())),
                    None => return Ok(Some(Self::Data(v.clone()))),
                },
            },
        };
        if ints.is_empty() {
            return Ok(None);
        }
        Ok(Some(Self::Known(ints.into_iter().map(|a| n.axis(a, rank)).collect::<Outcome<_>>()?)))
    }
}

/// Axes that were read at run time.
pub(crate) struct Named {
    /// For each dimension, whether it is in the list: an `i1`.
    pub(crate) flags: Vec<String>,
    /// The number of axes, if known; no axis occurs twice.
    pub(crate) count: Option<usize>,
    /// The single axis, if there is exactly one.
    pub(crate) only: Option<Dim>,
    /// If their number is unknown, whether there are none: an `i1`.
    pub(crate) none: Option<String>,
}

impl Context<'_> {
    /// An axis that is data, counted from the start; the run checks that there is such a dimension.
    pub(crate) fn read_axis(&mut self, axis: &Dim, rank: usize) -> Outcome<Dim> {
        let rank = Dim::fixed(rank as i64);
        let text = "axis {0} is out of range for rank {1}";
        self.require(Rule::AtLeast(axis.clone(), rank.times(-1)), text, &[axis, &rank])?;
        self.require(Rule::AtLeast(rank.offset(-1), axis.clone()), text, &[axis, &rank])?;
        Ok(self.from_end(axis, &rank))
    }

    /// Determines which of `rank` dimensions a list names.
    pub(crate) fn read_axes(&mut self, list: &Value, rank: usize) -> Outcome<Named> {
        let list = &self.settle(list);
        let Some(count) = list.count() else { return self.look_for_axes(list, rank) };
        if count as usize > rank {
            return invalid(format!("there are {count} axes for rank {rank}"));
        }
        let mut numbers = Vec::new();
        for axis in self.read_dims(list)? {
            numbers.push(self.read_axis(&axis, rank)?);
        }
        let mut flags = Vec::new();
        for d in 0..rank {
            let mut flag: Option<String> = None;
            for number in &numbers {
                let here = self.compare_dims("eq", number, &Dim::fixed(d as i64));
                flag = Some(match flag {
                    Some(flag) => self.and_or("ori", &flag, &here),
                    None => here,
                });
            }
            flags.push(flag.unwrap_or_else(|| self.flag(false)));
        }
        if count > 1 {
            self.require_distinct(&flags, &Dim::fixed(count), "one is named twice")?;
        }
        let only = if let [only] = &numbers[..] { Some(only.clone()) } else { None };
        Ok(Named { flags, count: Some(count as usize), only, none: None })
    }

    /// Does the same as [`Context::read_axes`] for a list of any length: a dispatch searches it for each dimension.
    fn look_for_axes(&mut self, list: &Value, rank: usize) -> Outcome<Named> {
        if list.rank() != 1 {
            return invalid(format!("the axes of type `{}` are not a list", list.ty()));
        }
        let size = Dim::fixed(rank as i64);
        self.require_range(list, &size.times(-1), &size.offset(-1))?;
        let start = self.filled(Elem::I64, std::slice::from_ref(&size), Num::I(0));
        let found = self
            .generic(&[Iter::Parallel, Iter::Reduction], &[(list, map(&[1]))], &[(&start, map(&[0]))], |b, v| {
                let here = b.position(0);
                let here = b.cast(&here, Elem::I64);
                let axis = b.cast(&v[0], Elem::I64);
                let (zero, rank, one) = (b.int(Elem::I64, 0), b.int(Elem::I64, rank as i64), b.int(Elem::I64, 1));
                let up = b.add(&axis, &rank);
                let negative = b.compare(Order::Lt, &axis, &zero);
                let axis = b.select(&negative, &up, &axis);
                let hit = b.compare(Order::Eq, &axis, &here);
                vec![b.select(&hit, &one, &v[1])]
            })
            .remove(0);
        let mut flags = Vec::new();
        for number in self.read_dims(&found)? {
            flags.push(self.compare_dims("ne", &number, &Dim::fixed(0)));
        }
        self.require_distinct(&flags, &list.shape[0], "one is named twice or out of range")?;
        let none = self.compare_dims("eq", &list.shape[0], &Dim::fixed(0));
        Ok(Named { flags, count: None, only: None, none: Some(none) })
    }

    /// Requires that as many dimensions are named as there are axes; `why` describes the other possible error.
    fn require_distinct(&mut self, flags: &[String], count: &Dim, why: &str) -> Outcome<()> {
        let (named, rank) = (self.count_flags(flags), flags.len());
        let text = format!("{{0}} axes name {{1}} of {rank} dimensions: {why}");
        self.require(Rule::Equal(count.clone(), named.clone()), &text, &[count, &named])
    }

    /// Counts the flags that are set.
    pub(crate) fn count_flags(&mut self, flags: &[String]) -> Dim {
        let mut sum = Dim::fixed(0);
        for flag in flags {
            sum = sum.plus(&self.choose(flag, &Dim::fixed(1), &Dim::fixed(0)));
        }
        sum
    }

    /// The sizes of the dimensions that are not named, of which there are `count`, in order.
    pub(crate) fn unnamed_sizes(&mut self, shape: &[Dim], flags: &[String], count: usize) -> Vec<Dim> {
        let mut sizes = vec![Dim::fixed(0); count];
        // How many dimensions were left out before: each moves what follows one place to the front.
        let mut place = Dim::fixed(0);
        for (d, (size, flag)) in shape.iter().zip(flags).enumerate() {
            let room = shape.len() - d;
            for (at, slot) in sizes.iter_mut().enumerate().filter(|(at, _)| *at <= d && count - at <= room) {
                let here = self.compare_dims("eq", &place, &Dim::fixed(at as i64));
                let chosen = self.choose(&here, size, slot);
                *slot = self.choose(flag, slot, &chosen);
            }
            let next = self.choose(flag, &Dim::fixed(0), &Dim::fixed(1));
            place = place.plus(&next);
        }
        sizes
    }

    /// A value as `[outer, size, inner]` around an axis that is data.
    pub(crate) fn around(&mut self, x: &Value, axis: &Dim) -> Value {
        let mut parts = [Dim::fixed(1), Dim::fixed(1), Dim::fixed(1)];
        for (d, size) in x.shape.iter().enumerate() {
            let here = Dim::fixed(d as i64);
            for (part, order) in parts.iter_mut().zip(["slt", "eq", "sgt"]) {
                let is = self.compare_dims(order, &here, axis);
                let factor = self.choose(&is, size, &Dim::fixed(1));
                *part = self.size_times(part, &factor);
            }
        }
        self.regroup(x, &parts)
    }
}

/// The only choice of axes that fits what is known of the result, if there is one. Dimensions of size 1 do not count: reducing
/// them changes nothing. Errors: no choice fits.
pub(crate) fn choice(
    shape: &[Dim],
    count: Option<usize>,
    keeps: bool,
    declared: Option<&[Option<i64>]>,
) -> Outcome<Option<Vec<usize>>> {
    let Some(declared) = declared.filter(|_| shape.len() <= 10) else { return Ok(None) };
    let fits = |own: &Dim, wanted: &Option<i64>| own.get().zip(*wanted).is_none_or(|(a, b)| a == b);
    let mut found: Option<(Vec<usize>, Vec<usize>)> = None;
    for mask in 0..1usize << shape.len() {
        let axes: Vec<_> = (0..shape.len()).filter(|d| mask >> d & 1 == 1).collect();
        let result: Vec<_> = if keeps {
            (0..shape.len()).map(|d| if axes.contains(&d) { Dim::fixed(1) } else { shape[d].clone() }).collect()
        } else {
            (0..shape.len()).filter(|d| !axes.contains(d)).map(|d| shape[d].clone()).collect()
        };
        let here = count.is_none_or(|n| n == axes.len())
            && result.len() == declared.len()
            && result.iter().zip(declared).all(|(own, wanted)| fits(own, wanted));
        if !here {
            continue;
        }
        let counted: Vec<_> = axes.iter().copied().filter(|&d| !shape[d].is(1)).collect();
        match &found {
            Some((_, other)) if *other != counted => return Ok(None),
            Some(_) => {}
            None => found = Some((axes, counted)),
        }
    }
    match found {
        Some((axes, _)) => Ok(Some(axes)),
        None => invalid("no choice of axes gives the shape that the model declares for the result"),
    }
}

impl Context<'_> {
    /// The run names the axes that were found to be the only choice.
    pub(crate) fn require_choice(&mut self, list: &Value, named: &Named, shape: &[Dim], axes: &[usize]) -> Outcome<()> {
        let mut fine = self.flag(true);
        for (d, flag) in named.flags.iter().enumerate().filter(|(d, _)| !shape[*d].is(1)) {
            let as_wanted = if axes.contains(&d) {
                flag.clone()
            } else {
                let on = self.flag(true);
                self.and_or("xori", flag, &on)
            };
            fine = self.and_or("andi", &fine, &as_wanted);
        }
        let wanted: Vec<_> = axes.iter().map(ToString::to_string).collect();
        let text = format!(
            "{} does not name axes {}, which the shape that the model declares asks for",
            shown(list),
            wanted.join(", ")
        );
        self.check_values(&fine, &text, &[]);
        Ok(())
    }

    /// A value with the dimensions that are named behind the others: `[d0 or 1, …, 1 or d0, …]`, of twice the rank.
    pub(crate) fn named_last(&mut self, x: &Value, flags: &[String]) -> Value {
        let one = Dim::fixed(1);
        let (mut kept, mut reduced) = (Vec::new(), Vec::new());
        for (d, flag) in x.shape.iter().zip(flags) {
            kept.push(self.choose(flag, &one, d));
            reduced.push(self.choose(flag, d, &one));
        }
        let rank = x.rank();
        // One of both is 0 everywhere.
        let moved = self.gather_at(x, &[kept, reduced].concat(), &[], |b, here, _| {
            (0..rank).map(|d| b.add(&here[d], &here[rank + d])).collect::<Vec<Scalar>>()
        });
        Value { label: x.label.clone(), ..moved }
    }

    /// Returns the number of dimensions of `rank` that remain without the named ones. Fails if it is unknown.
    pub(crate) fn rank_without(
        &mut self,
        named: &Named,
        rank: usize,
        declared: Option<usize>,
        list: &Value,
    ) -> Outcome<usize> {
        if let Some(count) = named.count {
            return Ok(rank - count);
        }
        let Some(left) = declared.filter(|&left| left <= rank) else {
            return unsupported(format!(
                "how many axes {} holds is not known at import, and so is the rank of the result; make it a constant, or give it or the result a shape",
                shown(list)
            ));
        };
        let (set, wanted) = (self.count_flags(&named.flags), Dim::fixed((rank - left) as i64));
        self.require(
            Rule::Equal(set.clone(), wanted.clone()),
            "{0} axes are named, where the model's shapes ask for {1}",
            &[&set, &wanted],
        )?;
        Ok(left)
    }
}
