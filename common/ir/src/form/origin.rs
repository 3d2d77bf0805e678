//! The origin of an executable: the nodes of the ONNX model, or the places in MLIR, that it was formed from.
use crate::{Attr, Op, Type, names};
use std::collections::HashSet;

/// The origin of an executable, in the order of its operations: names of ONNX nodes (of the first output if a node has
/// no name), names of MLIR's locations, and `FILE:LINE` of places that the input states. Lines of the input's own text
/// are not included, since a comment would change them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ExecutableOrigin {
    names: Vec<String>,
    /// The number of further names that were omitted.
    more: usize,
}

impl ExecutableOrigin {
    /// The most names that are recorded; the number of the others follows them.
    const MOST: usize = 32;

    /// Returns the origin of an executable; empty if unknown.
    pub fn of(executable: Op) -> Self {
        let list = executable.attr(names::ORIGIN).and_then(Attr::as_array).unwrap_or_default();
        let more = list.last().and_then(|last| last.as_int()).and_then(|n| usize::try_from(n).ok()).unwrap_or(0);
        Self { names: list.into_iter().filter_map(Attr::as_string).collect(), more }
    }

    /// An origin of these names, each once.
    pub fn new(all: &[String]) -> Self {
        let mut seen = HashSet::new();
        let mut names: Vec<String> = all.iter().filter(|name| seen.insert(*name)).cloned().collect();
        let more = names.len().saturating_sub(Self::MOST);
        names.truncate(Self::MOST);
        Self { names, more }
    }

    /// Writes it to an executable; an empty one is not written.
    pub fn set(&self, executable: Op) {
        if self.names.is_empty() {
            executable.remove_attr(names::ORIGIN);
            return;
        }
        let context = executable.context();
        let mut list: Vec<Attr> = self.names.iter().map(|name| Attr::string(context, name)).collect();
        if self.more > 0 {
            list.push(Attr::integer(Type::integer(context, 64), self.more as i64));
        }
        executable.set_attr(names::ORIGIN, Attr::array(context, &list));
    }

    /// Returns the recorded names.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Whether some names were omitted.
    pub fn is_cut(&self) -> bool {
        self.more > 0
    }

    /// Whether two origins have a name in common.
    pub fn meets(&self, other: &Self) -> bool {
        self.names.iter().any(|name| other.names.contains(name))
    }

    /// The names as people read them, the last one `… 5 more` where some were left out.
    pub fn texts(&self) -> Vec<String> {
        let more = (self.more > 0).then(|| format!("… {} more", self.more));
        self.names.iter().cloned().chain(more).collect()
    }
}

/// Checks the form of what [`ExecutableOrigin`] reads and of [`names::KEY`].
pub(super) fn verify_identity(executable: Op, say: &mut dyn FnMut(Op, String)) {
    let name = executable.symbol().unwrap_or_default();
    if let Some(list) = executable.attr(names::ORIGIN) {
        let items = list.as_array().unwrap_or_default();
        let (last, first) = items.split_last().map_or((None, items.as_slice()), |(last, first)| (Some(last), first));
        let is_count = |a: &Attr| !first.is_empty() && a.as_int().is_some_and(|n| n > 0);
        let good = first.iter().all(|a| a.as_string().is_some())
            && last.is_some_and(|a| a.as_string().is_some() || is_count(a));
        if !good {
            say(
                executable,
                format!(
                    "`{}` of executable `@{name}` is no list of strings, which the number of those left out may follow",
                    names::ORIGIN
                ),
            );
        }
    }
    if let Some(key) = executable.attr(names::KEY)
        && !key.as_string().is_some_and(|key| super::is_content_key(&key))
    {
        say(
            executable,
            format!("`{}` of executable `@{name}` is not a content key, a string of 16 hex digits", names::KEY),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    #[test]
    fn origins_come_back_and_say_what_they_leave_out() {
        let session = Session::new();
        let module = session.empty_module();
        let op = Op::from(&module);
        let names: Vec<String> = (0..40).map(|i| format!("/layer{}/conv", i / 2 * 2)).collect();
        for count in [0, 1, 40] {
            let origin = ExecutableOrigin::new(&names[..count]);
            origin.set(op);
            assert_eq!(ExecutableOrigin::of(op), origin);
            assert_eq!(op.has_attr(names::ORIGIN), count > 0);
        }
        let many: Vec<String> = (0..40).map(|i| format!("n{i}")).collect();
        let origin = ExecutableOrigin::new(&many);
        origin.set(op);
        assert_eq!(ExecutableOrigin::of(op), origin);
        assert!(origin.is_cut() && origin.texts().len() == 33 && origin.texts()[32] == "… 8 more");
        let other = ExecutableOrigin::new(&many[30..]);
        assert!(
            origin.meets(&other)
                && !origin.meets(&ExecutableOrigin::default())
                && !ExecutableOrigin::default().meets(&ExecutableOrigin::default())
        );
    }
}
