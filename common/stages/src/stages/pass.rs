//! Stages that are passes: one pass with its nesting each.
use super::reading::Reading;
use crate::{
    grammar::{PipelineElement, names_file},
    steps,
    suggest::nearest_pass,
};
use halyard_diag::{Diagnostic, Error, ErrorKind, Result, Source, Span};
use halyard_ir::{Op, PipelineOptions, Session};
use std::{ops::Range, sync::Arc};

/// One pass with the way from the module to the operations that it runs on.
#[derive(Debug)]
pub(crate) struct Pass {
    /// The kinds of operations below the module, outermost first; empty for the module itself.
    path: Vec<String>,
    /// Name and options, as MLIR reads them.
    pass: String,
    /// The options and where they stand.
    options: Vec<(String, Range<usize>)>,
    /// The place in the command line.
    span: Span,
}

impl Pass {
    /// The pipeline with this pass only, anchored at the module.
    fn pipeline(&self) -> String {
        let mut text = self.pass.clone();
        for op in self.path.iter().rev() {
            text = format!("{op}({text})");
        }
        format!("builtin.module({text})")
    }
}

impl Pass {
    /// Takes a list of passes or a pipeline. Errors: unknown passes (all of them), unknown options, a pass nested under a
    /// kind of operation that it does not run on.
    pub(super) fn collect(
        session: &Session,
        reading: &Reading<'_>,
        mut elements: Vec<PipelineElement>,
    ) -> Result<Vec<Self>> {
        let source = reading.source;
        let anchored =
            matches!(&*elements, [PipelineElement::Nested { op, .. }] if op == "builtin.module" || op == "any");
        if anchored && let Some(PipelineElement::Nested { elements: inner, .. }) = elements.pop() {
            elements = inner;
        } else if elements.is_empty() {
            return Err(Error::usage(format!("`{}` names no pass", source.name))
                .hint("leave it out, or name a pass: `--list-passes` shows all"));
        }
        let mut steps = Vec::new();
        collect(&elements, source, &mut Vec::new(), &mut steps);
        let unknown: Vec<_> = steps.iter().filter_map(unknown_pass).collect();
        if !unknown.is_empty() {
            return Err(Error { kind: ErrorKind::Usage, diagnostics: unknown });
        }
        if reading.scope.own {
            return Ok(steps);
        }
        for step in &mut steps {
            let mut checked = session.check_pipeline(&step.pipeline());
            // A bare list says what to do, not on what: nest a pass where it belongs, as mlir-opt does for its flags.
            if let Some(op) = checked
                .as_ref()
                .err()
                .filter(|_| !anchored && step.path.is_empty())
                .and_then(|said| restricted_to(said))
            {
                step.path.push(op);
                checked = session.check_pipeline(&step.pipeline());
            }
            if let Err(said) = checked {
                return Err(invalid(step, &said));
            }
        }
        Ok(steps)
    }

    /// What it is called in reports.
    pub(crate) fn name(&self) -> String {
        let pipeline = self.pipeline();
        pipeline["builtin.module(".len()..pipeline.len() - 1].to_owned()
    }

    /// Whether it runs on functions that stand in the module.
    pub(crate) fn is_on_functions(&self) -> bool {
        matches!(self.path.first().map(String::as_str), None | Some("func.func" | "llvm.func" | "any"))
    }

    /// Fails if it would run on nothing, while there is something in the module.
    pub(crate) fn check_nesting(&self, module: Op) -> Result<()> {
        check_nesting(module, self)
    }

    /// Runs it on a module. Errors: a pass that fails; IR that does not verify after it; a nesting that matches no
    /// operation of the module, so that nothing would happen.
    pub(super) fn run(&self, session: &Session, module: Op, options: PipelineOptions) -> Result<()> {
        check_nesting(module, self)?;
        session.run_pipeline_with(module, &self.pipeline(), options)
    }
}

/// Flattens a tree of elements to its passes.
fn collect(elements: &[PipelineElement], source: &Arc<Source>, path: &mut Vec<String>, steps: &mut Vec<Pass>) {
    for element in elements {
        match element {
            PipelineElement::Pass { text, at, options, .. } => steps.push(Pass {
                path: path.clone(),
                pass: text.clone(),
                options: options.clone(),
                span: Span::new(source, at.clone()),
            }),
            PipelineElement::Nested { op, elements, .. } => {
                path.push(op.clone());
                collect(elements, source, path, steps);
                path.pop();
            }
        }
    }
}

