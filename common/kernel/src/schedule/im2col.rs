//! Im2col: where a reduction reads its operand in steps or in windows that leave most lanes of a
//! vector empty, the operand is gathered first, so that every index of it is one loop. What remains is a matrix product
//! whose small dimensions merge (see [`crate::analysis::merge`]). Likewise an operand of a product within another
//! reduction, as the keys of an attention, if its rows run along the reduction: it is transposed once for all rows of the
//! product.
use super::choices::Choices;
use super::planner::Planner;
use crate::analysis::access::{NEST, Stride, Sym, stride};
use crate::graph::{Graph, Input, Kind, Node, Size, Symbolic, Tensor};
use crate::machine::MachineModel;
use halyard_ir::{AffineKind, Block, Builder};

/// Rewrites a graph for a machine.
struct Gatherer<'g> {
    graph: &'g mut Graph,
    target: &'g MachineModel,
}

/// Gathers operands of reductions where that pays.
pub(crate) fn im2col(graph: &mut Graph, target: &MachineModel) {
    Gatherer { graph, target }.im2col();
}

impl Gatherer<'_> {
    fn im2col(&mut self) {
        for node in 0..self.graph.nodes.len() {
            if self.graph.nodes[node].reduction.contains(&true) {
                for operand in 0..self.graph.nodes[node].inputs.len() {
                    self.im2col_operand(node, operand);
                    if self.within_reduction(node) {
                        self.transpose_operand(node, operand);
                    } else {
                        self.transpose_narrow(node, operand);
                    }
                }
            }
        }
    }

    fn im2col_operand(&mut self, node: usize, operand: usize) {
        let n = self.graph.nodes[node].clone();
        let Input::Tensor(src) = n.inputs[operand] else { return };
        let (mut plain, mut windows, mut spatial) = (Vec::new(), Vec::new(), Vec::new());
        let mut strided = false;
        for expr in &n.maps[operand] {
            if let AffineKind::Dim(d) = expr {
                plain.push(*d);
                continue;
            }
            let mut terms = Vec::new();
            if !linear(expr, 1, &mut terms) {
                return;
            }
            // A dimension of one step stands still.
            terms.retain(|&(d, _)| n.dims[d].known() != Some(1));
            for &(d, by) in &terms {
                if n.reduction[d] { &mut windows } else { &mut spatial }.push(d);
                strided |= !n.reduction[d] && by > 1;
            }
        }
        let all: Vec<usize> = plain.iter().chain(&windows).chain(&spatial).copied().collect();
        let distinct = (0..n.dims.len()).all(|d| all.iter().filter(|&&a| a == d).count() <= 1);
        let known: Option<Vec<i64>> = all.iter().map(|&d| n.dims[d].known()).collect();
        let (Some(_), true, Some(&last)) = (known, distinct, spatial.last()) else { return };
        // Everything that is not part of the operand shares it.
        let shared: i64 = (0..n.dims.len())
            .filter(|d| !all.contains(d) && !n.reduction[*d])
            .map(|d| n.dims[d].known().unwrap_or(1))
            .product();
        let lanes = self.lanes(node);
        let width = n.dims[last].known().unwrap_or(1);
        let wasteful = (width + lanes - 1) / lanes * lanes * 4 > width * 5;
        // Without windows, loops over a whole image merge as it lies in memory.
        let merges = windows.is_empty() && !strided && plain.len() < n.maps[operand].len();
        let pays = wasteful && !merges || strided && windows.is_empty();
        let numbers = &self.target.cpu.loops;
        let steps = |dims: &[usize]| dims.iter().map(|&d| n.dims[d].known().unwrap_or(1)).product::<i64>();
        let sums: Vec<usize> = all.iter().copied().filter(|&d| n.reduction[d]).collect();
        let pixels = steps(&spatial).min(numbers.im2col_vectors * lanes);
        let bytes = (steps(&sums) * pixels).saturating_mul(self.graph.tensors[src].elem.byte_width() as i64);
        // What is gathered for a tile must still be in the cache when it is multiplied.
        let fits = bytes <= self.target.l2 as i64 / 2;
        if shared < numbers.im2col_filters || !pays || !fits {
            return;
        }
        self.gather(node, operand, src, all);
    }

    /// The lanes of a node when they go along a reduction.
    fn lanes(&self, node: usize) -> i64 {
        Planner::new(self.graph, self.target, &mut Choices::default()).reduction_lanes(node)
    }

    /// Whether the results of a node are read by another reduction.
    fn within_reduction(&self, node: usize) -> bool {
        (0..self.graph.nodes.len()).filter(|&m| m != node && self.graph.nodes[m].reduction.contains(&true)).any(|m| {
            let result = self.graph.nodes[m].results[0];
            let idx = (0..self.graph.tensors[result].dims.len()).map(|d| Sym::var((NEST, d))).collect();
            let uses = self.graph.uses(result, idx, &self.graph.must_materialize);
            uses.iter().any(|u| u.inside.contains(&m) && self.graph.nodes[node].results.contains(&u.id))
        })
    }

    /// Transposes an operand whose rows run along the reduction where its columns could run along the lanes.
    fn transpose_operand(&mut self, node: usize, operand: usize) {
        let n = self.graph.nodes[node].clone();
        let Input::Tensor(src) = n.inputs[operand] else { return };
        let plain = |map: &[AffineKind]| -> Option<Vec<usize>> {
            map.iter().map(|e| if let AffineKind::Dim(d) = e { Some(*d) } else { None }).collect()
        };
        let Some(all) = plain(&n.maps[operand]) else { return };
        let distinct = all.iter().enumerate().all(|(at, d)| !all[..at].contains(d));
        if self.graph.must_materialize.contains(&src) || !distinct {
            return;
        }
        let idx: Vec<Sym> = all.iter().map(|&d| Sym::var((NEST, d))).collect();
        let uses = self.graph.uses(src, idx, &self.graph.must_materialize);
        let mut memories = uses.iter().filter_map(|u| match &self.graph.tensors[u.id].kind {
            Kind::Memory(memory) => Some((memory, u)),
            _ => None,
        });
        let (Some((memory, u)), None) = (memories.next(), memories.next()) else { return };
        let step = |d: usize| stride(memory, &u.idx, (NEST, d));
        let along = all.iter().any(|&d| n.reduction[d] && step(d) == Stride::Known(1));
        let elsewhere = |d: usize| {
            let other = |at: usize| at != operand && n.maps[at].iter().any(|e| uses_dim(e, d));
            (0..n.inputs.len()).any(other)
        };
        let size = |d: usize| n.dims[d].known().unwrap_or(0);
        let across = |d: &usize| matches!(step(*d), Stride::Known(s) if s.abs() > 4) || step(*d) == Stride::Unknown;
        let lanes = self.lanes(node);
        // The lanes of what reads the product run along its last dimension.
        let last = self.graph.tensors[n.results[0]].dims.iter().rposition(|s| s.known() != Some(1));
        let fits = |d: usize| !n.reduction[d] && n.place[d] == last && !elsewhere(d) && size(d) >= lanes;
        let column = all.iter().copied().filter(|&d| fits(d)).find(across);
        let rows: i64 = (0..n.dims.len()).filter(|d| !all.contains(d) && !n.reduction[*d]).map(size).product();
        if let Some(column) = column.filter(|_| along && rows >= self.target.cpu.loops.im2col_outputs) {
            let order = all.into_iter().filter(|&d| d != column).chain([column]).collect();
            self.gather(node, operand, src, order);
        }
    }

    /// Transposes an operand of few columns, so that rows of both operands run along the sum: lanes along the columns would
    /// be mostly empty.
    fn transpose_narrow(&mut self, node: usize, operand: usize) {
        let n = self.graph.nodes[node].clone();
        let (Input::Tensor(src), 2) = (n.inputs[operand], n.inputs.len()) else { return };
        let Kind::Memory(_) = self.graph.tensors[src].kind else { return };
        let plain = |at: usize| -> Option<Vec<usize>> {
            n.maps[at].iter().map(|e| if let AffineKind::Dim(d) = e { Some(*d) } else { None }).collect()
        };
        let (Some(own), Some(other)) = (plain(operand), plain(1 - operand)) else { return };
        let (Some(&column), Some(&sum)) = (own.last(), other.last()) else { return };
        let size = |d: usize| n.dims[d].known().unwrap_or(0);
        let rows: i64 = other.iter().filter(|d| !own.contains(d) && !n.reduction[**d]).map(|&d| size(d)).product();
        let lanes = self.lanes(node);
        let distinct = own.iter().enumerate().all(|(at, d)| !own[..at].contains(d));
        let narrow =
            size(column) > 1 && size(column) * 4 < lanes * 3 && !n.reduction[column] && !other.contains(&column);
        if narrow
            && distinct
            && n.reduction[sum]
            && own.contains(&sum)
            && size(sum) >= lanes
            && rows >= self.target.cpu.loops.im2col_rows
        {
            let order = own.into_iter().filter(|&d| d != column && d != sum).chain([column, sum]).collect();
            self.gather(node, operand, src, order);
        }
    }

    fn tensor(&mut self, tensor: Tensor<Symbolic>) -> usize {
        self.graph.tensors.push(tensor);
        self.graph.tensors.len() - 1
    }

    /// An operand as a tensor of its own, over these dimensions of the node.
    fn gather(&mut self, node: usize, operand: usize, src: usize, all: Vec<usize>) {
        let n = self.graph.nodes[node].clone();
        let elem = self.graph.tensors[src].elem;
        let loc = self.graph.tensors[n.results[0]].loc;
        let body = Block::create(&[elem, elem], self.graph.loc);
        let at = Builder::at_end(body, self.graph.loc);
        at.op("linalg.yield", &[body.args()[0]], &[], &[]);
        let dims: Vec<Size> = all.iter().map(|&d| n.dims[d]).collect();
        let init = self.tensor(Tensor { elem, dims: dims.clone(), kind: Kind::Empty, loc });
        let patches = self.graph.nodes.len();
        let kind = Kind::Result { node: patches, index: 0 };
        let result = self.tensor(Tensor { elem, dims: dims.clone(), kind, loc });
        let from = n.maps[operand].iter().map(|e| renamed(e, &all)).collect();
        let identity: Vec<AffineKind> = (0..all.len()).map(AffineKind::Dim).collect();
        self.graph.nodes.push(Node {
            body,
            inputs: vec![Input::Tensor(src)],
            inits: vec![init],
            results: vec![result],
            maps: vec![from, identity],
            reduction: vec![false; all.len()],
            place: (0..all.len()).map(Some).collect(),
            dims,
        });
        self.graph.must_materialize.insert(result);
        self.graph.nodes[node].inputs[operand] = Input::Tensor(result);
        self.graph.nodes[node].maps[operand] = all.into_iter().map(AffineKind::Dim).collect();
    }
}

