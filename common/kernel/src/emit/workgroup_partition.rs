//! How a nest is divided among workgroups.
use crate::Emitter;
use crate::emit::index::Index;
use crate::schedule::planned::Partition;
use halyard_ir::Attr;

/// The loop that is divided among workgroups.
#[derive(Clone, Copy)]
pub(crate) struct WorkgroupTiles {
    pub(crate) dim: usize,
    /// First and end of this workgroup's tiles.
    pub(crate) tiles: (Index, Index),
}

impl Emitter<'_> {
    /// Divides a nest among workgroups; `None` if one does everything.
    pub(crate) fn divide(&mut self, partition: Partition, dims: &[Index]) -> Option<WorkgroupTiles> {
        let Partition { dim, tile, tiles, workgroups } = partition;
        let total = match tiles {
            Some(tiles) => Index::constant(tiles),
            None => {
                let up = self.code.add(dims[dim], Index::constant(tile - 1));
                self.code.divide("arith.divui", up, Index::constant(tile))
            }
        };
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
        Some(WorkgroupTiles { dim, tiles: (from, to) })
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
