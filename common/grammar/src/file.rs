//! Stages that are files: `FILE.mlir[seq=NAME]{PARAMETERS}`, `FILE.py[gen=FUNC,seq=NAME]{OPTIONS}{PARAMETERS}`,
//! `FILE.yaml{VARIABLES}`.
use super::{cursor::Cursor, options::Group};
use halyard_diag::{Result, Span};
use std::ops::Range;

/// The kind of a stage file, detected from its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FileKind {
    /// MLIR: a schedule or patterns. So is what has no other suffix.
    Mlir,
    /// Python: generators and whole stages.
    Python,
    /// YAML: a list of stages.
    Pipeline,
}

impl FileKind {
    /// Detects the kind from the suffix; `None` if no stage file has it.
    pub fn by_suffix(name: &str) -> Option<Self> {
        let kinds = [
            (".mlir", Self::Mlir),
            (".mlirbc", Self::Mlir),
            (".py", Self::Python),
            (".yaml", Self::Pipeline),
            (".yml", Self::Pipeline),
        ];
        kinds.into_iter().find(|(end, _)| name.len() > end.len() && name.ends_with(end)).map(|(_, kind)| kind)
    }

    /// The keys in brackets, in the order of those without one.
    fn keys(self) -> &'static [&'static str] {
        match self {
            Self::Mlir => &["seq", "pattern"],
            Self::Python => &["gen", "seq", "run"],
            Self::Pipeline => &[],
        }
    }

    /// Returns how many names may stand without a key, and how many pairs of braces may follow.
    fn limits(self) -> (usize, usize) {
        match self {
            Self::Mlir => (1, 1),
            Self::Python => (2, 2),
            Self::Pipeline => (0, 1),
        }
    }

    fn form(self) -> &'static str {
        match self {
            Self::Mlir => "FILE.mlir[seq=NAME]{PARAMETERS}",
            Self::Python => "FILE.py[gen=FUNCTION,seq=NAME]{OPTIONS}{PARAMETERS}",
            Self::Pipeline => "FILE.yaml{VARIABLES}",
        }
    }
}

/// A name with its place in the text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameAt {
    /// The name, without `@`.
    pub text: String,
    /// Its byte range.
    pub at: Range<usize>,
}

/// A stage that names a file.
#[derive(Debug, Clone, PartialEq)]
pub struct FileText {
    /// The kind, from the suffix.
    pub kind: FileKind,
    /// The path as written.
    pub path: NameAt,
    /// The sequence or pattern to run, if one is named.
    pub pick: Option<NameAt>,
    /// The Python function that generates the schedule, if one is named.
    pub generator: Option<NameAt>,
    /// The function that is a whole stage.
    pub whole: Option<NameAt>,
    /// Options of a generator or a whole stage, variables of a pipeline file.
    pub options: Group,
    /// Parameters of a transform script.
    pub parameters: Group,
    /// The whole stage, as written.
    pub text: String,
    /// The byte range of the whole stage.
    pub at: Range<usize>,
}

/// Reads all that is left as a file; `None` if it is none. Errors: brackets that are not closed, unknown keys, more than
/// the kind of file takes.
pub(super) fn parse(cursor: &mut Cursor<'_>) -> Result<Option<FileText>> {
    let Some(mut file) = head(cursor)? else { return Ok(None) };
    let name = file.path.text.clone();
    let kind = file.kind;
    if cursor.eat('[') {
        brackets(cursor, &mut file)?;
    }
    let mut groups = Vec::new();
    loop {
        cursor.skip_blanks();
        match cursor.peek() {
            None => break,
            Some('{') => {
                let start = cursor.at;
                let group = Group::parse(cursor, &name)?;
                if groups.len() == kind.limits().1 {
                    let error = cursor.error(start..cursor.at, format!("`{name}` takes no more braces"));
                    return Err(error.hint(format!("a stage is `{}`", kind.form())));
                }
                groups.push((group, start..cursor.at));
            }
            Some(_) => {
                let rest = cursor.at..cursor.end;
                let more = cursor.text(rest.clone()).trim_end();
                let error = cursor
                    .error(rest.start..rest.start + more.len(), format!("`{more}` after `{name}` is not understood"));
                return Err(error.hint(format!("a stage is `{}`", kind.form())));
            }
        }
    }
    let mut groups = groups.into_iter();
    if kind == FileKind::Mlir {
        file.parameters = groups.next().map(|(g, _)| g).unwrap_or_default();
        return Ok(Some(file));
    }
    file.options = groups.next().map(|(g, _)| g).unwrap_or_default();
    if let Some((group, at)) = groups.next() {
        if let Some(whole) = &file.whole {
            let message = format!("`{}` is a whole stage: there is no schedule to give parameters to", whole.text);
            return Err(cursor.error(at, message).hint("its options are in the first braces"));
        }
        file.parameters = group;
    }
    Ok(Some(file))
}

