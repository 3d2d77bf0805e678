//! Which plugins are on: those of the environment, of the command line, and those that a program asks for.
use crate::{
    Active, PluginArgs, ProgramPluginArgs,
    active::Plugin,
    find::{Found, find},
    options::bind,
};
use halyard_diag::{Error, Kind, Result, Source, Span};
use halyard_ir::{Attr, Op, Session, form::Program, names};
use halyard_stages::grammar::{self, Group, Name, Value};
use std::{collections::BTreeSet, sync::Arc};

/// Who asks for a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum By {
    Environment,
    CommandLine,
    Program,
}

/// A plugin that someone asks for.
struct Wanted {
    by: By,
    source: Arc<Source>,
    name: Name,
    group: Group,
}

impl Wanted {
    fn read(by: By, what: &str, text: &str) -> Result<Self> {
        let source = Source::new(what, text);
        let (name, group) = grammar::named(&source).map_err(|e| e.code("bad-plugin"))?;
        Ok(Self { by, source, name, group })
    }

    fn span(&self) -> Span {
        Span::new(&self.source, self.name.at.clone())
    }

    fn find(&self, args: &PluginArgs) -> Result<Found> {
        find(args, &self.name.text, self.span())
    }

    /// What is wrong with what a program asks for is not the fault of the command line.
    fn blame(&self, mut error: Error) -> Error {
        if self.by == By::Program && error.kind == Kind::Usage {
            error.kind = Kind::Input;
        }
        error
    }
}

impl Active {
    /// Switches plugins on for a tool that reads no programs. Errors: as [`Active::for_program`].
    pub fn new(args: &PluginArgs) -> Result<Self> {
        let (wanted, off) = chosen(args)?;
        check_off(&off)?;
        Self::of(args, wanted)
    }

    /// Switches plugins on: those of the environment, of the command line, and what programs (bytes and names) ask for,
    /// in this order. Libraries are loaded, so that sessions made afterwards have their dialects. Errors: a plugin that
    /// is nowhere, malformed, given twice, or asked for by a program without permission; one that is switched off and was
    /// never on; options that it does not have, or that do not fit; a library that cannot be loaded.
    pub fn for_program<'i>(
        args: &ProgramPluginArgs,
        inputs: impl IntoIterator<Item = (&'i [u8], &'i str)>,
    ) -> Result<Self> {
        let (mut wanted, mut off) = chosen(&args.chosen)?;
        for (bytes, name) in inputs {
            for request in requests(bytes, name)? {
                let known = |w: &Wanted| w.name.text == request.name.text;
                if let Some(i) = off.iter().position(|(name, _)| *name == request.name.text) {
                    // Several programs may ask for it.
                    off[i].1 = true;
                } else if !wanted.iter().any(known) {
                    if !args.allow_program_plugins {
                        check_safe(&request, &args.chosen)?;
                    }
                    wanted.push(request);
                }
            }
        }
        check_off(&off)?;
        Self::of(&args.chosen, wanted)
    }

    fn of(args: &PluginArgs, wanted: Vec<Wanted>) -> Result<Self> {
        let mut plugins: Vec<Plugin> = Vec::new();
        let mut targets = BTreeSet::new();
        for wanted in wanted {
            let Found { manifest, code } = wanted.find(args)?;
            if plugins.iter().any(|p| p.manifest.name == manifest.name) {
                return Err(twice(&wanted, &manifest.name));
            }
            if let Some(again) = manifest.targets.iter().find(|t| !targets.insert(t.name.clone())) {
                let e = Error::usage(format!("two plugins have a target `{}`", again.name)).code("bad-plugin");
                return Err(e.at(wanted.span()).hint("switch one of them off"));
            }
            let name = Name { text: manifest.name.clone(), at: wanted.name.at.clone() };
            let values = bind(&manifest.options, (&name, &wanted.group), &wanted.source, &manifest.source);
            let mut values = values.map_err(|e| wanted.blame(e))?;
            let folder = manifest.folder.as_ref().map_or_else(String::new, |f| f.display().to_string());
            values.set("folder", Value::String(if folder.is_empty() { ".".into() } else { folder }));
            plugins.push(Plugin { manifest, values, code });
        }
        for Plugin { manifest, .. } in &plugins {
            let libraries = &manifest.libraries;
            let all = [&libraries.dialects, &libraries.passes, &libraries.host, &libraries.device];
            all.into_iter().flatten().for_each(|path| halyard_cli::depend_on(path));
            halyard_ir::load_plugins(&libraries.passes, &libraries.dialects)
                .map_err(|e| e.note(format!("plugin `{}` brings it", manifest.name)))?;
        }
        Ok(Self { plugins })
    }
}

