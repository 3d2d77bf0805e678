//! `--list-plugins`, and the options of plugins in help.
use crate::{
    PluginArgs,
    find::{all, find},
    manifest::{Manifest, What},
    options::DeclaredOption,
};
use halyard_diag::{DiagnosticFormat, Result, Source, Span, render};
use halyard_grammar as grammar;
use std::{ffi::OsString, fmt::Write, path::Path};

/// Lists all plugins that are found with what they contribute, and malformed ones with the reason. Fails if a folder
/// does not exist.
pub fn list(args: &PluginArgs) -> Result<String> {
    let mut text = String::new();
    for (name, found) in all(args)? {
        match found {
            Ok(manifest) => describe(&mut text, &manifest),
            Err(e) => {
                let _ = writeln!(text, "{name}\n    cannot be used:");
                for line in render(&e, DiagnosticFormat::Short, false).lines() {
                    let _ = writeln!(text, "        {line}");
                }
            }
        }
    }
    Ok(text)
}

/// The targets of all plugins that are found, enabled or not: plugin, target, what it is. Malformed plugins have none. Errors: a
/// folder of plugins does not exist.
pub fn declared_targets(args: &PluginArgs) -> Result<Vec<(String, String, String)>> {
    let mut targets = Vec::new();
    for manifest in all(args)?.into_iter().filter_map(|(_, found)| found.ok()) {
        for target in &manifest.targets {
            targets.push((manifest.name.clone(), target.name.clone(), target.description.clone()));
        }
    }
    Ok(targets)
}

fn describe(text: &mut String, manifest: &Manifest) {
    let version = if manifest.version.is_empty() { String::new() } else { format!(" {}", manifest.version) };
    let place = manifest.folder.as_ref().map_or("compiled in".to_owned(), |f| f.display().to_string());
    let safe = if manifest.safe { ", safe" } else { "" };
    let _ = writeln!(text, "{}{version} ({place}{safe})\n    {}", manifest.name, manifest.description);
    let mut row = |title: &str, rows: Vec<String>| {
        for (i, row) in rows.into_iter().enumerate() {
            let title = if i == 0 { format!("{title}:") } else { String::new() };
            let _ = writeln!(text, "    {title:<12}{row}");
        }
    };
    row("options", manifest.options.iter().map(option).collect());
    let stage = |s: &crate::manifest::Stage| {
        let kind = match s.what {
            What::Stage => "",
            What::Command => "command ",
            What::Call => "function ",
        };
        let when = s.when.as_ref().map_or_else(String::new, |name| format!(", if {name}"));
        format!("{:<10} {kind}{}{when}", s.hook, s.entry.text.trim().replace('\n', " "))
    };
    row("stages", manifest.stages.iter().map(stage).collect());
    let target = |t: &crate::manifest::DeclaredTarget| match t.description.as_str() {
        "" => t.name.clone(),
        words => format!("{:<10} {words}", t.name),
    };
    row("targets", manifest.targets.iter().map(target).collect());
    let libraries = &manifest.libraries;
    let kinds = [
        ("passes", &libraries.passes),
        ("dialects", &libraries.dialects),
        ("host", &libraries.host),
        ("device", &libraries.device),
    ];
    let inside = |path: &Path| {
        let folder = manifest.folder.as_deref().unwrap_or(Path::new(""));
        path.strip_prefix(folder).unwrap_or(path).display().to_string()
    };
    let named = |(kind, paths): (&str, &Vec<_>)| {
        paths.iter().map(|p: &std::path::PathBuf| format!("{kind:<10} {}", inside(p))).collect::<Vec<_>>()
    };
    row("libraries", kinds.into_iter().flat_map(named).collect());
    let candidate = |c: &crate::ListedCandidate| match &c.executable {
        Some(name) => format!("{name}={}", inside(&c.file)),
        None => inside(&c.file),
    };
    row("candidates", manifest.candidates.iter().map(candidate).collect());
}

fn option(option: &DeclaredOption) -> String {
    let default = match &option.default {
        Some(value) => format!("[default: {value}]"),
        None => "[needs a value]".into(),
    };
    let form = option.form();
    if option.help.is_empty() { format!("{form} {default}") } else { format!("{form} {default}: {}", option.help) }
}

/// Returns help on the options of the plugins that a command line names, or `None` if it names none. Errors are
/// ignored here; they are reported when the plugin runs.
pub fn help(argv: &[OsString]) -> Option<String> {
    let mut args = PluginArgs::default();
    let mut words = argv.iter().filter_map(|w| w.to_str()).skip(1);
    while let Some(word) = words.next() {
        let mut value = |flag: &str| match word.strip_prefix(flag) {
            Some("") => words.next().map(str::to_owned),
            Some(rest) => rest.strip_prefix('=').map(str::to_owned),
            None => None,
        };
        if let Some(folder) = value("--plugin-path") {
            args.plugin_path.push(folder.into());
        } else if let Some(plugin) = value("--plugin") {
            args.plugin.push(plugin);
        }
    }
    let mut text = String::new();
    for plugin in args.plugin.iter().filter(|p| !p.starts_with('-')) {
        let source = Source::new("--plugin", plugin.clone());
        let Ok((name, _)) = grammar::named(&source) else { continue };
        let span = Span::new(&source, name.at.clone());
        match find(&args, &name.text, span) {
            Ok(manifest) => {
                let _ = writeln!(text, "Options of plugin `{0}` (--plugin={0}{{OPTION=VALUE …}}):", manifest.name);
                if manifest.options.is_empty() {
                    text += "  it has none\n";
                }
                manifest.options.iter().for_each(|o| text += &format!("  {}\n", option(o)));
            }
            Err(e) => {
                let _ = writeln!(text, "Plugin `{}` cannot be used: {e}", name.text);
            }
        }
        text.push('\n');
    }
    (!text.is_empty()).then_some(text)
}
