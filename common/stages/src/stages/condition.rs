//! Conditions of stages: whether a module has operations of a dialect or of a name, or what a default pipeline knows.
use super::reading::Reading;
use crate::{
    grammar,
    steps::{PIPELINE_SPECS, StepRunner},
};
use halyard_diag::{Error, Result, either};
use halyard_ir::{Op, Session};
use std::{cell::OnceCell, collections::HashSet};

/// A condition that is known to mean something.
#[derive(Debug)]
pub(crate) struct Condition {
    written: grammar::Condition,
    means: Means,
}

#[derive(Debug, PartialEq, Eq)]
enum Means {
    /// There are operations of this dialect.
    Dialect,
    /// There are operations of this name.
    Operation,
    /// The runner of the steps knows it.
    Runner,
}

impl Condition {
    /// Checks what is named. Errors: neither a dialect, an operation nor a condition of the pipeline.
    pub(super) fn check(session: &Session, reading: &Reading<'_>, written: grammar::Condition) -> Result<Self> {
        let name = &written.name.text;
        let scope = reading.scope;
        let places = PIPELINE_SPECS.iter().filter(|p| scope.any || scope.place == Some(*p));
        let own: Vec<_> = places.flat_map(|p| p.conditions).collect();
        let dialect = name.split('.').next().unwrap_or_default();
        // To ask means to load, which takes time.
        let (is_dialect, is_operation) = (
            || scope.own || session.has_dialect(name),
            || scope.own || (session.has_dialect(dialect) && session.has_operation(name)),
        );
        let means = if own.iter().any(|(known, _)| known == name) {
            Means::Runner
        } else if !name.contains('.') && is_dialect() {
            Means::Dialect
        } else if name.contains('.') && is_operation() {
            Means::Operation
        } else {
            let what = if own.is_empty() { "neither a dialect nor an operation" } else { "no condition" };
            let error = Error::usage(format!("`{name}` is {what}")).code("unknown-name");
            let error = error.at(reading.span(written.name.at.clone()));
            let names: Vec<_> = own.iter().map(|(name, _)| *name).collect();
            return Err(match names.as_slice() {
                [] => error.hint(
                    "`tosa` holds where there are operations of that dialect, `scf.forall` where there is that one",
                ),
                _ => error.hint(format!("it may be {}, a dialect or an operation", either(&names))),
            });
        };
        Ok(Self { written, means })
    }

    /// Whether it holds for the module of the names. A condition of a pipeline holds nowhere else.
    pub(crate) fn holds(&self, names: &OperationNames, runner: Option<&dyn StepRunner>) -> bool {
        let name = &self.written.name.text;
        let holds = match self.means {
            Means::Runner => runner.is_some_and(|runner| runner.holds(name, names.module)),
            Means::Operation => names.get().contains(name),
            Means::Dialect => names.get().iter().any(|op| op.split('.').next() == Some(name)),
        };
        holds != self.written.negated
    }
}

/// The names of the operations in a module, collected by the first condition that needs them. They hold until the module changes.
pub(crate) struct OperationNames {
    module: Op,
    names: OnceCell<HashSet<String>>,
}

impl OperationNames {
    pub(crate) fn of(module: Op) -> Self {
        Self { module, names: OnceCell::new() }
    }

    fn get(&self) -> &HashSet<String> {
        self.names.get_or_init(|| self.module.names_inside())
    }
}

impl std::fmt::Display for Condition {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.written.fmt(f)
    }
}
