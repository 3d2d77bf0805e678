//! Finds corresponding results of two programs.
//!
//! The most certain pairs come first: results with the same tensor name in the model; the same work in the same order
//! from the start; then work that both do equally often, by content key, by origin. Uncertain results are not paired.
use super::model::{Place, Side};
use std::collections::{BTreeMap, HashSet};

/// A result of a program and the same value in another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) a: Place,
    pub(super) b: Place,
}

/// The pairs, in the order in which the first program computes them.
pub(super) fn pairs(a: &Side<'_>, b: &Side<'_>) -> Vec<Pair> {
    let mut found = Found { a, b, pairs: Vec::new(), of_a: HashSet::new(), of_b: HashSet::new() };
    found.by_name();
    found.from_the_start();
    found.by_group(work);
    found.by_group(origin);
    found.pairs.sort_by_key(|p| p.a);
    found.pairs
}

/// Whether two dispatches do the same work: executables with the same content key, with the same constants, on tensors
/// of the same types.
pub(super) fn is_same_work(a: &Side<'_>, i: usize, b: &Side<'_>, j: usize) -> bool {
    work(a, i) == work(b, j)
}

struct Found<'a> {
    a: &'a Side<'a>,
    b: &'a Side<'a>,
    pairs: Vec<Pair>,
    of_a: HashSet<Place>,
    of_b: HashSet<Place>,
}

impl Found<'_> {
    fn add(&mut self, a: Place, b: Place) {
        let (x, y) = (self.a.binding(a), self.b.binding(b));
        let elements = |shape: &[usize]| shape.iter().product::<usize>();
        // One value in two shapes has its elements in one order.
        let fits = x.dtype.is_compatible(y.dtype) && elements(&x.shape) == elements(&y.shape);
        if fits && !self.of_a.contains(&a) && !self.of_b.contains(&b) {
            self.of_a.insert(a);
            self.of_b.insert(b);
            self.pairs.push(Pair { a, b });
        }
    }

    /// Pairs all results of two dispatches, in order.
    fn add_all(&mut self, i: usize, j: usize) {
        let results = |side: &Side<'_>, dispatch: usize| -> Vec<Place> {
            let bindings = side.dispatch(dispatch).bindings.iter().enumerate();
            bindings.filter(|(_, b)| b.after.is_some()).map(|(binding, _)| Place { dispatch, binding }).collect()
        };
        let (of_a, of_b) = (results(self.a, i), results(self.b, j));
        if of_a.len() == of_b.len() {
            of_a.into_iter().zip(of_b).for_each(|(a, b)| self.add(a, b));
        }
    }

    /// The k-th time that a value of a name is computed.
    fn by_name(&mut self) {
        let (of_a, of_b) = (by_name(self.a), by_name(self.b));
        let mut same = Vec::new();
        for (name, places) in of_a {
            for (&a, &b) in places.iter().zip(of_b.get(name).into_iter().flatten()) {
                self.add(a, b);
                if is_same_work(self.a, a.dispatch, self.b, b.dispatch) {
                    same.push((a.dispatch, b.dispatch));
                }
            }
        }
        // Results without names of kernels that do the same.
        same.into_iter().for_each(|(i, j)| self.add_all(i, j));
    }

    /// Dispatches of which no result has a partner yet.
    fn rest(&self) -> (Vec<usize>, Vec<usize>) {
        let of = |side: &Side<'_>, taken: &HashSet<Place>| -> Vec<usize> {
            let taken: HashSet<usize> = taken.iter().map(|p| p.dispatch).collect();
            (0..side.trace.dispatches.len()).filter(|d| !taken.contains(d)).collect()
        };
        (of(self.a, &self.of_a), of(self.b, &self.of_b))
    }

    /// Pairs dispatches from the start for as long as both sides do the same work. Also works for loops that run more
    /// often on one side.
    fn from_the_start(&mut self) {
        let (of_a, of_b) = self.rest();
        for (i, j) in of_a.into_iter().zip(of_b) {
            if !is_same_work(self.a, i, self.b, j) {
                return;
            }
            self.add_all(i, j);
        }
    }

    /// Dispatches of one kind of which both have as many, in order.
    fn by_group<K: Ord>(&mut self, kind: impl Fn(&Side<'_>, usize) -> Option<K>) {
        let (of_a, of_b) = self.rest();
        let group = |side: &Side<'_>, list: Vec<usize>| {
            let mut groups: BTreeMap<K, Vec<usize>> = BTreeMap::new();
            for dispatch in list {
                if let Some(key) = kind(side, dispatch) {
                    groups.entry(key).or_default().push(dispatch);
                }
            }
            groups
        };
        let (of_a, of_b) = (group(self.a, of_a), group(self.b, of_b));
        for (key, list) in of_a {
            let Some(others) = of_b.get(&key).filter(|others| others.len() == list.len()) else { continue };
            list.into_iter().zip(others).for_each(|(i, &j)| self.add_all(i, j));
        }
    }
}

fn by_name<'s>(side: &'s Side<'_>) -> BTreeMap<&'s str, Vec<Place>> {
    let mut names: BTreeMap<&str, Vec<Place>> = BTreeMap::new();
    for place in side.places() {
        let name = &*side.binding(place).value;
        if !name.is_empty() {
            names.entry(name).or_default().push(place);
        }
    }
    names
}

/// The types of tensors, as text.
type Types = Vec<String>;

fn types(side: &Side<'_>, dispatch: usize, written: bool) -> Types {
    let bindings = side.dispatch(dispatch).bindings.iter();
    let taken = bindings.filter(|b| !written || b.after.is_some());
    taken.map(|b| halyard_runtime::shape_text(&b.shape, b.dtype)).collect()
}

/// Returns the work of a dispatch, by the content of its executable.
fn work(side: &Side<'_>, dispatch: usize) -> Option<(String, usize, Vec<i64>, Types)> {
    let kernel = side.kernel(dispatch);
    let constants = side.dispatch(dispatch).constants[..kernel.constants].to_vec();
    Some((kernel.identity.key.clone(), side.export_number(dispatch), constants, types(side, dispatch, false)))
}

/// Returns the nodes that a dispatch comes from, and the types of its results.
fn origin(side: &Side<'_>, dispatch: usize) -> Option<(Vec<String>, Types)> {
    let origin = &side.kernel(dispatch).identity.origin;
    (!origin.is_empty()).then(|| (origin.clone(), types(side, dispatch, true)))
}
