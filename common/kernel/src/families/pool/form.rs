//! Which bodies are poolings.
use crate::analysis::combiner::{Combiner, combiner};
use crate::families::forms::{dim, dims, window};
use crate::graph::Kind;
use crate::schedule::planner::Planner;
use halyard_ir::Attr;

/// A pooling.
pub(in crate::families) struct Pool {
    /// What is stored, computed from the result point by point.
    pub(super) roots: Vec<usize>,
    pub(super) y: usize,
    pub(super) init: usize,
    /// The input, without padding.
    pub(super) x: usize,
    pub(super) combiner: Combiner,
    /// Whether only a run knows rows and columns.
    pub(super) open: bool,
    /// Sizes of the input and of the result: images, planes, rows, columns. Where only a run knows rows and columns, those of a tile of the result,
    /// at most.
    pub(super) from: [i64; 4],
    pub(super) to: [i64; 4],
    /// Rows and columns of the window, from one place of it to the next, and of the padding before the image.
    pub(super) window: [i64; 2],
    pub(super) stride: [i64; 2],
    pub(super) before: [i64; 2],
}

impl Planner<'_> {
    /// Recognises the form: results that all follow one pooling.
    pub(in crate::families) fn pooling(&self, roots: &[usize]) -> Option<Pool> {
        let pools =
            |t: &usize| self.graph.node_of(*t).is_some_and(|n| n.reduction == [false, false, false, false, true, true]);
        let y = (0..self.graph.tensors.len()).find(pools)?;
        let node = self.graph.node_of(y)?;
        let (args, ops) = (node.body.args(), node.body.ops());
        let [combine, end] = ops.as_slice() else { return None };
        let (first, sum) = (args[0], *args.last()?);
        let pair = combine.operands() == [first, sum] || combine.operands() == [sum, first];
        let unused = args[1..args.len() - 1].iter().all(|a| !a.has_uses());
        let combiner = combiner(combine.result(0), sum).filter(|_| end.operand(0) == combine.result(0))?;
        let [n, c, high, wide] = &node.maps[0][..] else { return None };
        let (high, wide) = (window(high, 2, 4)?, window(wide, 3, 5)?);
        let places = (n, c) == (&dim(0), &dim(1)) && node.out_map(0) == dims(&[0, 1, 2, 3]);
        let padded = *self.graph.inputs_of(node)?.first()?;
        let (x, before) = self.without_padding(padded, combiner)?;
        let kinds = [x, y].iter().all(|t| self.graph.tensors[*t].elem.to_string() == "f32");
        let memory = matches!(self.graph.tensors[x].kind, Kind::Memory(_));
        let open = self.graph.open_images(y);
        let numbers = &self.target.cpu.convolutions;
        let (from, to) = match &open {
            Some(others) => {
                let most = |others: &[i64]| [others, &[numbers.open_rows, numbers.open_columns][..]].concat();
                let from = self.graph.tensors[x].dims.split_last_chunk::<2>()?.0;
                let planes: Vec<i64> = from.iter().map(|size| size.known().unwrap_or(1)).collect();
                (most(&planes), most(others))
            }
            None => (self.graph.sizes_of_images(x)?, self.graph.sizes_of_images(y)?),
        };
        let (from, to): ([i64; 4], [i64; 4]) = (from.try_into().ok()?, to.try_into().ok()?);
        let [_, _, _, columns] = to;
        let known = |d: usize| node.dims[d].known();
        let right = pair && unused && places && kinds && memory && (high.1, wide.1) == (1, 1) && columns > 1;
        (right && roots.iter().all(|root| self.graph.follows(*root, y))).then_some(Pool {
            roots: roots.to_vec(),
            open: open.is_some(),
            y,
            init: node.inits[0],
            x,
            combiner,
            from,
            to,
            window: [known(4)?, known(5)?],
            stride: [high.0, wide.0],
            before,
        })
    }

    /// What is padded, and the rows and columns before it, if the padding changes no result.
    fn without_padding(&self, tensor: usize, combiner: Combiner) -> Option<(usize, [i64; 2])> {
        let Kind::Pad { src, low, region } = &self.graph.tensors[tensor].kind else { return Some((tensor, [0, 0])) };
        let value = region.terminator()?.operand(0).def()?.attr("value").and_then(Attr::as_float)?;
        let low: Vec<i64> = low.iter().map(|l| l.known()).collect::<Option<_>>()?;
        let planes = low[..2] == [0, 0] && self.graph.tensors[*src].dims[..2] == self.graph.tensors[tensor].dims[..2];
        (planes && low.iter().all(|l| *l >= 0) && combiner.ignores(value)).then_some((*src, [low[2], low[3]]))
    }
}