fn unknown_pass(step: &Pass) -> Option<Diagnostic> {
    let name = &step.span.source.text[step.span.range.clone()];
    if halyard_ir::is_pass(name) {
        return None;
    }
    let d = Diagnostic::error(format!("unknown pass `{name}`")).code("unknown-pass").at(step.span.clone());
    if names_file(name) {
        return Some(
            d.note("a file is a stage of its own, not a part of a list").hint("use a separate `--stage` for it"),
        );
    }
    if steps::find(name, None).is_some() {
        return Some(d.note("it is a step of a default pipeline").hint("a step cannot be nested in `OP(…)`"));
    }
    if std::path::Path::new(name).is_file() {
        return Some(d.hint(format!("for the file of that name, write `file:{name}`")));
    }
    if let Some(near) = steps::near(name).filter(|_| name.starts_with("hal-")) {
        return Some(d.hint(format!("did you mean the step `{near}`?")));
    }
    Some(match nearest_pass(name) {
        Some(near) => d.hint(format!("did you mean `{near}`?")),
        None => d.hint("`--list-passes` shows all passes"),
    })
}

/// The kind of operation in MLIR's complaint about a pass that is nested wrongly.
fn restricted_to(said: &str) -> Option<String> {
    let rest = said.split_once("restricted to '")?.1;
    Some(rest.split_once('\'')?.0.to_owned())
}

fn invalid(step: &Pass, said: &str) -> Error {
    let pass = &step.span.source.text[step.span.range.clone()];
    if let Some(op) = restricted_to(said) {
        let on = step.path.last().map_or("builtin.module", |op| op);
        return Error::usage(format!("pass `{pass}` runs on `{op}`, not on `{on}`"))
            .code("bad-pipeline")
            .at(step.span.clone())
            .hint(format!("nest it: `{op}({})`", step.pass));
    }
    // What follows `error: ` on the first line; the rest repeats the pipeline with a caret. A wrong value is told before
    // that, by the parser of options.
    let value = said.lines().find_map(|l| l.strip_prefix(": for the "));
    let said = value.or_else(|| said.lines().next()).unwrap_or_default();
    let said = said.split_once("error: ").map_or(said, |(_, why)| why);
    let shown = value.and_then(|v| v.split_once("option: ")).map_or(said, |(_, why)| why);
    let shown = shown.trim_end_matches(['!', '.']).trim_end_matches(" for long argument");
    let why = if shown.is_empty() { String::new() } else { format!(": {shown}") };
    // MLIR names the option that it does not like.
    let words: Vec<&str> = said.split(|c: char| c.is_whitespace() || "'`\"".contains(c)).collect();
    let named = |name: &str| words.iter().any(|w| w.trim_start_matches("--") == name);
    let option =
        step.options.iter().find(|(name, _)| named(name)).map(|(_, at)| Span::new(&step.span.source, at.clone()));
    Error::usage(format!("pass `{}` cannot be set up{why}", step.pass))
        .code("bad-pipeline")
        .at(option.unwrap_or_else(|| step.span.clone()))
        .hint("`--list-passes` shows the options of each pass")
}

/// Fails if a pass would run on nothing, while there is something in the module.
fn check_nesting(module: Op, step: &Pass) -> Result<()> {
    let mut on = vec![module];
    let mut outer = "builtin.module";
    for (level, kind) in step.path.iter().enumerate() {
        let children =
            |op: &Op| op.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.ops()).collect::<Vec<_>>();
        let inside: Vec<Op> = on.iter().flat_map(children).collect();
        on = inside.iter().copied().filter(|op| kind == "any" || op.is(kind)).collect();
        // Nothing to do in an empty module is no mistake.
        if on.is_empty() && (level > 0 || !inside.is_empty()) {
            let error = Error::input(format!(
                "`{}` would do nothing: no `{kind}` stands directly in a `{outer}`",
                step.pipeline()
            ))
            .code("idle-pipeline")
            .at(step.span.clone());
            return Err(match nesting(module, kind, &step.pass) {
                Some(nested) => error.hint(format!("in this input it would be `{nested}`")),
                None => error.note(format!("the input has no `{kind}` at all")),
            });
        }
        outer = kind;
    }
    Ok(())
}

/// The pipeline that runs a pass on the first operation of a kind: `builtin.module(builtin.module(func.func(cse)))`.
fn nesting(module: Op, kind: &str, pass: &str) -> Option<String> {
    let mut first = None;
    module.walk(&mut |op| {
        if first.is_none() && op != module && op.is(kind) {
            first = Some(op);
        }
    });
    let around = std::iter::successors(Some(first?), |op| op.parent());
    Some(around.fold(pass.to_owned(), |text, op| format!("{}({text})", op.name())))
}
