//! Checks that two programs compute the same results before their speed is compared.
use crate::{
    BenchmarkArgs,
    functions::{self, Loaded},
};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result};
use halyard_runtime::{Tensor, TensorSpec};
use halyard_tensors::{Tolerance, compare};

/// Checks that there are inputs that two functions take: sizes may be fixed in one and not in the other. Errors: they do not.
pub(crate) fn same_signature(a: &Loaded, b: &Loaded) -> Result<()> {
    let both = || a.function.inputs.iter().zip(&b.function.inputs);
    let fit = |x: &TensorSpec, y: &TensorSpec| {
        let sizes = || x.shape.iter().zip(&y.shape).all(|(m, n)| m.is_none() || n.is_none() || m == n);
        (x.dtype, x.shape.len()) == (y.dtype, y.shape.len()) && x.element == y.element && sizes()
    };
    if a.function.inputs.len() == b.function.inputs.len() && both().all(|(x, y)| fit(x, y)) {
        return Ok(());
    }
    let types = |l: &Loaded| -> Vec<String> { l.function.inputs.iter().map(|s| s.type_text()).collect() };
    let (of_a, of_b) = (types(a), types(b));
    let says =
        |l: &Loaded, types: &[String]| format!("`{}` of `{}` takes ({})", l.function.name, l.name, types.join(", "));
    Err(Error::input("the programs cannot be compared: they take different inputs")
        .code("wrong-type")
        .note(says(a, &of_a))
        .note(says(b, &of_b)))
}

/// Calls both and compares what they return; gives what they agree in, in words. Errors: a failed call, outputs that
/// differ.
pub(crate) fn same_outputs(args: &BenchmarkArgs, a: &mut Loaded, b: &mut Loaded, inputs: &[Tensor]) -> Result<String> {
    a.start_over()?;
    b.start_over()?;
    let of_a = a.instance.call(&a.function.name, inputs)?;
    let of_b = b.instance.call(&b.function.name, inputs)?;
    if of_a.len() != of_b.len() {
        let message = format!("`{}` returns {} tensors, `{}` {}", a.name, of_a.len(), b.name, of_b.len());
        return Err(wrong(message).into());
    }
    let mut differences = Vec::new();
    for (i, (x, y)) in of_a.iter().zip(&of_b).enumerate() {
        if !x.dtype().is_compatible(y.dtype()) || x.shape() != y.shape() {
            let message =
                format!("output {i} of `{}` is `{}`, of `{}` it is `{}`", a.name, x.type_text(), b.name, y.type_text());
            differences.push(wrong(message));
            continue;
        }
        let tolerance = tolerance(args, x);
        if let Some(d) = compare(&y.clone().with_dtype(x.dtype()), x, tolerance) {
            let message = format!(
                "output {i} of `{}` differs from that of `{}` in {} of {} elements",
                b.name, a.name, d.count, d.total
            );
            let mut diagnostic = wrong(message);
            diagnostic.notes = d.notes(tolerance);
            let hint = "programs with different results are not measured; `--rtol` and `--atol` accept more";
            let which = "`hal-extract --as=benchmark` and `hal-run --check` tell which executable is wrong";
            differences.push(diagnostic.hint(hint).hint(which));
        }
    }
    finish(differences)?;
    let stated: Vec<String> = of_a
        .iter()
        .map(|t| tolerance(args, t))
        .map(|t| format!("rtol {:e}, atol {:e}", t.rtol, t.atol))
        .fold(Vec::new(), |list, text| if list.contains(&text) { list } else { [list, vec![text]].concat() });
    Ok(format!("the outputs of `{}` agree ({})", a.function.name, stated.join("; ")))
}

/// Compares what a function returns with what the program says that it must. Errors: outputs that differ.
pub(crate) fn as_expected(args: &BenchmarkArgs, loaded: &mut Loaded) -> Result<Option<String>> {
    let Some(expected) = functions::expected(loaded) else { return Ok(None) };
    let name = loaded.function.name.clone();
    let want = loaded.instance.call(&expected, &[])?;
    let guarded = loaded.instance.program().device_title().is_none();
    let got = if guarded { loaded.instance.call_guarded(&name, &[])?.0 } else { loaded.instance.call(&name, &[])? };
    if got.len() != want.len() {
        return Err(wrong(format!("`{name}` returns {} tensors, {} are expected", got.len(), want.len())).into());
    }
    let mut differences = Vec::new();
    for (i, (x, y)) in got.iter().zip(&want).enumerate() {
        if x.dtype() != y.dtype() || x.shape() != y.shape() {
            differences.push(wrong(format!(
                "output {i} of `{name}` is `{}`, expected is `{}`",
                x.type_text(),
                y.type_text()
            )));
            continue;
        }
        let tolerance = tolerance(args, y);
        if let Some(d) = compare(x, y, tolerance) {
            let message = format!(
                "output {i} of `{name}` in `{}` differs from the expected output in {} of {} elements",
                loaded.name, d.count, d.total
            );
            let mut diagnostic = wrong(message);
            diagnostic.notes = d.notes(tolerance);
            differences.push(diagnostic.hint("wrong results are not measured; `--rtol` and `--atol` accept more"));
        }
    }
    finish(differences)?;
    Ok(Some(format!("`{name}` of `{}` returns the expected outputs", loaded.name)))
}

fn wrong(message: String) -> Diagnostic {
    Diagnostic::error(message).code("wrong-result")
}

fn finish(differences: Vec<Diagnostic>) -> Result<()> {
    if differences.is_empty() { Ok(()) } else { Err(Error { kind: ErrorKind::Input, diagnostics: differences }) }
}

fn tolerance(args: &BenchmarkArgs, like: &Tensor) -> Tolerance {
    let default = Tolerance::default_of(like.dtype());
    Tolerance { rtol: args.rtol.unwrap_or(default.rtol), atol: args.atol.unwrap_or(default.atol) }
}
