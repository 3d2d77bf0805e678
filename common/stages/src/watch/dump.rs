//! `--dump-stages-to`.
use crate::{RunningStage, stages::plain_name};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op,
    form::{Written, print},
};
use std::{collections::BTreeMap, fs, path::PathBuf};

/// A folder for what stages make. It has a record of its files, so that those of a run before, which had other stages, go.
#[derive(Debug)]
pub(super) struct Dump {
    folder: PathBuf,
    /// What was written in each part of it.
    written: BTreeMap<PathBuf, Written>,
}

impl Dump {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self { folder, written: BTreeMap::new() }
    }

    /// The input of the first stage.
    pub(super) fn input(&mut self, part: Option<&str>, module: Op) -> Result<()> {
        self.write(part, "00-input.mlir", module)
    }

    /// What a stage made; where it failed, what it left.
    pub(super) fn after(
        &mut self,
        part: Option<&str>,
        stage: RunningStage<'_>,
        module: Op,
        failed: bool,
    ) -> Result<()> {
        let failed = if failed { ".failed" } else { "" };
        self.write(part, &format!("{}{failed}.mlir", file_stem(stage)), module)
    }

    fn write(&mut self, part: Option<&str>, name: &str, module: Op) -> Result<()> {
        let folder = part.map_or_else(|| self.folder.clone(), |part| self.folder.join(part));
        if !self.written.contains_key(&folder) {
            fs::create_dir_all(&folder).map_err(|e| Error::io("make the folder", &folder, &e))?;
            let old = Written::of(&folder)?.unwrap_or_default();
            for name in old.all() {
                let path = folder.join(name);
                if fs::read(&path).is_ok_and(|bytes| old.is_unchanged(name, &bytes)) {
                    fs::remove_file(&path).map_err(|e| Error::io("remove", &path, &e))?;
                }
            }
        }
        let text = print(module);
        let written = self.written.entry(folder.clone()).or_default();
        written.add(name, text.as_bytes());
        halyard_cli::write_atomically(&folder.join(name), text.as_bytes())?;
        halyard_cli::write_atomically(&folder.join(Written::FILE), written.text().as_bytes())
    }
}

/// `02-tile`: the number and the name of a stage, as a part of a file name.
pub(super) fn file_stem(stage: RunningStage<'_>) -> String {
    let plain = plain_name(stage.text);
    let plain = plain.rsplit_once('.').map_or(plain, |(stem, _)| stem);
    let name: String =
        plain.chars().map(|c| if c.is_ascii_alphanumeric() || "._-".contains(c) { c } else { '-' }).collect();
    format!("{:02}-{name}", stage.index + 1)
}
