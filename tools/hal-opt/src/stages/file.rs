//! Stages that are files: `FILE.mlir`, `FILE.mlir[seq=NAME]`, `FILE.mlir[NAME]`; `file:` before it where a pass has such a
//! name. What a file is is told by what stands in it.
use super::{Stage, patterns::Patterns, schedule::Schedule};
use halyard_diag::{Error, Result, Source, Span};
use halyard_ir::{Op, Session};
use std::{path::PathBuf, sync::Arc};

/// The text of a stage that is a file, taken apart.
#[derive(Debug)]
pub(super) struct FileStage {
    /// The file.
    pub(super) path: PathBuf,
    /// The name in brackets: of a sequence or a pattern.
    pub(super) pick: Option<String>,
    /// All of it, as written.
    pub(super) text: String,
    /// Its place in the command line.
    pub(super) span: Span,
    /// The place of the name in brackets.
    pub(super) pick_span: Span,
}

/// Whether the name of a stage is that of a file.
pub(super) fn names_file(name: &str) -> bool {
    name.starts_with("file:")
        || [".mlir", ".mlirbc", ".py", ".yaml"].iter().any(|end| name.len() > end.len() && name.ends_with(end))
}

impl FileStage {
    /// Reads the text of a stage; `None` if it is no file. Errors: brackets that are not closed, an unknown key, kinds of
    /// files that are no stages.
    pub(super) fn parse(source: &Arc<Source>) -> Result<Option<Self>> {
        let text = &source.text;
        let start = text.len() - text.trim_start().len();
        let end = text.trim_end().len();
        let head_end = text[..end].find(['[', '{']).unwrap_or(end);
        let head = &text[start.min(head_end)..head_end];
        // A comma or bracket before the suffix: a pipeline in which a file stands, which is told there.
        if !names_file(head) || (!head.starts_with("file:") && head.contains(['(', ','])) {
            return Ok(None);
        }
        let at = |from: usize, to: usize| Span::new(source, from..to);
        let bad = |message: String, span: Span| Error::usage(message).code("bad-stage").at(span);
        if let Some(kind) = [".py", ".yaml"].iter().find(|k| head.ends_with(**k)) {
            return Err(bad(format!("a `{kind}` file is no stage"), at(start, head_end))
                .note("files that are stages are schedules of the transform dialect and PDL patterns (`.mlir`)"));
        }
        let mut stage = Self {
            path: head.strip_prefix("file:").unwrap_or(head).into(),
            pick: None,
            text: text[start..end].to_owned(),
            span: at(start, head_end),
            pick_span: at(start, end),
        };
        let mut rest = head_end;
        if text[rest..end].starts_with('[') {
            let Some(close) = text[rest..end].find(']') else {
                return Err(bad(format!("the brackets of `{head}` are not closed with `]`"), at(rest, end)));
            };
            let inside = &text[rest + 1..rest + close];
            let (key, name) = inside.split_once('=').map_or(("seq", inside), |(key, name)| (key.trim(), name));
            stage.pick_span = at(rest + 1, rest + close);
            if !matches!(key, "seq" | "pattern") {
                return Err(bad(format!("unknown key `{key}` in the brackets of `{head}`"), stage.pick_span)
                    .hint("write `[seq=NAME]` or `[NAME]`"));
            }
            stage.pick = Some(name.trim().trim_start_matches('@').to_owned()).filter(|n| !n.is_empty());
            rest += close + 1;
        }
        match text[rest..end].trim() {
            "" | "{}" => Ok(Some(stage)),
            more if more.starts_with('{') => {
                Err(bad(format!("`{head}` takes no parameters"), at(rest, end)).hint("leave the braces out"))
            }
            more => Err(bad(format!("`{more}` after `{head}` is not understood"), at(rest, end))
                .hint("a stage is `FILE.mlir` or `FILE.mlir[seq=NAME]`")),
        }
    }

    /// Reads the file and checks that it holds what is asked for. Errors: no such file, no MLIR, neither a schedule nor
    /// patterns, an unknown name.
    pub(super) fn load(self, session: &Session) -> Result<Stage> {
        let name = self.path.display().to_string();
        let bytes = std::fs::read(&self.path).map_err(|e| {
            let error = Error::io("read", &self.path, &e).code("cannot-read").at(self.span.clone());
            if e.kind() == std::io::ErrorKind::NotFound {
                error.note("paths are relative to the working directory")
            } else {
                error
            }
        })?;
        let module = session.parse_beside(&bytes, &name)?;
        session.take_diagnostics();
        let root = Op::from(&module);
        let (mut sequences, mut patterns) = (false, false);
        root.walk(&mut |op| {
            sequences |= op.is("transform.named_sequence");
            patterns |= op.is("pdl.pattern");
        });
        match (sequences, patterns) {
            (true, _) => Schedule::check(session, root, self, bytes).map(Stage::Schedule),
            (false, true) => Patterns::check(session, root, self, bytes).map(Stage::Patterns),
            (false, false) => Err(Error::input(format!("`{name}` holds neither a schedule nor patterns"))
                .code("not-a-stage")
                .at(self.span)
                .note("a schedule is a module with `transform.named_sequence`; patterns are `pdl.pattern`")),
        }
    }
}

/// The error for a name that is not among those of a file.
pub(super) fn unknown(stage: &FileStage, what: &str, name: &str, known: &[String]) -> Error {
    let list: Vec<_> = known.iter().map(|k| format!("`@{k}`")).collect();
    let error = Error::usage(format!("`{}` has no {what} `@{name}`", stage.path.display()))
        .code("unknown-name")
        .at(stage.pick_span.clone())
        .note(format!("it has {}", list.join(", ")));
    match halyard_diag::nearest(name, known.iter().map(String::as_str)).first() {
        Some(near) => error.hint(format!("did you mean `@{near}`?")),
        None => error,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Option<(String, Option<String>)>> {
        let stage = FileStage::parse(&Source::new("--stage", text))?;
        Ok(stage.map(|s| (s.path.display().to_string(), s.pick)))
    }

    #[test]
    fn files_are_told_from_passes() {
        for pass in ["cse", "canonicalize{max-iterations=1}", "func.func(cse)", "cse,a.mlir", "func.func(a.mlir)", ""] {
            assert_eq!(read(pass).unwrap(), None, "{pass}");
        }
        assert_eq!(read(" a.mlir ").unwrap(), Some(("a.mlir".into(), None)));
        assert_eq!(read("b/a.mlir[seq=x]").unwrap(), Some(("b/a.mlir".into(), Some("x".into()))));
        assert_eq!(read("a.mlir[@x]{}").unwrap(), Some(("a.mlir".into(), Some("x".into()))));
        assert_eq!(read("a.mlir[]").unwrap(), Some(("a.mlir".into(), None)));
        assert_eq!(read("file:cse").unwrap(), Some(("cse".into(), None)));
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in ["a.mlir[x", "a.mlir[gen=x]", "a.mlir{tile=8}", "a.mlir[x]y", "a.py", "a.yaml{x=1}"] {
            assert!(read(text).is_err(), "{text}");
        }
    }
}
