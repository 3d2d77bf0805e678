//! What each of several stages made of a module: the text of `E.stages.diff`.
//!
//! A line `=== STAGE` begins a stage, with the hunks of a unified diff below it; `=== STAGE: no change` stands alone. The first
//! one has the whole module. Editors show such a file as a diff.
use super::changes::changes;
use halyard_ir::{Op, form::print_short};
use std::fmt::Write;

/// The stages of one module so far.
#[derive(Debug)]
pub struct History {
    now: String,
    text: String,
}

impl History {
    /// Begins with a module; `title` says where it is from.
    pub fn new(title: &str, module: Op) -> Self {
        let now = print_short(module);
        Self { text: format!("=== {}\n{now}", one_line(title)), now }
    }

    /// Adds a stage that has run.
    pub fn add(&mut self, stage: &str, module: Op) {
        let after = print_short(module);
        let stage = one_line(stage);
        let _ = match changes(&self.now, &after) {
            Some(hunks) => write!(self.text, "=== {stage}\n{hunks}"),
            None => writeln!(self.text, "=== {stage}: no change"),
        };
        self.now = after;
    }

    /// Adds a stage that has run, unless it changed nothing.
    pub fn add_change(&mut self, stage: &str, module: Op) {
        let after = print_short(module);
        if let Some(hunks) = changes(&self.now, &after) {
            let _ = write!(self.text, "=== {}\n{hunks}", one_line(stage));
        }
        self.now = after;
    }

    /// Takes the module as it is now for unchanged: what changed it is no stage.
    pub fn rebase(&mut self, module: Op) {
        self.now = print_short(module);
    }

    /// The text.
    pub fn text(&self) -> &str {
        &self.text
    }
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
