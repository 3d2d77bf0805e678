//! `--onnx-op`: functions in an MLIR file that implement operators of ONNX models.
use crate::{
    frontend::parse_mlir,
    onnx::{Foreign, ForeignArgument, Shaped},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Module, Op, Session, Type, names};
use std::collections::BTreeMap;

/// The attribute of an argument that receives an attribute of the node, and its default.
const ATTRIBUTE: &str = "hal.onnx_attribute";
const DEFAULT: &str = "hal.onnx_default";

/// Files with functions for operators, and which these are.
pub(crate) struct OnnxOps<'s> {
    files: BTreeMap<String, Module<'s>>,
    pub(crate) functions: Vec<Foreign>,
}

impl<'s> OnnxOps<'s> {
    /// Reads `DOMAIN::NAME=FUNCTION@FILE`. Errors: a form, a file, a function or a type that is not right.
    pub(crate) fn read(session: &'s Session, words: &[String]) -> Result<Self> {
        let mut ops = Self { files: BTreeMap::new(), functions: Vec::new() };
        for word in words {
            let wrong = |what: String| {
                Error::usage(format!("`--onnx-op={word}`: {what}"))
                    .hint("as in `--onnx-op=com.example::Scale=scale@ops.mlir`, with `func.func private @scale(…)` in `ops.mlir`")
            };
            let parts =
                word.split_once('=').and_then(|(op, rest)| Some((op.rsplit_once("::")?, rest.split_once('@')?)));
            let Some(((domain, op), (symbol, file))) = parts else {
                return Err(wrong("it has not the form DOMAIN::NAME=FUNCTION@FILE".into()));
            };
            if op.is_empty() || symbol.is_empty() || file.is_empty() {
                return Err(wrong("the operator, the function or the file is missing".into()));
            }
            if !ops.files.contains_key(file) {
                let bytes = std::fs::read(file).map_err(|e| wrong(format!("cannot read `{file}`: {e}")))?;
                ops.files.insert(file.to_owned(), parse_mlir(session, &bytes, file)?);
            }
            let functions: Vec<_> = functions(&ops.files[file]);
            let Some(function) = functions.iter().find(|f| f.symbol().as_deref() == Some(symbol)) else {
                let known: Vec<_> = functions.iter().filter_map(|f| f.symbol()).map(|s| format!("`@{s}`")).collect();
                let known = if known.is_empty() { "no function".into() } else { known.join(", ") };
                return Err(wrong(format!("`{file}` has no function `@{symbol}`; it has {known}")));
            };
            if symbol == "main" || symbol.starts_with("check_") {
                return Err(wrong(format!("`@{symbol}` is a name of the program; take another one")));
            }
            let domain = if domain == "ai.onnx" { "" } else { domain };
            ops.functions.push(foreign(*function, domain, op).map_err(wrong)?);
        }
        Ok(ops)
    }

    /// Replaces the declarations in a program that calls the functions; functions that are not called are omitted.
    /// Errors: an operator that no node of the model is, two functions of one name.
    pub(crate) fn add_to(self, session: &Session, module: &Module<'_>) -> Result<()> {
        let body = Op::from(module).body().expect("a module has a body");
        let declared: Vec<_> = body.ops().into_iter().filter(|op| op.is("func.func") && op.body().is_none()).collect();
        let named = |symbol: &str| declared.iter().find(|op| op.symbol().as_deref() == Some(symbol)).copied();
        for function in &self.functions {
            let others = |f: &&Foreign| f.domain == function.domain && f.op == function.op;
            if !self.functions.iter().filter(others).any(|f| named(&f.symbol).is_some()) {
                let domain = if function.domain.is_empty() { "ai.onnx" } else { &function.domain };
                return Err(Error::usage(format!(
                    "`--onnx-op={domain}::{}=…`: no node of the model is that",
                    function.op
                )));
            }
        }
        let called: Vec<_> = self.functions.iter().filter_map(|f| named(&f.symbol)).collect();
        let mut seen: Vec<String> =
            body.ops().iter().filter(|op| !called.contains(op)).filter_map(|op| op.symbol()).collect();
        let mut done = Vec::new();
        for op in called {
            if !done.contains(&op) {
                done.push(op);
                op.erase();
            }
        }
        for (file, own) in &self.files {
            for op in Op::from(own).body_ops() {
                if let Some(symbol) = op.symbol() {
                    if seen.contains(&symbol) {
                        return Err(Error::usage(format!("`{file}`: there are two definitions of `@{symbol}`"))
                            .hint("rename one of them"));
                    }
                    seen.push(symbol);
                }
                if op.is("func.func") {
                    op.set_attr("sym_visibility", Attr::string(op.context(), "private"));
                    strip(op);
                }
                op.detach();
                body.append(op);
            }
        }
        session.run_pipeline(module, "builtin.module(symbol-dce)")
    }
}

