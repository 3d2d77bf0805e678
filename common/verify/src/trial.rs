//! One run of a kernel beside its reference.
use crate::{
    compare::{Comparison, compare},
    element::{Element, Range, Style},
    indices::bounds,
    kernel::Kernel,
    memory::{Buffer, Side},
    random::Random,
    reference::Piece,
    sizes::{Chosen, Sizes},
    tolerance::Tolerance,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Type,
    form::{Export, Interface, load_constants},
};
use std::{cell::RefCell, collections::BTreeMap};

/// What all bytes of a reference's result are before it is computed.
pub(super) const UNTOUCHED: u8 = 0xb3;
/// What all bytes of a kernel's result are before it runs: large numbers, or NaN.
const POISON: u8 = 0x7f;
/// Dynamic sizes are chosen so that no buffer is larger, in elements.
const MOST_ELEMENTS: i64 = 1 << 20;
/// How often sizes and indices are looked for that the source has a meaning for.
const ATTEMPTS: usize = 24;

/// An export, its reference and its kernel.
pub(crate) struct Subject<'a> {
    pub(crate) export: Export,
    pub(super) interface: Interface,
    /// What the source takes: the interface and load-time constants.
    pub(super) inputs: Vec<Type>,
    pub(super) sizes: Sizes,
    pub(super) bounds: Vec<Vec<crate::sizes::Size>>,
    pub(super) divides: bool,
    pub(super) shifts: bool,
    pub(super) tolerance: Tolerance,
    pub(super) pieces: &'a [Piece],
    /// The addresses of the pieces.
    pub(super) functions: Vec<usize>,
    /// The address of what counts workgroups.
    pub(super) count: usize,
    pub(super) kernel: &'a dyn Kernel,
    /// The load-time constants of the kernel.
    pub(super) load_constants: Vec<i64>,
    /// Buffers of runs that are over.
    pub(super) spare: RefCell<Vec<Buffer>>,
}

/// What a run is made of.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    pub(crate) style: Style,
    pub(crate) how: How,
    pub(crate) seed: u64,
}

/// How unknown sizes are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum How {
    /// Any, odd ones among them.
    Any,
    /// All are 1.
    Ones,
    /// All that are free are 0.
    Zeros,
}

/// What came of a run.
pub(crate) enum Trial {
    /// Each result with its tolerance; what was compared of it.
    Ran { results: Vec<(Comparison, f64)>, whole: u64, sizes: String, wrong: Option<Wrong> },
    /// No sizes were found that the source has a meaning for.
    NoInputs,
}

/// A result that differs.
pub(crate) struct Wrong {
    pub(crate) result: usize,
    pub(crate) element: Vec<i64>,
    pub(crate) got: String,
    pub(crate) wanted: String,
    pub(crate) ulp: f64,
    pub(crate) tolerance: f64,
    pub(crate) count: u64,
    /// The arguments, as `.npy` would hold them: name, shape, type, bytes.
    pub(crate) arrays: Vec<crate::Array>,
}

