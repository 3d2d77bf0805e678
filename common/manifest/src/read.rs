//! Reads manifests and checks every key.
use crate::{
    manifest::{CommandKeys, DeclaredTarget, HOOKS, Libraries, ListedCandidate, Manifest, Stage, What},
    options::{DeclaredOption, OptionType},
    toml_reader::{Node, Table, error, parse, value},
};
use halyard_diag::{Error, Result, Source, nearest, says_absent};
use halyard_grammar::{EntryKind, OptionValue, PipelineEntry, Variables};
use std::{
    ops::Range,
    path::{Path, PathBuf},
    sync::Arc,
};

const KEYS: [&str; 9] =
    ["name", "description", "version", "safe", "options", "stages", "targets", "libraries", "tuning"];
const STAGE_KEYS: [&str; 14] = [
    "at",
    "pass",
    "transform",
    "schedule",
    "include",
    "command",
    "call",
    "if",
    "bytecode",
    "empty-is-unchanged",
    "pure",
    "reads",
    "timeout",
    "memory",
];
const TARGET_KEYS: [&str; 9] =
    ["name", "description", "command", "cpu", "workgroups", "partial", "bytecode", "timeout", "memory"];
const COMMAND_KEYS: [&str; 6] = ["bytecode", "empty-is-unchanged", "pure", "reads", "timeout", "memory"];
const LIBRARY_KEYS: [&str; 4] = ["passes", "dialects", "host", "device"];

impl Manifest {
    /// Reads a manifest; `folder` is where its files are. Errors: what is no TOML, unknown and missing keys, values of
    /// another kind, files that are not there, options that nothing uses.
    pub fn read(source: Arc<Source>, folder: Option<PathBuf>) -> Result<Self> {
        Reader { source, folder }.manifest()
    }
}

/// A manifest that is being read.
struct Reader {
    source: Arc<Source>,
    folder: Option<PathBuf>,
}

impl Reader {
    fn error(&self, at: Range<usize>, message: impl Into<String>) -> Error {
        error(&self.source, at, message)
    }

    fn manifest(self) -> Result<Manifest> {
        let root = parse(&self.source)?;
        let at = 0..self.source.text.len();
        let table = Table::new(&self.source, "the manifest", (root.get_ref(), at), &KEYS)?;
        let name = table.needed("name")?.to_owned();
        if !is_plugin_name(&name) {
            let e = self.error(table.span("name"), format!("`{name}` cannot be the name of a plugin"));
            return Err(e.note("names consist of letters, digits, `_`, `-` and `.`, and begin with a letter"));
        }
        let options = self.options(table.get("options"))?;
        let stages: Vec<Stage> =
            table.tables("stages")?.into_iter().map(|node| self.stage(node, &options)).collect::<Result<_>>()?;
        let targets = self.targets(table.tables("targets")?)?;
        let manifest = Manifest {
            name,
            description: table.needed("description")?.trim().to_owned(),
            version: table.text("version")?.unwrap_or_default().to_owned(),
            safe: table.flag("safe")?,
            options,
            stages,
            targets,
            libraries: self.libraries(table.get("libraries"))?,
            candidates: self.candidates(table.get("tuning"))?,
            folder: self.folder.clone(),
            source: self.source.clone(),
        };
        if manifest.is_idle() {
            let e = table.error(format!("plugin `{}` contributes nothing", manifest.name));
            return Err(e.hint("it needs `[[stages]]`, `[[targets]]`, `[libraries]` or `[tuning]`"));
        }
        self.check_options(&manifest)?;
        Ok(manifest)
    }

    fn options(&self, node: Option<&Node<'_>>) -> Result<Vec<DeclaredOption>> {
        let Some(node) = node else { return Ok(Vec::new()) };
        let toml::de::DeValue::Table(table) = node.get_ref() else {
            return Err(self.error(node.span(), "`options` has to be a table").hint("write `[options]`"));
        };
        let names: Vec<&str> = table.keys().map(|k| &**k.get_ref()).collect();
        let table = Table::new(&self.source, "`options`", (table, node.span()), &names)?;
        table.pairs().map(|(name, at, node)| DeclaredOption::read(&self.source, name, at, node)).collect()
    }

