//! Operand panels that are copied together: what the vectors of one tile read over the whole reduction. The rows of a panel
//! lie far apart in memory, or the lanes run across the rows of the operand, which is then transposed block by block on the
//! way.
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex, Point};
use crate::emit::ir_builder::{Buffer, Coder, Residency, Supported};
use crate::emit::scratch::Taken;
use crate::emit::unrolled_lane::UnrolledLane;
use crate::graph::Memory;
use crate::schedule::planned::{Follow, Pack, Plan};
use halyard_ir::Value;

impl Emitter<'_> {
    /// Memory for the panel of a pack, as large as the largest tile needs.
    pub(crate) fn panel_memory(&mut self, pack: &Pack, plan: &Plan) -> Supported<Taken> {
        let tensor = self.tensors[pack.id].clone();
        let mut count = Index::constant(plan.lanes);
        for (follow, &size) in pack.follows.iter().zip(&tensor.dims) {
            match follow {
                Follow::Lanes => {
                    count =
                        self.code.mul(count, Index::constant(plan.unroll_jam[plan.vector.expect("a pack has lanes")]))
                }
                Follow::Whole => count = self.code.mul(count, size),
                Follow::Loop(_) | Follow::First => {}
            }
        }
        self.take(count, tensor.elem.byte_width() as i64)
    }

    /// Copies the panel of the open tile together.
    pub(crate) fn pack(
        &mut self,
        pack: &Pack,
        plan: &Plan,
        ptr: Value,
        open: &[Option<Vec<UnrolledLane>>],
    ) -> Supported<()> {
        let tensor = self.tensors[pack.id].clone();
        let across = open[plan.vector.ok_or("a pack without lanes")?].clone().ok_or("a loop that is not open")?;
        let width = Index::constant(plan.lanes * across.len() as i64);
        let (mut held, mut sizes, mut strides) = (Vec::new(), Vec::new(), Vec::new());
        // Rows of lanes, whatever the order of the tensor's dimensions.
        let mut step = width;
        for (follow, &size) in pack.follows.iter().zip(&tensor.dims).rev() {
            match follow {
                Follow::Lanes => {
                    held.push(Residency::Among(across.iter().map(|n| n.idx.clone()).collect(), plan.lanes));
                    sizes.push(width);
                    strides.push(Index::constant(1));
                }
                Follow::Whole => {
                    held.push(Residency::From(Index::ZERO));
                    sizes.push(size);
                    strides.push(step);
                    step = self.code.mul(step, size);
                }
                Follow::First => held.push(Residency::At(LaneIndex::uniform(Index::ZERO))),
                Follow::Loop(d) => match open[*d].as_deref() {
                    Some([only]) => held.push(Residency::At(only.idx.clone())),
                    // Several neighbours: not one panel.
                    _ => return Ok(()),
                },
            }
        }
        sizes.reverse();
        strides.reverse();
        held.reverse();
        let memory = Memory { ptr, elem: tensor.elem, dims: sizes, strides, offset: Index::ZERO };
        let buffer = Buffer { memory, dims: held };
        self.copy_rows(pack, &buffer, &across, Vec::new())?;
        self.code.scope().buffers.insert(pack.id, buffer);
        Ok(())
    }

    fn copy_rows(
        &mut self,
        pack: &Pack,
        buffer: &Buffer,
        across: &[UnrolledLane],
        idx: Vec<LaneIndex>,
    ) -> Supported<()> {
        let at = idx.len();
        let last = at + 1 == buffer.dims.len();
        match buffer.dims.get(at) {
            Some(Residency::At(fixed)) => {
                let idx = [idx, vec![fixed.clone()]].concat();
                self.copy_rows(pack, buffer, across, idx)
            }
            Some(Residency::From(_)) if last && pack.transposed => self.transpose_rows(pack, buffer, across, &idx),
            Some(Residency::From(_)) => {
                let size = self.tensors[pack.id].dims[at];
                self.for_loop((Index::ZERO, size, Index::constant(1)), &[], |this, i, _| {
                    this.copy_rows(pack, buffer, across, [idx, vec![LaneIndex::uniform(i)]].concat())?;
                    Ok(Vec::new())
                })?;
                Ok(())
            }
            // The lanes come later: all of them for each step of what lies between.
            Some(Residency::Among(..)) if !last => {
                for unrolled in across {
                    let idx = [idx.clone(), vec![unrolled.idx.clone()]].concat();
                    self.copy_rows(pack, buffer, std::slice::from_ref(unrolled), idx)?;
                }
                Ok(())
            }
            Some(Residency::Among(..)) => {
                for unrolled in across {
                    let mut point = Point::new([idx.clone(), vec![unrolled.idx.clone()]].concat());
                    point.mask = unrolled.mask;
                    self.copy_points(pack.id, buffer, &[point])?;
                }
                Ok(())
            }
            None => Err("a strip without lanes".into()),
        }
    }

    /// Rows of a transposed panel: whole blocks where they fit, the last one over again what is done.
    fn transpose_rows(
        &mut self,
        pack: &Pack,
        buffer: &Buffer,
        across: &[UnrolledLane],
        idx: &[LaneIndex],
    ) -> Supported<()> {
        let size = *self.tensors[pack.id].dims.last().ok_or("a strip of a scalar")?;
        let lanes = self.code.lanes;
        let mask = across.iter().find_map(|n| n.mask);
        let block = |this: &mut Self, from: Index, count: i64| {
            let points: Vec<Point> = (0..count)
                .map(|k| {
                    let mut point = Point::new([idx, &[LaneIndex::uniform(from.plus(k))]].concat());
                    point.mask = mask;
                    point
                })
                .collect();
            this.copy_points(pack.id, buffer, &points)
        };
        let count = self.code.divide("arith.divui", size, Index::constant(lanes));
        let whole = if mask.is_some() { Index::ZERO } else { self.code.mul(count, Index::constant(lanes)) };
        self.for_loop((Index::ZERO, whole, Index::constant(lanes)), &[], |this, i, _| {
            block(this, i, lanes)?;
            Ok(Vec::new())
        })?;
        match size.known() {
            Some(n) if n % lanes == 0 && mask.is_none() => Ok(()),
            Some(n) if n > lanes && mask.is_none() => block(self, Index::constant(n - lanes), lanes),
            _ => {
                self.for_loop((whole, size, Index::constant(1)), &[], |this, i, _| {
                    block(this, i, 1)?;
                    Ok(Vec::new())
                })?;
                Ok(())
            }
        }
    }

    fn copy_points(&mut self, id: usize, buffer: &Buffer, points: &[Point]) -> Supported<()> {
        for (point, value) in points.iter().zip(self.materialize(id, points)?) {
            let place = self.held(&buffer.dims, &point.idx).ok_or("a strip that does not hold its rows")?;
            let offset = self.code.offset(&buffer.memory, &place);
            self.code.store(&buffer.memory, &offset, value, None);
        }
        Ok(())
    }
}