/// Whether an expression depends on a dimension.
fn uses_dim(expr: &AffineKind, d: usize) -> bool {
    match expr {
        AffineKind::Dim(e) => *e == d,
        AffineKind::Constant(_) | AffineKind::Symbol(_) => false,
        AffineKind::Add(a, b)
        | AffineKind::Mul(a, b)
        | AffineKind::Mod(a, b)
        | AffineKind::FloorDiv(a, b)
        | AffineKind::CeilDiv(a, b) => uses_dim(a, d) || uses_dim(b, d),
    }
}

/// The terms of a sum of multiples of dimensions; whether it is one.
fn linear(expr: &AffineKind, by: i64, terms: &mut Vec<(usize, i64)>) -> bool {
    match expr {
        AffineKind::Dim(d) => {
            terms.push((*d, by));
            true
        }
        AffineKind::Constant(_) => true,
        AffineKind::Add(a, b) => linear(a, by, terms) && linear(b, by, terms),
        AffineKind::Mul(a, b) => match (&**a, &**b) {
            (AffineKind::Constant(c), e) | (e, AffineKind::Constant(c)) => linear(e, by * c, terms),
            _ => false,
        },
        _ => false,
    }
}

/// The same expression over the dimensions in a new order; those that are left out stand still at 0.
fn renamed(expr: &AffineKind, order: &[usize]) -> AffineKind {
    let two = |a: &AffineKind, b: &AffineKind| (Box::new(renamed(a, order)), Box::new(renamed(b, order)));
    match expr {
        AffineKind::Dim(d) => order.iter().position(|o| o == d).map_or(AffineKind::Constant(0), AffineKind::Dim),
        AffineKind::Add(a, b) => {
            let (a, b) = two(a, b);
            AffineKind::Add(a, b)
        }
        AffineKind::Mul(a, b) => {
            let (a, b) = two(a, b);
            AffineKind::Mul(a, b)
        }
        other => other.clone(),
    }
}