    fn stage(&self, node: &Node<'_>, options: &[DeclaredOption]) -> Result<Stage> {
        let table = Table::of(&self.source, "a stage", node, &STAGE_KEYS)?;
        let at = table.needed("at")?;
        let Some(hook) = HOOKS.into_iter().find(|h| *h == at) else {
            let known = HOOKS;
            let e = self.error(table.span("at"), format!("there is no hook `{at}`"));
            let list: Vec<_> = known.iter().map(|k| format!("`{k}`")).collect();
            let e = e.note(format!("hooks are {}", list.join(", ")));
            return Err(match nearest(at, known).first() {
                Some(near) => e.hint(format!("did you mean `{near}`?")),
                None => e,
            });
        };
        let kinds = [
            ("pass", What::Stage, EntryKind::Pass),
            ("transform", What::Stage, EntryKind::Transform),
            // The former name of `transform`.
            ("schedule", What::Stage, EntryKind::Transform),
            ("include", What::Stage, EntryKind::Include),
            ("command", What::Command, EntryKind::Pass),
            ("call", What::Call, EntryKind::Pass),
        ];
        let mut given = kinds.iter().filter(|(key, ..)| table.get(key).is_some());
        let Some(&(key, what, kind)) = given.next() else {
            let e = table.error("the stage has no `pass`, `transform`, `include` or `command`");
            return Err(e.hint("give it one of `pass`, `transform`, `include`, `command`"));
        };
        if let Some((second, ..)) = given.next() {
            return Err(self.error(table.span(second), format!("a stage has `{key}` or `{second}`, not both")));
        }
        if what == What::Call && self.folder.is_some() {
            let e = self.error(table.span("call"), "only plugins that are compiled in have functions to call");
            return Err(e.hint("`command` runs a program of yours"));
        }
        let limits = |k: &str| hook == "executable" && ["timeout", "memory"].contains(&k);
        let mut idle = COMMAND_KEYS.iter().filter(|k| table.get(k).is_some());
        if let Some(idle) = idle.find(|k| what != What::Command && !limits(k)) {
            let has = if ["timeout", "memory"].contains(idle) { ", and for stages at `executable`" } else { "" };
            return Err(self.error(table.span(idle), format!("`{idle}` is for commands{has}")));
        }
        if table.get("reads").is_some() && !table.flag("pure")? {
            let e = self.error(table.span("reads"), "`reads` is for commands that are `pure`");
            return Err(e.hint("`pure = true` declares that replies depend on nothing else"));
        }
        if hook == "object" && table.flag("bytecode")? {
            return Err(self.error(table.span("bytecode"), "`bytecode` has no meaning for objects"));
        }
        let when = table.text("if")?.map(str::to_owned);
        if let Some(name) = &when {
            let at = table.span("if");
            let Some(option) = options.iter().find(|o| o.name == *name) else {
                return Err(self
                    .error(at, format!("there is no option `{name}`"))
                    .hint("`if` names an option of type `bool`"));
            };
            if option.ty != OptionType::Bool {
                return Err(self.error(at, format!("option `{name}` is of type `{}`, not `bool`", option.ty.name())));
            }
        }
        let entry = table.entry(key, kind)?.ok_or_else(|| table.error("the stage is empty"))?;
        let reads = table.texts("reads")?.into_iter().map(|(name, at)| self.file(&name, at));
        let command = CommandKeys { reads: reads.collect::<Result<_>>()?, ..command_keys(&table)? };
        Ok(Stage { hook, what, entry, when, command })
    }

