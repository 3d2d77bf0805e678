//! Stages that are examples: functions that say what to look for, each with the function that takes its place.
//!
//! ```text
//! func.func private @product(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> attributes {hal.replaced_by = @call} { … }
//! func.func private @call(%a: tensor<?xf32>, %b: tensor<?xf32>) -> tensor<?xf32> { … }
//! ```
//! The operations that feed the example's result, back to its arguments, are looked for in the module: see
//! [`Example`]. The body of the other function, or a call of it if it is a kernel, is put in their place.
use super::{
    example_match::{Example, Found, castable},
    file::{FileStage, MlirFile},
    kernels::Brought,
    report::{Finding, Matching, Miss, describe, tell},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Op, Session, Type, Value, names};
use std::collections::HashMap;

/// Examples that are known to fit what replaces them.
#[derive(Debug)]
pub(crate) struct Examples {
    pub(super) file: MlirFile,
}

/// The functions of a file that are examples.
pub(super) fn examples(root: Op) -> Vec<Op> {
    let ops = root.body_ops();
    ops.into_iter().filter(|op| op.is("func.func") && op.has_attr(names::REPLACED_BY)).collect()
}

impl Examples {
    /// Checks examples and replacements. Errors: an unknown name; an example without a root; a replacement that is
    /// missing, or has another type.
    pub(super) fn check(session: &Session, root: Op, stage: FileStage, bytes: Vec<u8>) -> Result<Self> {
        let all = examples(root);
        let known: Vec<String> = all.iter().filter_map(|p| p.symbol()).collect();
        stage.check_pick("example", &known)?;
        stage.refuse_parameters("examples take none")?;
        for example in all {
            let checked = Example::of(example).and_then(|e| fits(root, &e));
            checked.map_err(|why| {
                let text = format!("example `@{}` {why}", example.symbol().unwrap_or_default());
                let error = Error::input(text).code("bad-example");
                error.at(session.span(example))
            })?;
        }
        Ok(Self { file: MlirFile::new(stage, bytes) })
    }

    /// Replaces what matches in a module. Errors: a result that does not verify; nothing that matches, if there must be
    /// something.
    pub(super) fn run(&self, session: &Session, module: Op, how: Matching) -> Result<()> {
        let parsed = self.file.parse(session)?;
        let root = Op::from(&parsed);
        session.load_dialects(&["func", "tensor"]);
        let chosen = |op: &Op| self.file.pick.as_ref().is_none_or(|name| op.symbol().as_ref() == Some(name));
        let list: Vec<Example> =
            examples(root).into_iter().filter(chosen).filter_map(|op| Example::of(op).ok()).collect();
        let names: Vec<String> = list.iter().map(|e| format!("@{}", e.name())).collect();
        // Before the file's own functions come in.
        let mut candidates = Vec::new();
        module.walk(&mut |op| candidates.extend(list.iter().any(|e| op.is(&e.root().name())).then_some(op)));
        let brought = Brought::into(session, module, root)?;
        let mut findings = Vec::new();
        // The last first: what feeds a match is taken before it is looked at by itself.
        while let Some(op) = candidates.pop() {
            let mut misses = Vec::new();
            let found = list.iter().zip(&names).find_map(|(example, name)| match example.matches(op) {
                Ok(found) => Some((example, name, found)),
                Err(_) if !op.is(&example.root().name()) => None,
                Err(miss) => {
                    misses.push((name, miss));
                    None
                }
            });
            let mut finding = |by: &String, miss| {
                findings.push(Finding { by: by.clone(), op: describe(op), at: session.span(op), miss });
            };
            match found {
                Some((example, name, found)) => {
                    finding(name, None);
                    replace(root, example, &found);
                    erase(&found, &mut candidates);
                }
                None => misses.into_iter().for_each(|(name, miss)| {
                    finding(name, Some(Miss { why: miss.why, at: session.span(miss.at) }));
                }),
            }
        }
        findings.reverse();
        brought.tidy(module);
        self.file.verify_result(session, module)?;
        tell(session, &self.file.text, &names, findings, how)
    }
}

