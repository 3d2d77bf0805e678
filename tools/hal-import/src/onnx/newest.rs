//! Operator sets that are newer than this version knows.
use super::proto::Model;
use halyard_diag::Diagnostic;

/// The newest operator set of each domain that the importer was written and tested for.
const NEWEST: &[(&str, i64)] = &[("ai.onnx", 28), ("ai.onnx.ml", 5), ("ai.onnx.preview", 1), ("com.microsoft", 1)];

/// A warning for each operator set of the model that is newer.
pub(super) fn warnings(model: &Model, name: &str) -> Vec<Diagnostic> {
    let set = |s: &super::proto::OperatorSet| {
        let domain = s.domain.as_deref().filter(|d| !d.is_empty()).unwrap_or("ai.onnx");
        let version = s.version.unwrap_or(1);
        let &(_, newest) = NEWEST.iter().find(|(known, _)| *known == domain)?;
        (version > newest).then(|| {
            let what = format!("the model uses operator set {version} of `{domain}`; the newest known one is {newest}");
            Diagnostic::warning(what)
                .in_file(name)
                .code("new-operator-set")
                .note(format!("operators are imported as set {newest} defines them"))
                .hint("compare results with another runtime (`hal-run --expect`), or export the model for an older set")
        })
    };
    model.opset_import.iter().filter_map(set).collect()
}
