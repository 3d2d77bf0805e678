//! Turns executables into kernels: their objects, symbols and workgroup counts.
use crate::{
    code::Code,
    digest::digest,
    features::{Target, required},
    lower::{Unit, dtype_of, workgroup_count},
    modules::DeviceVariant,
    objects::{Library, LinkObject, inspect},
    work::linked_work,
};
use halyard_diag::{Error, Result, may_be_file};
use halyard_ir::names;
use halyard_ir::{
    Type,
    form::{
        Executable, ExecutableOrigin, Export, ExportWork, Interface, ObjectData, PackedWeight, Program, Variant,
        content_key, device_of_target, fingerprint, known_target_attributes, load_constants,
    },
};
use halyard_objects::{packed_weights_of, rename};
use halyard_runtime::{
    DType, KernelIdentity,
    commands::{BindingSize, BindingType, Kernel, KernelCode, KernelVariant, PackedBinding},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::PathBuf,
};

/// Adds the kernels of a program, and their objects to the code. `number` is the program's; `folders` are where objects
/// that are named by path may be.
pub(crate) fn add(
    unit: &mut Unit<'_>,
    code: &mut Code,
    program: Program,
    number: usize,
    folders: &[PathBuf],
) -> Result<()> {
    let architecture = common_architectures(program).map(|(linked, _)| linked);
    for executable in program.executables() {
        let identity =
            KernelIdentity { key: content_key(executable), origin: ExecutableOrigin::of(executable.op).texts() };
        let mut kernels: Vec<Kernel> =
            executable.interface_exports().into_iter().map(|e| describe(executable, &identity, e)).collect();
        let mut variants: Vec<(Variant, Vec<KernelCode>, Vec<String>)> = Vec::new();
        for variant in executable.variants() {
            let owner = owner_of(executable, variant);
            // A hand-written kernel may have objects for more architectures than the rest of the program.
            if architecture.is_some() && architecture_of(variant).is_some_and(|a| Some(a) != architecture) {
                continue;
            }
            let of_cpu = variant.target().and_then(Target::of);
            let device = variant.target().and_then(device_of_target);
            match (of_cpu, device) {
                (Some(target), _) => {
                    code.want(&target, &owner)?;
                    let features = required(variant, &target);
                    let symbols = add_objects(code, executable, variant, number, folders, &kernels)?;
                    let codes = symbols.into_iter().map(|symbol| KernelCode::Host { symbol }).collect();
                    variants.push((variant, codes, features));
                }
                (None, Some(device)) => {
                    let objects = variant
                        .objects()?
                        .into_iter()
                        .map(|o| contents(o.data, folders, &owner))
                        .collect::<Result<_>>()?;
                    let found = DeviceVariant { session: unit.session, variant, device, owner: &owner };
                    let (codes, features) = found.place(objects, &kernels, &mut code.modules)?;
                    variants.push((variant, codes, features));
                }
                (None, None) => {
                    let error = unit.fail(variant.op, format!("{owner} is for a target that no device runs"));
                    return Err(error.hint(format!("{} can be linked", known_target_attributes("and"))));
                }
            }
        }
        // The most demanding first; the loader takes the first that runs. The order of the program breaks ties.
        variants.sort_by_key(|(_, _, features)| std::cmp::Reverse((features.len(), newest_chip(features))));
        for (variant, codes, features) in variants {
            for import in variant.imports() {
                code.imports.entry(import).or_default().insert(executable.name());
            }
            let declared = variant.exports();
            for (kernel, one) in kernels.iter_mut().zip(codes) {
                let export = declared.iter().find(|d| d.name() == kernel.export);
                let count = export.and_then(|e| variant.workgroups(*e));
                let Some(count) = count else {
                    return Err(unit.fail(
                        variant.op,
                        format!("{} has no workgroup count for `{}`", owner_of(executable, variant), kernel.export),
                    ));
                };
                let load_constants = export.map_or_else(Vec::new, |e| load_constants(e.op));
                let packed = export.map_or_else(|| Ok(Vec::new()), |e| packed_bindings(unit, *e))?;
                let workgroups = workgroup_count(unit, count, kernel.constants as usize + load_constants.len())?;
                let (name, features, code, digest) =
                    (variant.name(), features.clone(), one, digest(&contents_of(variant, folders)?));
                kernel.variants.push(KernelVariant {
                    name,
                    code,
                    features,
                    load_constants,
                    packed,
                    digest,
                    workgroups,
                });
            }
        }
        for kernel in kernels {
            unit.kernel_index.insert((kernel.executable.clone(), kernel.export.clone()), unit.kernels.len() as u32);
            unit.kernels.push(kernel);
        }
    }
    Ok(())
}

