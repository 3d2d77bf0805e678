//! Determines whether a dispatch with different results had different inputs.
use super::{
    differs,
    judge::Findings,
    model::{Compared, Place, Reference, Side},
    pairs::is_same_work,
};
use crate::RunArgs;
use halyard_diag::Result;
use halyard_runtime::{Instance, Tensor, TracedBinding, TracedContents};
use std::borrow::Cow;

/// The inputs of a dispatch whose results differ.
pub(super) enum Inputs {
    /// Its inputs are equal, bit by bit. Packed weights, named by their bindings, were not compared.
    Equal { packed: Vec<usize> },
    /// They differ, within tolerance or beyond; with those of the other side its result still differs. Packed weights
    /// as above.
    DifferWithoutEffect { far: bool, packed: Vec<usize> },
    /// They differ within tolerance; with those of the other side its result agrees.
    DifferWithinTolerance,
    /// They differ beyond tolerance, first in this binding; with those of the other side its result agrees.
    DifferBeyondTolerance(usize),
    /// A weight differs.
    DifferentWeight(usize),
    /// The other side computes the result in other kernels, out of inputs on which this one differs.
    OtherKernels,
    /// A binding whose contents were not compared, and the dispatch that computed it, if one did.
    NotCompared(usize, Option<usize>),
}

impl Inputs {
    /// Whether the dispatch itself causes the difference.
    pub(super) fn is_cause(&self) -> bool {
        matches!(
            self,
            Self::Equal { .. } | Self::DifferWithoutEffect { .. } | Self::DifferentWeight(_) | Self::OtherKernels
        )
    }
}

/// The contents of a dispatch's bindings on the other side.
struct Theirs<'a> {
    /// The contents of each binding that it reads, except weights.
    contents: Vec<Option<Cow<'a, [u8]>>>,
    packed: Vec<usize>,
    /// Whether the other side has the same executable.
    linked: bool,
}

/// Compares the inputs. Fails if a dispatch cannot be run again.
pub(super) fn compare_inputs(
    args: &RunArgs,
    instance: &mut Instance,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    first: &Compared,
) -> Result<Inputs> {
    // Two executables of one content read the same bindings.
    let linked = first.other.zip(reference.side());
    let linked = linked.filter(|(other, b)| is_same_work(a, first.place.dispatch, b, other.dispatch));
    let theirs = match linked {
        Some((other, b)) => of_same_work(a, first.place, b, other),
        None => by_contents(a, reference, findings, first),
    };
    let theirs = match theirs {
        Ok(theirs) => theirs,
        Err(seen) => return Ok(seen),
    };
    let dispatch = a.dispatch(first.place.dispatch);
    let (mut equal, mut far) = (true, None);
    for (i, (binding, other)) in dispatch.bindings.iter().zip(&theirs.contents).enumerate() {
        let (Some(before), Some(other)) = (&binding.before, other) else { continue };
        if before.bytes() != &**other {
            equal = false;
            let wanted = Tensor::from_bytes(binding.dtype, &binding.shape, other)?;
            if far.is_none() && differs(args, &binding.tensor(before)?, &wanted).is_some() {
                far = Some(i);
            }
        }
    }
    if !equal && !is_wrong_on(args, instance, a, reference, findings, first.place.dispatch, &theirs.contents)? {
        return Ok(far.map_or(Inputs::DifferWithinTolerance, Inputs::DifferBeyondTolerance));
    }
    Ok(match (theirs.linked, equal) {
        (false, _) => Inputs::OtherKernels,
        (true, true) => Inputs::Equal { packed: theirs.packed },
        (true, false) => Inputs::DifferWithoutEffect { far: far.is_some(), packed: theirs.packed },
    })
}

