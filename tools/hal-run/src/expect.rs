//! Compares outputs with expected outputs.
use crate::RunArgs;
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_runtime::{FunctionInfo, Tensor};
use halyard_tensors::{Tolerance, bytes_of, compare, texts};

/// Compares each output for which something is expected. Errors: those that differ, all of them.
pub(crate) fn check(
    args: &RunArgs,
    function: &FunctionInfo,
    outputs: &[Tensor],
    expected: &[Option<Tensor>],
    printer: &Printer,
) -> Result<()> {
    let mut differences = Vec::new();
    let mut compared = 0;
    let expected_of = |i: usize| expected[i].as_ref();
    for (i, (got, expected)) in outputs.iter().zip(expected).enumerate() {
        let Some(wanted) = expected else { continue };
        if let Some(bytes) = bytes_of(&function.outputs, i)
            && let Some(wanted_bytes) = expected_of(bytes)
        {
            compared += 1;
            differences.extend(strings(function, i, (got, &outputs[bytes]), (wanted, wanted_bytes))?);
            continue;
        }
        let with_strings =
            i.checked_sub(1).is_some_and(|e| bytes_of(&function.outputs, e).is_some() && expected_of(e).is_some());
        if with_strings {
            continue;
        }
        compared += 1;
        differences.extend(difference(args, function, i, got, wanted));
    }
    if !differences.is_empty() {
        return Err(Error { kind: ErrorKind::Input, diagnostics: differences });
    }
    if compared > 0 {
        printer.note(format!("{compared} {} as expected", if compared == 1 { "output is" } else { "outputs are" }));
    }
    Ok(())
}

/// Like [`difference`] for strings: compares their ends and their bytes.
fn strings(
    function: &FunctionInfo,
    index: usize,
    (ends, bytes): (&Tensor, &Tensor),
    (wanted_ends, wanted_bytes): (&Tensor, &Tensor),
) -> Result<Option<Diagnostic>> {
    let name = function.outputs[index].name.as_deref().unwrap_or_default();
    let wrong = |text: String| Diagnostic::error(format!("output {index} `{name}` {text}")).code("wrong-result");
    if ends.shape() != wanted_ends.shape() {
        return Ok(Some(wrong(format!("is of shape {:?}, expected is {:?}", ends.shape(), wanted_ends.shape()))));
    }
    let (got, wanted) = (texts(ends, bytes)?, texts(wanted_ends, wanted_bytes)?);
    let differing: Vec<_> = got.iter().zip(&wanted).filter(|(a, b)| a != b).collect();
    let Some((first, expected)) = differing.first() else { return Ok(None) };
    let diagnostic = wrong(format!("differs from the expected output in {} of {} strings", differing.len(), got.len()));
    Ok(Some(Diagnostic { notes: vec![format!("the first one is {first:?}, expected is {expected:?}")], ..diagnostic }))
}

/// Returns the difference between an output and the expected output, if there is one.
pub(crate) fn difference(
    args: &RunArgs,
    function: &FunctionInfo,
    index: usize,
    got: &Tensor,
    expected: &Tensor,
) -> Option<Diagnostic> {
    let name = match &function.outputs[index].name {
        Some(name) => format!("output {index} `{name}`"),
        None => format!("output {index}"),
    };
    if got.shape() != expected.shape() {
        let message = format!("{name} is `{}`, expected is `{}`", got.type_text(), expected.type_text());
        return Some(Diagnostic::error(message).code("wrong-result"));
    }
    let default = Tolerance::default_of(got.dtype());
    let tolerance = Tolerance { rtol: args.rtol.unwrap_or(default.rtol), atol: args.atol.unwrap_or(default.atol) };
    let d = compare(got, &expected.clone().with_dtype(got.dtype()), tolerance)?;
    let message = format!("{name} differs from the expected output in {} of {} elements", d.count, d.total);
    let mut diagnostic = Diagnostic::error(message).code("wrong-result");
    diagnostic.notes = d.notes(tolerance);
    Some(match d.accepted_by {
        // Rounded up to two digits, so that the hint holds.
        Some(rtol) if rtol < 0.1 => diagnostic.hint(format!("`--rtol={}` accepts it", round_up(rtol))),
        _ => diagnostic,
    })
}

/// Rounds up to two digits.
pub(crate) fn round_up(v: f64) -> String {
    let step = 10f64.powf(v.log10().floor() - 1.0);
    format!("{:.1e}", (v / step * (1.0 + 1e-9)).ceil() * step)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hints_hold() {
        for v in [1.2345e-5, 9.99e-3, 1e-4, 3.0e-7] {
            assert!(round_up(v).parse::<f64>().unwrap() >= v, "{v}");
        }
        assert_eq!(round_up(1.2345e-5), "1.3e-5");
    }
}
