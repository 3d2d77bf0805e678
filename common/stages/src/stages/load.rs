//! Files of MLIR become transform scripts, patterns or examples: their content decides which.
use super::{
    Stage,
    examples::{Examples, examples},
    file::FileStage,
    patterns::Patterns,
    transform_script::TransformScript,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session};

impl FileStage {
    /// Checks that the text holds what is asked for. Errors: no MLIR, neither a transform script nor patterns, an unknown name,
    /// parameters that do not fit.
    pub(super) fn load(self, session: &Session, bytes: Vec<u8>) -> Result<Stage> {
        let name = self.path.display().to_string();
        let module = session.parse_beside(&bytes, &name).map_err(|mut e| {
            // No pipe leads here.
            if let Some(d) = e.diagnostics.iter_mut().find(|d| d.code == Some("empty-input")) {
                d.message = format!("`{name}` is empty");
                d.hints.clear();
            }
            e
        })?;
        session.take_diagnostics();
        let root = Op::from(&module);
        let (mut sequences, mut patterns) = (false, false);
        root.walk(&mut |op| {
            sequences |= op.is("transform.named_sequence");
            patterns |= op.is("pdl.pattern");
        });
        match (sequences, patterns) {
            (true, _) => TransformScript::check(session, root, self, bytes).map(Stage::TransformScript),
            (false, true) => Patterns::check(session, root, self, bytes).map(Stage::Patterns),
            (false, false) if !examples(root).is_empty() => {
                Examples::check(session, root, self, bytes).map(Stage::Examples)
            }
            (false, false) => {
                Err(Error::input(format!("`{name}` contains neither a transform script nor PDL patterns nor examples"))
                    .code("not-a-stage")
                    .at(self.span)
                    .note("a schedule is a module with `transform.named_sequence`; patterns are `pdl.pattern`; examples are functions with `hal.replaced_by`"))
            }
        }
    }
}
