//! The kernels of the program that a file does not replace: where it defines them, too, they keep their code.
use halyard_objects::ObjectFile;
use std::collections::{BTreeMap, HashMap, HashSet};

/// For each file, the kernels of the program that it does not replace. A list for each would take memory and time in the square of
/// the number of kernels.
#[derive(Debug, Default)]
pub(crate) struct Others {
    /// The place in the program of each kernel.
    kernels: HashMap<String, usize>,
    /// The kernels that each file replaces.
    replaced: HashMap<String, HashSet<String>>,
}

impl Others {
    /// Notes the kernels of a program, in order, and those that each file replaces.
    pub(crate) fn new(kernels: impl Iterator<Item = String>, replaced: HashMap<String, HashSet<String>>) -> Self {
        Self { kernels: kernels.enumerate().map(|(place, name)| (name, place)).collect(), replaced }
    }

    /// Returns the kernels that objects of a file define and the file does not replace, each once, in the order of the program.
    pub(crate) fn defined_by<'o>(&self, objects: impl IntoIterator<Item = &'o ObjectFile>, file: &str) -> Vec<String> {
        let replaced = self.replaced.get(file);
        let is_other = |name: &&String| !replaced.is_some_and(|r| r.contains(*name));
        let place = |name: &'o String| self.kernels.get(name).map(|place| (*place, name));
        let defined = objects.into_iter().flat_map(|o| o.defined.keys());
        let found: BTreeMap<usize, &String> = defined.filter(is_other).filter_map(place).collect();
        found.into_values().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::Others;
    use halyard_objects::{ObjectFile, Symbol, SymbolUse};
    use std::collections::{BTreeSet, HashMap, HashSet};

    fn object(defined: &[&str]) -> ObjectFile {
        let symbol = Symbol { names: SymbolUse::Function, weak: false, hidden: false, indirect: false };
        ObjectFile {
            file: "0.o".into(),
            owner: "`a.o`".into(),
            bytes: Vec::new(),
            architecture: "x86_64".into(),
            defined: defined.iter().map(|name| ((*name).to_owned(), symbol)).collect(),
            undefined: BTreeSet::new(),
            local: BTreeSet::new(),
            load_constants: Default::default(),
            packed_weights: Default::default(),
            absolute: None,
        }
    }

    #[test]
    fn kernels_that_a_file_defines_and_does_not_replace_come_in_the_order_of_the_program() {
        let kernels = ["z", "y", "x"].map(str::to_owned).into_iter();
        let replaced = HashMap::from([("a.o".to_owned(), HashSet::from(["y".to_owned()]))]);
        let others = Others::new(kernels, replaced);
        let objects = [object(&["x", "y", "helper"]), object(&["x", "z"])];
        assert_eq!(others.defined_by(&objects, "a.o"), ["z", "x"]);
        // A file that replaces nothing has others only.
        assert_eq!(others.defined_by(&objects, "b.o"), ["z", "y", "x"]);
        assert!(others.defined_by(&[object(&["helper"])], "a.o").is_empty());
    }
}