/// Runs a dispatch on the inputs of the other side: whether its results differ from those of the other side.
fn is_wrong_on(
    args: &RunArgs,
    instance: &mut Instance,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    dispatch: usize,
    contents: &[Option<Cow<'_, [u8]>>],
) -> Result<bool> {
    let traced = a.dispatch(dispatch);
    let given: Vec<Option<&[u8]>> = contents.iter().map(Option::as_deref).collect();
    let again = instance.run_traced(traced, &given)?;
    for compared in findings.compared.iter().filter(|c| c.place.dispatch == dispatch) {
        let TracedBinding { dtype, shape, .. } = &traced.bindings[compared.place.binding];
        let (Some(got), Some(wanted)) = (&again[compared.place.binding], reference.expected(a, compared)) else {
            continue;
        };
        let got = Tensor::from_bytes(*dtype, shape, got)?;
        if differs(args, &got, &Tensor::from_bytes(*dtype, shape, &wanted)?).is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

/// The inputs of the same dispatch of the other program; what tells the cause at once as an error.
fn of_same_work<'a>(a: &Side<'_>, at: Place, b: &'a Side<'_>, to: Place) -> std::result::Result<Theirs<'a>, Inputs> {
    let (ours, theirs) = (a.dispatch(at.dispatch), b.dispatch(to.dispatch));
    let (mut packed, mut contents) = (Vec::new(), Vec::new());
    for (i, (x, y)) in ours.bindings.iter().zip(&theirs.bindings).enumerate() {
        let (Some(before), Some(other)) = (&x.before, &y.before) else {
            contents.push(None);
            continue;
        };
        if before.is_constant() || x.packed.is_some() || y.packed.is_some() {
            if x.packed != y.packed {
                packed.push(i);
            } else if !before.is_same(other) {
                // Weights of one model are equal bit by bit.
                return Err(Inputs::DifferentWeight(i));
            }
            contents.push(None);
            continue;
        }
        contents.push(Some(Cow::from(other.bytes())));
    }
    Ok(Theirs { contents, packed, linked: true })
}

/// If the other side has different kernels, finds by their contents which dispatches computed the inputs, and the
/// corresponding contents of the other side. Returns the verdict as an error if they are not found.
fn by_contents<'a>(
    a: &'a Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    first: &Compared,
) -> std::result::Result<Theirs<'a>, Inputs> {
    let after = |place: Place| a.binding(place).after.as_ref().map_or(&[][..], TracedContents::bytes);
    let earlier = || findings.compared.iter().take_while(|c| c.place.dispatch < first.place.dispatch);
    let is_input = |contents: &TracedContents| a.inputs.iter().any(|t| t.bytes() == contents.bytes());
    let mut contents = Vec::new();
    for (i, binding) in a.dispatch(first.place.dispatch).bindings.iter().enumerate() {
        let Some(before) = binding.before.as_ref().filter(|b| !b.is_constant()) else {
            contents.push(None);
            continue;
        };
        if before.bytes().is_empty() || is_input(before) {
            contents.push(Some(Cow::from(before.bytes())));
            continue;
        }
        let parts: Vec<(&Compared, &[u8])> = earlier().map(|c| (c, after(c.place))).collect();
        let made = made_of(before.bytes(), &parts);
        let theirs =
            made.and_then(|list| list.into_iter().map(|c| reference.expected(a, c)).collect::<Option<Vec<_>>>());
        match theirs.map(|list| list.concat()).filter(|bytes| bytes.len() == before.bytes().len()) {
            Some(bytes) => contents.push(Some(Cow::from(bytes))),
            None => {
                let places = a.places().take_while(|p| p.dispatch < first.place.dispatch);
                let writer = places.filter(|p| after(*p) == before.bytes()).last();
                return Err(Inputs::NotCompared(i, writer.map(|p| p.dispatch)));
            }
        }
    }
    Ok(Theirs { contents, packed: Vec::new(), linked: false })
}

/// Returns the parts that bytes consist of: one of these contents, or a concatenation of several.
fn made_of<T: Copy>(mut bytes: &[u8], parts: &[(T, &[u8])]) -> Option<Vec<T>> {
    let mut found = Vec::new();
    while !bytes.is_empty() {
        let fitting = parts.iter().filter(|(_, c)| !c.is_empty() && bytes.starts_with(c));
        let (part, content) = fitting.max_by_key(|(_, c)| c.len())?;
        found.push(*part);
        bytes = &bytes[content.len()..];
    }
    Some(found)
}

#[cfg(test)]
mod tests {
    use super::made_of;

    #[test]
    fn concatenations_are_taken_apart() {
        let parts: [(u8, &[u8]); 3] = [(0, b"ab"), (1, b"abc"), (2, b"")];
        assert_eq!(made_of(b"abcab", &parts), Some(vec![1, 0]));
        assert_eq!(
            (made_of(b"", &parts), made_of(b"abd", &parts), made_of::<u8>(b"d", &[])),
            (Some(vec![]), None, None)
        );
    }
}
