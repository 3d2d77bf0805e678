//! Watching stages while they run: what times, prints and dumps them comes in here.
use super::{Stage, StandaloneStage};
use halyard_diag::Result;
use halyard_ir::Op;
use std::time::Duration;

/// A stage at work.
#[derive(Debug, Clone, Copy)]
pub struct RunningStage<'a> {
    /// Which one it is, pipeline files taken apart: from 0.
    pub index: usize,
    /// What messages call it: a pass, a file.
    pub name: &'a str,
    /// How it would be written alone.
    pub text: &'a str,
    pub(super) stage: &'a Stage,
}

impl RunningStage<'_> {
    /// The stage with all that it needs, so that it can run elsewhere; `None` for steps of default pipelines, which only
    /// their tool runs.
    pub fn standalone(&self) -> Option<StandaloneStage> {
        self.stage.standalone(self.text)
    }

    /// Whether someone who names a stage means this one: by how it is written, by its pass or file, or by its number
    /// from 1.
    pub fn is_called(&self, name: &str) -> bool {
        is_called(name, self.name, self.text) || name.parse() == Ok(self.index + 1)
    }
}

pub(super) fn is_called(wanted: &str, name: &str, text: &str) -> bool {
    [name, text].into_iter().any(|is| is == wanted || plain_name(is) == wanted || file_of(is) == wanted)
}

/// The pass or file of a stage, without nesting, options and folders.
pub(crate) fn plain_name(text: &str) -> &str {
    let file = file_of(text);
    file.rsplit('/').next().unwrap_or(file)
}

/// The pass or file of a stage, without nesting and options.
fn file_of(text: &str) -> &str {
    let text = text.strip_prefix("file:").or_else(|| text.strip_prefix("pass:")).unwrap_or(text);
    if let Some(rest) = text.strip_prefix('"') {
        return rest.split('"').next().unwrap_or(rest);
    }
    let head = text.split(['[', '{']).next().unwrap_or(text);
    head.rsplit('(').next().unwrap_or(head).trim_end_matches(')')
}

/// Receives events of each stage. `()` ignores them.
pub trait Observer {
    /// A stage is about to run on a module. Errors end the run.
    fn before(&mut self, stage: RunningStage<'_>, module: Op) -> Result<()> {
        let _ = (stage, module);
        Ok(())
    }

    /// Where the stage that is about to run is kept, in case that it ends the process.
    fn kept(&self) -> Option<String> {
        None
    }

    /// A stage has run for some time and has said `result`; what comes back goes on in its place.
    fn after(&mut self, stage: RunningStage<'_>, module: Op, time: Duration, result: Result<()>) -> Result<()> {
        let _ = (stage, module, time);
        result
    }
}

impl Observer for () {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_called_by_their_pass_or_file() {
        for (text, plain) in [
            ("canonicalize{max-iterations=3}", "canonicalize"),
            ("func.func(canonicalize{region-simplify=(1)})", "canonicalize"),
            ("builtin.module(func.func(cse))", "cse"),
            ("dir/tile.mlir[seq=a]{x=(1,2)}", "tile.mlir"),
            ("file:\"a b/t.mlir\"[seq=a]", "t.mlir"),
            ("make.py[gen=f]{a=1}{b=2}", "make.py"),
        ] {
            assert_eq!(plain_name(text), plain, "{text}");
            assert!(is_called(plain, text, text) && is_called(text, text, text));
        }
        assert!(is_called("dir/tile.mlir", "", "dir/tile.mlir[seq=a]"));
        assert!(!is_called("tile", "", "dir/tile.mlir[seq=a]"));
    }
}
