//! The action that a flag requests: a command or a stage.
//!
//! An action is a stage if, leading blanks aside, it
//! - begins with `stage:`;
//! - begins with `builtin.module` and `(`;
//! - is one word that ends in `.mlir`, `.mlirbc`, `.yaml` or `.yml` (brackets and braces may follow), or in `.py` with brackets or
//!   braces after it.
//!
//! Everything else is a command line; `cmd:` and `cmd[OPTIONS]:` mark one explicitly. A text that looks like a
//! pipeline with another anchor is refused: as a command it would be useless.
use crate::{Hook, Purity, Request};
use halyard_diag::{Error, Result};
use halyard_ir::{Op, Session};
use halyard_stages::{StageArgs, Stages};
use std::{fmt, path::PathBuf};

/// An action to run.
#[derive(Debug)]
pub enum Action {
    /// A command, run as a child process.
    Command(Command),
    /// Stages, run in this process.
    Stage(Stages),
    /// A function of a plugin that is compiled in.
    Native(Native),
}

/// A function of Rust that works on a module, or on each executable as if it were one.
pub struct Native {
    /// The name in messages.
    pub name: String,
    /// The function; its messages go through the session.
    pub run: NativeFn,
}

/// A function of Rust that works on a module.
pub type NativeFn = Box<dyn Fn(&Session, Op) -> Result<()>>;

impl fmt::Debug for Native {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Native").field(&self.name).finish()
    }
}

/// A command line and what its tool says about itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Command {
    /// The command line for `sh -c`.
    pub line: String,
    /// Whether its input is bytecode.
    pub bytecode: bool,
    /// Whether an empty reply means that nothing changes.
    pub empty_is_unchanged: bool,
    /// The name in messages; `None` for the command line.
    pub title: Option<String>,
    /// How to declare that a reply may be empty, for messages.
    pub may_be_empty: &'static str,
    /// What its replies depend on beside its input, if they depend on nothing else: they are cached then.
    pub pure: Option<Purity>,
}

/// How a flag declares that a command may write nothing.
const MAY_BE_EMPTY: &str = "if that means that it changes nothing, write `cmd[empty-is-unchanged]:` before the command";

impl Action {
    /// Reads an action. Errors: nothing in it, an unknown option, what neither a shell nor MLIR would understand, what the
    /// stage parser says; a stage where there is no MLIR.
    pub(crate) fn parse(session: &Session, files: &StageArgs, hook: Hook, text: &str) -> Result<Self> {
        let flag = hook.flag();
        let start = text.trim_start();
        if start.trim().is_empty() {
            return Err(Error::usage(format!("`{flag}` has an empty value")).hint("give it a command line or a stage"));
        }
        if let Some(stage) = start.strip_prefix("stage:") {
            return Self::stage(session, files, hook, stage);
        }
        if let Some(command) = Command::parse_explicit(flag, start)? {
            return Ok(Self::Command(command));
        }
        if is_stage(start) {
            return Self::stage(session, files, hook, start);
        }
        if let Some(anchor) = foreign_anchor(start) {
            return Err(Error::usage(format!("`{start}` is neither a command nor a pipeline on executables"))
                .code("bad-pipeline")
                .note(format!("a pipeline begins with `builtin.module(`, not with `{anchor}(`"))
                .hint(format!("as a pipeline, write `builtin.module({start})`; as a command, `cmd:{start}`")));
        }
        Ok(Self::Command(Command {
            line: text.to_owned(),
            bytecode: false,
            empty_is_unchanged: false,
            title: None,
            may_be_empty: MAY_BE_EMPTY,
            pure: None,
        }))
    }

    /// The stage that a text of an action gives, as `--stage` takes it.
    pub(super) fn stage_text(text: &str) -> &str {
        let start = text.trim_start();
        start.strip_prefix("stage:").unwrap_or(start).trim()
    }

    fn stage(session: &Session, files: &StageArgs, hook: Hook, text: &str) -> Result<Self> {
        let flag = hook.flag();
        if text.trim().is_empty() {
            return Err(Error::usage(format!("`{flag}` has no stage after `stage:`")));
        }
        if hook == Hook::Object {
            return Err(Error::usage(format!("`{flag}` takes commands: a stage works on MLIR, not on objects")));
        }
        Stages::parse_with(session, files, flag, &[text.trim_start().to_owned()]).map(Self::Stage)
    }
}

