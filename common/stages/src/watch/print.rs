//! `--print-after-stage` and `--print-diff`.
use crate::RunningStage;
use halyard_ir::{Op, form::print_short};

/// The text that was printed last: the same IR is not printed twice.
#[derive(Debug, Default)]
pub(super) struct Prints {
    before: String,
}

impl Prints {
    /// Keeps the text before a stage.
    pub(super) fn before(&mut self, module: Op) {
        self.before = print_short(module);
    }

    /// The text after a stage, or what it changed.
    pub(super) fn after(&mut self, stage: RunningStage<'_>, module: Op, diff: bool, failed: bool) -> String {
        let after = print_short(module);
        let name = format!("stage {}: {}", stage.index + 1, stage.text);
        let failed = if failed { ", which failed" } else { "" };
        if !diff {
            return format!("// after {name}{failed}\n{after}");
        }
        if self.before == after {
            return format!("// {name}{failed} changed nothing\n");
        }
        let text = similar::TextDiff::from_lines(&self.before, &after)
            .unified_diff()
            .header(&format!("before {name}"), &format!("after {name}{failed}"))
            .to_string();
        self.before = after;
        text
    }
}