fn architecture_of(variant: Variant) -> Option<String> {
    variant.target().and_then(Target::of).map(|t| t.arch().to_owned())
}

/// The architectures that every executable has a variant for: the one to link, that of this machine if there are several, then
/// those that are left out.
pub(crate) fn common_architectures(program: Program) -> Option<(String, Vec<String>)> {
    let of = |e: Executable| -> BTreeSet<String> { e.variants().into_iter().filter_map(architecture_of).collect() };
    // Executables for GPUs only do not say.
    let mut common = program
        .executables()
        .into_iter()
        .map(of)
        .filter(|list| !list.is_empty())
        .reduce(|a, b| a.intersection(&b).cloned().collect())?;
    let here = common.take(std::env::consts::ARCH).or_else(|| common.pop_first())?;
    Some((here, common.into_iter().collect()))
}

/// The number of the newest chip among features of CUDA: 90 of `sm_90a`.
fn newest_chip(features: &[String]) -> u32 {
    let number = |f: &String| f.strip_prefix("sm_")?.trim_end_matches(|c: char| !c.is_ascii_digit()).parse().ok();
    features.iter().filter_map(number).max().unwrap_or(0)
}

fn owner_of(executable: Executable, variant: Variant) -> String {
    format!("variant `{}` of executable `{}`", variant.name(), executable.name())
}

fn describe(executable: Executable, identity: &KernelIdentity, export: Export) -> Kernel {
    let interface = export.interface();
    let tied = |i: usize| interface.tied.contains(&Some(i));
    let reads = interface.tensor_inputs().into_iter().map(tied);
    let writes = interface.untied_results().into_iter().map(|_| true);
    Kernel {
        executable: executable.name(),
        export: export.name(),
        identity: identity.clone(),
        fingerprint: fingerprint(export.op),
        bindings: reads.chain(writes).collect(),
        types: binding_types(&interface),
        results: interface.untied_results().len() as u32,
        constants: interface.constant_count() as u32,
        work: linked_work(&ExportWork::of(executable, export)),
        bytes: static_bytes(&interface),
        variants: Vec::new(),
    }
}

/// Reads the objects of a variant.
fn contents_of(variant: Variant, folders: &[PathBuf]) -> Result<Vec<Vec<u8>>> {
    variant.objects()?.into_iter().map(|object| contents(object.data, folders, &variant.name())).collect()
}

/// The tensors of all bindings. Constants are the dynamic sizes of arguments, then of results, then scalars.
fn binding_types(interface: &Interface) -> Vec<BindingType> {
    let mut constants = 0..;
    let mut type_of = |ty: Type| {
        let size = |d: Option<i64>| match d {
            Some(n) => BindingSize::Fixed(n.unsigned_abs()),
            None => BindingSize::Constant(constants.next().unwrap_or(u32::MAX)),
        };
        let dims = ty.shape().into_iter().map(size).collect();
        // A value of an unsupported type is refused at the call.
        BindingType { dtype: dtype_of(ty.element()).unwrap_or(DType::I8), dims }
    };
    let read: Vec<_> = interface.tensor_inputs().into_iter().map(|i| type_of(interface.inputs[i])).collect();
    let results: Vec<_> = interface.results.iter().map(|&ty| type_of(ty)).collect();
    let untied = interface.untied_results().into_iter().map(|i| results[i].clone());
    read.into_iter().chain(untied).collect()
}

/// The bindings that the code of an export takes packed.
fn packed_bindings(unit: &Unit<'_>, export: Export) -> Result<Vec<PackedBinding>> {
    let read = export.interface().tensor_inputs();
    let list = PackedWeight::of(export.op).map_err(|why| unit.fail(export.op, why))?;
    let binding = |p: &PackedWeight| read.iter().position(|&i| i == p.argument).expect("the form was verified") as u32;
    Ok(list.iter().map(|p| PackedBinding { binding: binding(p), layout: p.layout.name().to_owned() }).collect())
}

/// The bytes of all bindings, if all are of static size.
fn static_bytes(interface: &Interface) -> Option<u64> {
    let inputs = interface.tensor_inputs().into_iter().map(|i| interface.inputs[i]);
    let results = interface.untied_results().into_iter().map(|i| interface.results[i]);
    inputs
        .chain(results)
        .try_fold(0u64, |sum, ty| Some(sum + ty.element_count()? as u64 * dtype_of(ty.element())?.size() as u64))
}

