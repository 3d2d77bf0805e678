//! The text of a build graph, for ninja or make.
use crate::format::GraphKind;
use std::{fmt::Write, num::NonZeroUsize};

/// What a graph is made of. Paths are relative to where it is run; commands are for a shell.
pub(super) struct Graph {
    pub(super) kind: GraphKind,
    pub(super) folder: String,
    /// The file of the graph.
    pub(super) file: String,
    /// The linked program.
    pub(super) output: String,
    /// The executables.
    pub(super) names: Vec<String>,
    /// Writes this graph again.
    pub(super) generate: String,
    /// Translates; its input and output are added.
    pub(super) translate: String,
    /// Links.
    pub(super) link: String,
    /// What `-j` said.
    pub(super) jobs: Option<NonZeroUsize>,
}

impl Graph {
    pub(super) fn text(&self) -> String {
        match self.kind {
            GraphKind::Ninja => self.ninja(),
            GraphKind::Make => self.make(),
        }
    }

    fn head(&self) -> String {
        let run = match self.kind {
            GraphKind::Ninja => format!("ninja -f {}", self.file),
            GraphKind::Make => format!("make -f {}", self.file),
        };
        format!(
            "# Written by hal-compile. Run it where hal-compile ran: {run}\n\
             # HALYARD_WRAPPER is a command that runs another one, put before each translation.\n\n"
        )
    }

    fn ninja(&self) -> String {
        let Self { folder, file, output, .. } = self;
        let [generate, translate, link] = [&self.generate, &self.translate, &self.link].map(|c| c.replace('$', "$$"));
        let (pool, of_pool) = match self.jobs {
            Some(n) => (format!("pool translations\n  depth = {n}\n"), "  pool = translations\n"),
            None => (String::new(), ""),
        };
        let mut text = self.head();
        // Objects are text, which has no places in the source. An output that did not change is left alone, so nothing after it runs.
        let _ = write!(
            text,
            "ninja_required_version = 1.7\n{pool}\
             rule generate\n  command = {generate}\n  description = import\n  depfile = {file}.d\n  generator = 1\n\
             rule translate\n  command = $$HALYARD_WRAPPER {translate} $in -o $out.new --depfile=$out.d && \
             sed -i '1s|^[^:]*:|$out:|' $out.d && \
             if cmp -s $out.new $out; then rm $out.new; else mv $out.new $out; fi\n  \
             description = translate $in\n  depfile = $out.d\n  deps = gcc\n  restat = 1\n{of_pool}\
             rule link\n  command = {link}\n  description = link $out\n\n\
             build {file} {folder}/program.mlirbc: generate\n"
        );
        for name in &self.names {
            let _ = writeln!(text, "build {folder}/objects/{name}.mlir: translate {folder}/sources/{name}.mlir");
        }
        let _ = write!(text, "build {output}: link {folder}/program.mlirbc |");
        for name in &self.names {
            let _ = write!(text, " $\n  {folder}/objects/{name}.mlir");
        }
        let _ = writeln!(text, "\ndefault {output}");
        text
    }

    fn make(&self) -> String {
        let Self { folder, file, output, .. } = self;
        let [generate, translate, link] = [&self.generate, &self.translate, &self.link].map(|c| c.replace('$', "$$"));
        let mut text = self.head();
        let _ = write!(text, ".DELETE_ON_ERROR:\n.SUFFIXES:\n.PHONY: all\nall: {output}\n\nobjects =");
        for name in &self.names {
            let _ = write!(text, " \\\n  {folder}/objects/{name}.mlir");
        }
        // make runs an updated graph again before anything else.
        let _ = write!(
            text,
            "\n\n{output}: {folder}/program.mlirbc $(objects)\n\t{link}\n\
             {folder}/objects/%.mlir: {folder}/sources/%.mlir\n\
             \t$(HALYARD_WRAPPER) {translate} $< -o $@\n\
             {file}:\n\t{generate}\n-include {file}.d\n"
        );
        text
    }
}
