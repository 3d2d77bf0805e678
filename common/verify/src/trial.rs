//! One run of a kernel beside its reference.
mod arguments;
mod attempt;
mod expected;
mod rounds;
mod spread;

pub(crate) use attempt::byte_length;
pub(crate) use expected::{Expected, Setting, Shapes};

use crate::{
    compare::Comparison,
    element::{Element, Style},
    indices::bounds,
    kernel::Kernel,
    memory::{Buffer, Side},
    reference::Piece,
    sizes::Sizes,
    tolerance::{InexactKernels, Tolerance},
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    INTEGER_DIVISIONS, Op, Type,
    form::{Export, Interface, PackedWeight, load_constants},
};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;

/// What all bytes of a reference's result are before it is computed.
pub(super) const UNTOUCHED: u8 = 0xb3;
/// What all bytes of a kernel's result are before it runs: large numbers, or NaN.
pub(crate) const POISON: u8 = 0x7f;
/// Dynamic sizes are chosen so that no buffer is larger, in elements.
const MOST_ELEMENTS: i64 = 1 << 20;
/// How often sizes and indices are looked for that the source has a meaning for.
const ATTEMPTS: usize = 24;

/// An export, its reference and its kernel.
pub(crate) struct Subject<'a> {
    pub(crate) export: Export,
    pub(crate) interface: Interface,
    /// What the source takes: the interface and load-time constants.
    pub(crate) inputs: Vec<Type>,
    pub(super) sizes: Sizes,
    pub(super) bounds: Vec<Vec<crate::sizes::Size>>,
    pub(super) divides: bool,
    pub(super) shifts: bool,
    pub(crate) tolerance: Tolerance,
    pub(crate) pieces: &'a [Piece],
    /// The addresses of the pieces.
    pub(super) functions: Vec<usize>,
    pub(super) count: Count,
    pub(super) kernel: &'a dyn Kernel,
    /// The load-time constants of the kernel.
    pub(super) load_constants: Vec<i64>,
    /// The arguments that the kernel takes packed.
    pub(super) packed: Vec<PackedWeight>,
    /// What the reference makes of some runs.
    expected: &'a [Expected],
    /// Buffers of runs that are over.
    pub(super) spare: RefCell<Vec<Buffer>>,
}

/// How many workgroups a kernel has.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Count {
    /// Always as many.
    Constant([i64; 3]),
    /// What the function at this address says.
    Function(usize),
}

/// What a run is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Plan {
    pub(crate) style: Style,
    pub(crate) how: How,
    pub(crate) seed: u64,
}

impl Plan {
    /// Where buffers lie in their pages.
    fn side(self) -> Side {
        match self.style {
            Style::Special => Side::Unaligned,
            _ if self.seed.is_multiple_of(2) => Side::End,
            _ => Side::Start,
        }
    }
}

/// How unknown sizes are chosen.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
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
        fast: InexactKernels,
        (pieces, functions, count): (&'a [Piece], Vec<usize>, Count),
        (kernel, takes, packed): (&'a dyn Kernel, &[String], Vec<PackedWeight>),
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
        let load_constants = takes.iter().map(|name| kernel.property(name)).collect();
        Ok(Self {
            divides: has(INTEGER_DIVISIONS),
            shifts: has(&["arith.shli", "arith.shrsi", "arith.shrui", "math.ipowi"]),
            tolerance: Tolerance::of(export, source, fast, &packed),
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
            packed,
            expected: &[],
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

    /// Runs the kernel on new inputs, and the reference unless it is known what that gives. Errors: no memory; what the kernel's device says.
    pub(crate) fn run(&self, plan: Plan) -> Result<Trial> {
        let ran = match self.known(plan) {
            Some(Expected { found: Some((setting, wanted)), .. }) => self.at(plan, setting, Some(wanted))?,
            Some(Expected { found: None, .. }) => None,
            None => self.look_for(plan, |setting| self.at(plan, setting, None))?,
        };
        Ok(ran.unwrap_or(Trial::NoInputs))
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
