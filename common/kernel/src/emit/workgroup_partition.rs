//! How a nest is divided among workgroups.
use crate::Emitter;
use crate::emit::index::Index;
use crate::schedule::planned::Partition;
use halyard_ir::Attr;

/// The loop that is divided among workgroups, or two of them, one inside the other.
#[derive(Clone, Copy)]
pub(crate) struct WorkgroupTiles {
    pub(crate) dim: usize,
    /// First and end of this workgroup's tiles: of the loop, or of both loops, numbered consecutively.
    tiles: (Index, Index),
    /// The loop inside that is divided, too, and the number of its tiles.
    inside: Option<(usize, Index)>,
}

impl Emitter<'_> {
    /// Divides a nest among workgroups; `None` if one does everything.
    pub(crate) fn divide(&mut self, partition: Partition, dims: &[Index]) -> Option<WorkgroupTiles> {
        let Partition { dim, tile, inside, workgroups, .. } = partition;
        let tiles_of = |this: &mut Self, dim: usize, tile: i64| {
            let up = this.code.add(dims[dim], Index::constant(tile - 1));
            this.code.divide("arith.divui", up, Index::constant(tile))
        };
        let mut total = tiles_of(self, dim, tile);
        let inside = inside.map(|(dim, tile)| (dim, tiles_of(self, dim, tile)));
        if let Some((_, count)) = inside {
            total = self.code.mul(total, count);
        }
        let count = self.code.min(total, Index::constant(workgroups));
        let count = self.code.max(count, Index::constant(1));
        self.workgroups.push(count);
        if count.known() == Some(1) {
            return None;
        }
        let (id, of) = self.workgroup();
        let from = self.code.mul(total, id);
        let from = self.code.divide("arith.divui", from, of);
        let to = self.code.mul(total, id.plus(1));
        let to = self.code.divide("arith.divui", to, of);
        Some(WorkgroupTiles { dim, tiles: (from, to), inside })
    }

    /// First and end of the tiles of the loop that this workgroup works on.
    pub(crate) fn tiles_of_loop(
        &mut self,
        WorkgroupTiles { tiles: (first, end), inside, .. }: WorkgroupTiles,
    ) -> (Index, Index) {
        let Some((_, count)) = inside else { return (first, end) };
        // There may be no tiles inside.
        let count = self.code.max(count, Index::constant(1));
        let up = self.code.add(end, count).plus(-1);
        (self.code.divide("arith.divui", first, count), self.code.divide("arith.divui", up, count))
    }

    /// The share of this workgroup inside a step of the outer loop, whose tiles have so many steps.
    pub(crate) fn tiles_inside(&mut self, work: WorkgroupTiles, (step, tile): (Index, i64)) -> WorkgroupTiles {
        let WorkgroupTiles { tiles: (first, end), inside: Some((dim, count)), .. } = work else { return work };
        let number = self.code.divide("arith.divui", step, Index::constant(tile));
        let before = self.code.mul(number, count);
        let first = self.code.max(first, before);
        let after = self.code.add(before, count);
        let end = self.code.min(end, after);
        WorkgroupTiles { dim, tiles: (self.code.sub(first, before), self.code.sub(end, before)), inside: None }
    }

    /// The number and the count of this workgroup.
    pub(crate) fn workgroup(&mut self) -> (Index, Index) {
        if let Some(known) = self.workgroup {
            return known;
        }
        let (i32, i64, ptr) = (self.code.int(32), self.code.i64(), self.code.ptr());
        let context = self.code.at.context();
        let ptr_to_it = self.workgroup_ptr.expect("kernels on CPUs have it");
        let load = |offset: i32| {
            let raw = Attr::parse(context, &format!("array<i32: {offset}>")).expect("an array");
            let at = self.code.entry();
            let field = at.value(
                "llvm.getelementptr",
                &[ptr_to_it],
                ptr,
                &[("rawConstantIndices", raw), ("elem_type", Attr::ty(i32))],
            );
            let value = at.value("llvm.load", &[field], i32, &[]);
            Index::value(at.value("arith.extui", &[value], i64, &[]))
        };
        // `hal_workgroup_t`: id[3], then count[3].
        let pair = (load(0), load(3));
        self.workgroup = Some(pair);
        pair
    }
}
