//! How far a kernel may be from the reference, in ulp: from what the source computes.
use crate::{element::Element, samples::extents};
use halyard_ir::{
    EXTREMES, Op, Structured, WeightLayout,
    form::{Export, PackedWeight},
    names,
};
use std::collections::BTreeSet;

/// What kernels may do that makes their results less exact (`--fast-math`).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InexactKernels {
    /// Reorder sums, approximate divisions, round factors.
    pub sums: bool,
    /// Round activations of products with quantised weights to 8 bits.
    pub activations: bool,
}

/// What a tolerance is made of.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tolerance {
    /// Terms of the sums one after the other, where sizes are known; loops of unknown length count when they are known.
    terms: u64,
    /// Whether a sum has an unknown number of terms.
    unknown: bool,
    /// Ulp of the operations of an element, beside sums.
    operations: f64,
    /// Whether functions make errors larger: exponentials of sums and the like.
    amplified: bool,
    /// Whether numbers become integers or conditions somewhere, so that the last digit may decide.
    decides: bool,
    /// The fewest digits of a float that takes part.
    narrow: Option<i32>,
    /// Products may be computed by minimal filtering, or sums in any order with approximate division.
    factor: f64,
}

/// How much worse sums are whose factors are rounded to 8 bits: `2^17` ulp are 1.6 %.
const SHORT_ACTIVATIONS: f64 = 131_072.0;

/// Functions that are good to some ulp on either side.
const FUNCTION: f64 = 6.0;

impl Tolerance {
    /// Looks through the source of an export and what that calls. `packed` is what the kernel takes packed.
    pub(crate) fn of(export: Export, source: Op, fast: InexactKernels, packed: &[PackedWeight]) -> Self {
        let mut tolerance = Self {
            terms: 0,
            unknown: false,
            operations: 2.0,
            amplified: false,
            decides: false,
            narrow: None,
            factor: if fast.sums { 8.0 } else { 1.0 },
        };
        let mut seen = BTreeSet::new();
        tolerance.walk(export.op, source, &mut seen);
        if packed.iter().any(|p| p.layout == WeightLayout::Winograd4) {
            // Tiles of 4×4 outputs have ten times the errors of tiles of 2×2 outputs.
            tolerance.factor *= 10.0;
        }
        if fast.activations && packed.iter().any(|p| p.layout == WeightLayout::BlockPanels) {
            tolerance.factor = tolerance.factor.max(SHORT_ACTIVATIONS);
        }
        tolerance
    }

    fn walk(&mut self, function: Op, source: Op, seen: &mut BTreeSet<String>) {
        function.walk(&mut |op| {
            if let Some(callee) = op.callee()
                && seen.insert(callee.clone())
                && let Some(called) =
                    source.body().and_then(|b| b.ops().into_iter().find(|f| f.symbol().as_deref() == Some(&*callee)))
            {
                self.walk(called, source, seen);
            }
            self.visit(op);
        });
    }

    fn visit(&mut self, op: Op) {
        let name = op.name();
        if op.has_attr(names::ACTIVATIONS) {
            // Activations of 8 bits: some per mille of the largest one.
            self.factor = self.factor.max(SHORT_ACTIVATIONS);
        }
        if let Some(structured) = Structured::of(op) {
            let parallel = structured.parallel();
            let reduced: Vec<Option<i64>> =
                extents(op, &structured).into_iter().zip(parallel).filter(|(_, p)| !p).map(|(e, _)| e).collect();
            // Of extremes the order is no matter.
            let extreme = op.body().and_then(|b| b.terminator()).is_some_and(|end| {
                end.operands().iter().all(|v| v.def().is_some_and(|d| EXTREMES.contains(&&*d.name())))
            });
            if !reduced.is_empty() && !extreme {
                match reduced.iter().try_fold(1u64, |n, e| Some(n.saturating_mul(u64::try_from((*e)?).ok()?))) {
                    Some(n) => self.terms = self.terms.saturating_add(n),
                    None => self.unknown = true,
                }
            }
            let threes = reduced.iter().filter(|e| **e == Some(3)).count();
            if halyard_ir::is_convolution(op) && threes >= 2 && name.starts_with("linalg.conv_2d") {
                // Windows of 3 by 3 may be computed by minimal filtering, whose transformations cancel.
                self.factor = self.factor.max(4.0);
            }
        }
        let float = op.results().iter().chain(op.operands().iter()).map(|v| v.ty().element()).find(|t| t.is_float());
        if let Some(ty) = float
            && let Some(element) = Element::of(ty)
        {
            self.narrow = Some(self.narrow.map_or(element.digits(), |n: i32| n.min(element.digits())));
        }
        match &*name {
            "linalg.softmax" => {
                self.amplified = true;
                self.operations += 4.0 * FUNCTION;
                self.unknown = true;
            }
            "arith.fptosi" | "arith.fptoui" | "math.round" | "math.roundeven" | "math.floor" | "math.ceil"
            | "math.trunc" | "math.copysign" => self.decides = true,
            "arith.cmpf" | "arith.remf" => self.decides = true,
            "arith.divf" => self.operations += 2.0,
            _ if name.starts_with("math.") && float.is_some() => {
                self.operations += FUNCTION;
                self.amplified |= !matches!(&*name, "math.absf" | "math.fma" | "math.sqrt" | "math.rsqrt");
            }
            _ if name.starts_with("linalg.")
                && ["exp", "log", "tanh", "erf", "powf", "sqrt", "rsqrt"].iter().any(|f| name.ends_with(f)) =>
            {
                self.operations += FUNCTION;
                self.amplified = true;
            }
            _ if name.starts_with("arith.") && float.is_some() => self.operations += 1.0,
            _ => {}
        }
    }

    /// Ulp of an element type, where the longest unknown loop takes so many turns.
    pub(crate) fn ulp(&self, element: Element, longest: i64) -> f64 {
        if !element.is_float() {
            // What is rounded to an integer may be rounded to its neighbour.
            return if self.decides && self.narrow.is_some() { 1.0 } else { 0.0 };
        }
        let terms = self.terms as f64 + if self.unknown { longest.max(1) as f64 } else { 0.0 };
        // Each of n additions rounds once, at worst all in one direction; where they do not, errors grow as the root of n.
        let terms = terms.min(8.0 * terms.sqrt());
        let sum = (self.operations + terms) * if self.amplified { 4.0 } else { 1.0 } * self.factor;
        // Errors are those of the least precise type on the way, in ulp of the result's.
        let coarse = self.narrow.filter(|&n| n > 3).map_or(1.0, |n| 2f64.powi((element.digits() - n).max(0)));
        // Narrow sums are exact where the inputs are small whole numbers; beyond some percent nothing would be found.
        let most = match element {
            Element::F16 => 96.0,
            Element::Bf16 => 24.0,
            Element::F8 => 1.0,
            _ => 2f64.powi(element.digits() - 6),
        };
        (sum * coarse).min(most)
    }

    /// Whether the last digit of an intermediate result may decide what comes out.
    pub(crate) fn decides(&self) -> bool {
        self.decides
    }
}
