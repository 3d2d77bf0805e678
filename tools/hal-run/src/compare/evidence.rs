//! Writes the folder of `--record` for the first difference: the inputs and results of the dispatch on both sides.
use super::{
    judge::Findings,
    model::{Compared, Reference, Side},
    pairs::is_same_work,
};
use crate::record::{Record, Recorded};
use halyard_cli::write_output;
use halyard_diag::{Diagnostic, Error, Result};
use halyard_runtime::{Tensor, TracedBinding};
use halyard_tensors::npy_bytes;
use std::{borrow::Cow, fmt::Write as _, path::Path};

/// Writes the folder; says in a sentence what to do with it. Errors: a file that cannot be written.
pub(super) fn write(
    folder: &Path,
    a: &Side<'_>,
    reference: &dyn Reference,
    findings: &Findings,
    first: &Compared,
    diagnostic: &Diagnostic,
) -> Result<String> {
    std::fs::create_dir_all(folder)
        .map_err(|e| Error::io("make", folder, &e).hint("with `--compare-with`, `--record` names a folder"))?;
    let dispatch = a.dispatch(first.place.dispatch);
    let twin =
        first.other.zip(reference.side()).filter(|(other, b)| is_same_work(a, first.place.dispatch, b, other.dispatch));
    let theirs = |i: usize| twin.map(|(other, b)| &b.dispatch(other.dispatch).bindings[i]);
    let (mut got, mut expected) = (Vec::new(), Vec::new());
    for (i, ours) in dispatch.bindings.iter().enumerate() {
        let other = theirs(i);
        // Benchmarks have weights as the model has them.
        let own = plain(ours).or_else(|| other.and_then(plain)).or_else(|| before(ours));
        let their = other.and_then(plain).or_else(|| own.clone());
        let after = ours.after.as_ref().map(|c| Cow::from(c.bytes()));
        let wanted =
            findings.compared.iter().find(|c| c.place.dispatch == first.place.dispatch && c.place.binding == i);
        let wanted = wanted.and_then(|c| reference.expected(a, c)).map(Cow::from);
        let zeros = || Cow::from(vec![0; after.as_ref().map_or(0, |a| a.len())]);
        let after_theirs = after.as_ref().map(|own| wanted.unwrap_or_else(|| own.clone()));
        let file = |name: &str| folder.join(format!("binding{i}.{name}.npy"));
        for (name, bytes) in [("before", &own), ("got", &after), ("expected", &after_theirs)] {
            let tensor = bytes.as_ref().and_then(|b| Tensor::from_bytes(ours.dtype, &ours.shape, b).ok());
            if let Some(tensor) = tensor {
                write_output(&file(name), &npy_bytes(&tensor))?;
            }
        }
        got.push((own.clone().unwrap_or_else(zeros), after.clone()));
        expected.push((their.unwrap_or_else(zeros), after_theirs));
    }
    for (name, bindings) in [("got", got), ("expected", expected)] {
        let mut record = Record::default();
        record.add(Recorded {
            kernel: a.kernel(first.place.dispatch),
            constants: &dispatch.constants,
            workgroups: dispatch.workgroups,
            calls: 1,
            bindings,
        });
        record.write(&folder.join(format!("{name}.safetensors")))?;
    }
    write_output(&folder.join("report.txt"), report(diagnostic).as_bytes())?;
    let record = folder.join("expected.safetensors");
    Ok(format!(
        "`{}` has what it read and wrote; `hal-extract PROGRAM.mlir {} --as=benchmark --record={} --to=FOLDER` makes a \
         benchmark of it that expects the result of `{}`",
        folder.display(),
        halyard_diag::quote(&a.kernel(first.place.dispatch).executable),
        halyard_diag::quote(&record.display().to_string()),
        reference.name()
    ))
}

fn before(binding: &TracedBinding) -> Option<Cow<'_, [u8]>> {
    binding.before.as_ref().map(|c| Cow::from(c.bytes()))
}

/// Returns the contents of a binding before the dispatch, in the layout of the model.
fn plain(binding: &TracedBinding) -> Option<Cow<'_, [u8]>> {
    if binding.packed.is_some() { None } else { before(binding) }
}

/// Renders the diagnostic as text.
fn report(diagnostic: &Diagnostic) -> String {
    let mut text = format!("{}\n", diagnostic.message);
    for note in &diagnostic.notes {
        let _ = writeln!(text, "- {note}");
    }
    text
}
