//! Attempts to import a model, and a second time if the first attempt shows what is missing.
use super::super::{
    Context, OnnxOptions,
    inputs::{self},
    load::Loader,
    names::{declared_ranks, declared_shapes},
    proto::{Graph, Model, ValueInfo},
    report::Report,
};
use super::{
    Importer, Signature, domain, import, interface, opsets, rules, stored,
    trial::{self, Attempt},
};
use halyard_diag::{Error, Result};
use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

/// Imports a model with choices between branches.
pub(super) fn attempt(
    model: &Model,
    file: &str,
    folder: &Path,
    options: &OnnxOptions,
    choices: &trial::Choices,
) -> Result<Attempt> {
    let wrong = |what: &str| Error::input(format!("the ONNX model {what}")).in_file(file).code("bad-onnx");
    let Some(graph) = &model.graph else {
        return Err(wrong("has no graph"));
    };
    let opsets = opsets(&model.opset_import);
    if model.opset_import.is_empty() && model.ir_version.unwrap_or(0) >= 3 {
        return Err(wrong("does not say which operator sets it uses"));
    }
    if let Some(name) = repeated_name(graph) {
        return Err(wrong(&format!("has two values with the name `{name}`")));
    }
    let functions = model
        .functions
        .iter()
        .map(|f| {
            (
                (
                    domain(f.domain.as_deref()),
                    f.name.clone().unwrap_or_default(),
                    f.overload.clone().unwrap_or_default(),
                ),
                f,
            )
        })
        .collect();
    let entering = || {
        let stored = stored(graph);
        graph.input.iter().filter(move |i| !stored.contains(i.name()))
    };
    let shapes = inputs::shapes(&options.shapes, entering().map(ValueInfo::name))?;
    let specs = entering().filter_map(|i| interface::spec(i, &shapes)).collect();
    let mut values = inputs::values(&options.values, file, specs)?;
    if let Some(files) = &options.weights {
        let named = entering().filter(|i| files.has(i.name())).filter_map(|i| interface::spec(i, &shapes));
        inputs::weights(files, file, named, &mut values)?;
    }
    let mut importer = Importer {
        c: Context::new(Loader::new(folder, options.weights.clone()), options),
        functions,
        report: Report::default(),
        depth: 0,
        declared: declared_shapes(graph),
        ranks: declared_ranks(graph),
        parameters: HashMap::new(),
        input_symbols: 0,
        rules: rules::Rules::new(&options.sizes),
        choices: choices.clone(),
        undecided: Vec::new(),
        attributes: Vec::new(),
        shapes,
        values,
    };
    importer.c.of_pytorch = model.producer_name.as_deref() == Some("pytorch");
    let text = importer.main(graph, &opsets);
    importer.rules.check(file)?;
    let open = std::mem::take(&mut importer.undecided);
    let problems =
        importer.report.count().saturating_sub(open.len()) + if choices.is_empty() { 0 } else { text.misfits };
    if !importer.report.is_empty() {
        let sizes = importer.rules.all_fixed(TRIAL);
        return Ok(Attempt { module: Err(importer.report.into_error(file)), sizes, open, problems });
    }
    let signature = text;
    let (globals, body, locations, weights) = importer.c.finish();
    let name: String = graph
        .name
        .as_deref()
        .unwrap_or_default()
        .chars()
        .map(|c| if c.is_ascii_alphanumeric() { c } else { '_' })
        .collect();
    let name =
        if name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { name } else { format!("model_{name}") };
    let Signature { arguments, results, returns, .. } = signature;
    let text = format!(
        "module @{name} {{\n{globals}  func.func @main({arguments}) -> ({results}) {{\n{body}    {returns}\n  }}\n}}\n{locations}"
    );
    Ok(Attempt { module: Ok((text, weights)), sizes: Vec::new(), open, problems })
}

/// The size that all sizes are tried with where a model is refused.
const TRIAL: i64 = 8;

pub(super) fn is_unsupported(error: &Error) -> bool {
    error.diagnostics.iter().any(|d| d.code == Some("onnx-unsupported"))
}

/// The error, with the advice to fix sizes where that leaves nothing that is not supported.
pub(super) fn advised(
    error: Error,
    model: &Model,
    file: &str,
    folder: &Path,
    options: &OnnxOptions,
    open: Vec<crate::sizes::DimRule>,
) -> Error {
    let flags: Vec<_> = open.iter().take(4).map(|rule| format!("--dim {}=SIZE", rule.name)).collect();
    let mut fixed = options.clone();
    fixed.sizes.dims.extend(open);
    match import(model, file, folder, &fixed) {
        Err(other) if is_unsupported(&other) => error,
        _ => error.hint(format!("it is taken with fixed sizes, as by `{}`", flags.join(" "))),
    }
}

/// The name of two inputs, or of a result of a node and an input or another result.
fn repeated_name(graph: &Graph) -> Option<&str> {
    let mut seen = HashSet::new();
    let results = graph.node.iter().flat_map(|node| node.output.iter().map(String::as_str));
    graph.input.iter().map(ValueInfo::name).chain(results).find(|name| !name.is_empty() && !seen.insert(*name))
}
