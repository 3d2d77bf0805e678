//! Hints for dialects of other projects.
use halyard_diag::Error;

/// Dialects that people have, and how a model in them comes in.
const KNOWN: &[(&str, &str)] = &[
    ("stablehlo", STABLEHLO),
    ("chlo", STABLEHLO),
    ("vhlo", STABLEHLO),
    ("mhlo", "export the model as StableHLO, which `--plugin=stablehlo` brings in"),
    ("torch", TORCH),
    ("torch_c", TORCH),
    ("tm_tensor", "`--plugin=stablehlo` brings it in, also without jaxlib"),
    ("tf", TENSORFLOW),
    ("tf_executor", TENSORFLOW),
    ("tfl", "`python -m tf2onnx.convert --tflite FILE --output m.onnx` makes an ONNX model of the .tflite file"),
    ("onnx", "give the model itself: `hal-import` reads ONNX files"),
    ("flow", IREE),
    ("util", IREE),
    ("iree_input", IREE),
];
const STABLEHLO: &str =
    "`--plugin=stablehlo` brings it in; `hal-import --plugin=stablehlo --help` and docs/frontends.md say how";
const TORCH: &str = "export it as StableHLO, `torch_mlir.fx.export_and_import(…, output_type=\"stablehlo\")`, which `--plugin=stablehlo` brings in";
const TENSORFLOW: &str = "`python -m tf2onnx.convert --saved-model FOLDER --output m.onnx` makes an ONNX model of it";
const IREE: &str = "give the model before IREE: `iree-compile --compile-to=input`";

/// Returns a hint for a dialect that `hal-import` does not support.
pub(super) fn hint(dialect: &str) -> String {
    match KNOWN.iter().find(|(name, _)| *name == dialect) {
        Some((_, way)) => (*way).to_owned(),
        None => "lower it first, with `hal-opt` (a dialect of your own: `--load-dialect-plugin`), or a tool of the framework that made it".into(),
    }
}

/// Rewrites the error for an unknown dialect. MLIR's parser stops there and lists all dialects that it was linked
/// with.
pub(super) fn explain(mut error: Error, supported: &str) -> Error {
    for d in &mut error.diagnostics {
        if let Some(dialect) = of_bytecode(&d.message) {
            d.hints = vec![hint(&dialect)];
            d.notes = vec![format!("`hal-import` takes the dialects {supported}")];
            d.message = format!("the input is bytecode of the dialect `{dialect}`, which is not part of MLIR");
            d.code = Some("unsupported");
            continue;
        }
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

/// The dialect whose bytecode MLIR cannot read.
fn of_bytecode(message: &str) -> Option<String> {
    let (before, _) = message.split_once("' does not implement the bytecode interface")?;
    Some(before.rsplit_once("dialect '")?.1.to_owned())
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
        assert!(error.diagnostics[0].hints[0].contains("--plugin=stablehlo"));
    }

    #[test]
    fn bytecode_of_unknown_dialects_is_explained() {
        let error = Error::input("dialect 'vhlo' does not implement the bytecode interface, found version 1");
        let error = super::explain(error, "func");
        assert_eq!(error.to_string(), "the input is bytecode of the dialect `vhlo`, which is not part of MLIR");
        assert!(error.diagnostics[0].hints[0].contains("--plugin=stablehlo"));
    }
}
