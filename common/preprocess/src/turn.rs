//! One round of preprocessing: the caller, the hook, and the place.
use crate::{Caller, Hook, PreprocessArgs, Request};
use halyard_ir::{Attr, Op, form::Program, names};

/// A command at work: what all kinds of requests need.
pub(super) struct Turn<'a> {
    pub(super) caller: Caller<'a>,
    pub(super) hook: Hook,
    /// The name of the folder of this action's files.
    pub(super) folder: String,
    pub(super) args: &'a PreprocessArgs,
    /// How to set its limits, for messages.
    pub(super) limits: [&'static str; 2],
}

impl Turn<'_> {
    /// A request with the variables that all hooks set.
    pub(super) fn request(
        &self,
        module: Op,
        name: String,
        file: String,
        suffix: &'static str,
        stdin: Vec<u8>,
    ) -> Request {
        let phase = Program::view(module).and_then(|p| p.phase().ok()).map_or("", |p| p.as_str());
        let env = vec![
            ("HALYARD_PROTOCOL", "1".to_owned()),
            ("HALYARD_HOOK", self.hook.name().to_owned()),
            ("HALYARD_PHASE", phase.to_owned()),
            ("HALYARD_PROGRAM", Program { op: module }.name()),
            ("HALYARD_FORMAT", suffix.to_owned()),
            ("HALYARD_TARGET", self.args.preprocess_target.join(";")),
        ];
        Request { name, file, suffix, replies: None, stdin, env, span: None }
    }

    /// The suffix of MLIR, in text or bytecode.
    pub(super) fn suffix(bytecode: bool) -> &'static str {
        if bytecode { "mlirbc" } else { "mlir" }
    }
}

/// The targets of variants as `HALYARD_TARGET` has them.
pub(super) fn targets(variants: &[halyard_ir::form::Variant]) -> String {
    let targets: Vec<String> =
        variants.iter().filter_map(|v| v.op.attr(names::TARGET)).map(|t: Attr| t.to_string()).collect();
    targets.join(";")
}
