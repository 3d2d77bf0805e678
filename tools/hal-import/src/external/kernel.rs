//! From the declaration of a kernel to its executable.
use super::{
    count,
    files::{self, Search},
    gpu,
    made::Made,
    target,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{Executable, Export, ExternalKernel, PackedWeight, Program, Variant, VariantSpec},
    names,
};
use std::collections::BTreeSet;

/// Makes the executable of a kernel before its declaration, which becomes the entry.
pub(super) fn make(session: &Session, program: Program, given: ExternalKernel, search: &Search<'_>) -> Result<()> {
    let context = session.raw();
    let name = given.name();
    let mut made: Vec<Made> = Vec::new();
    for entry in given.targets()? {
        let count = entry.workgroups.clone().map_or_else(|| given.count(), Ok)?;
        let loaded = files::load(given, &entry, search)?;
        let one = match gpu::make(session, given, &entry, &loaded)? {
            Some(made) => Made { count, ..made },
            None => {
                let code = files::check(given, loaded)?;
                let target = target::of(session, given, &entry, &code)?;
                let name = target::variant_name(target);
                let objects = code.objects.into_iter().map(|(format, bytes)| (format.to_owned(), bytes)).collect();
                let (load_constants, packed) = (code.load_constants, code.packed);
                Made { target, name, objects, launch: None, load_constants, packed, count }
            }
        };
        if made.iter().any(|other| other.target == one.target) {
            let message = format!("kernel `@{name}` has two entries for the target `{}`", one.target);
            return Err(Error::input(message)
                .code("bad-declaration")
                .hint("put the objects into one entry: `objects = […]`"));
        }
        made.push(one);
    }
    let executable = Executable::create(given.op.loc(), &free(program, &name));
    let mut taken = BTreeSet::new();
    for one in made {
        let base = one.name;
        let names_of = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
        let variant = names_of.into_iter().find(|n| taken.insert(n.clone())).expect("numbers do not end");
        let embed = |(i, (format, bytes)): (usize, (String, Vec<u8>))| {
            (format, Variant::embed(context, &format!("{name}_{variant}_{i}"), &bytes))
        };
        let objects: Vec<(String, Attr)> = one.objects.into_iter().enumerate().map(embed).collect();
        let launches = one.launch.iter().map(|(launch, _)| *launch).collect();
        let spec = VariantSpec { name: &variant, target: one.target, objects, launches };
        let exports = [Export { op: given.op }];
        let variant = Variant::create_for(executable, &spec, &exports, &[count::make(program, given, &one.count)]);
        if let Some((_, features)) = &one.launch {
            variant.set_features(features.iter().map(String::as_str));
        }
        variant.exports().into_iter().for_each(|e| PackedWeight::set(e.op, &one.packed));
        if !one.load_constants.is_empty() {
            variant.exports().into_iter().for_each(|e| variant.set_load_constants(e, &one.load_constants));
        }
    }
    program.op.body().expect("a program has a body").insert_before(given.op, executable.op);
    given.op.remove_attr(names::OBJECTS);
    for name in [names::WORKGROUPS, names::WORKGROUP_SIZE, names::SHARED_MEMORY] {
        given.op.remove_attr(name);
    }
    given.op.set_attr(names::ENTRY, Attr::nested_symbol(context, &executable.name(), &name));
    Ok(())
}

/// A name for the executable: `K_kernel`, if it is free.
fn free(program: Program, kernel: &str) -> String {
    let taken: BTreeSet<String> =
        program.op.body().map(|b| b.ops()).unwrap_or_default().iter().filter_map(|op| op.symbol()).collect();
    let base = format!("{kernel}_kernel");
    let mut names = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
    names.find(|n| !taken.contains(n)).expect("numbers do not end")
}
