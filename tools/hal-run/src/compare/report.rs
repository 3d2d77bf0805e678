//! The report of a comparison.
use super::{
    evidence,
    inputs::{self, Inputs},
    judge::Findings,
    model::{Compared, Reference, Side},
};
use crate::{RunArgs, expect::round_up};
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_runtime::{Instance, shape_text};
use halyard_tensors::Difference;

/// The number of kernels that are named among those that were not compared.
const NAMED: usize = 3;

/// Reports the result of the comparison. Fails if a dispatch or an output differs.
pub(super) fn conclude(
    args: &RunArgs,
    instance: &mut Instance,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    outputs: &[Diagnostic],
    printer: &Printer,
) -> Result<()> {
    let blamed = blamed(args, instance, a, reference, findings)?;
    let Some(Blamed { first, difference, seen, skipped, .. }) = blamed.filter(|b| !b.rounding || !outputs.is_empty())
    else {
        return without_difference(args, a, reference, findings, outputs, printer);
    };
    let mut diagnostic = headline(a, reference, findings, first).code("first-difference");
    diagnostic.notes.push(place(a, first));
    if let Some((other, b)) = first.other.zip(reference.side()) {
        diagnostic.notes.push(format!(
            "in `{}` it is dispatch {} of {}: kernel `{}`",
            b.name,
            other.dispatch + 1,
            b.count(),
            b.kernel(other.dispatch).export
        ));
    }
    diagnostic.notes.push(elements(a, reference, first, difference));
    let tolerance = super::tolerance(args, difference.dtype);
    diagnostic.notes.extend(difference.notes(tolerance).into_iter().skip(1));
    if let (Some(last), Some(scale)) = (diagnostic.notes.last_mut(), difference.scale) {
        *last += &format!("; relative to {scale:.2e}, the root mean square of the tensor, where an element is smaller");
    }
    diagnostic.notes.push(verdict(a, reference, first, &seen));
    diagnostic.notes.extend(grown(reference, skipped));
    diagnostic.notes.push(extent(findings, outputs));
    diagnostic.notes.extend(left(args, a, reference, findings));
    diagnostic.notes.extend(steps(findings));
    let hint = match &args.record {
        Some(folder) => evidence::write(folder, a, reference, findings, first, &diagnostic)?,
        None => "`--record=FOLDER` keeps what the dispatch read and wrote on both sides".into(),
    };
    diagnostic = diagnostic.hint(hint);
    if let Some(rtol) = difference.accepted_by.filter(|r| *r < 0.1) {
        diagnostic = diagnostic.hint(format!("`--rtol={}` accepts this dispatch", round_up(rtol)));
    }
    Err(Error { kind: ErrorKind::Input, diagnostics: vec![diagnostic] })
}

/// The dispatch that is reported as the cause.
struct Blamed<'a> {
    first: &'a Compared,
    difference: &'a Difference,
    seen: Inputs,
    /// The number of earlier dispatches that differ without being the cause.
    skipped: usize,
    /// Whether all differences come from amplified rounding errors.
    rounding: bool,
}

/// The first dispatch that differs; where that has only made differences of its inputs larger, the first after it that is a cause
/// itself, if there is one. Errors: a dispatch that cannot be run again.
fn blamed<'a>(
    args: &RunArgs,
    instance: &mut Instance,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &'a Findings,
) -> Result<Option<Blamed<'a>>> {
    let (mut kept, mut rounding) = (None, true);
    for (skipped, (first, difference)) in findings.differences().enumerate() {
        let seen = inputs::compare_inputs(args, instance, a, reference, findings, first)?;
        let (cause, grown) = (seen.is_cause(), matches!(seen, Inputs::DifferWithinTolerance));
        let blamed = Blamed { first, difference, seen, skipped, rounding: false };
        if cause || (skipped == 0 && !grown) {
            return Ok(Some(blamed));
        }
        rounding &= !matches!(blamed.seen, Inputs::NotCompared(..));
        kept.get_or_insert(blamed);
    }
    Ok(kept.map(|blamed| Blamed { rounding, ..blamed }))
}

