//! Packs variants for a tuning database.
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Type,
    form::{Executable, ObjectData, Variant, write},
    names,
};

/// Returns a variant of an executable as a tuning database stores it: the text of an executable with this variant only
/// and no source. Fails if an object is in a separate file.
pub fn pack_variant(executable: Executable, variant: Variant) -> Result<Vec<u8>> {
    let path = |data: ObjectData| match data {
        ObjectData::Path { path, .. } => Some(path),
        ObjectData::Embedded(_) => None,
    };
    if let Some(path) = variant.objects()?.into_iter().find_map(|o| path(o.data)) {
        let what = format!("variant `@{}::@{}` names its object `{path}`", executable.name(), variant.name());
        return Err(Error::input(what).hint("a tuning database stores objects that are in the program"));
    }
    let order: Vec<String> = executable.interface_exports().iter().map(|e| e.name()).collect();
    let copy = Executable { op: executable.op.duplicate() };
    for op in copy.body().ops() {
        if Variant::view(op).is_none_or(|v| v.name() != variant.name()) {
            op.erase();
        }
    }
    // In the order of the executable: their names change with the model.
    if let Some(packed) = copy.variants().first() {
        let mut exports = packed.exports();
        exports.sort_by_key(|e| order.iter().position(|name| *name == e.name()));
        exports.windows(2).for_each(|pair| pair[1].op.move_after(pair[0].op));
    }
    let version = Attr::integer(Type::integer(copy.op.context(), 32), names::VERSION_NUMBER);
    copy.op.set_attr(names::VERSION, version);
    // A standalone executable leaves the bytes of objects out of its text.
    let text = write(copy.op, false);
    copy.op.erase();
    Ok(text)
}