    fn targets(&self, nodes: Vec<&Node<'_>>) -> Result<Vec<DeclaredTarget>> {
        let mut targets: Vec<DeclaredTarget> = Vec::new();
        for node in nodes {
            let table = Table::of(&self.source, "a target", node, &TARGET_KEYS)?;
            let name = table.needed("name")?.to_owned();
            if !is_plugin_name(&name) || name == "cpu" {
                let e = self.error(table.span("name"), format!("`{name}` cannot be the name of a target"));
                return Err(e.note(
                    "names consist of letters, digits, `_`, `-` and `.`, begin with a letter, and are not `cpu`",
                ));
            }
            if targets.iter().any(|t| t.name == name) {
                return Err(self.error(table.span("name"), format!("target `{name}` is there twice")));
            }
            table.needed("command")?;
            let entry = table.entry("command", EntryKind::Pass)?.ok_or_else(|| table.error("no `command`"))?;
            let here = table.span("command");
            let default = PipelineEntry { kind: EntryKind::Pass, text: "cpu".into(), at: here, verbatim: false };
            targets.push(DeclaredTarget {
                name,
                description: table.text("description")?.unwrap_or_default().to_owned(),
                entry,
                cpu: table.entry("cpu", EntryKind::Pass)?.unwrap_or(default),
                workgroups: self.workgroups(table.get("workgroups"))?,
                partial: table.flag("partial")?,
                command: command_keys(&table)?,
            });
        }
        Ok(targets)
    }

    /// Reads `8` or `[8, 4, 2]`; one workgroup if the key is absent.
    fn workgroups(&self, node: Option<&Node<'_>>) -> Result<[u32; 3]> {
        let Some(node) = node else { return Ok([1; 3]) };
        let items = match value(&self.source, node)? {
            OptionValue::List(items) => items,
            one => vec![one],
        };
        let mut counts = [1; 3];
        let count = |v: &OptionValue| match v {
            OptionValue::Int(n) => u32::try_from(*n).ok().filter(|n| *n > 0),
            _ => None,
        };
        let numbers: Option<Vec<u32>> = items.iter().map(count).collect();
        let numbers = numbers.filter(|n| (1..=3).contains(&n.len())).ok_or_else(|| {
            self.error(node.span(), "`workgroups` has to be a number above 0, or a list of up to three: x, y and z")
        })?;
        counts[..numbers.len()].copy_from_slice(&numbers);
        Ok(counts)
    }

    fn libraries(&self, node: Option<&Node<'_>>) -> Result<Libraries> {
        let Some(node) = node else { return Ok(Libraries::default()) };
        let table = Table::of(&self.source, "`libraries`", node, &LIBRARY_KEYS)?;
        let files = |key| -> Result<Vec<PathBuf>> {
            table.texts(key)?.into_iter().map(|(name, at)| self.file(&name, at)).collect()
        };
        Ok(Libraries {
            passes: files("passes")?,
            dialects: files("dialects")?,
            host: files("host")?,
            device: files("device")?,
        })
    }

    /// `FILE` or `NAME=FILE`, where FILE may be a pattern.
    fn candidates(&self, node: Option<&Node<'_>>) -> Result<Vec<ListedCandidate>> {
        let Some(node) = node else { return Ok(Vec::new()) };
        let table = Table::of(&self.source, "`tuning`", node, &["candidates"])?;
        let mut found = Vec::new();
        for (text, at) in table.texts("candidates")? {
            let (executable, pattern) = match text.split_once('=') {
                Some(("", _)) => return Err(self.error(at, format!("`{text}` names no executable before `=`"))),
                Some((name, pattern)) => (Some(name.to_owned()), pattern.to_owned()),
                None => (None, text),
            };
            let listed = |file| ListedCandidate { executable: executable.clone(), file };
            if !pattern.contains(['*', '?', '[']) {
                found.push(listed(self.file(&pattern, at)?));
                continue;
            }
            let full = self.path(&pattern, at.clone())?.display().to_string();
            let files = glob::glob(&full).map_err(|e| self.error(at.clone(), format!("`{pattern}`: {}", e.msg)))?;
            let before = found.len();
            found.extend(files.filter_map(Result::ok).map(listed));
            if found.len() == before {
                return Err(self.error(at, format!("no file is named `{pattern}`")));
            }
        }
        Ok(found)
    }

