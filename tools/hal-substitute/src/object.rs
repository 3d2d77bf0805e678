//! Reads objects from files, and checks that they fit.
use crate::{files::Source, llvm, others::Others, plugin, signature::Signature};
use halyard_diag::{Diagnostic, Error, Result, either, nearest};
use halyard_ir::{
    form::{Export, PackedWeight, unknown_property},
    names::PLUGIN_PREFIX,
};
use halyard_objects::{
    FileFormat, Library, ObjectFile, SymbolUse, architecture_of_triple, clib, declared, inspect, inspect_shared,
    packed_weights_of, weaken,
};
use halyard_targets::{CpuTarget, LaunchSetting, devices_of, devices_of_source, files_with_setting};
use std::collections::{BTreeMap, BTreeSet};

/// The contents of a request's files.
#[derive(Debug, Default)]
pub(crate) struct Objects {
    /// Objects that are always linked.
    pub(crate) objects: Vec<ObjectFile>,
    /// Archive members that are linked if needed.
    library: Library,
    /// The kinds of the files, for messages.
    pub(crate) kinds: Vec<String>,
    /// Functions that are taken from plugins.
    pub(crate) imports: Vec<String>,
    /// The file names of kernel libraries.
    pub(crate) plugins: Vec<String>,
    /// The signatures that the kernels must have.
    signatures: Vec<Signature>,
}

/// The architecture that a file is for, if it says so.
pub(crate) fn architecture(file: &Source) -> Option<String> {
    let owner = String::new;
    match file.kind {
        FileFormat::Shared => inspect_shared(&file.bytes, "").ok().map(|s| s.architecture),
        FileFormat::Object => inspect(file.bytes.to_vec(), owner(), owner()).ok().map(|o| o.architecture),
        FileFormat::Archive => {
            let mut library = Library::default();
            library.add(&file.bytes, "", "").ok()?;
            library.members.first().map(|m| m.architecture.clone())
        }
        FileFormat::Bitcode | FileFormat::LlvmText => llvm::triple(file).map(|t| architecture_of_triple(&t)),
        _ => None,
    }
}

/// Reads the files of a request for a target; LLVM IR and assembly become objects. What a file defines of the kernels
/// that it does not replace becomes weak: these keep their code. Errors: a file that is neither object nor archive, nor
/// can be made one; a damaged one; another architecture.
pub(crate) fn load(files: &[Source], exports: &[Export], target: &CpuTarget, others: &Others) -> Result<Objects> {
    let signatures: Vec<Signature> = exports.iter().map(|e| Signature::of(*e)).collect();
    let mut loaded = Objects { signatures: signatures.clone(), ..Objects::default() };
    let wanted = architecture_of_triple(&target.triple);
    for (i, file) in files.iter().enumerate() {
        let owner = format!("`{}`", file.name);
        let name = format!("{i}.o");
        let (mut objects, mut library) = (Vec::new(), Library::default());
        match file.kind {
            FileFormat::Object => objects.push(inspect(file.bytes.to_vec(), name, owner)?),
            FileFormat::Archive => {
                library.add(&file.bytes, &i.to_string(), &owner)?;
                if library.members.is_empty() {
                    return Err(Error::input(format!("{owner}: the archive has no members")).code("bad-object"));
                }
            }
            FileFormat::Bitcode | FileFormat::LlvmText | FileFormat::Assembly => {
                objects.push(inspect(llvm::compile(file, &signatures, target)?, name, owner)?);
            }
            FileFormat::Shared => {
                objects.push(plugin::forward(file, exports, target, name)?);
                loaded.imports.extend(exports.iter().map(|e| e.name()));
                loaded.plugins.push(file.name.clone());
            }
            other => return Err(refuse(file, other)),
        }
        loaded.kinds.push(kind_text(file, target));
        for (list, made) in [(&mut loaded.objects, objects), (&mut loaded.library.members, library.members)] {
            for object in made {
                check_architecture(&object, &wanted, target)?;
                let kept = others.defined_by([&object], &file.name);
                list.push(weaken(object, &kept)?);
            }
        }
    }
    Ok(loaded)
}

fn check_architecture(object: &ObjectFile, wanted: &str, target: &CpuTarget) -> Result<()> {
    if object.architecture == wanted {
        return Ok(());
    }
    let text = format!("{} is for `{}`, the target for `{wanted}`", object.owner, object.architecture);
    Err(Error::input(text)
        .code("wrong-architecture")
        .note(format!("the target is `{target}`"))
        .hint(format!("compile it for the target: `clang --target={} -c -O2 -fPIC`", target.triple)))
}

/// Returns the name of a file's kind, without the article.
fn kind_text(file: &Source, target: &CpuTarget) -> String {
    format!("{}, {}", plain_name(file.kind), architecture_of_triple(&target.triple))
}