/// Adds the objects of a variant; gives the symbol of each kernel.
fn add_objects(
    code: &mut Code,
    executable: Executable,
    variant: Variant,
    number: usize,
    folders: &[PathBuf],
    kernels: &[Kernel],
) -> Result<Vec<String>> {
    let owner = owner_of(executable, variant);
    let stem = format!("{number}.{}.{}", file_name(&executable.name()), file_name(&variant.name()));
    let mut objects: Vec<LinkObject> = Vec::new();
    let mut library = Library::default();
    for (i, object) in variant.objects()?.into_iter().enumerate() {
        let bytes = contents(object.data, folders, &owner)?;
        let file = format!("{stem}.{i}");
        if bytes.starts_with(b"!<arch>\n") {
            library.add(&bytes, &file, &owner)?;
        } else {
            objects.push(inspect(bytes, format!("{file}.o"), owner.clone())?);
        }
    }
    for kernel in kernels {
        if !objects.iter().any(|o| o.defined.contains_key(&kernel.export))
            && let Some(member) = library.take_defining(&kernel.export)
        {
            objects.push(member);
        }
    }
    library.resolve(&mut objects);
    check_packed(variant, &objects, &owner)?;
    let clash = kernels.iter().any(|k| code.symbols.contains(&k.export));
    let mut names = BTreeMap::new();
    if clash {
        let suffix = if number == 0 { variant.name() } else { format!("{}_{number}", variant.name()) };
        for symbol in objects.iter().flat_map(|o| o.defined.keys()) {
            names.insert(symbol.clone(), format!("{symbol}__{suffix}"));
        }
    }
    let mut symbols = Vec::new();
    for kernel in kernels {
        let symbol = names.get(&kernel.export).unwrap_or(&kernel.export).clone();
        if !code.symbols.insert(symbol.clone()) {
            return Err(Error::input(format!("{owner}: another kernel is named `{}`", kernel.export))
                .code("duplicate-kernel")
                .hint("rename one of the executables"));
        }
        symbols.push(symbol);
    }
    for object in objects {
        let object = rename(object, &names)?;
        code.add_once(object);
    }
    Ok(symbols)
}

/// Fails if the code of a kernel takes weights in other layouts than the variant says: it would read them wrongly.
fn check_packed(variant: Variant, objects: &[LinkObject], owner: &str) -> Result<()> {
    for export in variant.exports() {
        let (code, says) =
            (packed_weights_of(objects, &export.name()), PackedWeight::of(export.op).unwrap_or_default());
        let says: Vec<(usize, String)> = says.iter().map(|p| (p.argument, p.layout.name().to_owned())).collect();
        if !code.is_empty() && code != says {
            let list: Vec<String> = code.iter().map(|(i, layout)| format!("argument {i} as `{layout}`")).collect();
            let message = format!(
                "{owner}: the code of `{}` takes {} packed, and `{}` does not say so",
                export.name(),
                list.join(", "),
                names::PACKED
            );
            return Err(Error::input(message).code("bad-object").hint(
                "`hal-substitute` reads the layouts from objects; other kernels use weights in the model's layout",
            ));
        }
    }
    Ok(())
}

fn contents(data: ObjectData, folders: &[PathBuf], owner: &str) -> Result<Vec<u8>> {
    match data {
        ObjectData::Embedded(bytes) => Ok(bytes),
        ObjectData::Path { path, hash } => read_object(&path, hash.as_deref(), folders, owner),
    }
}

fn read_object(path: &str, hash: Option<&str>, folders: &[PathBuf], owner: &str) -> Result<Vec<u8>> {
    let candidates: Vec<PathBuf> = folders.iter().map(|f| f.join(path)).collect();
    let Some(found) = candidates.iter().find(|p| may_be_file(p)) else {
        let tried: Vec<_> = candidates.iter().map(|p| format!("`{}`", p.display())).collect();
        return Err(Error::environment(format!("object `{path}` of {owner} cannot be found"))
            .code("missing-object")
            .note(format!("looked for {}", tried.join(", ")))
            .hint("name its folder with `--object-path=FOLDER`"));
    };
    let bytes = std::fs::read(found).map_err(|e| Error::io("read", found, &e))?;
    halyard_cli::depend_on(found);
    if let Some(hash) = hash {
        let is = blake3::hash(&bytes).to_hex();
        if *is != *hash {
            return Err(Error::input(format!(
                "object `{}` of {owner} is not the one that the program names: its hash is `{is}` instead of `{hash}`",
                found.display()
            ))
            .code("wrong-object"));
        }
    }
    Ok(bytes)
}

/// Returns a name that every file system accepts.
fn file_name(name: &str) -> String {
    let mut plain: String =
        name.chars().take(80).map(|c| if c.is_ascii_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if plain != name {
        // Names that differ stay different.
        plain += &format!("_{}", &blake3::hash(name.as_bytes()).to_hex()[..8]);
    }
    plain
}