/// The function that replaces an example.
fn replacement(root: Op, example: &Example) -> Option<Op> {
    let name = example.op().attr(names::REPLACED_BY)?.leaf_symbol()?;
    let ops = root.body_ops();
    ops.into_iter().find(|op| op.is("func.func") && op.symbol().as_ref() == Some(&name))
}

/// Errors, in words that follow "example `@name`": no such function, or it does not take and return the same.
fn fits(root: Op, example: &Example) -> std::result::Result<(), String> {
    let attr = example.op().attr(names::REPLACED_BY).expect("it is one");
    let other = replacement(root, example)
        .ok_or_else(|| format!("is replaced by `{attr}`, which is no function of the file"))?;
    let ty = |op: Op| op.attr("function_type").and_then(Attr::as_type).expect("functions have a type");
    let (own, other) = (ty(example.op()), ty(other));
    let alike = |a: &[Type], b: &[Type]| a.len() == b.len() && a.iter().zip(b).all(|(a, b)| castable(*a, *b));
    if alike(&own.inputs(), &other.inputs()) && alike(&own.results(), &other.results()) {
        return Ok(());
    }
    Err(format!("has type `{own}`, and is replaced by `{attr}` of type `{other}`"))
}

fn cast(at: &Builder, value: Value, to: Type) -> Value {
    if value.ty() == to { value } else { at.value("tensor.cast", &[value], to, &[]) }
}

/// Computes the results of a match as the replacement does.
fn replace(root: Op, example: &Example, found: &Found) {
    let function = replacement(root, example).expect("it was checked");
    let ty = function.attr("function_type").and_then(Attr::as_type).expect("functions have a type");
    let at = Builder::before(found.root);
    let inputs: Vec<Value> = found.inputs.iter().zip(ty.inputs()).map(|(v, ty)| cast(&at, *v, ty)).collect();
    let results: Vec<Value> = match function.body() {
        None => {
            let callee = Attr::symbol(at.context(), &function.symbol().unwrap_or_default());
            at.op("func.call", &inputs, &ty.results(), &[("callee", callee)]).results()
        }
        Some(body) => {
            let mut values: HashMap<Value, Value> = body.args().into_iter().zip(inputs).collect();
            let ops = body.ops();
            let (last, ops) = ops.split_last().expect("functions have a terminator");
            for op in ops {
                let copy = at.insert(op.duplicate());
                copy.walk(&mut |inner| {
                    for (i, operand) in inner.operands().into_iter().enumerate() {
                        if let Some(value) = values.get(&operand) {
                            inner.set_operand(i, *value);
                        }
                    }
                });
                values.extend(op.results().into_iter().zip(copy.results()));
            }
            last.operands().into_iter().map(|v| values.get(&v).copied().unwrap_or(v)).collect()
        }
    };
    for (old, new) in found.results.iter().zip(results) {
        let new = cast(&at, new, old.ty());
        old.replace_all_uses(new);
    }
}

/// Erases what a match computed and nobody needs any more, and takes it out of a list.
fn erase(found: &Found, candidates: &mut Vec<Op>) {
    let mut ops = found.ops.clone();
    loop {
        let dead = |op: &Op| !op.results().into_iter().any(Value::has_uses) && computes_only(*op);
        let Some(at) = ops.iter().position(dead) else { return };
        let op = ops.remove(at);
        candidates.retain(|c| *c != op);
        op.erase();
    }
}

/// Whether an operation on tensors and numbers does nothing but give its results.
fn computes_only(op: Op) -> bool {
    let name = op.name();
    let dialect = name.split('.').next().unwrap_or_default();
    matches!(dialect, "arith" | "linalg" | "math" | "tensor" | "complex" | "tosa")
}
