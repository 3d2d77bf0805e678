//! Stages that are PDL patterns, applied greedily to the module.
use super::{
    file::{FileStage, MlirFile},
    kernels::Brought,
    matchers::Watched,
    pattern_root::root_of,
    pdl_mismatch::PdlMismatch,
    report::{Finding, Matching, Miss, describe, tell},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, MARK, Op, PDL_NATIVES, Session, Type};
use std::collections::BTreeSet;

/// Patterns that are known to parse.
#[derive(Debug)]
pub(crate) struct Patterns {
    pub(super) file: MlirFile,
}

fn patterns(root: Op) -> Vec<Op> {
    let mut found = Vec::new();
    root.walk(&mut |op| {
        if op.is("pdl.pattern") {
            found.push(op);
        }
    });
    found
}

impl Patterns {
    /// Checks what MLIR would not survive or not say: native functions that nobody provides. Errors: that, and an
    /// unknown name.
    pub(super) fn check(session: &Session, root: Op, stage: FileStage, bytes: Vec<u8>) -> Result<Self> {
        let all = patterns(root);
        let known: Vec<String> = all.iter().filter_map(|p| p.symbol()).collect();
        stage.check_pick("pattern", &known)?;
        stage.refuse_parameters("patterns take none")?;
        for pattern in all {
            let mut natives = Vec::new();
            pattern.walk(&mut |op| {
                let apply = op.is("pdl.apply_native_constraint") || op.is("pdl.apply_native_rewrite");
                natives.extend((apply || op.is("pdl.rewrite") && op.has_attr("name")).then_some(op));
            });
            for op in natives {
                check_native(op).map_err(|error| error.at(session.span(op)))?;
            }
        }
        Ok(Self { file: MlirFile::new(stage, bytes) })
    }

    /// Applies them to a module. Errors: what MLIR says; patterns that never come to an end; a result that does not
    /// verify; nothing that matches, if there must be something.
    pub(super) fn run(&self, session: &Session, module: Op, how: Matching) -> Result<()> {
        let parsed = self.file.parse(session)?;
        let root = Op::from(&parsed);
        session.load_dialects(&["func"]);
        let brought = Brought::into(session, module, root)?;
        // Only patterns may stand in the module that MLIR compiles.
        for op in root.body_ops() {
            if !op.is("pdl.pattern") && !op.is("builtin.module") {
                op.erase();
            }
        }
        let mut all = patterns(root);
        if let Some(name) = &self.file.pick {
            let (keep, drop): (Vec<_>, Vec<_>) = all.into_iter().partition(|p| p.symbol().as_deref() == Some(name));
            drop.into_iter().for_each(Op::erase);
            all = keep;
        }
        let names: Vec<String> = all
            .iter()
            .enumerate()
            .map(|(i, p)| p.symbol().map_or_else(|| format!("pattern {}", i + 1), |s| format!("@{s}")))
            .collect();
        // The explanations need the patterns as they were written.
        let written: Vec<Op> = all.iter().map(|p| p.duplicate()).collect();
        for (i, pattern) in all.iter().enumerate() {
            mark(*pattern, i);
        }
        let watched = Watched::watch(module);
        let (result, marks) = session.apply_patterns(module, root);
        let findings = result.map(|()| {
            let mut seen = BTreeSet::new();
            let mut findings = Vec::new();
            for m in &marks {
                let Some((&op, number)) = m.op.and_then(|n| Some((watched.ops.get(n)?, n))) else { continue };
                let Ok(pattern) = m.text.parse::<usize>() else { continue };
                if seen.insert(number) {
                    findings.push(Finding {
                        by: names[pattern].clone(),
                        op: describe(op),
                        at: session.span(op),
                        miss: None,
                    });
                }
            }
            for (number, &op) in watched.ops.iter().enumerate().filter(|(n, _)| !seen.contains(n)) {
                for (name, pattern) in names.iter().zip(&written) {
                    let Some(e) = PdlMismatch::of(op, *pattern) else { continue };
                    debug_assert!(!seen.contains(&number));
                    let miss = Some(Miss { why: e.why, at: session.span(e.at) });
                    findings.push(Finding { by: name.clone(), op: describe(op), at: session.span(op), miss });
                }
            }
            findings
        });
        written.into_iter().for_each(Op::erase);
        watched.done();
        let findings = findings.map_err(|mut e| {
            if let Some(first) = e.diagnostics.first_mut() {
                first.message = format!("`{}` failed: {}", self.file.text, first.message);
                first.code = Some("patterns-failed");
            }
            e
        })?;
        brought.tidy(module);
        self.file.verify_result(session, module)?;
        tell(session, &self.file.text, &names, findings, how)
    }
}

/// Checks an operation that applies a native function. Errors: there is none of that name, or it takes something else.
fn check_native(op: Op) -> Result<()> {
    let name = op.attr("name").and_then(Attr::as_string).unwrap_or_default();
    let bad = |why: String| Error::input(why).code("bad-pattern");
    let rewrites = !op.is("pdl.apply_native_constraint");
    // The first operand of a rewrite by name is its root.
    let found = PDL_NATIVES.iter().find(|n| n.name == name && !op.is("pdl.rewrite"));
    let Some(native) = found else {
        let list: Vec<String> = PDL_NATIVES.iter().map(|n| format!("`{}`", n.name)).collect();
        let error =
            bad(format!("native function `{name}` is not available")).note(format!("there are {}", list.join(", ")));
        return Err(match halyard_diag::nearest(&name, PDL_NATIVES.iter().map(|n| n.name)).first() {
            _ if name == "rewriteAsFlowDispatch" => error.hint(
                "make a `func.call` of a kernel that the file declares, and `pdl.replace` the operation with it: docs/iree.md",
            ),
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error.hint("write the condition or the rewrite in PDL, or use an example (`hal.replaced_by`) or a transform script"),
        });
    };
    if native.rewrites != rewrites {
        let is = if native.rewrites { "a rewrite" } else { "a constraint" };
        return Err(bad(format!("native function `{name}` is {is}: {}", native.what)));
    }
    let takes: Vec<String> = op.operands().into_iter().map(|v| v.ty().to_string()).collect();
    if takes == native.takes && op.result_count() == 0 {
        return Ok(());
    }
    Err(bad(format!(
        "native function `{name}` takes ({}) and gives nothing; here it takes ({})",
        native.takes.join(", "),
        takes.join(", ")
    ))
    .note(format!("it is a condition or a change: {}", native.what)))
}

/// Lets a pattern say that it matches, first thing when it rewrites.
fn mark(pattern: Op, number: usize) {
    let Some(root) = root_of(pattern) else { return };
    let rewrite = pattern.body().and_then(|b| b.ops().into_iter().find(|op| op.is("pdl.rewrite")));
    let Some(first) = rewrite.and_then(|r| r.body()).and_then(|b| b.ops().into_iter().next()) else { return };
    let at = Builder::before(first);
    let context = at.context();
    let attribute = Type::parse(context, "!pdl.attribute").expect("a type of the PDL dialect");
    let text = at.value("pdl.attribute", &[], attribute, &[("value", Attr::string(context, &number.to_string()))]);
    let name = Attr::string(context, MARK.trim());
    at.op("pdl.apply_native_rewrite", &[root.result(0), text], &[], &[("name", name)]);
}
