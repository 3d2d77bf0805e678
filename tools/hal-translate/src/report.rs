//! What was done: `--explain`, and the times of [`crate::times`].
use crate::{
    job::{Done, Times},
    target::Target,
};
use halyard_diag::Diagnostic;
use std::fmt::Write;

/// What was done for each executable and target, in order.
#[derive(Debug, Default)]
pub struct Report {
    entries: Vec<Entry>,
    said: String,
    verified: Vec<Diagnostic>,
}

/// What was done for an executable and a target.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) executable: String,
    /// As messages have it: `cpu:znver5`.
    pub(crate) target: String,
    explanations: Vec<(String, String)>,
    needs: Vec<String>,
    pub(crate) times: Times,
    /// Of the code, in bytes.
    pub(crate) size: usize,
}

impl Report {
    pub(crate) fn add(&mut self, target: &Target, done: &Done) {
        self.entries.push(Entry {
            executable: done.member.name.clone(),
            target: target.short(),
            explanations: done.member.exports.iter().cloned().zip(done.explanations.iter().cloned()).collect(),
            needs: done.needs.clone(),
            times: done.times,
            size: done.code.len(),
        });
    }

    pub(crate) fn hear(&mut self, said: &str) {
        self.said += said;
    }

    /// What LLVM and MLIR wrote to standard error by themselves, under the names of executables; mostly nothing.
    pub fn said(&self) -> &str {
        &self.said
    }

    pub(crate) fn add_verified(&mut self, notes: Vec<Diagnostic>) {
        self.verified.extend(notes);
    }

    /// What `--verify` found, a note for each kernel.
    pub fn verified(&self) -> &[Diagnostic] {
        &self.verified
    }

    /// How many executables were translated, once per target.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether nothing was to be done.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// How each export was translated, and what its object needs from elsewhere.
    pub fn explain(&self) -> String {
        let mut text = String::new();
        for e in &self.entries {
            for (export, why) in &e.explanations {
                let _ = writeln!(text, "@{}::@{export} for {}: {why}", e.executable, e.target);
            }
            if !e.needs.is_empty() {
                let _ = writeln!(text, "@{} for {}: needs {}", e.executable, e.target, e.needs.join(", "));
            }
        }
        text
    }

    /// One for each executable and target, in order.
    pub(crate) fn entries(&self) -> &[Entry] {
        &self.entries
    }
}
