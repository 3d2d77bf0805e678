//! Reproducers: a stage that failed, with the module that it failed on and all files that it needs, in one file of MLIR.
//!
//! What is no MLIR stands in comments at its beginning, as JSON, so that every tool reads the module as it is.
use super::dump::file_stem;
use crate::{
    RunningStage, StageArgs, StandaloneStage,
    stages::{PackedFile, Unpacked},
};
use halyard_diag::{Error, Result, Source, Span, quote};
use halyard_ir::{Op, form::print};
use serde::{Deserialize, Serialize};
use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

const FIRST: &str = "// A reproducer: `hal-opt --run-reproducer FILE` runs the stage on the module below.\n";

/// The header of a reproducer.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case", deny_unknown_fields)]
pub struct StageReproducer {
    /// The version of this form: 1.
    pub halyard_reproducer: u32,
    /// The tool that wrote it, and its version.
    pub tool: String,
    /// The stage.
    pub stage: String,
    /// Words of the command line that matter.
    pub flags: Vec<String>,
    files: Vec<File>,
}

/// A file of a stage. Text stands line by line, so that people can read and edit it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    name: String,
    shown: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    lines: Option<Vec<String>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    hex: Option<String>,
}

impl File {
    fn new(file: &PackedFile) -> Self {
        let text = std::str::from_utf8(&file.bytes).ok();
        let lines = text.map(|t| t.split('\n').map(str::to_owned).collect());
        let hex = text.is_none().then(|| file.bytes.iter().map(|b| format!("{b:02x}")).collect());
        Self { name: file.name.clone(), shown: file.shown.clone(), lines, hex }
    }

    fn unpack(&self) -> Option<PackedFile> {
        let digits = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
        let bytes = match (&self.lines, &self.hex) {
            (Some(lines), None) => lines.join("\n").into_bytes(),
            (None, Some(hex)) => hex.as_bytes().chunks(2).map(digits).collect::<Option<_>>()?,
            _ => return None,
        };
        Some(PackedFile { name: self.name.clone(), shown: self.shown.clone(), bytes })
    }
}

impl StageReproducer {
    /// Reads what a reproducer says about its module. Errors: it is none, or one of another version; it is damaged.
    pub fn read(bytes: &[u8], name: &str) -> Result<Self> {
        let text = String::from_utf8_lossy(bytes);
        let Some(rest) = text.strip_prefix(FIRST) else {
            return Err(Error::input("this is not a reproducer")
                .in_file(name)
                .code("not-a-reproducer")
                .hint("`--reproducers-to=FOLDER` writes one for a stage that fails"));
        };
        let lines = rest.lines().take_while(|l| l.starts_with("// "));
        let json = lines.map(|l| &l[3..]).collect::<Vec<_>>().join("\n");
        let found: Result<Self, _> = serde_json::from_str(&json);
        let found = found.map_err(|e| {
            let source = Source::new(name, &*text);
            // Its first line is the second one of the file; columns are counted from 1, after `// `.
            let span = Span::token(&source, e.line() + 1, (e.column() + 3).max(1));
            let error = Error::input(format!("this reproducer is damaged: {e}")).code("not-a-reproducer");
            match span {
                Some(span) => error.at(span),
                None => error.in_file(name),
            }
        })?;
        if found.halyard_reproducer != 1 {
            let text = format!("this reproducer has version {}, this tool reads version 1", found.halyard_reproducer);
            return Err(Error::input(text).in_file(name).code("wrong-version"));
        }
        Ok(found)
    }

    /// Where stages are, its own files before all others. Errors: files that are damaged or cannot be written.
    pub fn stage_args(&self, args: &StageArgs) -> Result<StageArgs> {
        let unpack = |f: &File| {
            f.unpack().ok_or_else(|| Error::input(format!("file `{}` of the reproducer is damaged", f.name)))
        };
        let files = self.files.iter().map(unpack).collect::<Result<Vec<_>>>()?;
        Ok(StageArgs { unpacked: Some(Arc::new(Unpacked::new(&files)?)), ..args.clone() })
    }

