//! Finds, reads, checks and embeds the objects of a declaration.
use halyard_diag::{Error, Result, may_be_file, nearest};
use halyard_ir::{
    Attr, Session,
    form::{ExternalKernel, ExternalObject, ExternalTarget, PackedWeight, Variant, unknown_property},
};
use halyard_objects::{FileFormat, Library, ObjectFile, inspect, is_archive, packed_weights_of};
use std::path::{Path, PathBuf};

/// The folders that are searched for objects.
pub(super) struct Search<'a> {
    /// Folders that are searched after the working directory.
    pub(super) folders: &'a [PathBuf],
}

/// The objects for a target.
pub(super) struct Code {
    /// Format and bytes of each, in order.
    pub(super) objects: Vec<(&'static str, Vec<u8>)>,
    /// The architecture of all objects.
    pub(super) architecture: String,
    /// The properties of the device that the function takes, if it is a kernel.
    pub(super) load_constants: Vec<String>,
    /// The weights that the code uses packed.
    pub(super) packed: Vec<PackedWeight>,
}

impl Search<'_> {
    fn find(&self, path: &str, who: &str) -> Result<PathBuf> {
        let given = Path::new(path);
        let mut tried = vec![given.to_owned()];
        if given.is_relative() {
            tried.extend(self.folders.iter().map(|f| f.join(given)));
        }
        if let Some(found) = tried.iter().find(|p| may_be_file(p)) {
            return Ok(found.clone());
        }
        let list: Vec<_> = tried.iter().map(|p| format!("`{}`", p.display())).collect();
        if let Some(folder) = tried.iter().find(|p| p.is_dir()) {
            return Err(Error::environment(format!("object `{}` of {who} is a folder", folder.display()))
                .code("missing-object"));
        }
        let error = Error::environment(format!("object `{path}` of {who} cannot be found"))
            .code("missing-object")
            .note(format!("looked for {}", list.join(", ")));
        Err(if given.is_relative() {
            error.hint("paths are relative to the working directory; `--object-path=FOLDER` names further folders")
        } else {
            error
        })
    }
}

/// A file of a declaration that was read.
pub(super) struct Loaded {
    /// The name in messages.
    pub(super) owner: String,
    pub(super) bytes: Vec<u8>,
}

/// Reads the objects for a target, of any kind.
pub(super) fn load(given: ExternalKernel, target: &ExternalTarget, search: &Search<'_>) -> Result<Vec<Loaded>> {
    let who = format!("`@{}`", given.name());
    let load = |(i, object): (usize, &ExternalObject)| {
        let (bytes, owner) = match object {
            ExternalObject::Path(path, hash) => {
                let found = search.find(path, &who)?;
                let bytes = std::fs::read(&found).map_err(|e| Error::io("read", &found, &e))?;
                halyard_cli::depend_on(&found);
                let owner = format!("object `{}` of {who}", found.display());
                check_hash(&bytes, hash.as_deref(), &owner)?;
                let (bytes, _) = halyard_targets::assembled(&found.display().to_string(), &owner, bytes)?;
                (bytes, owner)
            }
            ExternalObject::Data(bytes) => (bytes.clone(), format!("object {i} of {who}")),
        };
        Ok(Loaded { owner, bytes })
    };
    target.objects.iter().enumerate().map(load).collect()
}

