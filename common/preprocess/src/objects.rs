//! Preprocesses objects one by one, as bytes.
use crate::{
    Command, Kept, Request,
    calls::{is_unchanged, refuse},
    gpu,
    turn::{Turn, targets},
};
use halyard_diag::{Diagnostic, Error, Result, may_be_file};
use halyard_ir::{
    Attr, Op,
    form::{Executable, Object, ObjectData, Program, Variant, escape_symbol},
    names,
};
use halyard_objects::{FileFormat, Library, ObjectFile, SymbolUse, inspect, is_archive};
use std::{collections::BTreeSet, path::PathBuf};

/// An object and its position in the program.
struct Place {
    executable: Executable,
    variant: Variant,
    index: usize,
    format: String,
    bytes: Vec<u8>,
}

/// Calls a command for each object and puts the replies in their places. Errors: an object that cannot be read; the first
/// object (in order) whose reply does not fit.
pub(super) fn command(module: Op, command: &Command, turn: &Turn<'_>, folders: &[PathBuf]) -> Result<()> {
    let places = places(module, folders)?;
    if places.is_empty() {
        turn.caller
            .printer
            .diagnostic(&Diagnostic::warning(format!("`{}` did not run: the program has no objects", command.name())));
        return Ok(());
    }
    if command.bytecode {
        return Err(Error::usage("`cmd[bytecode]:` has no meaning for objects").hint("leave `bytecode` out"));
    }
    let requests: Vec<_> =
        places.iter().enumerate().map(|(i, place)| request(module, place, (i, places.len()), turn)).collect();
    let kept = Kept::new(turn.args.keep_preprocess_files.as_deref(), &turn.folder)?;
    let answers = turn.caller.answers(command, &requests, &kept)?;
    let replies = &answers.all;
    for ((place, request), finished) in places.iter().zip(&requests).zip(replies) {
        if !is_unchanged(request, finished) {
            check(place, &finished.stdout).map_err(|e| refuse(e, command, request, finished, &kept))?;
        }
        turn.caller.show(command, request, finished);
    }
    for ((place, request), finished) in places.iter().zip(&requests).zip(replies) {
        if !is_unchanged(request, finished) {
            put(place, &finished.stdout);
        }
    }
    answers.keep(turn.caller.printer);
    Ok(())
}

fn places(module: Op, folders: &[PathBuf]) -> Result<Vec<Place>> {
    let mut places = Vec::new();
    for executable in (Program { op: module }).executables() {
        for variant in executable.variants() {
            for (index, Object { format, data }) in variant.objects()?.into_iter().enumerate() {
                let bytes = match data {
                    ObjectData::Embedded(bytes) => bytes,
                    ObjectData::Path { path, hash } => read(&path, hash.as_deref(), folders)?,
                };
                places.push(Place { executable, variant, index, format, bytes });
            }
        }
    }
    Ok(places)
}

/// Reads an object that the program names by path: as written, or in one of the folders.
fn read(path: &str, hash: Option<&str>, folders: &[PathBuf]) -> Result<Vec<u8>> {
    let candidates = std::iter::once(PathBuf::from(path)).chain(folders.iter().map(|f| f.join(path)));
    let found = candidates.into_iter().find(|p| may_be_file(p)).unwrap_or_else(|| path.into());
    let bytes = std::fs::read(&found)
        .map_err(|e| Error::io("read", &found, &e).hint("name their folder with `--object-path=FOLDER`"))?;
    halyard_cli::depend_on(&found);
    halyard_cli::depend_on(&found);
    if hash.is_some_and(|hash| *hash != *blake3::hash(&bytes).to_hex()) {
        let error = Error::input(format!("`{}` is not the object that the program was made with", found.display()));
        return Err(error.code("bad-object").note("its hash differs from the one in the program"));
    }
    Ok(bytes)
}

fn request(module: Op, place: &Place, (index, count): (usize, usize), turn: &Turn<'_>) -> Request {
    let (executable, variant) = (place.executable.name(), place.variant.name());
    let name = format!("object {} of `@{executable}::@{variant}`", place.index);
    let file = format!("{}.{}.{}", escape_symbol(&executable), escape_symbol(&variant), place.index);
    let suffix = FileFormat::suffix_of(&place.format).unwrap_or("o");
    let mut request = turn.request(module, name, file, suffix, place.bytes.clone());
    request.env.retain(|(name, _)| !matches!(*name, "HALYARD_TARGET" | "HALYARD_FORMAT"));
    let exports: Vec<_> = place.executable.interface_exports().iter().map(|e| e.name()).collect();
    request.env.extend([
        ("HALYARD_FORMAT", place.format.clone()),
        ("HALYARD_TARGET", targets(&[place.variant])),
        ("HALYARD_EXECUTABLE", executable),
        ("HALYARD_VARIANT", variant),
        ("HALYARD_OBJECT", place.index.to_string()),
        ("HALYARD_INDEX", index.to_string()),
        ("HALYARD_COUNT", count.to_string()),
        ("HALYARD_EXPORTS", exports.join(" ")),
    ]);
    request
}

