//! Turns the declaration of a kernel into its executable.
use super::{
    count,
    files::{self, Loaded, Search},
    gpu,
    made::Made,
    shim, target,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{
        self, Executable, Export, ExternalCount, ExternalKernel, ExternalTarget, Interface, PackedWeight, Program,
        Variant, VariantSpec,
    },
    names,
};
use std::collections::BTreeSet;

/// Makes the executable of a kernel before its declaration, which becomes the entry.
pub(super) fn make(session: &Session, program: Program, given: ExternalKernel, search: &Search<'_>) -> Result<()> {
    let context = session.raw();
    let name = given.name();
    let mut made: Vec<Made> = Vec::new();
    let entries = given.targets()?;
    // Then all code for CPUs is called by what has the kernel ABI.
    let shims = entries.iter().any(|e| e.arguments.is_some() || e.symbol.is_some());
    for entry in entries {
        let count = entry.workgroups.clone().map_or_else(|| given.count(), Ok)?;
        let loaded = files::load(given, &entry, search)?;
        let one = match gpu::make(session, given, &entry, &loaded)? {
            Some(made) => Made { count, ..made },
            None => of_cpu(session, given, &entry, (loaded, count, shims))?,
        };
        if made.iter().any(|other| other.target == one.target) {
            let message = format!("kernel `@{name}` has two entries for the target `{}`", one.target);
            return Err(Error::input(message)
                .code("bad-declaration")
                .hint("put the objects into one entry: `objects = […]`"));
        }
        made.push(one);
    }
    let executable = Executable::create(given.op.loc(), &free(program, &format!("{name}_kernel")));
    // An export and what it calls are called differently.
    let taken = made.iter().any(|one| one.called.is_some() && one.symbol == name);
    let export = if taken { free(program, &format!("{name}_dispatch")) } else { name.clone() };
    let shown = given.op.duplicate();
    shown.set_attr("sym_name", Attr::string(context, &export));
    let mut taken = BTreeSet::new();
    for one in made {
        let base = one.name.clone();
        let names_of = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
        let variant = names_of.into_iter().find(|n| taken.insert(n.clone())).expect("numbers do not end");
        let count = count::make(program, given, &export, &one.count);
        if let (Some(code), Some(arguments)) = (&one.called, &one.arguments) {
            let call = (one.symbol.as_str(), arguments.as_slice());
            let mut ops = shim::make(session, given, &export, call, (one.target, code))?;
            ops.push(count);
            executable.body().append(Variant::with_code(given.op, &variant, one.target, &ops).op);
            ops.into_iter().for_each(Op::erase);
            continue;
        }
        let embed = |(i, (format, bytes)): (usize, (String, Vec<u8>))| {
            (format, Variant::embed(context, &format!("{name}_{variant}_{i}"), &bytes))
        };
        let objects: Vec<(String, Attr)> = one.objects.into_iter().enumerate().map(embed).collect();
        let launches = one.launch.iter().map(|(launch, _)| *launch).collect();
        let spec = VariantSpec { name: &variant, target: one.target, objects, launches };
        let variant = Variant::create_for(executable, &spec, &[Export { op: shown }], &[count]);
        if let Some((_, features)) = &one.launch {
            variant.set_features(features.iter().map(String::as_str));
        }
        for e in variant.exports() {
            PackedWeight::set(e.op, &one.packed);
            if !one.load_constants.is_empty() {
                variant.set_load_constants(e, &one.load_constants);
            }
            if let Some(arguments) = &one.arguments {
                e.op.set_attr(names::ARGUMENTS, form::written_arguments(context, given.op, arguments));
            }
            if one.symbol != export {
                e.op.set_attr(names::SYMBOL, Attr::string(context, &one.symbol));
            }
        }
    }
    shown.erase();
    program.op.body().expect("a program has a body").insert_before(given.op, executable.op);
    given.op.remove_attr(names::OBJECTS);
    for name in [names::WORKGROUPS, names::WORKGROUP_SIZE, names::SHARED_MEMORY, names::ARGUMENTS, names::SYMBOL] {
        given.op.remove_attr(name);
    }
    given.op.set_attr(names::ENTRY, Attr::nested_symbol(context, &executable.name(), &export));
    Ok(())
}

/// An entry for a CPU; with `shims`, its code will be called by what has the kernel ABI.
fn of_cpu(
    session: &Session,
    given: ExternalKernel,
    entry: &ExternalTarget,
    (loaded, count, shims): (Vec<Loaded>, ExternalCount, bool),
) -> Result<Made> {
    let symbol = entry.symbol.clone().unwrap_or_else(|| given.name());
    let code = files::check(given, &symbol, loaded)?;
    let target = target::of(session, given, entry, &code)?;
    let name = target::variant_name(target);
    let empty = Made {
        target,
        name,
        objects: Vec::new(),
        launch: None,
        load_constants: Vec::new(),
        packed: Vec::new(),
        count,
        symbol,
        arguments: None,
        called: None,
    };
    if !shims {
        let objects = code.objects.into_iter().map(|(format, bytes)| (format.to_owned(), bytes)).collect();
        return Ok(Made { objects, load_constants: code.load_constants, packed: code.packed, ..empty });
    }
    if !code.load_constants.is_empty() || !code.packed.is_empty() {
        let message = format!(
            "`@{}` has arguments or a symbol of its own, and its object asks for load-time constants or packed weights",
            given.name()
        );
        return Err(Error::input(message).code("bad-declaration").hint(format!(
            "leave out `{}` and `{}`, or the macros in the object",
            names::ARGUMENTS,
            names::SYMBOL
        )));
    }
    let items = entry.arguments.clone().unwrap_or_else(|| shim::kernel_abi_list(&Interface::of(given.op)));
    let arguments = form::code_arguments(given.op, &items, "cpu").map_err(|why| gpu::wrong_arguments(given, &why))?;
    Ok(Made { arguments: Some(arguments), called: Some(code), ..empty })
}

/// A name that is free in a program, or one like it.
fn free(program: Program, base: &str) -> String {
    let taken: BTreeSet<String> = program.op.body_ops().iter().filter_map(|op| op.symbol()).collect();
    let mut names = std::iter::once(base.to_owned()).chain((2..).map(|i| format!("{base}_{i}")));
    names.find(|n| !taken.contains(n)).expect("numbers do not end")
}
