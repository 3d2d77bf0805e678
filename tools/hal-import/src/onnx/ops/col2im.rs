//! `Col2Im`: sums columns of blocks into an image.
use super::{Entry, matmul::narrowed, window::numbers};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, context::require::Rule, generic::map, problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("Col2Im", col2im)];

/// Each element of the image sums what the blocks that hold it say.
fn col2im(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let (image, block) = (n.input(1)?.clone(), n.input(2)?.clone());
    // How many dimensions there are, where the lists do not say it.
    let given = [&image, &block].into_iter().find_map(|v| v.shape.first()?.get()).map(|d| d as usize);
    let given = given.or_else(|| n.ints("strides").or_else(|| n.ints("dilations")).map(|l| l.len()));
    let given = given.or_else(|| n.ints("pads").map(|l| l.len() / 2));
    let given = given.or_else(|| n.declared.first()?.as_ref()?.len().checked_sub(2));
    let (image, block) = (c.read_dims_of(&image, given)?, c.read_dims_of(&block, given)?);
    let rank = image.len();
    if x.rank() != 3 || rank == 0 || block.len() != rank {
        return invalid(format!("`{}` holds no columns of {} sizes for an image of {rank}", x.ty(), block.len()));
    }
    let list = |name, count, default| numbers(n, rank, name, count, default);
    let (strides, dilations, pads) =
        (list("strides", rank, 1)?, list("dilations", rank, 1)?, list("pads", 2 * rank, 0)?);
    if strides.iter().chain(&dilations).any(|&v| v < 1) || pads.iter().any(|&p| p < 0) {
        return invalid("a stride or dilation is not positive, or a pad is negative");
    }
    // How many blocks there are along each dimension.
    let mut blocks = Vec::new();
    for d in 0..rank {
        c.require(
            Rule::AtLeast(block[d].clone(), Dim::fixed(1)),
            &format!("size {d} of a block is {{0}}"),
            &[&block[d]],
        )?;
        c.require_count(&image[d], &format!("size {d} of the image"))?;
        let room = image[d].offset(pads[d] + pads[rank + d] - 1).minus(&block[d].offset(-1).times(dilations[d]));
        let text = format!("a block of {{0}} is larger than the padded image of {{1}} along dimension {d}");
        c.require(Rule::AtLeast(room.clone(), Dim::fixed(0)), &text, &[&block[d], &image[d]])?;
        blocks.push(c.size_over(&room, &Dim::fixed(strides[d])).offset(1));
    }
    let (all, area) = (c.product(&blocks), c.product(&block));
    c.require_size((&x, 2), &all, "as many as there are blocks")?;
    let text = "the input has {0} numbers in a column, which are not whole blocks of {1}";
    let channels = c.quotient(&x.shape[1].clone(), &area, text)?;
    let x = c.settle(&x);
    let index = |c: &mut Context<'_>, dims: &[Dim]| dims.iter().map(|d| Scalar::index(c.index(d))).collect::<Vec<_>>();
    let (block_sizes, block_counts) = (index(c, &block), index(c, &blocks));
    let ends = index(c, &[x.shape[1].offset(-1), x.shape[2].offset(-1)]);
    let (ssa, ty) = (c.ssa(&x), x.ty());
    let elem = x.elem.accumulator();
    let shape = [vec![x.shape[0].clone(), channels], image].concat();
    let start = c.filled(elem, &shape, Num::I(0));
    // Only the shape of this one matters.
    let taps = c.empty(Elem::F32, &block);
    let iters = [vec![Iter::Parallel; 2 + rank], vec![Iter::Reduction; rank]].concat();
    let tap_dims: Vec<_> = (2 + rank..2 + 2 * rank).collect();
    let out: Vec<_> = (0..2 + rank).collect();
    let sum = c.generic(&iters, &[(&taps, map(&tap_dims))], &[(&start, map(&out))], |b, v| {
        let (image, mut row) = (b.position(0), b.position(1));
        let mut column = b.index_constant(0);
        let mut inside = b.int(Elem::Bool, 1);
        for d in 0..rank {
            let (here, tap) = (b.position(2 + d), b.position(2 + rank + d));
            let [low, stride, dilation] = [pads[d], strides[d], dilations[d]].map(|v| b.index_constant(v));
            let (zero, one) = (b.index_constant(0), b.index_constant(1));
            let (padded, reach) = (b.add(&here, &low), b.mul(&tap, &dilation));
            let from = b.sub(&padded, &reach);
            let last = b.sub(&block_counts[d], &one);
            let (begins, place) = (b.compare(Order::Ge, &from, &zero), b.max(&from, &zero));
            let (at, left) = (b.div(&place, &stride), b.rem(&place, &stride));
            let (fits, exact) = (b.compare(Order::Le, &at, &last), b.compare(Order::Eq, &left, &zero));
            for condition in [begins, fits, exact] {
                inside = b.and(&inside, &condition);
            }
            let at = b.min(&at, &last);
            let scaled = b.mul(&row, &block_sizes[d]);
            row = b.add(&scaled, &tap);
            let scaled = b.mul(&column, &block_counts[d]);
            column = b.add(&scaled, &at);
        }
        // The sizes were checked; this says so to what looks at indices.
        let (row, column) = (b.min(&row, &ends[0]), b.min(&column, &ends[1]));
        let value = b.extract(&ssa, &ty, x.elem, &[image, row, column]);
        let value = b.cast(&value, elem);
        let nothing = b.like(&value, 0.0);
        let part = b.select(&inside, &value, &nothing);
        vec![b.add(&v[1], &part)]
    });
    Ok(vec![narrowed(c, &sum[0], x.elem)?])
}