/// The reply must be of the same kind and architecture, and define the exports that the object defined.
fn check(place: &Place, reply: &[u8]) -> Result<()> {
    let refused = |message: String| Error::input(message).code("bad-object");
    let (was, is) = (FileFormat::of(&place.bytes), FileFormat::of(reply));
    if was != is {
        return Err(refused(format!("the reply is {}, not {}", FileFormat::describe(reply), was.name())));
    }
    if gpu::check(place.variant, &place.bytes, reply)? {
        return Ok(());
    }
    let owner = format!("executable `@{}`", place.executable.name());
    let (Some(old), new) = (parts(&place.bytes, "the original", &owner).ok(), parts(reply, "the reply", &owner)) else {
        return Ok(());
    };
    let new = new?;
    let architectures = |parts: &[ObjectFile]| parts.iter().map(|o| o.architecture.clone()).collect::<BTreeSet<_>>();
    let (was, is) = (architectures(&old), architectures(&new));
    if was != is {
        let text = |set: BTreeSet<String>| set.into_iter().collect::<Vec<_>>().join(", ");
        return Err(refused(format!("the reply is for {}, not for {}", text(is), text(was))));
    }
    let exports = place.executable.interface_exports();
    for name in exports.iter().map(|e| e.name()).filter(|name| defines(&old, name)) {
        check_defines(&new, &name)?;
    }
    Ok(())
}

fn defines(parts: &[ObjectFile], name: &str) -> bool {
    parts.iter().any(|o| o.defined.contains_key(name))
}

/// Errors: objects that a command made do not define an export as a function that others see.
pub(super) fn check_defines(parts: &[ObjectFile], name: &str) -> Result<()> {
    let refused = |message: String| Error::input(message).code("bad-object");
    let symbol = parts.iter().find_map(|o| o.defined.get(name));
    let Some(symbol) = symbol else {
        let has: Vec<_> = parts.iter().flat_map(|o| o.functions()).map(|f| format!("`{f}`")).collect();
        let has = if has.is_empty() { "no function".to_owned() } else { has.join(", ") };
        let error = refused(format!("the reply does not define the export `{name}`")).note(format!("it defines {has}"));
        let local = parts.iter().any(|o| o.local.contains(name));
        return Err(if local { error.hint("it has a local function of that name: leave out `static`") } else { error });
    };
    if symbol.names != SymbolUse::Function {
        return Err(refused(format!("the reply defines the export `{name}` as data, not as a function")));
    }
    if symbol.hidden {
        return Err(refused(format!("the reply hides the export `{name}`: a program could not find it")));
    }
    Ok(())
}

/// An object alone, or the members of an archive. Formats that are not ELF are not looked into.
fn parts(bytes: &[u8], file: &str, owner: &str) -> Result<Vec<ObjectFile>> {
    if is_archive(bytes) {
        let mut library = Library::default();
        library.add(bytes, file, owner)?;
        return Ok(library.members);
    }
    Ok(vec![inspect(bytes.to_vec(), file.to_owned(), owner.to_owned())?])
}

/// Replaces an object by bytes; they are embedded, with their hash.
fn put(place: &Place, bytes: &[u8]) {
    let op = place.variant.op;
    let context = op.context();
    let mut list = op.attr(names::OBJECTS).and_then(Attr::as_array).unwrap_or_default();
    let name = format!("{}_{}", place.executable.name(), place.variant.name());
    let data = Variant::embed(context, &name, bytes);
    let hash = blake3::hash(bytes).to_hex().to_string();
    let mut entry: Vec<(String, Attr)> = list[place.index].as_dict().unwrap_or_default();
    entry.retain(|(key, _)| !matches!(&**key, "data" | "path" | "hash"));
    let mut items: Vec<(&str, Attr)> = entry.iter().map(|(key, value)| (&**key, *value)).collect();
    items.extend([("data", data), ("hash", Attr::string(context, &hash))]);
    list[place.index] = Attr::dict(context, &items);
    op.set_attr(names::OBJECTS, Attr::array(context, &list));
}
