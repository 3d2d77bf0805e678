//! Dialects of other projects: what to do with them.
use halyard_diag::Error;

/// Dialects that people have and the tool of their project that lowers them.
const KNOWN: &[(&str, &str)] = &[
    ("stablehlo", "`stablehlo-opt --stablehlo-legalize-to-linalg`"),
    ("chlo", "`stablehlo-opt --chlo-legalize-to-stablehlo --stablehlo-legalize-to-linalg`"),
    ("vhlo", "`stablehlo-translate --deserialize`, then `stablehlo-opt --stablehlo-legalize-to-linalg`"),
    ("mhlo", "`mlir-hlo-opt --hlo-legalize-to-linalg`"),
    ("torch", "`torch-mlir-opt --torch-backend-to-linalg-on-tensors-backend-pipeline`"),
    ("tf", "`tf-opt`"),
    ("tfl", "`flatbuffer_translate` and `tf-opt --tfl-to-tosa-pipeline`"),
    ("onnx", "the model itself: `hal-import` reads ONNX files"),
    ("flow", "the model before IREE: `iree-compile --compile-to=input`"),
    ("util", "the model before IREE: `iree-compile --compile-to=input`"),
];

/// What to do about a dialect that `hal-import` does not take.
pub(super) fn hint(dialect: &str) -> String {
    match KNOWN.iter().find(|(name, _)| *name == dialect) {
        Some((_, tool)) => format!("lower it first: {tool}"),
        None => "lower it first, with `hal-opt` (a dialect of your own: `--load-dialect-plugin`), or a tool of the framework that made it".into(),
    }
}

/// Says in our words that a dialect is unknown. MLIR's parser stops there and lists all dialects it was linked with.
pub(super) fn explain(mut error: Error, supported: &str) -> Error {
    for d in &mut error.diagnostics {
        let Some(rest) = d.message.strip_prefix("Dialect `") else { continue };
        let (Some(end), Some(at)) = (rest.find('\''), rest.find("custom op '")) else { continue };
        let dialect = rest[..end].to_owned();
        let op = rest[at + "custom op '".len()..].trim_end().trim_end_matches('\'').to_owned();
        d.message = format!("operation `{op}` is not supported: the dialect `{dialect}` is not part of MLIR");
        d.code = Some("unsupported");
        d.notes = vec![format!("`hal-import` takes the dialects {supported}")];
        d.hints = vec![hint(&dialect)];
    }
    error
}

#[cfg(test)]
mod tests {
    use halyard_diag::Error;

    #[test]
    fn unknown_dialects_are_explained() {
        let error = super::explain(
            Error::input("Dialect `torch' not found for custom op 'torch.aten.relu' ").note("long"),
            "func",
        );
        assert_eq!(
            error.to_string(),
            "operation `torch.aten.relu` is not supported: the dialect `torch` is not part of MLIR"
        );
        assert_eq!(error.diagnostics[0].notes, ["`hal-import` takes the dialects func"]);
        assert!(error.diagnostics[0].hints[0].contains("torch-mlir-opt"));
    }
}
