//! Comparing outputs with what is expected.
use crate::Args;
use halyard_cli::Printer;
use halyard_diag::{Diagnostic, Error, Kind, Result};
use halyard_runtime::{FunctionInfo, Tensor};
use halyard_tensors::{Tolerance, compare};

/// Compares each output for which something is expected. Errors: those that differ, all of them.
pub(crate) fn check(
    args: &Args,
    function: &FunctionInfo,
    outputs: &[Tensor],
    expected: &[Option<Tensor>],
    printer: &Printer,
) -> Result<()> {
    let mut differences = Vec::new();
    let mut compared = 0;
    for (i, (got, expected)) in outputs.iter().zip(expected).enumerate() {
        let Some(expected) = expected else { continue };
        compared += 1;
        differences.extend(difference(args, function, i, got, expected));
    }
    if !differences.is_empty() {
        return Err(Error { kind: Kind::Input, diagnostics: differences });
    }
    if compared > 0 {
        printer.note(format!("{compared} {} as expected", if compared == 1 { "output is" } else { "outputs are" }));
    }
    Ok(())
}

/// How an output differs from what is expected, if it does.
pub(crate) fn difference(args: &Args, function: &FunctionInfo, index: usize, got: &Tensor, expected: &Tensor) -> Option<Diagnostic> {
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
    let message = format!("{name} differs from what is expected in {} of {} elements", d.count, d.total);
    let mut diagnostic = Diagnostic::error(message).code("wrong-result");
    diagnostic.notes = d.notes(tolerance);
    Some(match d.accepted_by {
        // Rounded up to two digits, so that the hint holds.
        Some(rtol) if rtol < 0.1 => diagnostic.hint(format!("`--rtol={}` accepts it", round_up(rtol))),
        _ => diagnostic,
    })
}

/// At least `v`, in two digits.
fn round_up(v: f64) -> String {
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