    fn text(&self, module: &str) -> String {
        let json = serde_json::to_string_pretty(self).expect("strings and numbers serialise");
        let comments: String = json.lines().map(|l| format!("// {l}\n")).collect();
        format!("{FIRST}{comments}{module}")
    }
}

/// Writes reproducers to a folder. One is there before its stage runs, since that may end the process, and goes when it has
/// run well.
#[derive(Debug)]
pub struct Reproducers {
    folder: PathBuf,
    tool: String,
    flags: Vec<String>,
    now: Option<(PathBuf, String)>,
}

impl Reproducers {
    /// For a tool with these flags; `folder` is made where it is needed.
    pub fn new(folder: &Path, tool: &str, flags: Vec<String>) -> Self {
        Self { folder: folder.to_owned(), tool: tool.to_owned(), flags, now: None }
    }

    pub(super) fn before(&mut self, part: Option<&str>, stage: RunningStage<'_>, module: Op) -> Result<()> {
        self.now = None;
        let Some(alone) = stage.standalone() else { return Ok(()) };
        fs::create_dir_all(&self.folder).map_err(|e| Error::io("make the folder", &self.folder, &e))?;
        let part = part.map(|p| format!("{p}-")).unwrap_or_default();
        let path = self.folder.join(format!("{part}{}.reproducer.mlir", file_stem(stage)));
        let module = print(module);
        self.write(&path, alone, &module)?;
        self.now = Some((path, module));
        Ok(())
    }

    fn write(&self, path: &Path, StandaloneStage { text, files }: StandaloneStage, module: &str) -> Result<()> {
        let reproducer = StageReproducer {
            halyard_reproducer: 1,
            tool: self.tool.clone(),
            stage: text,
            flags: self.flags.clone(),
            files: files.iter().map(File::new).collect(),
        };
        halyard_cli::write_atomically(path, reproducer.text(module).as_bytes())
    }

    /// The reproducer of the stage that runs now.
    pub(super) fn kept(&self) -> Option<String> {
        self.now.as_ref().map(|(path, _)| path.display().to_string())
    }

    pub(super) fn after(&mut self, stage: RunningStage<'_>, result: Result<()>) -> Result<()> {
        let Some((path, module)) = self.now.take() else { return result };
        let Err(error) = result else {
            fs::remove_file(&path).map_err(|e| Error::io("remove", &path, &e))?;
            // The folder, too, if nothing else is in it.
            let _ = fs::remove_dir(&self.folder);
            return Ok(());
        };
        // By now it is known what a function in Python has imported.
        if let Some(alone) = stage.standalone().filter(|a| a.files.len() > 1) {
            self.write(&path, alone, &module)?;
        }
        let path = path.display().to_string();
        let command = format!("hal-opt --run-reproducer {}", quote(&path));
        Err(error.note(format!("saved as `{path}`: `{command}` shows it again")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reproducers_come_back() {
        let file = |name: &str, bytes: &[u8]| {
            File::new(&PackedFile { name: name.into(), shown: format!("dir/{name}"), bytes: bytes.into() })
        };
        let made = StageReproducer {
            halyard_reproducer: 1,
            tool: "hal-opt".into(),
            stage: "a.mlir[seq=\"x\"]".into(),
            flags: vec!["--verify-each=false".into()],
            files: vec![file("a.mlir", b"line\n// }\n"), file("b.mlirbc", &[0xff, 0, 1])],
        };
        let text = made.text("module {\n}\n");
        assert_eq!(StageReproducer::read(text.as_bytes(), "r").unwrap(), made);
        assert_eq!(made.files[1].unpack().unwrap().bytes, [0xff, 0, 1]);
        assert_eq!(made.files[0].unpack().unwrap().bytes, b"line\n// }\n");
        for damaged in
            [text.replace("\"stage\"", "\"stag\""), text.replace("producer\": 1", "producer\": 2"), "module {}".into()]
        {
            assert!(StageReproducer::read(damaged.as_bytes(), "r").is_err(), "{damaged}");
        }
    }
}
