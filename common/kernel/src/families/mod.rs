//! Kernel families: bodies of a known form whose kernels are laid out as a whole, beside the nests of loops that compute
//! everything else. A family is a folder: `form.rs` recognises the form in a graph, `plan.rs` lays out the kernel, `emit.rs`
//! and files beside it emit it, `tests.rs` tests the first two. What follows the form (bias, residual, activation) is
//! materialized point by point like anything else, see [`crate::emit::materialize`].

mod block_product;
mod blocking;
mod byte_groups;
mod byte_tiles;
mod depthwise;
mod direct;
mod dot_instructions;
mod dots;
mod forms;
mod open_images;
mod open_rows;
mod panel_product;
mod panels;
mod pool;
mod raw_bytes;
mod roots;
#[cfg(test)]
mod testing;
mod tiles;
mod transposed;
mod units;
mod winograd;

use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::Supported;
use crate::graph::Memory;
use crate::graph::{Kind, Unsupported};
use crate::machine::CpuNumbers;
use crate::schedule::planner::Planner;
use open_images::TiledImage;

/// A kernel of a family as it is emitted.
pub(crate) enum Family {
    Pooling(pool::PoolPlan),
    Winograd(winograd::WinogradPlan),
    Direct(direct::DirectPlan),
    Depthwise(depthwise::DepthwisePlan),
    ShortProduct(dots::DotsPlan),
    BlockProduct(block_product::BlockPlan),
    PanelProduct(panel_product::PanelPlan),
}

/// Units of work that workgroups share.
#[derive(Clone, Copy)]
pub(crate) struct Share {
    units: i64,
    /// Where these are the units of one image: a tensor whose first size is the number of images, which only a run knows.
    images: Option<usize>,
    /// Where these are the units of one tile of each image, whose rows and columns only a run knows.
    tiles: Option<TiledImage>,
    workgroups: i64,
}

impl Planner<'_> {
    /// The family that a graph is of, if it is of one, with the layout of its kernel. Errors: a result that is no tensor.
    pub(crate) fn family(&mut self) -> Result<Option<Family>, Unsupported> {
        if self.graph.signature.tied.iter().any(Option::is_some) {
            return Ok(None);
        }
        let roots = self.graph.returned.iter().map(|&v| self.graph.id(v)).collect::<Result<Vec<_>, _>>()?;
        if let Some(pool) = self.pooling(&roots) {
            return Ok(self.choices.begin_family("pooling").then(|| Family::Pooling(self.plan_pool(pool))));
        }
        if let Some(form) = self.winograd(&roots) {
            return Ok(self.choices.begin_family("winograd").then(|| Family::Winograd(self.plan_winograd(form))));
        }
        if let Some(form) = self.direct(&roots).or_else(|| self.transposed_product(&roots)) {
            return Ok(self.choices.begin_family("direct_convolution").then(|| Family::Direct(self.plan_direct(form))));
        }
        if let Some(form) = self.depthwise(&roots) {
            let wanted = self.choices.begin_family("depthwise_convolution");
            return Ok(wanted.then(|| Family::Depthwise(self.plan_depthwise(form))));
        }
        if let Some(form) = self.block_product(&roots) {
            let wanted = self.choices.begin_family("block_product");
            return Ok(wanted.then(|| Family::BlockProduct(self.plan_block_product(form))));
        }
        if let Some(form) = self.panel_product(&roots) {
            let wanted = self.choices.begin_family("panel_product");
            return Ok(wanted.then(|| Family::PanelProduct(self.plan_panel_product(form))));
        }
        let Some(form) = self.dotted(&roots) else { return Ok(None) };
        let wanted = self.choices.begin_family("short_product");
        Ok(if wanted { self.plan_dots(form).map(Family::ShortProduct) } else { None })
    }

    /// Divides so many units of work among workgroups; `result` has images as its first size, whose units these are, or those of one if
    /// their number is not known.
    fn share(&mut self, units: i64, result: usize) -> Share {
        let most = self.target.cpu.workgroups.most_of_family;
        if self.graph.tensors[result].dims[0].known().is_none() {
            let workgroups = self.choices.chosen_workgroups(most, None);
            return Share { units, images: Some(result), tiles: None, workgroups };
        }
        Share {
            units,
            images: None,
            tiles: None,
            workgroups: self.choices.chosen_workgroups(units.min(most), Some(units)),
        }
    }

    /// The same where the units are those of one tile of each image.
    fn share_tiles(&mut self, units: i64, image: TiledImage) -> Share {
        let images = self.graph.tensors[image.tensor].dims[0].known().is_none().then_some(image.tensor);
        let workgroups = self.choices.chosen_workgroups(self.target.cpu.workgroups.most_of_family, None);
        Share { units, images, tiles: Some(image), workgroups }
    }
}

