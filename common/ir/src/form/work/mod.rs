//! The work of an export, whatever its kernel: operations and bytes.
//!
//! Work is counted in the source. If a source is dropped for objects, or lowered so far that nothing can be counted,
//! the counts are kept as [`names::WORK`]: a hand-written kernel has the work of the kernel that it replaces.
mod arithmetic;
mod known_sizes;
mod size_sum;
mod traffic;

use super::{Executable, Export};
use crate::{Attr, Op, names};
use known_sizes::KnownSizes;
pub use size_sum::SizeSum;

/// The work of an export.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExportWork {
    /// The number of arithmetic operations; a product and its sum are two. `None` if unknown.
    pub operations: Option<SizeSum>,
    /// The type of most operations: `f32`, `f64`, `i8`; `None` for other types.
    pub kind: Option<String>,
    /// The operations that no known algorithm reduces by much: products of two tensors and their sums.
    pub products: Option<SizeSum>,
    /// The bytes that must be read and written, each once. `None` if unknown.
    pub bytes: Option<SizeSum>,
}

impl ExportWork {
    /// Returns the work of an export, counted in its source; where that is impossible, as recorded on the executable.
    pub fn of(executable: Executable, export: Export) -> Self {
        let counted = Self::counted(export.op);
        let position = executable.interface_exports().iter().position(|e| e.name() == export.name());
        let kept = position.and_then(|i| kept(executable.op)?.into_iter().nth(i)).unwrap_or_default();
        match counted.operations {
            Some(_) => counted,
            None if kept.operations.is_some() => kept,
            None => Self { bytes: counted.bytes.or(kept.bytes), ..kept },
        }
    }

    /// Returns the work of an export with a body on tensors; `None` for others.
    fn counted(export: Op) -> Self {
        let on_tensors = export.is("func.func") && !super::is_lowered(export);
        let Some(sizes) = on_tensors.then(|| KnownSizes::new(export)).flatten() else { return Self::default() };
        let arithmetic = arithmetic::arithmetic(export, &sizes);
        let bytes = traffic::traffic(export, &sizes);
        let Some(arithmetic) = arithmetic else { return Self { bytes, ..Self::default() } };
        Self {
            operations: Some(arithmetic.operations),
            kind: arithmetic.kind.map(str::to_owned),
            products: Some(arithmetic.products),
            bytes,
        }
    }

    fn write(&self, op: Op) -> Attr {
        let text = |sum: &SizeSum| Attr::string(op.context(), &sum.to_string());
        let sums = [("operations", &self.operations), ("products", &self.products), ("bytes", &self.bytes)];
        let mut items: Vec<(&str, Attr)> = sums.iter().filter_map(|(k, v)| Some((*k, text(v.as_ref()?)))).collect();
        items.extend(self.kind.as_ref().map(|kind| ("kind", Attr::string(op.context(), kind))));
        Attr::dict(op.context(), &items)
    }

    /// Reads what [`Self::write`] wrote; `None` if it is something else.
    fn read(attr: Attr) -> Option<Self> {
        let mut work = Self::default();
        for (name, value) in attr.as_dict()? {
            let text = value.as_string()?;
            match &*name {
                "operations" => work.operations = Some(text.parse().ok()?),
                "products" => work.products = Some(text.parse().ok()?),
                "bytes" => work.bytes = Some(text.parse().ok()?),
                "kind" => work.kind = Some(text),
                _ => return None,
            }
        }
        Some(work)
    }
}

/// Returns the work recorded on an executable, in the order of its exports.
fn kept(executable: Op) -> Option<Vec<ExportWork>> {
    executable.attr(names::WORK)?.as_array()?.into_iter().map(ExportWork::read).collect()
}

/// Writes the work of an executable at one that has the same exports: itself before its source is dropped, or one whose source does
/// not tell.
pub(super) fn keep_work(from: Executable, to: Executable) {
    let old = from.interface_exports();
    let mut lost = from.op == to.op;
    let mut work = |export: Export| {
        let counted = ExportWork::counted(export.op);
        let of_old =
            old.iter().find(|o| o.name() == export.name()).map(|o| ExportWork::of(from, *o)).unwrap_or_default();
        let tells_less = of_old.operations.is_some() && counted.operations.is_none();
        lost |= tells_less || (of_old.bytes.is_some() && counted.bytes.is_none());
        if counted.operations.is_some() { counted } else { of_old }
    };
    // In the order in which they are read later.
    let left = if from.op == to.op { to.variants().first().map(|v| v.exports()) } else { None };
    let all: Vec<ExportWork> = left.unwrap_or_else(|| to.interface_exports()).into_iter().map(&mut work).collect();
    if lost && all.iter().any(|w| *w != ExportWork::default()) {
        let list: Vec<Attr> = all.iter().map(|w| w.write(to.op)).collect();
        to.op.set_attr(names::WORK, Attr::array(to.op.context(), &list));
    }
}

/// Whether the operations of all exports of an executable can be counted in its source.
pub(super) fn tells_work(executable: Executable) -> bool {
    let exports = executable.exports();
    !exports.is_empty() && exports.iter().all(|e| ExportWork::counted(e.op).operations.is_some())
}

/// Checks the form of [`names::WORK`].
pub(super) fn verify_work(executable: Op, say: &mut dyn FnMut(Op, String)) {
    if executable.has_attr(names::WORK) && kept(executable).is_none() {
        let name = executable.symbol().unwrap_or_default();
        let message = format!(
            "`{}` of executable `@{name}` is no list of work, such as `[{{operations = \"128 * c0\", kind = \"f32\", bytes = \"4 * c0\"}}]`",
            names::WORK
        );
        say(executable, message);
    }
}

#[cfg(test)]
mod tests;