fn without_difference(
    args: &RunArgs,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    outputs: &[Diagnostic],
    printer: &Printer,
) -> Result<()> {
    let (count, all) = (findings.count(), a.count());
    let left = left(args, a, reference, findings);
    if outputs.is_empty() {
        let differing = findings.differing();
        printer.note(match count {
            _ if differing > 0 => format!(
                "{count} of {all} dispatches compared with `{}`: {differing} differ, but only because rounding errors grow: on the inputs \
                 of `{0}` each gives the same result. The outputs agree",
                reference.name()
            ),
            0 => format!("the outputs agree with `{}`; none of {all} dispatches could be compared", reference.name()),
            _ => format!(
                "{count} of {all} dispatches compared with `{}`: none differs, and the outputs agree",
                reference.name()
            ),
        });
        left.into_iter().for_each(|line| printer.note(line));
        return Ok(());
    }
    let message = match count {
        0 => {
            format!("the outputs of `{}` and `{}` differ, and no dispatch could be compared", a.name, reference.name())
        }
        _ => format!(
            "the outputs of `{}` and `{}` differ, but none of the {count} dispatches that were compared does",
            a.name,
            reference.name()
        ),
    };
    let mut diagnostic = Diagnostic::error(message).code("first-difference");
    diagnostic.notes = left;
    if count == 0 {
        diagnostic = diagnostic.hint("are both made of one model?");
    }
    let diagnostics = [vec![diagnostic], outputs.to_vec()].concat();
    Err(Error { kind: ErrorKind::Input, diagnostics })
}

/// Describes the dispatch that differs first.
fn headline(a: &Side<'_>, reference: &dyn Reference, findings: &Findings, first: &Compared) -> Diagnostic {
    let call = findings.call.map_or(String::new(), |call| format!(" of call {}", call + 1));
    Diagnostic::error(format!(
        "`{}` and `{}` first differ in dispatch {} of {}{call}: kernel `{}`",
        a.name,
        reference.name(),
        first.place.dispatch + 1,
        a.count(),
        a.kernel(first.place.dispatch).export
    ))
}

/// Names the origin of the dispatch in the model.
fn place(a: &Side<'_>, first: &Compared) -> String {
    let (dispatch, kernel) = (first.place.dispatch, a.kernel(first.place.dispatch));
    let mut text = format!("it is of executable `{}`", kernel.executable);
    if let Some(origin) = kernel.identity.short_origin() {
        text += &format!(", from {origin}");
    }
    let value = &a.binding(first.place).value;
    if !value.is_empty() {
        text += &format!("; the model calls the result `{value}`");
    }
    let of_kernel = |d: &usize| a.dispatch(*d).kernel == a.dispatch(dispatch).kernel;
    let (before, all) =
        ((0..dispatch).filter(of_kernel).count(), (0..a.trace.dispatches.len()).filter(of_kernel).count());
    if all > 1 {
        text += &format!("; it is number {} of {all} dispatches of the kernel", before + 1);
    }
    text
}

/// Names the elements that differ, with the first of them.
fn elements(a: &Side<'_>, reference: &dyn Reference, first: &Compared, d: &Difference) -> String {
    let binding = a.binding(first.place);
    let (got, expected) = d.texts();
    let ulp = match d.ulp() {
        Some(n) if n < 1_000_000 => format!(" ({n} ulp)"),
        Some(n) => format!(" ({:.1e} ulp)", n as f64),
        None => String::new(),
    };
    format!(
        "binding {}, a result of type {}, differs in {} of {} elements, first at {:?}: {got} in `{}`, {expected} in `{}`{ulp}",
        first.place.binding,
        shape_text(&binding.shape, binding.dtype),
        d.count,
        d.total,
        d.first,
        a.name,
        reference.name()
    )
}

