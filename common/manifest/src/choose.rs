//! Determines the enabled plugins, from the environment and the command line.
use crate::{ListedCandidate, Manifest, PluginArgs, find::find, options::bind};
use halyard_diag::{Error, ErrorKind, Result, Source, Span};
use halyard_grammar::{self as grammar, Group, NameAt, OptionValue, Variables};
use std::{collections::BTreeSet, path::PathBuf, sync::Arc};

/// An enabled plugin.
#[derive(Debug)]
pub struct Chosen {
    /// Its manifest.
    pub manifest: Manifest,
    /// The values of its options, and its folder.
    pub values: Variables,
}

/// The libraries of plugins that are for running programs, in order.
#[derive(Debug, Default)]
pub struct RuntimeLibraries {
    /// Host libraries, with functions that programs call.
    pub host: Vec<PathBuf>,
    /// Kernel libraries, with functions that kernels call.
    pub device: Vec<PathBuf>,
}

/// What plugins bring for `hal-tune`, in order.
#[derive(Debug, Default)]
pub struct TuningCandidates {
    /// Each with the name of its plugin.
    pub candidates: Vec<(String, ListedCandidate)>,
    /// Passes and dialects, which transform scripts may need.
    pub passes: Vec<PathBuf>,
    /// Dialects.
    pub dialects: Vec<PathBuf>,
}

/// The origin of a request for a plugin.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum By {
    /// The variable `HALYARD_PLUGINS`.
    Environment,
    /// `--plugin`.
    CommandLine,
    /// A program, through its attribute.
    Program,
}

/// A request for a plugin.
#[derive(Debug)]
pub struct WantedPlugin {
    by: By,
    source: Arc<Source>,
    /// The plugin's name, with its place.
    pub name: NameAt,
    group: Group,
}

impl WantedPlugin {
    /// Reads `NAME{OPTION=VALUE …}`; `what` is what messages call the text. Errors: it is malformed.
    pub fn read(by: By, what: &str, text: &str) -> Result<Self> {
        let source = Source::new(what, text);
        let (name, group) = grammar::named(&source).map_err(|e| e.code("bad-plugin"))?;
        Ok(Self { by, source, name, group })
    }

    /// Returns the place of the name.
    pub fn span(&self) -> Span {
        Span::new(&self.source, self.name.at.clone())
    }

    /// Finds it. Errors: it is nowhere, or malformed.
    pub fn find(&self, args: &PluginArgs) -> Result<Manifest> {
        find(args, &self.name.text, self.span())
    }

    /// Adjusts the kind of an error: if a program asks for the plugin, the command line is not at fault.
    fn blame(&self, mut error: Error) -> Error {
        if self.by == By::Program && error.kind == ErrorKind::Usage {
            error.kind = ErrorKind::Input;
        }
        error
    }
}

impl RuntimeLibraries {
    /// Switches plugins on for a tool that runs programs, and takes their libraries. It loads no MLIR. Errors: as
    /// [`resolve`] and [`check_off`].
    pub fn new(args: &PluginArgs) -> Result<Self> {
        let (wanted, off) = chosen(args)?;
        check_off(&off)?;
        let mut all = Self::default();
        for plugin in resolve(args, wanted)? {
            all.host.extend(plugin.manifest.libraries.host);
            all.device.extend(plugin.manifest.libraries.device);
        }
        Ok(all)
    }
}

impl TuningCandidates {
    /// Switches plugins on for a tool that tunes. Errors: as [`resolve`] and [`check_off`].
    pub fn new(args: &PluginArgs) -> Result<Self> {
        let (wanted, off) = chosen(args)?;
        check_off(&off)?;
        let mut all = Self::default();
        for plugin in resolve(args, wanted)? {
            let Manifest { name, libraries, candidates, .. } = plugin.manifest;
            all.candidates.extend(candidates.into_iter().map(|c| (name.clone(), c)));
            all.passes.extend(libraries.passes);
            all.dialects.extend(libraries.dialects);
        }
        Ok(all)
    }
}

/// Finds the plugins that are asked for and binds their options. Errors: one that is nowhere, malformed, there twice;
/// options that do not fit; two plugins with one target.
pub fn resolve(args: &PluginArgs, wanted: Vec<WantedPlugin>) -> Result<Vec<Chosen>> {
    let mut plugins: Vec<Chosen> = Vec::new();
    let mut targets = BTreeSet::new();
    for wanted in wanted {
        let manifest = wanted.find(args)?;
        if plugins.iter().any(|p| p.manifest.name == manifest.name) {
            return Err(twice(&wanted, &manifest.name));
        }
        if let Some(again) = manifest.targets.iter().find(|t| !targets.insert(t.name.clone())) {
            let e = Error::usage(format!("two plugins have a target `{}`", again.name)).code("bad-plugin");
            return Err(e.at(wanted.span()).hint("switch one of them off"));
        }
        let name = NameAt { text: manifest.name.clone(), at: wanted.name.at.clone() };
        let values = bind(&manifest.options, (&name, &wanted.group), &wanted.source, &manifest.source);
        let mut values = values.map_err(|e| wanted.blame(e))?;
        let folder = manifest.folder.as_ref().map_or_else(String::new, |f| f.display().to_string());
        values.set("folder", OptionValue::String(if folder.is_empty() { ".".into() } else { folder }));
        let libraries = &manifest.libraries;
        let all = [&libraries.dialects, &libraries.passes, &libraries.host, &libraries.device];
        all.into_iter().flatten().for_each(|path| halyard_cli::depend_on(path));
        plugins.push(Chosen { manifest, values });
    }
    Ok(plugins)
}

/// Returns the plugins that the environment and the command line request, and the names that are disabled without
/// having been enabled.
///
/// Fails if a plugin is requested twice, or a request is malformed.
pub fn chosen(args: &PluginArgs) -> Result<(Vec<WantedPlugin>, Vec<(String, bool)>)> {
    let variable = std::env::var("HALYARD_PLUGINS").unwrap_or_default();
    let mut wanted: Vec<WantedPlugin> = Vec::new();
    for word in words(&variable) {
        let one = WantedPlugin::read(By::Environment, "HALYARD_PLUGINS", word)?;
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
        let one = WantedPlugin::read(By::CommandLine, "--plugin", text)?;
        let same = |w: &WantedPlugin| w.name.text == one.name.text;
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

fn twice(wanted: &WantedPlugin, name: &str) -> Error {
    let error = Error::usage(format!("plugin `{name}` is given twice")).code("bad-plugin");
    error.at(wanted.span()).hint("give all its options at once: `NAME{OPTION=VALUE OPTION=VALUE}`")
}

/// Errors: a plugin that is switched off and was never on.
pub fn check_off(off: &[(String, bool)]) -> Result<()> {
    match off.iter().find(|(_, was_on)| !was_on) {
        Some((name, _)) => Err(Error::usage(format!("plugin `{name}` is disabled, but was not enabled"))
            .code("bad-plugin")
            .hint(format!("leave out `--plugin=-{name}`"))),
        None => Ok(()),
    }
}

/// Splits a list of plugins at blanks outside braces and quotes.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blanks_separate_plugins_outside_of_braces() {
        assert_eq!(words(" a  b{x=1 y=[1, 2]} c{s='} d'}\n"), ["a", "b{x=1 y=[1, 2]}", "c{s='} d'}"]);
        assert!(words(" ").is_empty());
    }
}
