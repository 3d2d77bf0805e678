//! Finds the host functions that a program calls.
use super::{
    Modules,
    modules::{Function, Module},
};
use crate::{
    commands::HostFunction,
    crash::{Label, label},
};
use halyard_diag::{Error, Result, nearest};
use std::{fmt, sync::Arc};

/// A host function of a program, found.
#[derive(Clone)]
pub(crate) struct Bound {
    /// The module's name in messages.
    pub(crate) module: String,
    /// The name in crash reports.
    pub(super) label: Label,
    pub(super) function: Arc<Function>,
}

impl Modules {
    /// Finds the host functions of a program; also returns the libraries that it does not use. Fails if functions are
    /// missing, exist in two modules, or have another version or signature: lists all of them, with their callers.
    pub(crate) fn bind(&self, functions: &[HostFunction]) -> Result<(Vec<Bound>, Vec<String>)> {
        let mut bound = Vec::new();
        let mut problems: Vec<Error> = Vec::new();
        let mut used = vec![false; self.list.len()];
        for called in functions {
            match self.find(called, &mut used) {
                Ok(found) => bound.push(found),
                Err(e) => problems.push(e),
            }
        }
        let Some(mut first) = problems.pop() else {
            let idle = self.list.iter().zip(used).filter(|(m, used)| !used && m.version.is_some());
            return Ok((bound, idle.map(|(m, _)| m.shown.clone()).collect()));
        };
        for e in problems.into_iter().rev() {
            first.kind = first.kind.min(e.kind);
            first.diagnostics.splice(0..0, e.diagnostics);
        }
        Err(first)
    }

    fn find(&self, called: &HostFunction, used: &mut [bool]) -> Result<Bound> {
        let name = &called.name;
        let (module, own) = name.split_once('.').unwrap_or((name, ""));
        let having = |m: &Module| m.name == module && m.functions.iter().any(|e| e.name == own);
        let found: Vec<usize> = (0..self.list.len()).filter(|&i| having(&self.list[i])).collect();
        let by = |error: Error| {
            let callers: Vec<_> = called.called_by.iter().map(|f| format!("`@{f}`")).collect();
            error.note(format!("{} of the program calls `{name}` as `{}`", callers.join(", "), called.signature()))
        };
        let builtin = self.builtin.iter().find(|m| having(m));
        let module = match (&*found, builtin) {
            (&[one], _) => {
                used[one] = true;
                &self.list[one]
            }
            ([], Some(module)) => module,
            ([], None) => return Err(by(self.missing(called, module))),
            (&[first, second, ..], _) => {
                let (first, second) = (&self.list[first].shown, &self.list[second].shown);
                let message = format!("host function `{name}` is in two host libraries: {first} and {second}");
                return Err(by(Error::input(message).code("duplicate-host-function")).hint("load one of them"));
            }
        };
        if let (Some(wants), Some(is)) = (called.version, module.version)
            && wants != is
        {
            let message = format!(
                "the program needs version {wants} of module `{}`, {} is version {is}",
                module.name, module.shown
            );
            return Err(by(Error::input(message).code("wrong-module-version")));
        }
        let entry = module.functions.iter().find(|e| e.name == own).expect("just found");
        if let Some(difference) = entry.signature.differs(called) {
            let message = format!("host function `{name}` does not have the signature that the program expects");
            return Err(by(Error::input(message).code("host-signature"))
                .note(format!("{} has it as `{}`", module.shown, entry.signature))
                .note(difference));
        }
        let label = label(&format!("host function `{name}`"));
        Ok(Bound { module: module.shown.clone(), label, function: entry.function.clone() })
    }

    fn missing(&self, called: &HostFunction, module: &str) -> Error {
        let name = &called.name;
        let same: Vec<&Arc<Module>> = self.list.iter().filter(|m| m.name == module).collect();
        let whence = match &same[..] {
            [] if self.list.is_empty() => "and no module is given".into(),
            [] => format!("and no module `{module}` is given"),
            [one] => format!("which {} does not have", one.shown),
            _ => format!("which no module `{module}` has"),
        };
        let mut error = Error::environment(format!("the program needs host function `{name}`, {whence}"))
            .code("missing-host-function");
        let all: Vec<String> =
            self.list.iter().flat_map(|m| m.functions.iter().map(|e| format!("{}.{}", m.name, e.name))).collect();
        let near: Vec<_> =
            nearest(name, all.iter().map(String::as_str)).into_iter().map(|n| format!("`{n}`")).collect();
        if !near.is_empty() {
            error = error.note(format!("there is {}", near.join(", ")));
        } else if !all.is_empty() {
            let all: Vec<_> = all.iter().take(20).map(|n| format!("`{n}`")).collect();
            error = error.note(format!("there is {}", all.join(", ")));
        }
        error.hint("name the library that has it: `--module=FILE.so`")
    }
}

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a function of {}", self.module)
    }
}
