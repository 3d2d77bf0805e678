//! Whether a dispatch that gives something else was given the same.
use super::{
    judge::Findings,
    model::{Compared, Place, Reference, Side},
    pairs::is_same_work,
    tolerance,
};
use crate::RunArgs;
use halyard_diag::Result;
use halyard_runtime::{Instance, Tensor, TracedContents};
use halyard_tensors::compare;

/// What is known of the inputs of the first dispatch that differs.
pub(super) enum Inputs {
    /// Equal, bit by bit. Packed weights, named by their bindings, were not compared.
    Equal { packed: Vec<usize> },
    /// They differ within tolerance; whether the kernel gives another result on the inputs of the other program, too. Packed
    /// weights as above.
    Close { also_on_theirs: bool, packed: Vec<usize> },
    /// A weight differs.
    Weight(usize),
    /// A binding differs beyond tolerance, and no dispatch that was compared has computed it.
    Different(usize),
    /// All were compared and agree; the other side computes the result in other kernels.
    Agree,
    /// A binding whose contents were not compared, and the dispatch that computed it, if one did.
    Unknown(usize, Option<usize>),
}

/// Looks at the inputs. Errors: a dispatch that cannot be run again.
pub(super) fn look(
    args: &RunArgs,
    instance: &mut Instance,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    first: &Compared,
) -> Result<Inputs> {
    let linked = first.other.zip(reference.side()).filter(|(other, b)| {
        // Two executables with the same content read the same bindings.
        is_same_work(a, first.place.dispatch, b, other.dispatch)
    });
    match linked {
        Some((other, b)) => of_same_work(args, instance, (a, first.place), (b, other)),
        None => Ok(by_contents(a, findings, first)),
    }
}

/// Compares the inputs of two dispatches of one executable.
fn of_same_work(args: &RunArgs, instance: &mut Instance, (a, at): (&Side<'_>, Place), (b, to): (&Side<'_>, Place)) -> Result<Inputs> {
    let (ours, theirs) = (a.dispatch(at.dispatch), b.dispatch(to.dispatch));
    let (mut packed, mut close) = (Vec::new(), false);
    for (i, (x, y)) in ours.bindings.iter().zip(&theirs.bindings).enumerate() {
        let (Some(before), Some(other)) = (&x.before, &y.before) else { continue };
        if x.packed != y.packed {
            packed.push(i);
            continue;
        }
        if before.is_same(other) {
            continue;
        }
        let weight = before.is_constant() && other.is_constant();
        // Weights of one model are equal bit by bit.
        let far = x.packed.is_some() || weight || {
            let wanted = Tensor::from_bytes(x.dtype, &x.shape, other.bytes())?;
            compare(&x.tensor(before)?, &wanted, tolerance(args, x.dtype)).is_some()
        };
        match (far, weight) {
            (true, true) => return Ok(Inputs::Weight(i)),
            (true, false) => return Ok(Inputs::Different(i)),
            (false, _) => close = true,
        }
    }
    if !close {
        return Ok(Inputs::Equal { packed });
    }
    let given: Vec<Option<&[u8]>> = theirs.bindings.iter().map(|y| y.before.as_ref().map(TracedContents::bytes)).collect();
    let again = instance.run_traced(ours, &given)?;
    let mut also_on_theirs = false;
    for (i, after) in again.iter().enumerate() {
        let (Some(after), x) = (after, &ours.bindings[i]) else { continue };
        let Some(wanted) = &theirs.bindings[i].after else { continue };
        let got = Tensor::from_bytes(x.dtype, &x.shape, after)?;
        let wanted = Tensor::from_bytes(x.dtype, &x.shape, wanted.bytes())?;
        also_on_theirs |= compare(&got, &wanted, tolerance(args, x.dtype)).is_some();
    }
    Ok(Inputs::Close { also_on_theirs, packed })
}

/// Where the other side has other kernels: finds by their contents who computed the inputs, and whether that was compared.
fn by_contents(a: &Side<'_>, findings: &Findings, first: &Compared) -> Inputs {
    let compared = |place: Place| findings.compared.iter().any(|c| c.place == place && c.difference.is_none());
    let is_input = |contents: &TracedContents| a.inputs.iter().any(|t| t.bytes() == contents.bytes());
    for (i, binding) in a.dispatch(first.place.dispatch).bindings.iter().enumerate() {
        let Some(before) = &binding.before else { continue };
        if before.is_constant() || before.bytes().is_empty() || is_input(before) {
            continue;
        }
        let earlier = || a.places().take_while(|p| p.dispatch < first.place.dispatch);
        let agreed: Vec<&[u8]> = earlier().filter(|p| compared(*p)).filter_map(|p| bytes_after(a, p)).collect();
        if is_made_of(before.bytes(), &agreed) {
            continue;
        }
        let writer = earlier().filter(|p| bytes_after(a, *p) == Some(before.bytes())).last();
        return Inputs::Unknown(i, writer.map(|p| p.dispatch));
    }
    Inputs::Agree
}

fn bytes_after<'s>(a: &'s Side<'_>, place: Place) -> Option<&'s [u8]> {
    a.binding(place).after.as_ref().map(TracedContents::bytes)
}

/// Whether bytes are one of these contents or several of them behind each other, as concatenations are.
fn is_made_of(mut bytes: &[u8], contents: &[&[u8]]) -> bool {
    while !bytes.is_empty() {
        let fitting = contents.iter().filter(|c| !c.is_empty()).filter_map(|c| bytes.strip_prefix(*c));
        match fitting.min_by_key(|rest| rest.len()) {
            Some(rest) => bytes = rest,
            None => return false,
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::is_made_of;

    #[test]
    fn concatenations_are_taken_apart() {
        let parts: [&[u8]; 3] = [b"ab", b"abc", b""];
        assert!(is_made_of(b"abcab", &parts) && is_made_of(b"", &parts));
        assert!(!is_made_of(b"abd", &parts) && !is_made_of(b"d", &[]));
    }
}
