//! Reads structured operations (`linalg.generic`) into a graph.
use super::read::Read;
use super::{Graph, Input, Kind, Node, Size, Step};
use halyard_ir::{AffineKind, Attr, Loc, Op};

impl Graph {
    /// Where the first reduction is in the source: what kernels that are laid out as a whole spend their time on.
    pub(crate) fn reduction_loc(&self) -> Option<Loc> {
        let node = self.nodes.iter().find(|n| n.reduction.iter().any(|&r| r))?;
        self.tensors[node.results[0]].loc
    }

    /// Reads a generic operation: what it reads, its loops, and which dimension of the results each parallel loop is.
    pub(super) fn read_generic(&mut self, op: Op) -> Read<()> {
        let outs = op.result_count();
        let ins = op.operand_count() - outs;
        let inputs = op.operands()[..ins]
            .iter()
            .map(|&v| {
                if v.ty().is_tensor() {
                    self.id(v).map(Input::Tensor)
                } else {
                    self.scalar_of.get(&v).copied().map(Input::Scalar).ok_or_else(|| "an unknown scalar".into())
                }
            })
            .collect::<Read<Vec<_>>>()?;
        let inits = op.operands()[ins..].iter().map(|&v| self.id(v)).collect::<Read<Vec<_>>>()?;
        let maps = op.attr("indexing_maps").and_then(Attr::as_array).ok_or("a generic without maps")?;
        let maps =
            maps.into_iter().map(Attr::as_affine_map).collect::<Option<Vec<_>>>().ok_or("a map that is not affine")?;
        if maps.iter().any(|m| m.symbols() > 0) {
            return Err("a map with symbols".into());
        }
        let count = maps.first().map_or(0, |m| m.dims());
        let maps: Vec<_> = maps.into_iter().map(|m| m.results()).collect();
        let iterators = op.attr("iterator_types").and_then(Attr::as_array).ok_or("a generic without iterators")?;
        let reduction: Vec<bool> = iterators.iter().map(|a| a.to_string().contains("reduction")).collect();
        let mut dims = vec![None; count];
        for (operand, map) in maps.iter().enumerate() {
            let tensor = match inputs.get(operand) {
                Some(Input::Tensor(t)) => *t,
                Some(Input::Scalar(_)) => continue,
                None => inits[operand - ins],
            };
            for (at, expr) in map.iter().enumerate() {
                if let AffineKind::Dim(d) = expr {
                    let size = self.tensors[tensor].dims[at];
                    // A known size says more than a dynamic one.
                    if dims[*d].is_none_or(|s: Size| s.known().is_none() && size.known().is_some()) {
                        dims[*d] = Some(size);
                    }
                }
            }
        }
        let dims = dims.into_iter().collect::<Option<Vec<_>>>().ok_or("a loop whose size no operand has")?;
        // One place of the loops has one element of each result: see [`crate::prepare::apart`].
        if maps[ins..].iter().any(|m| *m != maps[ins]) {
            return Err("results that are laid out differently".into());
        }
        let mut place = vec![None; count];
        for (at, expr) in maps[ins].iter().enumerate() {
            let single = || inits.iter().all(|&i| self.tensors[i].dims[at].known() == Some(1));
            match expr {
                AffineKind::Dim(d) if !reduction[*d] && place[*d].is_none() => place[*d] = Some(at),
                AffineKind::Constant(0) if single() => {}
                _ => return Err("an output that is not a permutation".into()),
            }
        }
        for d in 0..count {
            if !reduction[d] && place[d].is_none() && dims[d].known() != Some(1) {
                return Err("a parallel loop that the output does not have".into());
            }
        }
        let body = op.body().ok_or("a generic without a body")?;
        let node = self.nodes.len();
        let sizes: Vec<Vec<Size>> = inits.iter().map(|&i| self.tensors[i].dims.clone()).collect();
        self.nodes.push(Node { body, inputs, inits, results: Vec::new(), maps, dims, reduction, place });
        self.steps.push(Step::Node(node));
        for (index, sizes) in sizes.into_iter().enumerate() {
            self.define(op.result(index), sizes, Kind::Result { node, index });
            let id = self.tensors.len() - 1;
            self.nodes[node].results.push(id);
        }
        Ok(())
    }
}