/// Returns the name of a kind of file, without the article.
pub(crate) fn plain_name(kind: FileFormat) -> &'static str {
    let name = kind.name();
    ["an ", "a "].iter().find_map(|article| name.strip_prefix(article)).unwrap_or(name)
}

/// Files that are no objects for CPUs; each with what to do instead.
fn refuse(file: &Source, kind: FileFormat) -> Error {
    let what = FileFormat::describe(&file.bytes);
    let error = |why: &str| Error::input(format!("`{}`: this is {what}, {why}", file.name)).code("wrong-kind");
    match kind {
        FileFormat::Empty => Error::input(format!("`{}`: the file is empty", file.name)).code("empty-input"),
        FileFormat::Executable => {
            error("which is a complete program and cannot be linked").hint("pass the object (.o) of the kernel")
        }
        FileFormat::ThinArchive => {
            error("which contains file names, not objects").hint("create a regular archive with `llvm-ar rc`")
        }
        FileFormat::AmdObject => error("which is for AMD GPUs, and the target is a CPU"),
        FileFormat::MachO | FileFormat::Coff | FileFormat::Wasm => error("which is for another system")
            .hint("compile it for ELF, for example with `clang --target=x86_64-linux-gnu`"),
        FileFormat::CSource => error("not an object").hint("compile it: `clang -c -O2 -fPIC FILE`"),
        _ => match devices_of(kind).or(devices_of_source(kind)) {
            Some(devices) => error(&format!("which is for {devices}, and the target is a CPU")),
            None => error("neither MLIR nor an object").hint(format!(
                "a substitution accepts MLIR, ELF objects, static archives, LLVM IR or bitcode, assembly, {}",
                files_with_setting(LaunchSetting::WorkgroupSize)
            )),
        },
    }
}

impl Objects {
    /// Adds what other files of the same place hold.
    pub(crate) fn join(&mut self, other: Self) {
        // One file may be given for several exports.
        for object in other.objects {
            if !self.objects.iter().any(|o| o.bytes == object.bytes) {
                self.objects.push(object);
            }
        }
        self.library.members.extend(other.library.members);
        self.kinds.extend(other.kinds);
        self.imports.extend(other.imports);
        self.plugins.extend(other.plugins);
        self.signatures.extend(other.signatures);
    }

    /// Adds the archive members that are needed, and checks that each export is a visible function.
    pub(crate) fn complete(&mut self, exports: &[String], shown: &str) -> Result<()> {
        for export in exports {
            if self.objects.iter().any(|o| o.defined.contains_key(export)) {
                continue;
            }
            let defining: Vec<String> = self
                .library
                .members
                .iter()
                .filter(|m| m.defined.contains_key(export))
                .map(|m| m.owner.clone())
                .collect();
            if let [first, second, ..] = defining.as_slice() {
                return Err(twice(export, first, second));
            }
            self.objects.extend(self.library.take_defining(export));
        }
        self.library.resolve(&mut self.objects);
        for export in exports {
            self.check_export(export, shown)?;
        }
        for object in &self.objects {
            object.check_load_constants()?;
            object.check_packed_weights()?;
            if let Some(wrong) = object.load_constants.values().find_map(|list| unknown_property(list)) {
                return Err(Error::input(format!("{}: {wrong}", object.owner)).code("unknown-property"));
            }
        }
        self.check_definitions()?;
        match self.objects.iter().find_map(|o| o.absolute.as_ref().map(|r| (&o.owner, r))) {
            None => Ok(()),
            Some((owner, relocation)) => {
                let text = format!("{owner} is not position-independent: it has the relocation {relocation}");
                Err(Error::input(text).code("bad-object").hint("compile it with `-fPIC`"))
            }
        }
    }

    fn check_export(&self, export: &str, shown: &str) -> Result<()> {
        let found = self.objects.iter().find_map(|o| o.defined.get(export).map(|s| (o, s)));
        let signature = self.signatures.iter().find(|s| s.symbol == export);
        // The load-time constants that the object states are used.
        let said = found.and_then(|(object, _)| object.load_constants.get(export));
        let signature = signature.map(|s| said.map_or_else(|| s.clone(), |list| s.with_load_constants(list)));
        let signature = signature.as_ref();
        let c = signature.map_or_else(|| format!("void {export}(…)"), |s| s.c.clone());
        let hint = format!("its signature in C is `{c}`; see <halyard/kernel.h>");
        match found {
            Some((object, symbol)) if symbol.names == SymbolUse::Data => {
                Err(Error::input(format!("{}: `{export}` is data, not a function", object.owner))
                    .code("missing-kernel")
                    .hint(hint))
            }
            Some((object, symbol)) if symbol.indirect => Err(Error::input(format!(
                "{}: function `{export}` is chosen by another function when the program is loaded (`ifunc`)",
                object.owner
            ))
            .code("missing-kernel")
            .hint(
                "define an ordinary function of that name that calls the implementation, or add a variant per target",
            )),
            Some((object, symbol)) if symbol.hidden => Err(Error::input(format!(
                "{}: function `{export}` is hidden, a program could not find it",
                object.owner
            ))
            .code("missing-kernel")
            .hint("compile it without `-fvisibility=hidden`, or give it the attribute `visibility(\"default\")`")),
            Some((object, _)) => {
                let names = [export.to_owned()];
                let said = declared(&object.bytes, &names).remove(export);
                signature.zip(said).map_or(Ok(()), |(signature, said)| signature.check(&said, &object.owner))
            }
            None => Err(self.missing(export, shown).hint(hint)),
        }
    }

