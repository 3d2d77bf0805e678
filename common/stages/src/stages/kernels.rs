//! Functions that a transform script, patterns or examples bring along: kernels, declarations with `hal.*` attributes, and functions
//! with a body around them.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Session,
    form::{ExternalCount, ExternalKernel},
    names,
};
use std::collections::BTreeSet;

/// The declarations of a file that the module got.
#[derive(Debug, Default)]
pub(super) struct Brought {
    added: Vec<Op>,
}

/// What two declarations must share to be one.
fn essence(op: Op) -> Vec<(String, String)> {
    let mut essence: Vec<_> = op.attrs().into_iter().map(|(name, value)| (name, value.to_string())).collect();
    essence.extend(op.body().map(|_| ("body".to_owned(), op.to_string())));
    essence
}

/// The functions that count the workgroups of a kernel, if any do.
fn counts_by(given: ExternalKernel) -> Vec<String> {
    let own = given.targets().unwrap_or_default().into_iter().filter_map(|target| target.workgroups);
    let all = given.count().into_iter().chain(own);
    let name = |count| match count {
        ExternalCount::Function(name) => Some(name),
        ExternalCount::Constant(_) => None,
    };
    all.filter_map(name).collect()
}

impl Brought {
    /// Copies the declarations of `file` into `module`, where it has not got them. Errors: it has another one of that name.
    pub(super) fn into(session: &Session, module: Op, file: Op) -> Result<Self> {
        let mut brought = Self::default();
        let Some(body) = module.body() else { return Ok(brought) };
        let there = body.ops();
        let own = file.body_ops();
        let is_given =
            |op: &Op| op.is("func.func") && op.discardable_attrs().iter().any(|(n, _)| n.starts_with("hal."));
        // A function with a body, too, may be called: around a kernel, or to count its workgroups.
        let has_body = |op: &Op| op.is("func.func") && op.body().is_some();
        let is_example = |op: &Op| op.has_attr(names::REPLACED_BY);
        for kernel in own.into_iter().filter(|op| (is_given(op) || has_body(op)) && !is_example(op)) {
            let name = kernel.symbol().unwrap_or_default();
            match there.iter().find(|op| op.symbol().as_deref() == Some(&*name)) {
                None => {
                    let copy = kernel.duplicate();
                    match there.first() {
                        Some(first) => body.insert_before(*first, copy),
                        None => body.append(copy),
                    };
                    brought.added.push(copy);
                }
                Some(other) if essence(*other) == essence(kernel) => {}
                Some(other) => {
                    let error = Error::input(format!("the module has another `@{name}` than the stage's file"))
                        .code("duplicate-kernel");
                    let error = error.at(session.span(kernel));
                    return Err(match session.span(*other) {
                        Some(span) => {
                            let mut error = error;
                            if let Some(last) = error.diagnostics.pop() {
                                error.diagnostics.push(last.label(span, "the other one"));
                            }
                            error
                        }
                        None => error,
                    }
                    .hint("rename one of them"));
                }
            }
        }
        Ok(brought)
    }

    /// Takes away again what nothing calls.
    pub(super) fn tidy(mut self, module: Op) {
        loop {
            let mut used = BTreeSet::new();
            module.walk(&mut |op| {
                if op.is("func.call") {
                    used.extend(op.callee());
                }
            });
            let kernels = module.body_ops();
            used.extend(kernels.into_iter().filter_map(ExternalKernel::view).flat_map(counts_by));
            // What only a function calls that goes itself, goes next.
            let (keep, drop): (Vec<Op>, Vec<Op>) =
                self.added.into_iter().partition(|op| op.symbol().is_some_and(|name| used.contains(&name)));
            self.added = keep;
            if drop.is_empty() {
                return;
            }
            drop.into_iter().for_each(Op::erase);
        }
    }
}
