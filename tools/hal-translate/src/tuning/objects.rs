//! Objects of winners: checked like those of `hal-substitute`, and renamed for the executable.
use crate::target::Target;
use halyard_diag::{Error, Result};
use halyard_ir::{
    form::{Launch, ObjectData, PackedWeight, Variant, kernel_abi, load_constants},
    names::PLUGIN_PREFIX,
};
use halyard_objects::{
    Library, ObjectFile, SymbolUse, architecture_of_triple, clib, inspect, packed_weights_of, rename,
};
use halyard_targets::{GpuFile, GpuKernel, fit_gpu, rename_kernels};
use std::collections::{BTreeMap, BTreeSet};

/// The objects of a variant, whose exports have their names already: each format and bytes. `renamed` is the old and the new name
/// of each export. Errors: an object that is damaged, for another architecture, lacks a kernel, or needs what nobody has.
pub(super) fn fit(
    variant: Variant,
    target: &Target,
    renamed: &[(String, String)],
    executable: &str,
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut objects = Vec::new();
    for object in variant.objects()? {
        match object.data {
            ObjectData::Embedded(bytes) => objects.push((object.format, bytes)),
            ObjectData::Path { path, .. } => return Err(Error::input(format!("its object is in a file, `{path}`"))),
        }
    }
    if objects.is_empty() {
        return Ok(objects);
    }
    match target.cpu() {
        Some(cpu) => {
            let architecture = architecture_of_triple(&cpu.triple);
            let elf = for_cpu(objects, variant, &architecture, renamed, executable)?;
            Ok(elf.into_iter().map(|o| ("elf".to_owned(), o.bytes)).collect())
        }
        None => for_gpu(objects, variant, target, renamed),
    }
}

/// Also gives every other symbol a unique name: equal executables have the same objects.
fn for_cpu(
    given: Vec<(String, Vec<u8>)>,
    variant: Variant,
    architecture: &str,
    renamed: &[(String, String)],
    executable: &str,
) -> Result<Vec<ObjectFile>> {
    let bad = |what: String| Error::input(what).code("bad-object");
    let (mut objects, mut library) = (Vec::new(), Library::default());
    for (i, (_, bytes)) in given.into_iter().enumerate() {
        if bytes.starts_with(b"!<arch>\n") {
            library.add(&bytes, &i.to_string(), "its archive")?;
        } else {
            objects.push(inspect(bytes, format!("{i}.o"), "its object".into())?);
        }
    }
    for (old, _) in renamed {
        if !objects.iter().any(|o| o.defined.contains_key(old)) {
            objects.extend(library.take_defining(old));
        }
    }
    library.resolve(&mut objects);
    check_arguments(&objects, variant, renamed)?;
    let mut names: BTreeMap<String, String> = BTreeMap::new();
    for symbol in objects.iter().flat_map(|o| o.defined.keys()) {
        names.insert(symbol.clone(), format!("{symbol}.{executable}"));
    }
    names.extend(renamed.iter().cloned());
    let objects = objects.into_iter().map(|o| rename(o, &names)).collect::<Result<Vec<_>>>()?;
    if let Some(other) = objects.iter().find(|o| o.architecture != architecture) {
        return Err(bad(format!("its object is for `{}`, the target for `{architecture}`", other.architecture)));
    }
    if let Some(relocation) = objects.iter().find_map(|o| o.absolute.as_ref()) {
        return Err(bad(format!("its object is not position-independent: it has the relocation {relocation}")));
    }
    for (_, new) in renamed {
        let found = objects.iter().find_map(|o| o.defined.get(new));
        if found.is_none_or(|s| s.names != SymbolUse::Function || s.hidden || s.indirect) {
            return Err(bad(format!("its objects define no function for export `@{new}`")));
        }
    }
    let defined: BTreeSet<&String> = objects.iter().flat_map(|o| o.defined.keys()).collect();
    let imports = variant.imports();
    let has =
        |n: &String| defined.contains(n) || clib::is_provided(n) || n.starts_with(PLUGIN_PREFIX) || imports.contains(n);
    match objects.iter().flat_map(|o| &o.undefined).find(|name| !has(name)) {
        Some(missing) => Err(bad(format!("its objects need `{missing}`, which nothing defines"))),
        None => Ok(objects),
    }
}

/// Errors: code takes other load-time constants, or weights in other layouts, than the variant says. It names its kernels as
/// they were called when it was made.
fn check_arguments(objects: &[ObjectFile], variant: Variant, renamed: &[(String, String)]) -> Result<()> {
    for (old, new) in renamed {
        let Some(export) = variant.exports().into_iter().find(|e| e.name() == *new) else { continue };
        let packed = PackedWeight::of(export.op).map_err(Error::input)?;
        let packed: Vec<(usize, String)> = packed.iter().map(|p| (p.argument, p.layout.name().to_owned())).collect();
        let code = packed_weights_of(objects, old);
        let constants = objects.iter().find_map(|o| o.load_constants.get(old));
        if !code.is_empty() && code != packed || constants.is_some_and(|list| *list != load_constants(export.op)) {
            let what = format!("its object takes other arguments for export `@{new}` than its variant says");
            return Err(Error::input(what).code("bad-object"));
        }
    }
    Ok(())
}

fn for_gpu(
    given: Vec<(String, Vec<u8>)>,
    variant: Variant,
    target: &Target,
    renamed: &[(String, String)],
) -> Result<Vec<(String, Vec<u8>)>> {
    let mut objects = Vec::new();
    for (format, bytes) in given {
        let bytes = if renamed.iter().all(|(old, new)| old == new) {
            bytes
        } else {
            rename_kernels(bytes, "its object", renamed)?.ok_or_else(|| {
                Error::input(format!("the kernels in its `{format}` have other names, which cannot be changed"))
            })?
        };
        objects.push((format, bytes));
    }
    let mut kernels = Vec::new();
    for export in variant.exports() {
        let abi = kernel_abi(export.op);
        let launch = Launch::of(export.op).map_err(Error::input)?;
        let launch = launch.ok_or_else(|| Error::input(format!("it has no workgroup size for `@{}`", abi.name)))?;
        let (size, shared_memory) = (Some(launch.workgroup_size), launch.shared_memory);
        kernels.push(GpuKernel { abi, size, usual_size: None, shared_memory });
    }
    let files: Vec<GpuFile<'_>> = objects.iter().map(|(_, bytes)| GpuFile { owner: "its object", bytes }).collect();
    // What comes out is what went in, but for several files in one.
    fit_gpu(&files, target, &kernels, &[])?;
    Ok(objects)
}
