//! Neighbouring loops of which a run alone knows a size, as one: rows and columns of an image, say, where nothing depends on them apart.
//! [`super::merge`] does the same for known sizes, later. A size that operations demand to be equal is taken from the result.
use crate::analysis::access::{NEST, Sym, Use, Var, asks_index};
use crate::graph::{Graph, Kind, Memory, Node, Size, Step, Symbolic};
use std::collections::{BTreeSet, HashMap};

/// The dimensions of a tensor that two loops go along: the outer one, and the inner one.
type Pair = (usize, usize);

impl Graph {
    /// Merges the last two loops over the results, if every tensor has both of them side by side in memory, or neither.
    pub(crate) fn merge_open_rows(&mut self) {
        self.merge(2, false);
    }

    /// The same, although their sizes may be known.
    pub(crate) fn merge_rows(&mut self) {
        self.merge(2, true);
    }

    /// The same for all loops.
    pub(crate) fn merge_open_loops(&mut self) {
        self.merge(usize::MAX, false);
    }

    /// The same for the last `count` loops; with `known`, also where both sizes are known.
    fn merge(&mut self, count: usize, known: bool) {
        let Ok(roots) = self.returned.iter().map(|&v| self.id(v)).collect::<Result<Vec<_>, _>>() else { return };
        let Some(&first) = roots.first() else { return };
        let alike = roots.iter().all(|&root| self.tensors[root].dims == self.tensors[first].dims);
        if !alike || self.signature.tied.iter().any(Option::is_some) {
            return;
        }
        let dims = self.tensors[first].dims.clone();
        let some = dims.len().saturating_sub(count)..dims.len();
        let wide: Vec<usize> = some.filter(|&d| dims[d].known() != Some(1)).collect();
        let Some((&last, outer)) = wide.split_last() else { return };
        let mut inner = last;
        for &d in outer.iter().rev() {
            let open = [d, inner].iter().any(|&at| self.tensors[first].dims[at].known().is_none());
            if !((known || open) && self.merge_pair(&roots, (d, inner))) {
                inner = d;
            }
        }
    }

    /// Merges two loops, if that can be: the outer one has one step then. Says whether it can.
    fn merge_pair(&mut self, roots: &[usize], (outer, inner): Pair) -> bool {
        let rank = self.tensors[roots[0]].dims.len();
        let idx: Vec<Sym> = (0..rank).map(|d| Sym::var((NEST, d))).collect();
        let uses = roots.iter().flat_map(|&root| self.uses(root, idx.clone(), &BTreeSet::new()));
        let mut pairs: HashMap<usize, Option<Pair>> = HashMap::new();
        for used in uses.collect::<Vec<_>>() {
            let Some(pair) = self.pair_of(&used, [(NEST, outer), (NEST, inner)]) else { return false };
            if *pairs.entry(used.id).or_insert(pair) != pair {
                return false;
            }
        }
        let results = self.results.clone();
        if !results.iter().all(|memory| self.runs_through(memory, (outer, inner))) {
            return false;
        }
        for (&id, pair) in pairs.iter().filter_map(|(id, pair)| Some((id, (*pair)?))) {
            self.merge_dims(id, pair);
            let Kind::Result { node, .. } = self.tensors[id].kind else { continue };
            let size = self.tensors[id].dims[pair.1];
            let Node { inits, results, place, dims, .. } = &mut self.nodes[node];
            for (dim, place) in dims.iter_mut().zip(place) {
                match *place {
                    Some(at) if at == pair.0 => *dim = Size::constant(1),
                    Some(at) if at == pair.1 => *dim = size,
                    _ => {}
                }
            }
            let others = inits.iter().chain(results.iter()).copied();
            for other in others.filter(|other| !pairs.contains_key(other)).collect::<BTreeSet<_>>() {
                if self.tensors[other].dims[pair.0].known() != Some(1) {
                    self.merge_dims(other, pair);
                }
            }
        }
        for at in 0..self.results.len() {
            let [a, b] = [outer, inner].map(|d| self.results[at].dims[d]);
            let dims = [Size::constant(1), self.product_before_use(a, b)];
            (self.results[at].dims[outer], self.results[at].dims[inner]) = dims.into();
        }
        true
    }

    /// Merges two dimensions of a tensor.
    fn merge_dims(&mut self, id: usize, (outer, inner): Pair) {
        let [a, b] = [outer, inner].map(|d| self.tensors[id].dims[d]);
        let size = self.product_before_use(a, b);
        let merge = |dims: &mut Vec<Size>| (dims[outer], dims[inner]) = (Size::constant(1), size);
        merge(&mut self.tensors[id].dims);
        if let Kind::Memory(memory) = &mut self.tensors[id].kind {
            merge(&mut memory.dims);
        }
    }