impl<'a> Subject<'a> {
    /// Errors: types that cannot be passed.
    pub(crate) fn new(
        export: Export,
        source: Op,
        fast: bool,
        (pieces, functions, count): (&'a [Piece], Vec<usize>, usize),
        (kernel, takes): (&'a dyn Kernel, &[String]),
    ) -> Result<Self> {
        let interface = Interface::of(export.op);
        let given = load_constants(export.op);
        let mut inputs = interface.inputs.clone();
        inputs.extend(vec![Type::index(export.op.context()); given.len()]);
        for &ty in inputs.iter().chain(&interface.results) {
            if Element::of(ty.element()).is_none() {
                return Err(Error::input(format!("buffers of `{ty}` cannot be filled")));
            }
        }
        let mut sizes = Sizes::of(export.op, &interface);
        for (i, name) in given.iter().enumerate() {
            sizes.fix(interface.inputs.len() + i, kernel.property(name));
        }
        let bounds = bounds(export.op, &mut sizes);
        let has = |list: &[&str]| crate::reference::any(source, &mut |op| list.contains(&&*op.name()));
        let divisions = [
            "arith.divsi",
            "arith.divui",
            "arith.remsi",
            "arith.remui",
            "arith.floordivsi",
            "arith.ceildivsi",
            "arith.ceildivui",
        ];
        let load_constants = takes.iter().map(|name| kernel.property(name)).collect();
        Ok(Self {
            divides: has(&divisions),
            shifts: has(&["arith.shli", "arith.shrsi", "arith.shrui", "math.ipowi"]),
            tolerance: Tolerance::of(export, source, fast),
            export,
            interface,
            inputs,
            sizes,
            bounds,
            pieces,
            functions,
            count,
            kernel,
            load_constants,
            spare: RefCell::new(Vec::new()),
        })
    }

    /// Whether there is nothing to choose but elements.
    fn is_static(&self) -> bool {
        self.sizes.is_static()
    }

    /// Whether tensors have unknown sizes.
    pub(crate) fn is_dynamic(&self) -> bool {
        self.inputs.iter().chain(&self.interface.results).any(|t| t.is_tensor() && !t.is_static())
    }

    /// Whether 16 bits or less take part.
    pub(crate) fn is_narrow(&self) -> bool {
        self.inputs.iter().chain(&self.interface.results).any(|t| t.element().is_float() && t.element().bits() < 32)
    }

    /// Runs the reference and the kernel on new inputs. Errors: no memory; what the kernel's device says.
    pub(crate) fn run(&self, plan: Plan) -> Result<Trial> {
        let mut random = Random::new(plan.seed);
        for attempt in 0..ATTEMPTS {
            let seed = random.bits();
            let Some(chosen) = self.choose(plan.how, attempt, &mut random) else { continue };
            let Some(shapes) = self.shapes(&chosen) else { continue };
            let attempt_range = if attempt < 4 { 100 } else { [8, 3, 1][(attempt / 4).min(3) - 1] };
            match self.at(plan, seed, &chosen, &shapes, attempt_range)? {
                Some(trial) => return Ok(trial),
                None if self.is_static() && attempt > 12 => break,
                None => {}
            }
        }
        Ok(Trial::NoInputs)
    }

    fn choose(&self, how: How, attempt: usize, random: &mut Random) -> Option<Chosen> {
        const LARGE: &[i64] = &[1, 2, 3, 5, 7, 8, 13, 17, 31, 33, 48, 65, 100];
        const MIDDLE: &[i64] = &[2, 3, 4, 5, 7, 9, 16, 17, 33];
        const SMALL: &[i64] = &[1, 2, 3, 4, 8];
        let from: &[i64] = match how {
            How::Ones => &[1],
            How::Zeros => &[0],
            How::Any => [MIDDLE, LARGE, MIDDLE, SMALL][attempt % 4],
        };
        // An offset is rather small.
        let numbers = if how == How::Any && attempt % 2 == 1 { &[0, 1, 2][..] } else { from };
        (0..40).find_map(|_| self.sizes.choose((from, numbers), random))
    }

    /// The sizes of all inputs and results; `None` if they are too large or not known.
    fn shapes(&self, chosen: &Chosen) -> Option<(Vec<Vec<i64>>, Vec<Vec<i64>>)> {
        let numbers = |list: &[crate::sizes::Size]| {
            list.iter().map(|s| self.sizes.value(s, chosen)).collect::<Option<Vec<i64>>>()
        };
        let inputs = self.sizes.arguments.iter().map(|dims| numbers(dims)).collect::<Option<Vec<_>>>()?;
        let results = self.sizes.results.iter().map(|dims| numbers(dims)).collect::<Option<Vec<_>>>()?;
        let tensors = self.inputs.iter().zip(&inputs).filter(|(t, _)| t.is_tensor()).map(|(_, s)| s).chain(&results);
        let fits = !self.is_dynamic()
            || tensors
                .clone()
                .all(|s| s.iter().try_fold(1i64, |n, &d| n.checked_mul(d)).is_some_and(|n| n <= MOST_ELEMENTS));
        (fits && tensors.flatten().all(|&d| d >= 0)).then_some((inputs, results))
    }

    /// A buffer for so many bytes: one that is left from another run, or a new one.
    fn buffer(&self, bytes: usize) -> Result<Buffer> {
        let mut spare = self.spare.borrow_mut();
        match spare.iter().position(|b| b.room() >= bytes && b.room() <= bytes + 8192) {
            Some(i) => Ok(spare.swap_remove(i)),
            None => {
                // Those of other sizes will not be asked for again.
                let most = 64;
                let more = spare.len().saturating_sub(most);
                spare.drain(..more);
                Buffer::new(bytes)
            }
        }
    }

    /// The integers that an argument may have.
    fn range(&self, i: usize, chosen: &Chosen, most: i64) -> Range {
        let least = self.bounds[i].iter().filter_map(|s| self.sizes.value(s, chosen)).min();
        match least {
            Some(bound) => Range::Between(0, bound.max(1).min(if most < 100 { most } else { i64::MAX })),
            None if self.divides => Range::Between(1, most.min(60) + 1),
            None if self.shifts => Range::Between(0, 7.min(most)),
            None if most < 100 => Range::Between(0, most),
            None if self.inputs[i].element().bits() <= 8 => Range::All,
            None => Range::Between(-100, 100),
        }
    }

    fn fill(&self, plan: Plan, seed: u64, chosen: &Chosen, most: i64, i: usize, bytes: &mut [u8]) {
        let element = Element::of(self.inputs[i].element()).expect("checked before");
        let mut random = Random::new(seed.wrapping_add(i as u64));
        element.fill(bytes, plan.style, self.range(i, chosen, most), &mut random);
    }

    /// One run; `None` if the source has no meaning for these inputs.
    fn at(
        &self,
        plan: Plan,
        seed: u64,
        chosen: &Chosen,
        (inputs, results): &(Vec<Vec<i64>>, Vec<Vec<i64>>),
        most: i64,
    ) -> Result<Option<Trial>> {
        let side = if plan.seed.is_multiple_of(2) { Side::End } else { Side::Start };
        let bytes = |ty: Type, shape: &[i64]| {
            let size = Element::of(ty.element()).expect("checked before").size();
            shape.iter().product::<i64>().cast_unsigned() as usize * size
        };
        // Tensors and scalars alike: the reference reads both from memory.
        let mut arguments = Vec::new();
        for (i, &ty) in self.inputs.iter().enumerate() {
            let length =
                if ty.is_tensor() { bytes(ty, &inputs[i]) } else { Element::of(ty).expect("checked before").size() };
            let mut buffer = self.buffer(length)?;
            buffer.lay_out(length, side);
            match inputs[i].first().filter(|_| !ty.is_tensor()) {
                // A size, an offset, a property of the device.
                Some(n) if ty.is_index() || ty.bits() >= 32 => {
                    buffer.bytes_mut().copy_from_slice(&n.to_le_bytes()[..length])
                }
                _ => self.fill(plan, seed, chosen, most, i, buffer.bytes_mut()),
            }
            arguments.push(buffer);
        }
        let mut wanted = Vec::new();
        for (&ty, shape) in self.interface.results.iter().zip(results) {
            let length = bytes(ty, shape);
            let mut buffer = self.buffer(length)?;
            buffer.lay_out(length, side);
            wanted.push(buffer);
        }
        let places: Vec<Vec<Vec<i64>>> = self
            .pieces
            .iter()
            .map(|p| p.samples.as_ref().map_or_else(Vec::new, |s| s.places(&mut Random::new(seed))))
            .collect();
        if !self.reference(&arguments, &mut wanted, (inputs, results), &places) {
            return Ok(None);
        }
        let sampled = |r: usize| self.pieces.iter().any(|p| p.samples.is_some() && p.results.contains(&r));
        // The kernel.
        let mut got = Vec::new();
        for (r, &ty) in self.interface.results.iter().enumerate() {
            let length = if self.interface.tied[r].is_some() { 0 } else { bytes(ty, &results[r]) };
            let mut buffer = self.buffer(length)?;
            buffer.lay_out(length, side);
            buffer.bytes_mut().fill(POISON);
            got.push(buffer);
        }
        let constants = self.constants(&arguments, inputs, results);
        let Some(workgroups) = self.workgroups(&constants)? else {
            return Err(Error::input(format!(
                "kernel `@{}` has a number of workgroups that is negative or too large",
                self.export.name()
            ))
            .code("out-of-bounds"));
        };
        self.dispatch(&mut arguments, &mut got, &constants, workgroups)?;
        let mut compared = Vec::new();
        let mut wrong = None;
        let longest = inputs
            .iter()
            .zip(&self.inputs)
            .filter(|(_, t)| t.is_tensor())
            .flat_map(|(s, _)| s)
            .copied()
            .max()
            .unwrap_or(1);
        let mut whole = 0;
        for (r, &ty) in self.interface.results.iter().enumerate() {
            let element = Element::of(ty.element()).expect("checked before");
            let tolerance = self.tolerance.ulp(element, longest);
            let output = match self.interface.tied[r] {
                Some(i) => arguments[i].bytes(),
                None => got[r].bytes(),
            };
            let expected = wanted[r].bytes();
            whole += (expected.len() / element.size()) as u64;
            let is_sampled = sampled(r);
            let computed: Option<Vec<usize>> = is_sampled.then(|| {
                let touched = |(_, c): &(usize, &[u8])| c.iter().any(|&b| b != UNTOUCHED);
                expected.chunks_exact(element.size()).enumerate().filter(touched).map(|(i, _)| i).collect()
            });
            let mut comparison = compare(element, output, expected, tolerance, computed.as_deref());
            if !comparison.wrong.is_empty() && (element.is_float() || self.tolerance.decides()) {
                let spread = self.spread(plan, seed, chosen, most, (inputs, results), &places, r, &comparison)?;
                let (wanted, got) = (expected, output);
                let still = |w: &crate::compare::Wrong| {
                    let far = (element.float(got, w.index) - element.float(wanted, w.index)).abs();
                    !far.is_finite() && !spread[&w.index].is_infinite()
                        || far > 16.0 * spread[&w.index] + tolerance * w.unit(element, got, wanted)
                };
                let kept = comparison.wrong.len() as u64;
                comparison.wrong.retain(still);
                if comparison.wrong.is_empty() && comparison.wrong_count == kept {
                    comparison.wrong_count = 0;
                }
            }
            if let (None, Some(first)) = (&wrong, comparison.wrong.first()) {
                wrong = Some(Wrong {
                    result: r,
                    element: unravel(first.index, &results[r]),
                    got: element.show(output, first.index),
                    wanted: element.show(expected, first.index),
                    ulp: first.ulp,
                    tolerance,
                    count: comparison.wrong_count,
                    arrays: Vec::new(),
                });
                let array = |name: String, ty: Type, shape: &[i64], bytes: &[u8]| crate::Array {
                    name,
                    dtype: ty.element().to_string(),
                    shape: shape.to_vec(),
                    bytes: bytes.to_vec(),
                };
                let arrays = &mut wrong.as_mut().expect("just made").arrays;
                arrays.push(array(format!("got_{r}"), ty, &results[r], output));
                arrays.push(array(format!("wanted_{r}"), ty, &results[r], expected));
            }
            compared.push((comparison, tolerance));
        }
        if let Some(wrong) = &mut wrong {
            for (i, &ty) in self.inputs.iter().enumerate() {
                let mut bytes = arguments[i].bytes().to_vec();
                if ty.is_tensor() {
                    // A tied one was overwritten.
                    self.fill(plan, seed, chosen, most, i, &mut bytes);
                }
                let shape = if ty.is_tensor() { inputs[i].clone() } else { Vec::new() };
                wrong.arrays.push(crate::Array {
                    name: format!("argument_{i}"),
                    dtype: ty.element().to_string(),
                    shape,
                    bytes,
                });
            }
        }
        let sizes =
            if !self.is_dynamic() && self.is_static() { String::new() } else { self.describe(inputs, &arguments) };
        self.spare.borrow_mut().extend(arguments.into_iter().chain(wanted).chain(got));
        Ok(Some(Trial::Ran { results: compared, whole, sizes, wrong }))
    }

    /// How far elements of the reference move when inputs change in their last digit.
    #[allow(clippy::too_many_arguments, reason = "a run is made of that much")]
    fn spread(
        &self,
        plan: Plan,
        seed: u64,
        chosen: &Chosen,
        most: i64,
        (inputs, results): (&[Vec<i64>], &[Vec<i64>]),
        places: &[Vec<Vec<i64>>],
        r: usize,
        comparison: &Comparison,
    ) -> Result<BTreeMap<usize, f64>> {
        let element = Element::of(self.interface.results[r].element()).expect("checked before");
        let mut values: BTreeMap<usize, (f64, f64)> = BTreeMap::new();
        for round in 0..7 {
            let mut random = Random::new(seed ^ (round << 32));
            let mut arguments = Vec::new();
            for (i, &ty) in self.inputs.iter().enumerate() {
                let shape: &[i64] = if ty.is_tensor() { &inputs[i] } else { &[] };
                let of = Element::of(ty.element()).expect("checked before");
                let length = shape.iter().product::<i64>().cast_unsigned() as usize * of.size();
                let mut buffer = Buffer::new(length)?;
                buffer.lay_out(length, Side::End);
                match inputs[i].first().filter(|_| !ty.is_tensor()) {
                    Some(n) if ty.is_index() || ty.bits() >= 32 => {
                        buffer.bytes_mut().copy_from_slice(&n.to_le_bytes()[..length])
                    }
                    _ => self.fill(plan, seed, chosen, most, i, buffer.bytes_mut()),
                }
                if of.is_float() && round > 0 {
                    // The last digit up or down, or not.
                    buffer.bytes_mut().chunks_exact_mut(of.size()).for_each(|c| {
                        let up = random.below(3);
                        c[0] = if up == 0 {
                            c[0]
                        } else if up == 1 {
                            c[0].saturating_add(1)
                        } else {
                            c[0].saturating_sub(1)
                        };
                    });
                }
                arguments.push(buffer);
            }
            let mut wanted = Vec::new();
            for (&ty, shape) in self.interface.results.iter().zip(results) {
                let length = shape.iter().product::<i64>().cast_unsigned() as usize
                    * Element::of(ty.element()).expect("checked before").size();
                let mut buffer = Buffer::new(length)?;
                buffer.lay_out(length, Side::End);
                wanted.push(buffer);
            }
            if !self.reference(&arguments, &mut wanted, (inputs, results), places) {
                continue;
            }
            for wrong in &comparison.wrong {
                let value = element.float(wanted[r].bytes(), wrong.index);
                let range = values.entry(wrong.index).or_insert((value, value));
                *range = (range.0.min(value), range.1.max(value));
                if !value.is_finite() {
                    *range = (f64::NEG_INFINITY, f64::INFINITY);
                }
            }
        }
        Ok(comparison
            .wrong
            .iter()
            .map(|w| (w.index, values.get(&w.index).map_or(0.0, |(low, high)| high - low)))
            .collect())
    }
}

fn unravel(index: usize, shape: &[i64]) -> Vec<i64> {
    let mut rest = index as i64;
    let mut place: Vec<i64> = shape
        .iter()
        .rev()
        .map(|&d| {
            let at = rest % d.max(1);
            rest /= d.max(1);
            at
        })
        .collect();
    place.reverse();
    place
}