/// States the cause.
fn verdict(a: &Side<'_>, reference: &dyn Reference, first: &Compared, seen: &Inputs) -> String {
    let other = reference.name();
    match seen {
        Inputs::Equal { packed } => {
            format!(
                "its inputs are equal, bit by bit: the kernel is the cause, in one of the programs{}",
                or_weights(packed)
            )
        }
        Inputs::DifferWithoutEffect { far, packed } => format!(
            "its inputs differ {} tolerance; on those of `{other}` its result differs, too: the kernel is the cause, in one of the \
             programs{}",
            if *far { "beyond" } else { "within" },
            or_weights(packed)
        ),
        Inputs::DifferWithinTolerance => format!(
            "its inputs differ within tolerance; on those of `{other}` it gives the same result: rounding errors have grown, no \
             kernel is wrong"
        ),
        Inputs::DifferBeyondTolerance(binding) => format!(
            "its inputs differ beyond tolerance, first binding {binding}, which no dispatch that was compared has computed; on those \
             of `{other}` it gives the same result: the cause is before this dispatch"
        ),
        Inputs::DifferentWeight(binding) => {
            format!("a weight differs, binding {binding}: the programs have different weights")
        }
        Inputs::OtherKernels => format!(
            "all that it reads was compared and agrees: the cause is this kernel or its weights, or what `{other}` computes in its place"
        ),
        Inputs::NotCompared(binding, Some(dispatch)) => format!(
            "it reads in binding {binding} what dispatch {}, kernel `{}`, computed, which was not compared: the cause may be there",
            dispatch + 1,
            a.kernel(*dispatch).export
        ),
        Inputs::NotCompared(binding, None) => {
            let dispatch = first.place.dispatch + 1;
            format!(
                "it reads in binding {binding} what is no result of a dispatch before {dispatch}, and was not compared: the cause may be before it"
            )
        }
    }
}

/// Names weights as another possible cause if they could not be compared.
fn or_weights(packed: &[usize]) -> String {
    if packed.is_empty() {
        return String::new();
    }
    let list: Vec<String> = packed.iter().map(usize::to_string).collect();
    format!(
        ", or its weights, which the programs take in different layouts and which were not compared (binding {})",
        list.join(", ")
    )
}

/// Describes the differences before the reported dispatch.
fn grown(reference: &dyn Reference, skipped: usize) -> Option<String> {
    let dispatches = match skipped {
        0 => return None,
        1 => "a result before it differs".to_owned(),
        n => format!("{n} results before it differ"),
    };
    Some(format!(
        "{dispatches}, too, because rounding errors have grown: on the inputs of `{}` their kernels agree",
        reference.name()
    ))
}

/// Describes how much differs in total.
fn extent(findings: &Findings, outputs: &[Diagnostic]) -> String {
    let outputs = match outputs.len() {
        0 => "the outputs agree",
        _ => "outputs differ, too",
    };
    format!("{} of {} dispatches that were compared differ; {outputs}", findings.differing(), findings.count())
}

/// Lists what was not compared, one fact per line.
fn left(args: &RunArgs, a: &Side<'_>, reference: &dyn Reference, findings: &Findings) -> Vec<String> {
    let mut lines = Vec::new();
    let compared: Vec<usize> = findings.compared.iter().map(|c| c.place.dispatch).collect();
    let kept = a.trace.dispatches.len();
    let missing: Vec<usize> = (0..kept).filter(|d| !compared.contains(d)).collect();
    if !missing.is_empty() {
        let mut names: Vec<&str> = missing.iter().map(|d| &*a.kernel(*d).export).collect();
        names.dedup();
        let list: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
        let more = names.len().saturating_sub(NAMED);
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        lines.push(format!(
            "{} of {kept} dispatches of `{}` compute nothing that `{}` is known to have: {}{more}",
            missing.len(),
            a.name,
            reference.name(),
            list.join(", ")
        ));
    }
    if let Some(b) = reference.side() {
        let missing = b.trace.dispatches.len() - findings.count_of_other();
        if missing > 0 {
            lines.push(format!(
                "{missing} of {} dispatches of `{}` have no counterpart in `{}`",
                b.trace.dispatches.len(),
                b.name,
                a.name
            ));
        }
    }
    for side in std::iter::once(a).chain(reference.side()) {
        if side.trace.left_out > 0 {
            lines.push(format!(
                "the last {} dispatches of `{}` were not kept: `--record-limit` is {} bytes",
                side.trace.left_out, side.name, args.record_limit
            ));
        }
    }
    lines
}

/// For several calls of a function, states that the earlier ones agree.
fn steps(findings: &Findings) -> Option<String> {
    let call = findings.call.filter(|call| *call > 0)?;
    Some(if call == 1 { "the call before it agrees".into() } else { format!("the {call} calls before it agree") })
}
