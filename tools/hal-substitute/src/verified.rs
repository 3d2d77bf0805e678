//! Verifies substituted kernels against the plain lowering of the sources that they replace.
use halyard_diag::{Diagnostic, Result, Severity};
use halyard_ir::{
    Attr, Op, Session,
    form::{Executable, Program},
    names,
};
use halyard_verify::{Case, InexactKernels, KernelReproducer, VerifyOptions, verify};
use std::collections::HashMap;

/// A program before substitutions: what its kernels are to compute, and which objects they had.
pub struct Before {
    /// Copies of the executables that have a source.
    sources: HashMap<String, Op>,
    objects: HashMap<(String, String), Option<Attr>>,
}

impl Before {
    /// Copies the data that verification needs.
    pub fn of(program: Program) -> Self {
        let mut before = Self { sources: HashMap::new(), objects: HashMap::new() };
        for executable in program.executables() {
            for variant in executable.variants() {
                before.objects.insert((executable.name(), variant.name()), variant.op.attr(names::OBJECTS));
            }
            if executable.exports().iter().any(|e| e.op.body().is_some()) {
                let copy = Executable { op: executable.op.duplicate() };
                copy.variants().into_iter().for_each(|v| v.op.erase());
                before.sources.insert(executable.name(), copy.op);
            }
        }
        before
    }

    /// Sets the sources that kernels must agree with, by name: the executables before tools changed them.
    #[must_use]
    pub fn with_sources(mut self, originals: &HashMap<String, Op>) -> Self {
        self.sources.extend(originals.iter().map(|(name, &op)| (name.clone(), op)));
        self
    }

    /// Compares the kernels of all variants whose objects are new with the sources that there were. Errors: kernels that
    /// differ, crash or do not come to an end.
    pub fn verify(self, session: &Session, program: Program, runs: u32) -> Result<Vec<Diagnostic>> {
        let mut list = Vec::new();
        for executable in program.executables() {
            let name = executable.name();
            let Some(&source) = self.sources.get(&name) else { continue };
            for variant in executable.variants() {
                let objects = variant.op.attr(names::OBJECTS);
                let had = self.objects.get(&(name.clone(), variant.name()));
                if objects.is_some() && had.is_none_or(|had| *had != objects) {
                    list.push(Case { executable, variant, source, made: false, alike: Vec::new() });
                }
            }
        }
        if list.is_empty() {
            let note = "nothing was verified: no object took the place of a kernel whose source is known";
            let hint = "`hal-translate --verify` compares code with the source that it is made of";
            return Ok(vec![Diagnostic::new(Severity::Note, note).code("verified").hint(hint)]);
        }
        let options = VerifyOptions { runs, fast: InexactKernels::default(), jobs: None, time: None };
        let words = |_: &Case| {
            vec![
                "hal-translate".into(),
                "executable.mlir".into(),
                format!("--verify={runs}"),
                "--emit=bytecode".into(),
                "-o".into(),
                "objects.mlirbc".into(),
            ]
        };
        let version = format!("hal-substitute {}\n", env!("CARGO_PKG_VERSION"));
        Ok(verify(session, &list, &options, &mut KernelReproducer::new(None, &words, version))?.notes)
    }
}
