//! Collects all errors in a model into one error.
use super::Problem;
use halyard_diag::{Diagnostic, Error, ErrorKind};

struct Entry {
    /// The operator with its version: `Foo` (opset 13).
    op: String,
    why: String,
    nodes: Vec<String>,
}

/// The most nodes that are named for one problem.
const NAMED: usize = 4;

/// Lists names, or the first of many.
fn listed(names: &[String]) -> String {
    match names.len().checked_sub(NAMED) {
        None | Some(0 | 1) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}

/// The nodes that could not be imported, in order of first appearance.
#[derive(Default)]
pub(crate) struct Report {
    unsupported: Vec<Entry>,
    wrong: Vec<Entry>,
    missing: Vec<Error>,
}

impl Report {
    pub(crate) fn is_empty(&self) -> bool {
        self.unsupported.is_empty() && self.wrong.is_empty() && self.missing.is_empty()
    }

    /// Returns the number of problems.
    pub(crate) fn count(&self) -> usize {
        self.unsupported.iter().chain(&self.wrong).map(|e| e.nodes.len()).sum::<usize>() + self.missing.len()
    }

    /// Notes a problem of a node, or of an input or initialiser.
    pub(crate) fn add(&mut self, op: String, node: String, problem: Problem) {
        let (list, why) = match problem {
            Problem::Unsupported(why) => (&mut self.unsupported, why),
            Problem::Invalid(why) => (&mut self.wrong, why),
            Problem::Missing(error) => {
                let said = |e: &Error| e.diagnostics.first().map(|d| d.message.clone());
                if !self.missing.iter().any(|m| said(m) == said(&error)) {
                    self.missing.push(error);
                }
                return;
            }
        };
        match list.iter_mut().find(|e| e.op == op && e.why == why) {
            Some(entry) => entry.nodes.push(node),
            None => list.push(Entry { op, why, nodes: vec![node] }),
        }
    }

    /// Makes one error of all problems.
    pub(crate) fn into_error(self, file: &str) -> Error {
        let mut diagnostics = Vec::new();
        for (entries, what, code) in
            [(&self.unsupported, "not supported", "onnx-unsupported"), (&self.wrong, "not valid", "onnx-invalid")]
        {
            let count: usize = entries.iter().map(|e| e.nodes.len()).sum();
            if count == 0 {
                continue;
            }
            let parts = if count == 1 {
                "a part of the model is".to_owned()
            } else {
                format!("{count} parts of the model are")
            };
            let mut diagnostic = Diagnostic::error(format!("{parts} {what}")).in_file(file).code(code);
            for e in entries {
                let plural = if e.nodes.len() == 1 { "" } else { "s" };
                let (place, nodes) = (if e.op.starts_with("the ") { "" } else { "node" }, listed(&e.nodes));
                let place = if place.is_empty() { String::new() } else { format!(", {place}{plural} {nodes}") };
                diagnostic = diagnostic.note(format!("{}{place}: {}", e.op, e.why));
            }
            if code == "onnx-unsupported" {
                diagnostic = diagnostic.hint("rewrite these nodes in terms of supported operators, or import the model with another frontend and pass MLIR");
            }
            diagnostics.push(diagnostic);
        }
        let kind = if diagnostics.is_empty() { ErrorKind::Environment } else { ErrorKind::Input };
        diagnostics.extend(self.missing.into_iter().flat_map(|e| e.diagnostics));
        Error { kind, diagnostics }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_nodes_are_counted() {
        let names = |count: usize| (0..count).map(|i| format!("`n{i}`")).collect::<Vec<_>>();
        assert_eq!(listed(&names(2)), "`n0`, `n1`");
        assert_eq!(listed(&names(5)), "`n0`, `n1`, `n2`, `n3`, `n4`");
        assert_eq!(listed(&names(180)), "`n0`, `n1`, `n2`, `n3` and 176 more");
    }
}