    /// Returns the load-time constants of an export, if the object that defines it states them.
    pub(crate) fn load_constants(&self, export: &str) -> Option<&Vec<String>> {
        self.objects.iter().find_map(|o| o.load_constants.get(export))
    }

    /// The weights that an export takes packed, as the object that defines it says. Errors: an unknown layout.
    pub(crate) fn packed_weights(&self, export: &str) -> Result<Vec<PackedWeight>> {
        packed_weights_of(&self.objects, export)
            .into_iter()
            .map(|(argument, layout)| PackedWeight::named(argument, &layout))
            .collect::<Result<_, _>>()
            .map_err(|why| Error::input(format!("packed weights of `{export}`: {why}")).code("bad-object"))
    }

    /// Makes the error for a missing export, with similar symbols.
    fn missing(&self, export: &str, shown: &str) -> Error {
        let error = Error::input(format!("no function `{export}` in {shown}")).code("missing-kernel");
        let all = || self.objects.iter().chain(&self.library.members);
        if let Some(object) = all().find(|o| o.local.contains(export)) {
            return error.note(format!("{} has a local one", object.owner)).hint("leave out `static`");
        }
        let mangled = |name: &&str| name.starts_with("_Z") && name.contains(&format!("{}{export}", export.len()));
        let functions: BTreeSet<&str> = all().flat_map(ObjectFile::functions).collect();
        if let Some(name) = functions.iter().copied().find(mangled) {
            return error.note(format!("it has `{name}`, a name of C++")).hint("declare it `extern \"C\"`");
        }
        let near = nearest(export, functions.iter().copied());
        let error = match functions.len() {
            0 => error.note("it defines no function that others can call"),
            n => {
                let first: Vec<_> = functions.iter().take(5).map(|f| format!("`{f}`")).collect();
                let more = if n > 5 { format!(" and {} more", n - 5) } else { String::new() };
                error.note(format!("it defines {}{more}", first.join(", ")))
            }
        };
        if near.is_empty() {
            error
        } else {
            error.hint(format!("did you mean {}? the symbol must be `{export}`", either(&near)))
        }
    }

    fn check_definitions(&self) -> Result<()> {
        let mut strong: BTreeMap<&str, &str> = BTreeMap::new();
        for object in &self.objects {
            for (name, _) in object.defined.iter().filter(|(_, s)| !s.weak) {
                if let Some(other) = strong.insert(name, &object.owner) {
                    return Err(twice(name, other, &object.owner));
                }
            }
        }
        Ok(())
    }

    /// Warns about symbols that neither the objects, the C library nor kernel libraries define.
    pub(crate) fn undefined(&self, executable: &str, imports: &[String]) -> Option<Diagnostic> {
        let defined: BTreeSet<&String> = self.objects.iter().flat_map(|o| o.defined.keys()).collect();
        let given = |name: &String| {
            defined.contains(name)
                || clib::is_provided(name)
                || name.starts_with(PLUGIN_PREFIX)
                || imports.contains(name)
        };
        let mut missing: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
        for object in &self.objects {
            for name in object.undefined.iter().filter(|n| !given(n)) {
                missing.entry(name).or_default().insert(&object.owner);
            }
        }
        if missing.is_empty() {
            return None;
        }
        let list: Vec<_> = missing
            .iter()
            .map(|(name, users)| {
                format!("`{name}` (needed by {})", users.iter().copied().collect::<Vec<_>>().join(", "))
            })
            .collect();
        let mut d = Diagnostic::warning(format!(
            "executable `{executable}` needs what its objects do not define: {}",
            list.join(", ")
        ))
        .code("undefined-symbol")
        .note("objects may use libm, and the memory and printing functions of libc");
        let names: Vec<&str> = missing.keys().copied().collect();
        let available: Vec<&str> = self.objects.iter().flat_map(ObjectFile::functions).collect();
        for name in names {
            let near = nearest(name, available.iter().copied());
            if !near.is_empty() {
                d = d.note(format!("for `{name}` there is {}", either(&near)));
            }
        }
        Some(d.hint("add the object that defines it, `NAME+=FILE`, or pass it to `hal-link`"))
    }
}

fn twice(symbol: &str, first: &str, second: &str) -> Error {
    Error::input(format!("`{symbol}` is defined twice: by {first} and by {second}"))
        .code("duplicate-symbol")
        .hint("make one of them `static`, or leave one out")
}
