//! Kernels that a schedule or patterns bring along: declarations beside the sequences, with `hal.*` attributes.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{ExternalCount, ExternalKernel},
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

/// The function that counts the workgroups of a kernel, if one does.
fn counts_by(given: ExternalKernel) -> Option<String> {
    match given.count() {
        Ok(ExternalCount::Function(name)) => Some(name),
        _ => None,
    }
}

impl Brought {
    /// Copies the declarations of `file` into `module`, where it has not got them. Errors: it has another one of that name.
    pub(super) fn into(session: &Session, module: Op, file: Op) -> Result<Self> {
        let mut brought = Self::default();
        let Some(body) = module.body() else { return Ok(brought) };
        let there = body.ops();
        let own = file.body().map(|b| b.ops()).unwrap_or_default();
        let is_given =
            |op: &Op| op.is("func.func") && op.discardable_attrs().iter().any(|(n, _)| n.starts_with("hal."));
        // With a kernel comes the function that counts its workgroups.
        let counts: Vec<String> = own.iter().filter_map(|op| ExternalKernel::view(*op)).filter_map(counts_by).collect();
        let counts = |op: &Op| op.is("func.func") && op.symbol().is_some_and(|name| counts.contains(&name));
        for kernel in own.into_iter().filter(|op| is_given(op) || counts(op)) {
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
                    let error = match session.span(kernel) {
                        Some(span) => error.at(span),
                        None => error,
                    };
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
    pub(super) fn tidy(self, module: Op) {
        let mut used = BTreeSet::new();
        module.walk(&mut |op| {
            if op.is("func.call") {
                used.extend(op.attr("callee").and_then(Attr::as_symbol).and_then(|mut s| s.pop()));
            }
        });
        let called = |op: &&Op| op.symbol().is_some_and(|name| used.contains(&name));
        let counts: Vec<String> =
            self.added.iter().filter(called).filter_map(|op| ExternalKernel::view(*op)).filter_map(counts_by).collect();
        used.extend(counts);
        for op in self.added {
            if !op.symbol().is_some_and(|name| used.contains(&name)) {
                op.erase();
            }
        }
    }
}
