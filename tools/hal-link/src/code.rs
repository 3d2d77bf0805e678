//! Collects the machine code of a program: objects, and the archive members that they need.
use crate::{
    clib,
    features::Target,
    imports::{self, Imports},
    modules::ModuleTable,
    objects::{Library, LinkObject, check_symbols, inspect},
};
use halyard_diag::{Error, Result};
use halyard_runtime::commands::{Kernel, KernelCode, KernelVariant};
use object::Architecture;
use std::collections::{BTreeSet, HashSet};

/// An object or static archive to link.
#[derive(Debug)]
pub struct ObjectInput {
    /// The name in messages.
    pub name: String,
    /// The contents.
    pub bytes: Vec<u8>,
}

/// The machine code of a program.
#[derive(Debug, Default)]
pub(crate) struct Code {
    pub(crate) objects: Vec<LinkObject>,
    /// The hashes of their contents.
    known: HashSet<blake3::Hash>,
    library: Library,
    /// The architecture that a target asked for, with who did.
    pub(crate) wanted: Option<(String, String)>,
    /// The symbols of kernels so far.
    pub(crate) symbols: BTreeSet<String>,
    /// The functions that kernel libraries must provide.
    pub(crate) imports: Imports,
    /// The code for GPUs.
    pub(crate) modules: ModuleTable,
}

impl Code {
    pub(crate) fn add_file(&mut self, object: ObjectInput, number: usize) -> Result<()> {
        let owner = format!("`{}`", object.name);
        if object.bytes.starts_with(b"!<arch>\n") {
            return self.library.add(&object.bytes, &format!("file.{number}"), &owner);
        }
        self.known.insert(blake3::hash(&object.bytes));
        self.objects.push(inspect(object.bytes, format!("file.{number}.o"), owner)?);
        Ok(())
    }

    /// Adds an object unless there is one of the same contents: executables that call one function, or whose kernels are in one
    /// object, bring that object along, each.
    pub(crate) fn add_once(&mut self, object: LinkObject) {
        if self.known.insert(blake3::hash(&object.bytes)) {
            self.objects.push(object);
        }
    }

    /// Fails if a target is of another architecture than the others.
    pub(crate) fn want(&mut self, target: &Target, owner: &str) -> Result<()> {
        match &self.wanted {
            None => self.wanted = Some((target.arch(), owner.to_owned())),
            Some((arch, other)) if *arch != target.arch() => {
                return Err(Error::input(format!(
                    "{owner} is for `{}`, {other} for `{arch}`; a program is for one architecture",
                    target.arch()
                ))
                .code("wrong-architecture")
                .hint("link a separate program for each"));
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Completes the objects from archives, and checks them. Gives the architecture.
    pub(crate) fn finish(&mut self, kernels: &[Kernel]) -> Result<(Architecture, u16)> {
        let mut defined: BTreeSet<String> = self.objects.iter().flat_map(|o| o.defined.keys().cloned()).collect();
        for (kernel, variant, symbol) in host_symbols(kernels) {
            if defined.contains(symbol) {
                continue;
            }
            let Some(member) = self.library.take_defining(symbol) else {
                return Err(Error::input(format!(
                    "no object defines `{symbol}`, which variant `{}` of executable `{}` exports",
                    variant.name, kernel.executable
                ))
                .code("missing-kernel")
                .hint(format!(
                    "its C signature is `void {}(…, const hal_workgroup_t *)`; in C++ it needs `extern \"C\"`",
                    kernel.export
                )));
            };
            defined.extend(member.defined.keys().cloned());
            self.objects.push(member);
        }
        self.library.resolve(&mut self.objects);
        if let Some((wanted, who)) = &self.wanted {
            for object in &self.objects {
                let is = &object.architecture;
                if is != wanted {
                    return Err(Error::input(format!("{} is for `{is}`, {who} for `{wanted}`", object.owner))
                        .code("wrong-architecture"));
                }
            }
        }
        let imported: BTreeSet<String> = self.imports.keys().flat_map(|name| imports::symbols(name)).collect();
        check_symbols(&self.objects, |name| clib::is_provided(name) || imported.contains(name))?;
        let name = match (&self.wanted, self.objects.first()) {
            (Some((wanted, _)), _) => wanted.clone(),
            (None, Some(object)) => object.architecture.clone(),
            (None, None) => std::env::consts::ARCH.into(),
        };
        let found =
            ARCHITECTURES.into_iter().find(|(known, _)| *known == name).and_then(|(_, a)| Some((a, clib::machine(a)?)));
        let found = found.ok_or_else(|| {
            let known: Vec<_> = ARCHITECTURES.map(|(known, _)| format!("`{known}`")).into();
            Error::input(format!("programs cannot be linked for `{name}`"))
                .code("wrong-architecture")
                .note(format!("they can for {}", known.join(", ")))
        })?;
        // A file of each name: the linker works in one folder.
        debug_assert_eq!(self.objects.iter().map(|o| &o.file).collect::<BTreeSet<_>>().len(), self.objects.len());
        Ok(found)
    }
}

/// The symbols of kernels for the CPU.
pub(crate) fn host_symbols(kernels: &[Kernel]) -> impl Iterator<Item = (&Kernel, &KernelVariant, &String)> {
    let all = kernels.iter().flat_map(|k| k.variants.iter().map(move |v| (k, v)));
    all.filter_map(|(k, v)| match &v.code {
        KernelCode::Host { symbol } => Some((k, v, symbol)),
        KernelCode::Device(_) => None,
    })
}

/// The architectures that programs can be linked for, with their names in triples.
const ARCHITECTURES: [(&str, Architecture); 4] = [
    ("x86_64", Architecture::X86_64),
    ("aarch64", Architecture::Aarch64),
    ("riscv64", Architecture::Riscv64),
    ("powerpc64le", Architecture::PowerPc64),
];