fn functions(module: &Module<'_>) -> Vec<Op> {
    let ops = Op::from(module).body_ops();
    ops.into_iter().filter(|op| op.is("func.func")).collect()
}

/// The attributes of arguments or results.
fn dictionaries(function: Op, name: &str, count: usize) -> Vec<Option<Attr>> {
    let list = function.attr(name).and_then(Attr::as_array).unwrap_or_default();
    (0..count).map(|i| list.get(i).copied()).collect()
}

/// Removes attributes that only the import needs.
fn strip(function: Op) {
    let Some(list) = function.attr("arg_attrs").and_then(Attr::as_array) else { return };
    let context = function.context();
    let rest = |attr: &Attr| {
        let all = attr.as_dict().unwrap_or_default();
        let kept: Vec<_> =
            all.iter().filter(|(n, _)| n != ATTRIBUTE && n != DEFAULT).map(|(n, a)| (n.as_str(), *a)).collect();
        Attr::dict(context, &kept)
    };
    let list: Vec<_> = list.iter().map(rest).collect();
    function.set_attr("arg_attrs", Attr::array(context, &list));
}

fn foreign(function: Op, domain: &str, op: &str) -> std::result::Result<Foreign, String> {
    let ty = function.attr("function_type").and_then(Attr::as_type).ok_or("it is no function")?;
    let (inputs, outputs) = (ty.inputs(), ty.results());
    let of_arguments = dictionaries(function, "arg_attrs", inputs.len());
    let of_results = dictionaries(function, "res_attrs", outputs.len());
    let get = |attrs: &Option<Attr>, name: &str| attrs.and_then(|a| a.get(name));
    let argument = |(i, (ty, attrs)): (usize, (&Type, &Option<Attr>))| {
        let attribute = get(attrs, ATTRIBUTE).and_then(Attr::as_string);
        let default = get(attrs, DEFAULT).and_then(|a| a.as_float().or_else(|| a.as_int().map(|i| i as f64)));
        let ty = shaped(*ty, get(attrs, names::UNSIGNED).is_some()).map_err(|e| format!("argument {i} {e}"))?;
        if ty.shape.is_none() && attribute.is_none() {
            return Err(format!(
                "argument {i} is a number, which stands for an attribute: say which by `{ATTRIBUTE} = \"…\"`"
            ));
        }
        if attribute.is_some() && ty.shape.as_ref().is_some_and(|s| s.len() != 1) {
            return Err(format!("argument {i} stands for an attribute, which is a number or a list"));
        }
        Ok(ForeignArgument { ty, attribute, default })
    };
    let result = |(i, (ty, attrs)): (usize, (&Type, &Option<Attr>))| {
        let ty = shaped(*ty, get(attrs, names::UNSIGNED).is_some()).map_err(|e| format!("result {i} {e}"))?;
        if ty.shape.is_some() {
            Ok(ty)
        } else {
            Err(format!("result {i} is a number; ONNX has tensors, such as `tensor<f32>`"))
        }
    };
    Ok(Foreign {
        domain: domain.to_owned(),
        op: op.to_owned(),
        symbol: function.symbol().unwrap_or_default(),
        arguments: inputs.iter().zip(&of_arguments).enumerate().map(argument).collect::<std::result::Result<_, _>>()?,
        results: outputs.iter().zip(&of_results).enumerate().map(result).collect::<std::result::Result<_, _>>()?,
    })
}

fn shaped(ty: Type, unsigned: bool) -> std::result::Result<Shaped, String> {
    let tensor = ty.is_ranked_tensor() && !ty.has_encoding();
    let element = if tensor { ty.element() } else { ty };
    let name = element.to_string();
    let numbers = ["f32", "f64", "f16", "bf16", "i1", "i8", "i16", "i32", "i64"];
    if !numbers.contains(&name.as_str()) && (tensor || name != "index") {
        return Err(format!("is of type `{ty}`, which ONNX does not have"));
    }
    Ok(Shaped { element: name, unsigned, shape: tensor.then(|| ty.shape()) })
}
