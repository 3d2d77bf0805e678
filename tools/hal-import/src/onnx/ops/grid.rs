//! Samples at the positions of a grid, and makes grids of affine maps.
use super::{
    Entry,
    sample::{Mode, Padding, Sampler},
};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Outcome, Scalar,
    context::require::Rule,
    generic::map,
    problem::{invalid, unsupported},
};

pub(super) const OPS: &[Entry] = &[("GridSample", grid_sample), ("AffineGrid", affine_grid)];

/// The most elements around a position that are read, so that programs stay small.
const MOST: u32 = 1024;

/// The grid's numbers are places between -1 and 1, the last dimension first.
fn grid_sample(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (x, grid) = (n.input(0)?.clone(), n.input(1)?.clone());
    let Some(rank) = x.rank().checked_sub(2).filter(|r| *r > 0 && grid.rank() == x.rank()) else {
        return invalid(format!(
            "`{}` is not sampled by a grid `{}`: they are of one rank, above 2",
            x.ty(),
            grid.ty()
        ));
    };
    if !grid.elem.is_float() {
        return invalid(format!("the grid `{}` is not of floats", grid.ty()));
    }
    // Opset 16 knew two dimensions only, and other names.
    let mode = match n.string("mode", "linear").as_str() {
        "nearest" => Mode::Nearest,
        "linear" | "bilinear" => Mode::Linear,
        "cubic" | "bicubic" => Mode::Cubic,
        other => return invalid(format!("`mode` is `{other}`")),
    };
    let padding = match n.string("padding_mode", "zeros").as_str() {
        "zeros" => Padding::Zeros,
        "border" => Padding::Border,
        "reflection" => Padding::Reflection,
        other => return invalid(format!("`padding_mode` is `{other}`")),
    };
    let taps: u32 = if mode == Mode::Cubic { 4 } else { 2 };
    if taps.checked_pow(rank as u32).is_none_or(|all| all > MOST) {
        return unsupported(format!("a place in {rank} dimensions lies between more than {MOST} elements"));
    }
    c.require_same((&grid, 0), (&x, 0))?;
    c.require_size((&grid, rank + 1), &Dim::fixed(rank as i64), "one number for each dimension of the input")?;
    let (x, grid) = (c.settle(&x), c.settle(&grid));
    for i in 2..x.rank() {
        let text = format!("there is nothing to sample: {} is {{0}}", crate::onnx::context::require::dimension(&x, i));
        c.require(Rule::NotZero(x.shape[i].clone()), &text, &[&x.shape[i]])?;
    }
    let shape = [&x.shape[..2], &grid.shape[1..=rank]].concat();
    let corners = n.int("align_corners", 0) != 0;
    let wide = match x.elem {
        e if e.is_float() => e.accumulator(),
        Elem::I32 | Elem::U32 | Elem::I64 | Elem::U64 => Elem::F64,
        _ => Elem::F32,
    };
    let sizes: Vec<_> = x.shape[2..].iter().map(|d| Scalar::index(c.index(d))).collect();
    let (ssa, ty, grid_ssa, grid_ty) = (c.ssa(&x), x.ty(), c.ssa(&grid), grid.ty());
    let sampler = Sampler { ssa: &ssa, ty: &ty, elem: x.elem, wide, mode, padding, corners };
    let out = c.empty(x.elem, &shape);
    let all: Vec<_> = (0..shape.len()).collect();
    Ok(c.generic(&vec![Iter::Parallel; shape.len()], &[], &[(&out, map(&all))], |b, _| {
        let here: Vec<_> = all.iter().map(|&d| b.position(d)).collect();
        let place = grid.elem.accumulator();
        let mut places = Vec::new();
        for (d, size) in sizes.iter().enumerate() {
            let component = b.index_constant((rank - 1 - d) as i64);
            let at = [&here[..1], &here[2..], &[component]].concat();
            let number = b.extract(&grid_ssa, &grid_ty, grid.elem, &at);
            let number = b.cast(&number, place);
            let (one, half, length) = (b.float(place, 1.0), b.float(place, 0.5), b.cast(size, place));
            let up = b.add(&number, &one);
            places.push(if corners {
                let (part, last) = (b.mul(&up, &half), b.sub(&length, &one));
                b.mul(&part, &last)
            } else {
                let whole = b.mul(&up, &length);
                let whole = b.sub(&whole, &one);
                b.mul(&whole, &half)
            });
        }
        let value = sampler.read(b, &here[..2], &places, &sizes);
        vec![b.cast(&value, x.elem)]
    }))
}