    /// Which dimensions of a tensor two loops go along: none, or two that may as well be one; `None` if anything else.
    fn pair_of(&mut self, used: &Use, loops: [Var; 2]) -> Option<Option<Pair>> {
        let moves: Vec<usize> =
            (0..used.idx.len()).filter(|&d| used.idx[d].vars().any(|var| loops.contains(&var))).collect();
        let pair = match moves[..] {
            [] => return Some(None),
            [outer, inner] => (outer, inner),
            _ => return None,
        };
        let tensor = &self.tensors[used.id];
        let exact = [pair.0, pair.1].map(|d| used.idx[d].exactly()) == loops.map(Some);
        let between = (pair.0 + 1..pair.1).all(|d| tensor.dims[d].known() == Some(1));
        let runs = match tensor.kind.clone() {
            Kind::Memory(memory) => self.runs_through(&memory, pair),
            Kind::Splat(_) | Kind::Empty => true,
            Kind::Result { node, .. } => {
                let node = &self.nodes[node];
                asks_index(node.body).into_iter().all(|d| node.place[d].is_none_or(|at| at != pair.0 && at != pair.1))
            }
            _ => false,
        };
        (exact && between && runs).then_some(Some(pair))
    }

    /// Whether the end of the inner dimension is followed by the next step of the outer one.
    fn runs_through(&mut self, memory: &Memory<Symbolic>, (outer, inner): Pair) -> bool {
        let mut sizes = self.sizes.clone();
        sizes.mul(memory.dims[inner], memory.strides[inner], &mut Vec::new()) == memory.strides[outer]
    }

    /// The product of two sizes, as early in the kernel as both are known.
    fn product_before_use(&mut self, a: Size, b: Size) -> Size {
        let product = self.sizes.mul(a, b, &mut Vec::new());
        let Some(made) = product.symbol.map(Step::Size) else { return product };
        // It may be there already, but later.
        self.steps.retain(|step| *step != made);
        let known = [a, b].into_iter().filter_map(|size| size.symbol).map(Step::Size);
        let after = known.filter_map(|step| self.steps.iter().position(|other| *other == step)).max();
        self.steps.insert(after.map_or(0, |at| at + 1), made);
        product
    }
}

#[cfg(test)]
mod tests {
    use crate::graph::Graph;
    use crate::testing::{cpu, with_graph};

    /// The sizes of the result of an export after `change`, as they are known, before merging and after it.
    fn sizes(export: &str, change: &[(&str, &str)]) -> [Vec<Option<i64>>; 2] {
        with_graph(export, change, &cpu(|_| {}), |graph| {
            let mut merged = graph.clone();
            merged.merge_open_loops();
            let of = |graph: &Graph| {
                let root = graph.id(graph.returned[0]).expect("it is a tensor");
                graph.tensors[root].dims.iter().map(|size| size.known()).collect()
            };
            [of(graph), of(&merged)]
        })
    }

    #[test]
    fn rows_and_columns_become_one_loop() {
        let open = vec![Some(1), Some(512), None, None];
        assert_eq!(sizes("conv-1x512xDxD-f32", &[]), [open.clone(), vec![Some(1), Some(512), Some(1), None]]);
        // Windows step from one row to the next; so do columns of every second pixel.
        let steps = ("d2 + d5, d3 + d6", "d2 * 2 + d5, d3 * 2 + d6");
        assert_eq!(sizes("conv-1x512xDxD-f32", &[steps]), [open.clone(), open]);
    }

    #[test]
    fn loops_that_something_depends_on_apart_stay() {
        // An operand for each column.
        let bias = [("(d0, d1, d2, d3) -> (d1)", "(d0, d1, d2, d3) -> (d3)"), ("tensor<512xf32>", "tensor<?xf32>")];
        let [before, after] = sizes("conv-1x512xDxD-f32", &bias);
        assert_eq!(before, after);
        let asks = (
            "%4 = arith.addf %in, %in_0 : f32\n      linalg.yield %4",
            "%9 = linalg.index 2 : index\n %10 = arith.index_cast %9 : index to i32\n %11 = arith.sitofp %10 : i32 to f32\n %4 = arith.addf %in, %11 : f32\n      linalg.yield %4",
        );
        let [before, after] = sizes("conv-1x512xDxD-f32", &[asks]);
        assert_eq!(before, after);
    }
}