impl Command {
    fn parse_explicit(flag: &str, text: &str) -> Result<Option<Self>> {
        let Some(rest) = text.strip_prefix("cmd") else { return Ok(None) };
        let mut command = Self {
            line: String::new(),
            bytecode: false,
            empty_is_unchanged: false,
            title: None,
            may_be_empty: MAY_BE_EMPTY,
            pure: None,
        };
        let line = if let Some(line) = rest.strip_prefix(':') {
            line
        } else if let Some((options, line)) = rest.strip_prefix('[').and_then(|r| r.split_once("]:")) {
            let mut reads = Vec::new();
            for option in options.split(',').map(str::trim).filter(|o| !o.is_empty()) {
                match option {
                    "pure" => command.pure = Some(Purity::default()),
                    _ if option.starts_with("reads=") => reads.extend(option.strip_prefix("reads=").map(PathBuf::from)),
                    "bytecode" => command.bytecode = true,
                    "empty-is-unchanged" => command.empty_is_unchanged = true,
                    _ => {
                        return Err(Error::usage(format!("unknown option `{option}` in `cmd[{options}]:`"))
                            .note(format!("in `{flag}={text}`"))
                            .hint("known are `bytecode`, `empty-is-unchanged`, `pure` and `reads=FILE`"));
                    }
                }
            }
            match &mut command.pure {
                Some(pure) => pure.reads = reads,
                None if reads.is_empty() => {}
                None => {
                    return Err(Error::usage(format!("`reads` has no effect in `cmd[{options}]:`"))
                        .note("it names the files that the replies of a command depend on, if it is `pure`")
                        .hint("write `cmd[pure,reads=FILE]:`"));
                }
            }
            line
        } else {
            return Ok(None);
        };
        if line.trim().is_empty() {
            return Err(Error::usage(format!("`{flag}` has no command after `cmd:`")));
        }
        command.line = line.to_owned();
        if command.pure.is_some() {
            Purity::check(&command.line)?;
        }
        Ok(Some(command))
    }

    /// The variables of a request that the command sees. Those that depend on the whole program are hidden from pure ones.
    pub(crate) fn variables<'r>(&self, request: &'r Request) -> impl Iterator<Item = &'r (&'static str, String)> {
        let hidden: &[&str] = if self.pure.is_some() { &["HALYARD_INDEX", "HALYARD_COUNT"] } else { &[] };
        request.env.iter().filter(move |(name, _)| !hidden.contains(name))
    }

    /// Returns the name for messages: one line, shortened.
    pub(crate) fn name(&self) -> String {
        let line = self.title.as_ref().unwrap_or(&self.line).trim().replace(['\n', '\t'], " ");
        if line.chars().count() <= 60 { line } else { line.chars().take(59).chain(['…']).collect() }
    }
}

fn is_stage(text: &str) -> bool {
    if text.strip_prefix("builtin.module").is_some_and(|rest| rest.trim_start().starts_with('(')) {
        return true;
    }
    let text = text.trim_end();
    let end = text.find(['[', '{']).unwrap_or(text.len());
    let (name, picks) = (&text[..end], &text[end..]);
    if name.contains(|c: char| c.is_whitespace() || "\"'`$&|;<>()\\*?~".contains(c)) {
        return false;
    }
    let named = |end: &str| name.len() > end.len() && name.ends_with(end);
    named(".mlir") || named(".mlirbc") || named(".yaml") || named(".yml") || (named(".py") && !picks.is_empty())
}

/// The anchor of what looks like a pipeline: `func.func` of `func.func(cse)`.
fn foreign_anchor(text: &str) -> Option<&str> {
    let (anchor, rest) = text.trim_end().split_once('(')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '.' || c == '-';
    (!anchor.is_empty() && anchor.chars().all(is_name) && rest.ends_with(')') && rest.len() > 1).then_some(anchor)
}

#[cfg(test)]
mod tests;