/// Checks the objects for a CPU: all are objects or archives, of one architecture, and together define a symbol.
pub(super) fn check(given: ExternalKernel, symbol: &str, loaded: Vec<Loaded>) -> Result<Code> {
    let name = symbol.to_owned();
    let mut objects = Vec::new();
    let mut members: Vec<ObjectFile> = Vec::new();
    for (i, Loaded { owner, bytes }) in loaded.into_iter().enumerate() {
        let mut own = if is_archive(&bytes) {
            let mut library = Library::default();
            library.add(&bytes, &format!("{i}"), &owner)?;
            library.members
        } else {
            vec![inspect(bytes.clone(), format!("{i}.o"), owner.clone())?]
        };
        if own.is_empty() {
            return Err(Error::input(format!("{owner}: the archive is empty")).code("bad-object"));
        }
        members.append(&mut own);
        objects.push((if FileFormat::of(&bytes) == FileFormat::Object { "elf" } else { "archive" }, bytes));
    }
    let architecture = members[0].architecture.clone();
    if let Some(other) = members.iter().find(|m| m.architecture != architecture) {
        let message =
            format!("{} is for `{}`, {} for `{architecture}`", other.owner, other.architecture, members[0].owner);
        return Err(Error::input(message).code("wrong-architecture").hint("give each target an entry of its own"));
    }
    if let Some(absolute) = members.iter().find_map(|m| Some((m, m.absolute.as_ref()?))) {
        let (member, relocation) = absolute;
        return Err(Error::input(format!(
            "{}: it cannot be part of a shared object (relocation `{relocation}`)",
            member.owner
        ))
        .code("bad-object")
        .hint("compile it with `-fPIC`"));
    }
    let defines = |m: &&ObjectFile| m.functions().any(|f| f == name);
    if !members.iter().any(|m| defines(&m)) {
        return Err(missing(given, symbol, &members));
    }
    members.iter().try_for_each(ObjectFile::check_load_constants)?;
    let load_constants: Vec<String> =
        members.iter().find_map(|m| m.load_constants.get(&name)).cloned().unwrap_or_default();
    if let Some(wrong) = unknown_property(&load_constants) {
        return Err(Error::input(format!("kernel `@{name}`: {wrong}")).code("unknown-property"));
    }
    members.iter().try_for_each(ObjectFile::check_packed_weights)?;
    let packed = packed_weights_of(&members, &name).into_iter().map(|(i, layout)| PackedWeight::named(i, &layout));
    let packed = packed.collect::<Result<_, _>>();
    let packed =
        packed.map_err(|why| Error::input(format!("packed weights of `@{name}`: {why}")).code("bad-object"))?;
    Ok(Code { objects, architecture, load_constants, packed })
}

fn check_hash(bytes: &[u8], hash: Option<&str>, owner: &str) -> Result<()> {
    let Some(hash) = hash else { return Ok(()) };
    let is = blake3::hash(bytes).to_hex();
    if *is == *hash {
        return Ok(());
    }
    Err(Error::input(format!("{owner} has an unexpected hash: `{is}` instead of `{hash}`")).code("wrong-object"))
}

/// The error for objects that do not define what is declared.
fn missing(given: ExternalKernel, symbol: &str, members: &[ObjectFile]) -> Error {
    let name = symbol.to_owned();
    let functions: Vec<&str> = members.iter().flat_map(ObjectFile::functions).collect();
    let owners: Vec<&str> = members.iter().map(|m| m.owner.as_str()).take(4).collect();
    let error =
        Error::input(format!("no object of `@{}` defines the function `{name}`", given.name())).code("missing-symbol");
    let error = if functions.is_empty() {
        error.note(format!("{} define no function at all", owners.join(", ")))
    } else {
        let list: Vec<_> = functions.iter().take(8).map(|f| format!("`{f}`")).collect();
        error.note(format!("they define {}{}", list.join(", "), if functions.len() > 8 { ", …" } else { "" }))
    };
    if members.iter().any(|m| m.local.contains(&name)) {
        return error.hint(format!("`{name}` is `static` there, so it is not visible outside its file"));
    }
    // C++ writes the length before a name.
    if functions.iter().any(|f| f.starts_with("_Z") && f.contains(&format!("{}{name}", name.len()))) {
        return error.hint("declare it `extern \"C\"`");
    }
    match nearest(&name, functions.iter().copied()).first() {
        Some(near) => error.hint(format!("did you mean `{near}`?")),
        None => error,
    }
}

/// Objects as the exchange form holds them: format and data.
pub(super) fn embed(session: &Session, name: &str, code: &Code) -> Vec<(String, Attr)> {
    let one = |(i, (format, bytes)): (usize, &(&str, Vec<u8>))| {
        ((*format).to_owned(), Variant::embed(session.raw(), &format!("{name}_{i}"), bytes))
    };
    code.objects.iter().enumerate().map(one).collect()
}
