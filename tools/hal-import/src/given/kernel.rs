//! From the declaration of a kernel to its executable.
use super::{
    count,
    files::{self, Search},
    target,
};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Session,
    form::{Executable, Export, Given, Program, Variant, VariantSpec},
    names,
};
use std::collections::BTreeSet;

/// Makes the executable of a kernel before its declaration, which becomes the entry.
pub(super) fn make(session: &Session, program: Program, given: Given, search: &Search<'_>) -> Result<()> {
    let context = session.raw();
    let name = given.name();
    let count = given.count()?;
    let mut read = Vec::new();
    for entry in given.targets()? {
        let code = files::read(given, &entry, search)?;
        let target = target::of(session, given, &entry, &code)?;
        if read.iter().any(|(other, _)| *other == target) {
            let message = format!("kernel `@{name}` has two entries for the target `{target}`");
            return Err(Error::input(message)
                .code("bad-declaration")
                .hint("put the objects into one entry: `objects = […]`"));
        }
        read.push((target, code));
    }
    let executable = Executable::create(given.op.loc(), &free(program, &name));
    let mut taken = BTreeSet::new();
    for (target, code) in read {
        let base = target::variant_name(target);
        let names_of = std::iter::once(base.clone()).chain((2..).map(|i| format!("{base}_{i}")));
        let variant = names_of.into_iter().find(|n| taken.insert(n.clone())).expect("numbers do not end");
        let objects = files::embed(session, &format!("{name}_{variant}"), &code);
        let spec = VariantSpec { name: &variant, target, objects, launches: Vec::new() };
        let exports = [Export { op: given.op }];
        let variant = Variant::create_for(executable, &spec, &exports, &[count::make(program, given, &count)]);
        if !code.load_constants.is_empty() {
            variant.exports().into_iter().for_each(|e| variant.set_load_constants(e, &code.load_constants));
        }
    }
    program.op.body().expect("a program has a body").insert_before(given.op, executable.op);
    given.op.remove_attr(names::OBJECTS);
    given.op.remove_attr(names::WORKGROUPS);
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