impl Family {
    /// Whether the kernel would be better if all rows of the image were one.
    pub(crate) fn wants_one_row(&self, numbers: &CpuNumbers) -> bool {
        matches!(self, Family::Direct(plan) if plan.rows_wait(&numbers.costs) || plan.rows_leave_lanes(&numbers.convolutions))
    }

    /// The family and its parameters, for people.
    pub(crate) fn describe(&self) -> String {
        match self {
            Family::Pooling(plan) => plan.describe(),
            Family::Winograd(plan) => plan.describe(),
            Family::Direct(plan) => plan.describe(),
            Family::Depthwise(plan) => plan.describe(),
            Family::ShortProduct(plan) => plan.describe(),
            Family::BlockProduct(plan) => plan.describe(),
            Family::PanelProduct(plan) => plan.describe(),
        }
    }
}

impl Emitter<'_> {
    /// Emits the kernel of a family.
    pub(crate) fn family(&mut self, family: &Family, memories: &[Memory]) -> Supported<()> {
        match family {
            Family::Pooling(plan) => self.pool(plan, memories),
            Family::Winograd(plan) => self.filter(plan, memories),
            Family::Direct(plan) => self.convolve(plan, memories),
            Family::Depthwise(plan) => self.convolve_depthwise(plan, memories),
            Family::ShortProduct(plan) => self.multiply_short(plan, memories),
            Family::BlockProduct(plan) => self.multiply_blocks(plan, memories),
            Family::PanelProduct(plan) => self.multiply_panels(plan, memories),
        }
    }

    /// The units of work that this workgroup does.
    fn share_of(&mut self, Share { units, images, tiles, workgroups }: Share) -> (Index, Index) {
        let images = images.map_or(Index::constant(1), |tensor| self.tensors[tensor].dims[0]);
        let mut units = self.code.mul(images, Index::constant(units));
        if let Some(image) = tiles {
            let [down, across] = self.image_tiles(image);
            let tiles = self.code.mul(down, across);
            units = self.code.mul(units, tiles);
        }
        self.share_of_units(units, workgroups)
    }

    /// The units of work that this workgroup does, of a number that may not be known; there are at most so many workgroups.
    fn share_of_units(&mut self, units: Index, most: i64) -> (Index, Index) {
        let count = self.code.min(units, Index::constant(most));
        let count = self.code.max(count, Index::constant(1));
        self.workgroups.push(count);
        if count.known() == Some(1) {
            return (Index::ZERO, units);
        }
        let (id, of) = self.workgroup();
        let bound = |this: &mut Self, id: Index| {
            let scaled = this.code.mul(id, units);
            this.code.divide("arith.divui", scaled, of)
        };
        (bound(self, id), bound(self, id.plus(1)))
    }

    /// Where a tensor is.
    fn memory(&self, tensor: usize) -> Supported<Memory> {
        match &self.tensors[tensor].kind {
            Kind::Memory(memory) => Ok(memory.clone()),
            _ => Err("an operand that is not in memory".into()),
        }
    }
}
