//! Two programs must do the same before it makes sense to ask which one is faster.
use crate::{Args, functions::Loaded};
use halyard_diag::{Diagnostic, Error, Kind, Result};
use halyard_runtime::Tensor;
use halyard_tensors::{Tolerance, compare};

/// Checks that two functions take the same inputs. Errors: they do not.
pub(crate) fn same_signature(a: &Loaded, b: &Loaded) -> Result<()> {
    let types = |l: &Loaded| -> Vec<String> { l.function.inputs.iter().map(|s| s.type_text()).collect() };
    let (of_a, of_b) = (types(a), types(b));
    if of_a == of_b {
        return Ok(());
    }
    let says = |l: &Loaded, types: &[String]| format!("`{}` of `{}` takes ({})", l.function.name, l.name, types.join(", "));
    Err(Error::input("the programs cannot be compared: they take different inputs")
        .code("wrong-type")
        .note(says(a, &of_a))
        .note(says(b, &of_b)))
}

/// Calls both and compares what they return. Errors: a failed call, outputs that differ.
pub(crate) fn same_outputs(args: &Args, a: &mut Loaded, b: &mut Loaded, inputs: &[Tensor]) -> Result<()> {
    let of_a = a.instance.call(&a.function.name, inputs)?;
    let of_b = b.instance.call(&b.function.name, inputs)?;
    let wrong = |what: String| Diagnostic::error(what).code("wrong-result");
    if of_a.len() != of_b.len() {
        let message = format!("`{}` returns {} tensors, `{}` {}", a.name, of_a.len(), b.name, of_b.len());
        return Err(wrong(message).into());
    }
    let mut differences = Vec::new();
    for (i, (x, y)) in of_a.iter().zip(&of_b).enumerate() {
        if !x.dtype().is_compatible(y.dtype()) || x.shape() != y.shape() {
            let message = format!("output {i} of `{}` is `{}`, of `{}` it is `{}`", a.name, x.type_text(), b.name, y.type_text());
            differences.push(wrong(message));
            continue;
        }
        let default = Tolerance::default_of(x.dtype());
        let tolerance = Tolerance { rtol: args.rtol.unwrap_or(default.rtol), atol: args.atol.unwrap_or(default.atol) };
        if let Some(d) = compare(&y.clone().with_dtype(x.dtype()), x, tolerance) {
            let message = format!("output {i} of `{}` differs from that of `{}` in {} of {} elements", b.name, a.name, d.count, d.total);
            let mut diagnostic = wrong(message);
            diagnostic.notes = d.notes(tolerance);
            differences.push(diagnostic.hint("programs with different results are not measured; `--rtol` and `--atol` accept more"));
        }
    }
    if differences.is_empty() { Ok(()) } else { Err(Error { kind: Kind::Input, diagnostics: differences }) }
}
