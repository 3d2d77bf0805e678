//! Lowers slices: views where the bytes are contiguous and aligned, copies otherwise.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, imm, known},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Op};
use halyard_runtime::{
    ALIGNMENT,
    commands::{Buffer, Compare, Inst, Operand, ScalarType},
};

/// A rectangular part of a tensor.
struct Region {
    offsets: Vec<Operand>,
    sizes: Vec<Operand>,
    strides: Vec<Operand>,
}

impl FunctionLowering<'_, '_> {
    /// The offsets, sizes and strides of a slice operation, whose first dynamic one is operand `first`.
    fn region(&mut self, op: Op, first: usize) -> Result<Region> {
        let mut next = first;
        let mut list = |this: &mut Self, name: &str| -> Result<Vec<Operand>> {
            let values = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
            let list = this.mixed(op, &values, next)?;
            next += values.iter().filter(|&&v| v == i64::MIN).count();
            Ok(list)
        };
        Ok(Region {
            offsets: list(self, "static_offsets")?,
            sizes: list(self, "static_sizes")?,
            strides: list(self, "static_strides")?,
        })
    }

    /// Fails the call if a region reaches outside.
    fn check_region(&mut self, op: Op, region: &Region, dims: &[Operand]) {
        for (i, &dim) in dims.iter().enumerate() {
            let end = self.mul(region.sizes[i], region.strides[i]);
            let end = self.add(region.offsets[i], end);
            // The last element is at offset + (size - 1) * stride.
            let limit = self.add(dim, region.strides[i]);
            let inside = self.compare(Compare::Ult, ScalarType::INDEX, end, limit);
            let empty = self.compare(Compare::Eq, ScalarType::INDEX, region.sizes[i], imm(0));
            let fine = self.select(empty, imm(1), inside);
            self.assert(fine, format!("a slice of `{}` reaches outside dimension {i}", op.name()));
        }
    }

    pub(crate) fn extract_slice(&mut self, op: Op) -> Result<()> {
        let source = self.tensor(op, 0)?;
        let region = self.region(op, 1)?;
        self.check_region(op, &region, &source.dims);
        let dims = drop_units(op, &region.sizes);
        if contiguous_from(&region, &source.dims) == 0 {
            let offset = self.element_offset(&region.offsets, &source.dims);
            let offset = self.mul(offset, imm(source.dtype.size() as u64));
            // Kernels expect aligned buffers; the base is aligned, and so is this view then.
            if known(offset).is_some_and(|o| o % ALIGNMENT as u64 == 0) {
                let offset = self.add(source.offset, offset);
                self.alias(op.result(0), TensorVal { offset, dims, ..source });
                return Ok(());
            }
        }
        let result = self.fresh(op.result(0), dims);
        self.copy_region(&source, &region, &result, false)?;
        self.bind(op.result(0), Val::Tensor(result));
        Ok(())
    }

    pub(crate) fn insert_slice(&mut self, op: Op) -> Result<()> {
        let (source, target) = (self.tensor(op, 0)?, self.tensor(op, 1)?);
        let region = self.region(op, 2)?;
        self.check_region(op, &region, &target.dims);
        let result = self.writable(op, 1, &target, op.result(0));
        let result = TensorVal { undefined: false, ..result };
        self.copy_region(&result, &region, &source, true)?;
        self.bind(op.result(0), Val::Tensor(result));
        Ok(())
    }

    /// The row-major position of an index.
    fn element_offset(&mut self, index: &[Operand], dims: &[Operand]) -> Operand {
        let mut offset = imm(0);
        for (&i, &dim) in index.iter().zip(dims) {
            offset = self.mul(offset, dim);
            offset = self.add(offset, i);
        }
        offset
    }

    /// Copies a region of `whole` to the dense tensor `part`, or back (`insert`), in runs that are contiguous.
    fn copy_region(&mut self, whole: &TensorVal, region: &Region, part: &TensorVal, insert: bool) -> Result<()> {
        let rank = region.sizes.len();
        let inner = contiguous_from(region, &whole.dims);
        let run = self.count(&region.sizes[inner..]);
        let width = imm(whole.dtype.size() as u64);
        let bytes = self.mul(run, width);
        let outer: Vec<Operand> = region.sizes[..inner].to_vec();
        self.loop_nest(&outer, &mut |this, counters| {
            let (mut at, mut from) = (Vec::new(), imm(0));
            for i in 0..rank {
                let counter = counters.get(i).copied().unwrap_or(imm(0));
                let step = this.mul(counter, region.strides[i]);
                at.push(this.add(region.offsets[i], step));
                if i < inner {
                    from = this.mul(from, region.sizes[i]);
                    from = this.add(from, counter);
                }
            }
            let position = this.element_offset(&at, &whole.dims);
            let position = this.mul(position, width);
            let outside = Buffer { base: whole.base, offset: this.add(whole.offset, position), bytes };
            let position = this.mul(from, bytes);
            let dense = Buffer { base: part.base, offset: this.add(part.offset, position), bytes };
            let (source, target) = if insert { (dense, outside) } else { (outside, dense) };
            this.emit(Inst::Copy { source, target });
            Ok(())
        })
    }
}

/// The first dimension from which on a region is one run of memory: the whole of all further dimensions.
fn contiguous_from(region: &Region, dims: &[Operand]) -> usize {
    let rank = dims.len();
    let unit = |i: usize| known(region.strides[i]) == Some(1);
    let mut inner = rank;
    // A run may start inside a dimension; from there on everything must be whole.
    while inner > 0 && unit(inner - 1) {
        inner -= 1;
        if region.sizes[inner] != dims[inner] {
            break;
        }
    }
    // Dimensions of one element before it do not interrupt it.
    while inner > 0 && known(region.sizes[inner - 1]) == Some(1) {
        inner -= 1;
    }
    inner
}

/// The sizes without those of 1 that the result's type leaves out.
fn drop_units(op: Op, sizes: &[Operand]) -> Vec<Operand> {
    let shape = op.result(0).ty().shape();
    let declared = op.attr("static_sizes").and_then(Attr::as_i64s).unwrap_or_default();
    let mut dims = Vec::new();
    for (&size, &declared) in sizes.iter().zip(&declared) {
        let declared = (declared != i64::MIN).then_some(declared);
        // A dimension that does not match the next one of the result is a dropped 1.
        if shape.get(dims.len()) == Some(&declared) {
            dims.push(size);
        }
    }
    dims
}
