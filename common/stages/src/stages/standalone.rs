//! One stage with the files that it needs: what a reproducer holds.
use super::{Stage, file::MlirFile, packed_file::PackedFile, reading::Settings};

/// A stage and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StandaloneStage {
    /// How it is written, with the files under their names here.
    pub text: String,
    /// The files.
    pub files: Vec<PackedFile>,
}

impl Stage {
    /// The stage by itself; `text` is how it is written where its files are at hand.
    pub(super) fn standalone(&self, text: &str) -> Option<StandaloneStage> {
        match self {
            Self::Pass(_) => Some(StandaloneStage { text: text.to_owned(), files: Vec::new() }),
            Self::TransformScript(script) => Some(script.file.standalone("seq")),
            Self::Patterns(patterns) => Some(patterns.file.standalone("pattern")),
            Self::Examples(examples) => Some(examples.file.standalone("pattern")),
            Self::Whole(whole) => Some(whole.standalone()),
            Self::Step(_) | Self::When(..) => None,
        }
    }
}

impl MlirFile {
    /// The stage by itself, with its pick as `what`. One that Python made is such a file, too.
    fn standalone(&self, what: &str) -> StandaloneStage {
        let shown = &*self.path;
        let base = shown.split('[').next().unwrap_or(shown).rsplit('/').next().unwrap_or_default();
        let stem: String =
            base.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
        let name = if stem.ends_with(".mlir") { stem } else { format!("{stem}.mlir") };
        let pick = self.pick.as_ref().map(|name| format!("[{what}={name}]")).unwrap_or_default();
        let text = format!("{name}{pick}{}", self.parameters.braces());
        StandaloneStage { text, files: vec![PackedFile { name, shown: shown.to_owned(), bytes: self.bytes.clone() }] }
    }
}

impl Settings {
    /// The settings as they are written, in braces; nothing where there are none.
    pub(super) fn braces(&self) -> String {
        let words = self.all.iter().map(|s| match s.name_at == s.value_at {
            true => s.name.clone(),
            false => format!("{}={}", s.name, &self.source.text[s.value_at.clone()]),
        });
        let words: Vec<String> = words.collect();
        if words.is_empty() { String::new() } else { format!("{{{}}}", words.join(" ")) }
    }
}
