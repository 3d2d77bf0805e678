//! Counts the bytes that a source moves at least.
use super::{KnownSizes, SizeSum, arithmetic::loop_sizes};
use crate::{AffineKind, Op, Structured, Type, Value};

/// The bytes that any kernel of an export must read or write, each counted once: results that have memory of their own, and the
/// elements of arguments that structured operations read. What is looked up by an index, or cut out, is not counted: a kernel need
/// not touch the rest. `None` if a size is not known.
pub(super) fn traffic(export: Op, sizes: &KnownSizes) -> Option<SizeSum> {
    let interface = sizes.interface();
    let bytes =
        |elements: &SizeSum, ty: Type| elements.times(&SizeSum::number(i64::try_from(element_bytes(ty)?).ok()?));
    let mut sum = SizeSum::default();
    for r in interface.untied_results() {
        sum = sum.plus(&bytes(&sizes.result_elements(r)?, interface.results[r])?)?;
    }
    // Results of which only parts are used need not be computed completely, nor their operands.
    let mut partly = false;
    export.walk(&mut |op| partly |= op.is("tensor.extract_slice") || op.is("tensor.extract") || op.is_of("scf"));
    if partly {
        return Some(sum);
    }
    for i in interface.tensor_inputs() {
        if let Some(read) = read_of(sizes.arguments()[i], export, sizes)? {
            sum = sum.plus(&bytes(&read, interface.inputs[i])?)?;
        }
    }
    Some(sum)
}

fn element_bytes(ty: Type) -> Option<u64> {
    let element = ty.element();
    (element.is_float() || element.is_integer() || element.is_index()).then(|| u64::from(element.bits().div_ceil(8)))
}

/// The elements of a tensor that are read for sure: by the use that reads most. `Some(None)` if there are none, `None` if their number is not
/// known.
fn read_of(value: Value, export: Op, sizes: &KnownSizes) -> Option<Option<SizeSum>> {
    let mut most: Option<SizeSum> = None;
    for (user, operand) in value.uses() {
        if user.parent() != Some(export) {
            continue;
        }
        let read = match &*user.name() {
            "tensor.cast" | "tensor.expand_shape" | "tensor.collapse_shape" if operand == 0 => {
                read_of(user.result(0), export, sizes)?
            }
            "tensor.insert_slice" if operand == 0 => Some(sizes.elements(value)?),
            name if name.starts_with("linalg.") => read_by(user, operand, sizes)?,
            _ => None,
        };
        most = match (most, read) {
            (Some(a), Some(b)) => Some(larger(a, b)),
            (a, b) => a.or(b),
        };
    }
    Some(most)
}

/// The elements of an operand that a structured operation reads.
fn read_by(op: Op, operand: usize, sizes: &KnownSizes) -> Option<Option<SizeSum>> {
    let Some(structure) = Structured::of(op) else { return Some(None) };
    let used = op.regions().first().and_then(|r| r.first_block()).and_then(|b| b.args().get(operand).copied());
    if !used.is_some_and(|argument| argument.has_uses()) {
        return Some(None);
    }
    let value = op.operand(operand);
    let loops = loop_sizes(op, sizes)?;
    let mut product = SizeSum::number(1);
    for (d, result) in structure.maps.get(operand)?.results().into_iter().enumerate() {
        let size = sizes.of(value, d)?;
        let read = match result {
            AffineKind::Dim(_) => size,
            AffineKind::Constant(_) => SizeSum::number(1),
            // A window that moves in steps: no more places than it has positions.
            other => {
                let dims = (0..loops.len()).filter(|&d| other.uses_dim(d));
                let places = dims.map(|d| loops[d].clone()).try_fold(SizeSum::number(1), |p, n| p.times(&n?))?;
                smaller(size, places)
            }
        };
        product = product.times(&read)?;
    }
    Some(Some(product))
}

fn smaller(a: SizeSum, b: SizeSum) -> SizeSum {
    if weight(&a) <= weight(&b) { a } else { b }
}

fn larger(a: SizeSum, b: SizeSum) -> SizeSum {
    if weight(&a) >= weight(&b) { a } else { b }
}

/// Returns a value for comparisons: unknown sizes count as sixteen.
fn weight(sum: &SizeSum) -> i64 {
    sum.terms().map(|(factor, constants)| factor.saturating_mul(1 << (4 * constants.len().min(8)))).sum()
}