/// `grid[n, …, i] = Σ_j theta[n, i, j] · base_j + theta[n, i, last]`, with places from -1 to 1 as the base.
fn affine_grid(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (theta, size) = (n.input(0)?.clone(), n.input(1)?.clone());
    // Batch, channels and image; the result has no channels, but a dimension for places.
    let rank = n.declared.first().and_then(|d| d.as_ref()).map(|d| d.len());
    let sizes = c.read_dims_of(&size, rank)?;
    let Some(rank) = sizes.len().checked_sub(2).filter(|r| matches!(r, 2 | 3)) else {
        return invalid(format!("`size` (input 1) has {} numbers, not 4 or 5", sizes.len()));
    };
    if theta.rank() != 3 || !theta.elem.is_float() {
        return invalid(format!("the matrices `{}` are not floats of rank 3", theta.ty()));
    }
    for (i, d) in sizes.iter().enumerate() {
        c.require_count(d, &format!("size {i}"))?;
    }
    c.require_size((&theta, 0), &sizes[0], "as `size` (input 1) says")?;
    for (axis, wanted) in [(1, rank), (2, rank + 1)] {
        c.require_size((&theta, axis), &Dim::fixed(wanted as i64), &format!("as matrices for {rank} dimensions have"))?;
    }
    let theta = c.settle(&theta);
    let corners = n.int("align_corners", 0) != 0;
    let spatial = sizes[2..].to_vec();
    let shape = [&theta.shape[..1], &spatial, &[Dim::fixed(rank as i64)]].concat();
    let elem = theta.elem;
    let wide = elem.accumulator();
    let lengths: Vec<_> = spatial.iter().map(|d| Scalar::index(c.index(d))).collect();
    let (ssa, ty) = (c.ssa(&theta), theta.ty());
    let out = c.empty(elem, &shape);
    let all: Vec<_> = (0..shape.len()).collect();
    Ok(c.generic(&vec![Iter::Parallel; shape.len()], &[], &[(&out, map(&all))], |b, _| {
        let (image, row) = (b.position(0), b.position(rank + 1));
        let entry = |b: &mut crate::onnx::Body<'_>, column: usize| {
            let column = b.index_constant(column as i64);
            let read = b.extract(&ssa, &ty, elem, &[image.clone(), row.clone(), column]);
            b.cast(&read, wide)
        };
        let mut sum = entry(b, rank);
        for (d, length) in lengths.iter().enumerate() {
            let at = b.position(1 + d);
            let (at, length) = (b.cast(&at, wide), b.cast(length, wide));
            let (one, two) = (b.float(wide, 1.0), b.float(wide, 2.0));
            let doubled = b.mul(&at, &two);
            let (above, below) = if corners {
                // A single place is the first one.
                let last = b.sub(&length, &one);
                (doubled, b.max(&last, &one))
            } else {
                (b.add(&doubled, &one), length)
            };
            let part = b.div(&above, &below);
            let base = b.sub(&part, &one);
            // The matrix has the last dimension first.
            let factor = entry(b, rank - 1 - d);
            let part = b.mul(&factor, &base);
            sum = b.add(&sum, &part);
        }
        vec![b.cast(&sum, elem)]
    }))
}
