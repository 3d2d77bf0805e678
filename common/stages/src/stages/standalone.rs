//! One stage with the files that it needs: what a reproducer holds.
use super::{Stage, packed_file::PackedFile, reading::Settings};

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
            Self::Schedule(schedule) => Some(schedule.standalone()),
            Self::Patterns(patterns) => Some(patterns.standalone()),
            Self::Examples(examples) => Some(examples.standalone()),
            Self::Whole(whole) => Some(whole.standalone()),
            Self::Step(_) | Self::When(..) => None,
        }
    }
}

/// A stage that is a file of MLIR; one that Python made is such a file, too.
pub(super) fn mlir(
    shown: &str,
    bytes: &[u8],
    pick: Option<(&str, &str)>,
    parameters: Option<&Settings>,
) -> StandaloneStage {
    let base = shown.split('[').next().unwrap_or(shown).rsplit('/').next().unwrap_or_default();
    let stem: String =
        base.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    let name = if stem.ends_with(".mlir") { stem } else { format!("{stem}.mlir") };
    let pick = pick.map(|(what, name)| format!("[{what}={name}]")).unwrap_or_default();
    let text = format!("{name}{pick}{}", parameters.map(Settings::braces).unwrap_or_default());
    StandaloneStage { text, files: vec![PackedFile { name, shown: shown.to_owned(), bytes: bytes.to_vec() }] }
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