/// Parses the path.
fn head(cursor: &mut Cursor<'_>) -> Result<Option<FileText>> {
    let start = cursor.at;
    let full = cursor.clone();
    let prefixed = cursor.eat_word("file:");
    let quoted = matches!(cursor.peek(), Some('"' | '\''));
    let path = if quoted {
        let at = cursor.at;
        let text = cursor.quoted()?;
        NameAt { text, at: at..cursor.at }
    } else {
        let at = cursor.take_until(|c| "[{".contains(c));
        let text = cursor.text(at.clone()).trim_end();
        NameAt { text: text.to_owned(), at: at.start..at.start + text.len() }
    };
    let kind = FileKind::by_suffix(&path.text);
    // A comma or bracket before the suffix: a pipeline that contains a file, which is reported by the pipeline parser.
    let is_file = prefixed || quoted || (kind.is_some() && !path.text.contains(['(', ',']));
    if !is_file {
        *cursor = full;
        return Ok(None);
    }
    if path.text.is_empty() {
        return Err(cursor.error(path.at.clone(), "expected the name of a file"));
    }
    let kind = kind.unwrap_or(FileKind::Mlir);
    let all = start..start + cursor.text(start..cursor.end).trim_end().len();
    Ok(Some(FileText {
        kind,
        path,
        pick: None,
        generator: None,
        whole: None,
        options: Group::default(),
        parameters: Group::default(),
        text: cursor.text(all.clone()).to_owned(),
        at: all,
    }))
}

/// Parses the contents of brackets, and the closing one.
fn brackets(cursor: &mut Cursor<'_>, file: &mut FileText) -> Result<()> {
    let open = cursor.at - 1;
    let name = file.path.text.clone();
    let (keys, (positions, _)) = (file.kind.keys(), file.kind.limits());
    if cursor.eat(']') {
        return Ok(());
    }
    let mut position = 0;
    loop {
        cursor.skip_blanks();
        let mut at = cursor.take_until(|c| c.is_whitespace() || "=,[]{}()\"'".contains(c));
        let mut key = None;
        if cursor.eat('=') {
            key = Some(at);
            cursor.skip_blanks();
            at = cursor.take_until(|c| c.is_whitespace() || "=,[]{}()\"'".contains(c));
            if at.is_empty() {
                return Err(cursor.expected("a name after `=`"));
            }
        }
        cursor.skip_blanks();
        if cursor.peek().is_none() {
            return Err(cursor.error(open..open + 1, format!("the brackets of `{name}` are not closed with `]`")));
        }
        if !matches!(cursor.peek(), Some(',' | ']')) {
            return Err(cursor.expected("`,` or `]`").hint(format!("a stage is `{}`", file.kind.form())));
        }
        let text = cursor.text(at.clone()).trim_start_matches('@').to_owned();
        let slot_name = match &key {
            Some(at) => {
                let written = cursor.text(at.clone());
                let Some(known) = keys.iter().find(|k| **k == written) else {
                    let error =
                        cursor.error(at.clone(), format!("unknown key `{written}` in the brackets of `{name}`"));
                    let forms: Vec<_> = keys.iter().map(|k| format!("[{k}=NAME]")).collect();
                    return Err(if keys.is_empty() {
                        error.hint("remove the brackets: variables go in braces")
                    } else {
                        error.hint(format!("write {}", halyard_diag::either(&forms)))
                    });
                };
                known
            }
            None => {
                if position == positions {
                    let error = cursor.error(at, format!("`{name}` takes no more names in brackets"));
                    return Err(error.hint(format!("a stage is `{}`", file.kind.form())));
                }
                position += 1;
                keys[position - 1]
            }
        };
        let slot = match slot_name {
            "gen" => &mut file.generator,
            "run" => &mut file.whole,
            _ => &mut file.pick,
        };
        // An entry without a key stands for the default.
        if text.is_empty() && (cursor.peek() != Some(',') || position == positions) {
            return Err(cursor.expected("a name"));
        }
        if let Some(before) = slot {
            let first = Span::new(cursor.source, before.at.clone());
            let mut error = cursor.error(at, format!("`{slot_name}` is given twice"));
            if let Some(last) = error.diagnostics.pop() {
                error.diagnostics.push(last.label(first, "first here"));
            }
            return Err(error);
        }
        if !text.is_empty() {
            *slot = Some(NameAt { text, at });
        }
        if cursor.eat(']') {
            break;
        }
        cursor.eat(',');
    }
    if let (Some(whole), true) = (&file.whole, file.generator.is_some() || file.pick.is_some()) {
        let message = format!("`{}` is a whole stage: it has neither a generator nor a sequence", whole.text);
        return Err(cursor.error(whole.at.clone(), message));
    }
    Ok(())
}
