//! Compilers of candidates that are sources in other languages: C, GLSL.
use halyard_diag::{Error, Result};
use halyard_exec::{Scratch, Tool};
use halyard_runtime::KERNEL_HEADER;
use std::path::{Path, PathBuf};

/// The commands, and a folder for what they make.
#[derive(Debug)]
pub(crate) struct CandidateCompilers {
    /// The compiler of C and its flags.
    cc: String,
    /// The compiler of GLSL and its flags.
    glslc: String,
    scratch: Option<Scratch>,
}

/// A language whose files a command compiles.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Language {
    C,
    Glsl,
}

impl Language {
    fn of(file: &Path) -> Option<Self> {
        match file.extension()?.to_str()? {
            "c" => Some(Self::C),
            "comp" | "glsl" => Some(Self::Glsl),
            _ => None,
        }
    }
}

impl CandidateCompilers {
    /// `are_needed` says that there may be files beside these. Errors: there is no folder.
    pub(crate) fn new<'f>(
        [cc, glslc]: [String; 2],
        mut files: impl Iterator<Item = &'f Path>,
        are_needed: bool,
    ) -> Result<Self> {
        let scratch =
            (are_needed || files.any(|f| Language::of(f).is_some())).then(|| Scratch::new("tune")).transpose()?;
        if let Some(scratch) = &scratch {
            let folder = scratch.path().join("halyard");
            std::fs::create_dir_all(&folder).map_err(|e| Error::io("write", folder.display().to_string(), &e))?;
            scratch.write("halyard/kernel.h", KERNEL_HEADER.as_bytes())?;
        }
        Ok(Self { cc, glslc, scratch })
    }

    /// The object of a source; `None` of other files. Errors: what the compiler says.
    pub(crate) fn compiled(&self, file: &Path) -> Result<Option<PathBuf>> {
        let (Some(language), Some(scratch)) = (Language::of(file), &self.scratch) else { return Ok(None) };
        let (command, help, suffix) = match language {
            Language::C => (&self.cc, "`--cc` names the compiler of C files", "o"),
            Language::Glsl => (&self.glslc, "`--glslc` names the compiler of GLSL files", "spv"),
        };
        let mut words = command.split_whitespace();
        let tool = Tool::find(words.next().unwrap_or(if language == Language::C { "cc" } else { "glslc" }), help)?;
        let name = format!("{}.{suffix}", blake3::hash(file.display().to_string().as_bytes()).to_hex());
        let object = scratch.path().join(name);
        let mut args: Vec<String> = words.map(str::to_owned).collect();
        match language {
            Language::C => args.extend([format!("-I{}", scratch.path().display()), "-fPIC".into(), "-c".into()]),
            Language::Glsl => args.push("-fshader-stage=compute".into()),
        }
        args.extend([file.display().to_string(), "-o".into(), object.display().to_string()]);
        // What a compiler leaves that is killed goes with the folder.
        tool.call(&args).env("TMPDIR", scratch.path()).run().map_err(with_reason)?;
        Ok(Some(object))
    }
}

/// A compiler's error with the first error that it said in the message: of trials, people see that alone.
fn with_reason(mut error: Error) -> Error {
    if let Some(first) = error.diagnostics.first_mut() {
        let mut lines = first.notes.iter().flat_map(|note| note.lines());
        if let Some(line) = lines.find(|line| line.contains("error:")) {
            first.message = format!("{}: {}", first.message, line.trim());
        }
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn languages_are_told_by_the_names_of_files() {
        let languages = ["a.c", "b/c.comp", "d.glsl", "e.spv", "c", "f.mlir"].map(|f| Language::of(Path::new(f)));
        assert_eq!(languages, [Some(Language::C), Some(Language::Glsl), Some(Language::Glsl), None, None, None]);
    }
}