    /// The path of a file of the plugin. Errors: the plugin has no folder.
    fn path(&self, name: &str, at: Range<usize>) -> Result<PathBuf> {
        let folder = self.folder.as_deref();
        let folder = folder.ok_or_else(|| self.error(at, "a plugin that is compiled in has no files"))?;
        Ok(if folder == Path::new("") { name.into() } else { folder.join(name) })
    }

    /// A file of the plugin. Errors: it is not there.
    fn file(&self, name: &str, at: Range<usize>) -> Result<PathBuf> {
        let path = self.path(name, at.clone())?;
        let why = match path.metadata() {
            Ok(about) if about.is_file() => return Ok(path),
            Ok(_) => "is no file".to_owned(),
            Err(e) if says_absent(&e) => "is not there".to_owned(),
            Err(e) => format!("cannot be read: {e}"),
        };
        let e = self.error(at, format!("file `{name}` {why}"));
        Err(e.note(format!("it belongs in the folder of the plugin, as `{}`", path.display())))
    }

    /// Errors: options that nothing uses, `${NAME}` of others.
    fn check_options(&self, manifest: &Manifest) -> Result<()> {
        let mut values = Variables::new("option", "NAME = …` below `[options]");
        values.set("folder", OptionValue::String("folder".into()));
        for option in &manifest.options {
            // Any value does: only names count here.
            values.set(&option.name, option.default.clone().unwrap_or(OptionValue::Int(1)));
        }
        for stage in &manifest.stages {
            let expand = if stage.what == What::Command { Variables::put_into_line } else { Variables::put_into };
            expand(&values, &self.source, &stage.entry)?;
            stage.when.iter().for_each(|name| values.mark(name));
            if stage.what == What::Call {
                // The function is given all of them.
                manifest.options.iter().for_each(|o| values.mark(&o.name));
            }
        }
        for target in &manifest.targets {
            values.put_into_line(&self.source, &target.entry)?;
            values.put_into(&self.source, &target.cpu)?;
        }
        let commands = manifest.stages.iter().map(|s| &s.command).chain(manifest.targets.iter().map(|t| &t.command));
        for limit in commands.flat_map(|c| [&c.timeout, &c.memory]).flatten() {
            values.put_into(&self.source, limit)?;
        }
        match manifest.options.iter().find(|o| !values.uses(&o.name)) {
            Some(idle) => Err(self
                .error(idle.at.clone(), format!("option `{}` is not used", idle.name))
                .hint(format!("write `${{{}}}` where its value belongs, or take it out", idle.name))),
            None => Ok(()),
        }
    }
}

impl Manifest {
    fn is_idle(&self) -> bool {
        let Libraries { passes, dialects, host, device } = &self.libraries;
        let libraries = [passes, dialects, host, device].iter().all(|l| l.is_empty());
        self.stages.is_empty() && self.targets.is_empty() && self.candidates.is_empty() && libraries
    }
}

fn command_keys(table: &Table<'_, '_>) -> Result<CommandKeys> {
    Ok(CommandKeys {
        bytecode: table.flag("bytecode")?,
        empty_is_unchanged: table.flag("empty-is-unchanged")?,
        pure: table.flag("pure")?,
        reads: Vec::new(),
        timeout: table.entry("timeout", EntryKind::Pass)?,
        memory: table.entry("memory", EntryKind::Pass)?,
    })
}

/// Whether a text is a valid name of a plugin or a target.
fn is_plugin_name(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || "_-.".contains(c))
}