/// What the environment and the command line ask for, and the names that are switched off without having been on.
fn chosen(args: &PluginArgs) -> Result<(Vec<Wanted>, Vec<(String, bool)>)> {
    let variable = std::env::var("HALYARD_PLUGINS").unwrap_or_default();
    let mut wanted: Vec<Wanted> = Vec::new();
    for word in words(&variable) {
        let one = Wanted::read(By::Environment, "HALYARD_PLUGINS", word)?;
        if wanted.iter().any(|w| w.name.text == one.name.text) {
            return Err(twice(&one, &one.name.text));
        }
        wanted.push(one);
    }
    let mut off: Vec<(String, bool)> = Vec::new();
    for text in &args.plugin {
        if let Some(name) = text.strip_prefix('-') {
            let before = wanted.len();
            wanted.retain(|w| w.name.text != name);
            if wanted.len() == before {
                off.push((name.to_owned(), false));
            }
            continue;
        }
        let one = Wanted::read(By::CommandLine, "--plugin", text)?;
        let same = |w: &Wanted| w.name.text == one.name.text;
        if wanted.iter().any(|w| same(w) && w.by == By::CommandLine) {
            return Err(twice(&one, &one.name.text));
        }
        off.retain(|(name, _)| *name != one.name.text);
        // The command line has the last word.
        wanted.retain(|w| !same(w));
        wanted.push(one);
    }
    Ok((wanted, off))
}

fn twice(wanted: &Wanted, name: &str) -> Error {
    let error = Error::usage(format!("plugin `{name}` is given twice")).code("bad-plugin");
    error.at(wanted.span()).hint("give all its options at once: `NAME{OPTION=VALUE OPTION=VALUE}`")
}

fn check_off(off: &[(String, bool)]) -> Result<()> {
    match off.iter().find(|(_, was_on)| !was_on) {
        Some((name, _)) => Err(Error::usage(format!("plugin `{name}` is switched off, but was never on"))
            .code("bad-plugin")
            .hint(format!("leave out `--plugin=-{name}`"))),
        None => Ok(()),
    }
}

/// Blanks separate plugins, where they do not stand in braces or quotes.
fn words(text: &str) -> Vec<&str> {
    let (mut words, mut start, mut depth, mut quote) = (Vec::new(), 0, 0_usize, None);
    for (i, c) in text.char_indices() {
        match (quote, c) {
            (Some(q), _) if c == q => quote = None,
            (Some(_), _) => {}
            (None, '"' | '\'') => quote = Some(c),
            (None, '{' | '[' | '(') => depth += 1,
            (None, '}' | ']' | ')') => depth = depth.saturating_sub(1),
            (None, _) if c.is_whitespace() && depth == 0 => {
                words.push(&text[start..i]);
                start = i + c.len_utf8();
            }
            _ => {}
        }
    }
    words.push(&text[start..]);
    words.retain(|w| !w.is_empty());
    words
}

/// The plugins that a program asks for. Whatever else is wrong with the input is told by who reads it for good. Errors: an
/// attribute of another kind.
fn requests(bytes: &[u8], name: &str) -> Result<Vec<Wanted>> {
    if memchr::memmem::find(bytes, names::PLUGINS.as_bytes()).is_none() {
        return Ok(Vec::new());
    }
    let session = Session::new();
    session.allow_unregistered_dialects(true);
    let Ok(module) = session.parse(bytes, name) else { return Ok(Vec::new()) };
    let op = Op::from(&module);
    let Some(attr) = op.attr(names::PLUGINS) else { return Ok(Vec::new()) };
    let texts = attr.as_array().and_then(|list| list.into_iter().map(Attr::as_string).collect::<Option<Vec<String>>>());
    let Some(texts) = texts else {
        let e = Error::input(format!("`{}` has to be an array of strings", names::PLUGINS)).code("bad-plugin");
        return Err(e.in_file(name).hint("write `hal.plugins = [\"name{option=value}\"]`"));
    };
    let program = format!("{} of `@{}`", names::PLUGINS, Program { op }.name());
    // It is the program that is wrong, not the command line.
    let input = |e: Error| Error { kind: Kind::Input, ..e };
    texts.iter().map(|text| Wanted::read(By::Program, &program, text).map_err(input)).collect()
}

/// Errors: a program asks for a plugin that is not marked safe.
fn check_safe(request: &Wanted, args: &PluginArgs) -> Result<()> {
    let found = request.find(args)?;
    if found.manifest.safe && !request.name.text.contains('/') {
        return Ok(());
    }
    let name = &request.name.text;
    Err(Error::input(format!("the program asks for plugin `{name}`, which is not marked safe"))
        .code("plugin-not-allowed")
        .at(request.span())
        .note("plugins can run commands and load libraries; `safe = true` in the manifest says that any program may use one")
        .hint(format!(
            "`--allow-program-plugins` allows it, `--plugin={name}` asks for it, `--plugin=-{name}` leaves it out"
        )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_separate_plugins_outside_of_braces() {
        assert_eq!(words(" a  b{x=1 y=[1, 2]} c{s='} d'}\n"), ["a", "b{x=1 y=[1, 2]}", "c{s='} d'}"]);
        assert!(words(" ").is_empty());
    }
}
