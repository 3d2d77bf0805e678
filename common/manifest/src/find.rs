//! Finds plugins in folders.
use crate::{
    PluginArgs,
    compiled_in::MANIFESTS,
    manifest::{FILE, Manifest},
};
use halyard_diag::{Error, Result, Source, Span, may_be_file, may_be_folder, nearest};
use std::{
    fs::DirEntry,
    path::{Path, PathBuf},
};

/// Finds a plugin by its name, or by its folder, which has a slash; `span` is where that stands. Errors: it is nowhere, its
/// manifest is malformed.
pub(crate) fn find(args: &PluginArgs, name: &str, span: Span) -> Result<Manifest> {
    let folders = folders(args)?;
    if name.contains('/') {
        let folder = PathBuf::from(name.strip_suffix('/').unwrap_or(name));
        if !may_be_file(&folder.join(FILE)) {
            let e = Error::environment(format!("`{name}` is not a plugin: it has no file `{FILE}`"));
            return Err(e.code("no-plugin").at(span));
        }
        return read(folder);
    }
    // The folder of one plugin may be named, or the one in which it lies.
    let own = |f: &&PathBuf| may_be_file(&f.join(FILE)) && called(f).as_deref() == Some(name);
    let inside = folders.iter().cloned().chain(shipped()).map(|f| f.join(name));
    let places = folders.iter().filter(own).cloned().chain(inside);
    if let Some(folder) = places.into_iter().find(|p| may_be_file(&p.join(FILE))) {
        let found = read(folder.clone())?;
        let is = &found.name;
        if is != name {
            let e = Error::input(format!("the folder of plugin `{is}` is called `{name}`")).code("bad-manifest");
            let at = Span::new(&found.source, 0..0).source;
            let at = at.text.find("name").map_or(Span::new(&at, 0..0), |i| Span::new(&at, i..i + "name".len()));
            return Err(e.at(at).hint("the folder is called as the plugin"));
        }
        return Ok(found);
    }
    let named = |m: &Result<Manifest>| m.as_ref().is_ok_and(|m| m.name == name);
    if let Some(found) = MANIFESTS.iter().map(|text| compiled_in(text)).find(named) {
        return found;
    }
    let e = Error::environment(format!("there is no plugin `{name}`")).code("no-plugin").at(span);
    let places: Vec<_> = folders.iter().map(|f| format!("`{}`", f.display())).collect();
    let e = match places.len() {
        0 => e.note("no plugin folder is set"),
        _ => e.note(format!("looked for in {}", places.join(", "))),
    };
    let known = all(args)?;
    let known = known.iter().map(|(name, _)| name.as_str());
    Err(match nearest(name, known).first() {
        Some(near) => e.hint(format!("did you mean `{near}`?")),
        None => e.hint("`--plugin-path=FOLDER` adds a folder; `--list-plugins` shows the plugins that are found"),
    })
}

/// All plugins, with their names, or those of their folders where they are malformed: in the order of the folders, then
/// those that are compiled in.
pub(crate) fn all(args: &PluginArgs) -> Result<Vec<(String, Result<Manifest>)>> {
    let mut all: Vec<(String, Result<Manifest>)> = Vec::new();
    let mut add = |name: String, found: Result<Manifest>| {
        if !all.iter().any(|(known, _)| *known == name) {
            all.push((name, found));
        }
    };
    for folder in folders(args)?.into_iter().chain(shipped()) {
        let mut inside = match may_be_file(&folder.join(FILE)) {
            true => vec![folder],
            false => {
                let fail = |e: std::io::Error| Error::io("read", &folder, &e);
                let entries = std::fs::read_dir(&folder).and_then(Iterator::collect::<std::io::Result<Vec<_>>>);
                entries.map_err(fail)?.iter().map(DirEntry::path).filter(|p| may_be_file(&p.join(FILE))).collect()
            }
        };
        inside.sort();
        for folder in inside {
            let by_folder = folder.canonicalize().unwrap_or(folder.clone());
            let by_folder = by_folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let found = read(folder);
            let name = found.as_ref().map_or(by_folder, |m| m.name.clone());
            add(name, found);
        }
    }
    for text in MANIFESTS {
        let found = compiled_in(text);
        add(found.as_ref().map_or_else(|_| "?".into(), |m| m.name.clone()), found);
    }
    Ok(all)
}

/// The folder with the plugins that come with the tools, if it is there: where they are installed, or in the tree that they
/// were built in.
fn shipped() -> Option<PathBuf> {
    let tool = std::env::current_exe().ok()?.canonicalize().ok()?;
    let folder = tool.parent()?;
    let installed = folder.parent()?.join("share/halyard/plugins");
    // target/debug/hal-import
    let tree = folder.parent()?.parent().filter(|top| top.join("Cargo.toml").is_file()).map(|top| top.join("plugins"));
    [Some(installed), tree].into_iter().flatten().find(|f| may_be_folder(f))
}

/// The folders. Errors: one of the command line that is not there.
fn folders(args: &PluginArgs) -> Result<Vec<PathBuf>> {
    if let Some(missing) = args.plugin_path.iter().find(|f| !may_be_folder(f)) {
        let e = Error::environment(format!("`--plugin-path={}`: there is no such folder", missing.display()));
        return Err(e.code("cannot-read"));
    }
    Ok(args.folders())
}

/// The name that a manifest gives, if it can be read.
fn called(folder: &Path) -> Option<String> {
    let text = std::fs::read_to_string(folder.join(FILE)).ok()?;
    let table = toml::de::DeTable::parse(&text).ok()?;
    Some(table.get_ref().get("name")?.get_ref().as_str()?.to_owned())
}

fn read(folder: PathBuf) -> Result<Manifest> {
    let path = folder.join(FILE);
    let bytes = std::fs::read(&path).map_err(|e| Error::io("read", &path, &e))?;
    let name = path.display().to_string();
    let text = String::from_utf8(bytes)
        .map_err(|_| Error::input(format!("`{name}` is not UTF-8")).code("bad-manifest").in_file(&name))?;
    halyard_cli::depend_on(&path);
    Manifest::read(Source::new(name, text), Some(folder))
}

fn compiled_in(text: &str) -> Result<Manifest> {
    Manifest::read(Source::new("<manifest of a plugin that is compiled in>", text), None)
}
