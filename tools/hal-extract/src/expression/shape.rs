//! Sizes of the results of operations, and the sizes that determine where operations move elements.
use super::{
    Scope,
    index::{Shape, product, sum},
};
use halyard_ir::{AffineKind, Attr, Op, Structured, Type, Value};

/// The marker of a dynamic entry in the static lists of tensor operations.
const DYNAMIC: i64 = i64::MIN;

/// Whether an operation only changes the shape.
pub(crate) fn is_view(op: Op) -> bool {
    ["tensor.collapse_shape", "tensor.expand_shape", "tensor.cast", "tensor.reshape"].contains(&&*op.name())
}

/// For a reshape, returns the dimensions of the longer shape that belong to each dimension of the shorter one.
pub(crate) fn groups(op: Op) -> Option<Vec<Vec<usize>>> {
    let list = op.attr("reassociation")?.as_array()?;
    list.into_iter().map(|g| Some(g.as_i64s()?.into_iter().map(|d| d as usize).collect())).collect()
}

/// The shape of a view: sizes that its type does not say follow from those of its source.
pub(crate) fn view_shape(scope: &impl Scope, op: Op, ty: Type) -> Result<Shape, String> {
    let source = scope.shape(op.operand(0))?;
    let shape = ty.shape();
    match &*op.name() {
        "tensor.cast" => Ok(shape.iter().zip(source).map(|(d, s)| d.map_or(s, |d| d.to_string())).collect()),
        "tensor.collapse_shape" => {
            let groups = groups(op).ok_or("a reshape has no groups")?;
            let size = |g: &Vec<usize>| product(&g.iter().map(|&d| source[d].clone()).collect::<Vec<_>>());
            Ok(shape.iter().zip(&groups).map(|(d, g)| d.map_or_else(|| size(g), |d| d.to_string())).collect())
        }
        "tensor.expand_shape" => filled(&shape, &mut scope.values(&op.operands()[1..])?.into_iter()),
        _ if ty.is_static() => filled(&shape, &mut std::iter::empty()),
        _ => Err("a reshape to sizes in a tensor has no reference".into()),
    }
}

/// A shape whose dynamic sizes are taken in order.
pub(crate) fn filled(shape: &[Option<i64>], sizes: &mut dyn Iterator<Item = String>) -> Result<Shape, String> {
    let size = |d: &Option<i64>| match d {
        Some(n) => Ok(n.to_string()),
        None => sizes.next().ok_or_else(|| "a size is missing".to_owned()),
    };
    shape.iter().map(size).collect()
}

/// Offsets, sizes and strides of a slice.
pub(crate) fn slice(scope: &impl Scope, op: Op) -> Result<[Vec<String>; 3], String> {
    let segments = op.attr("operandSegmentSizes").and_then(Attr::as_i64s).ok_or("a slice has no segments")?;
    let fixed = segments.len() - 3;
    let mut next = segments[..fixed].iter().sum::<i64>() as usize;
    let mut lists: [Vec<String>; 3] = Default::default();
    for (k, name) in ["static_offsets", "static_sizes", "static_strides"].iter().enumerate() {
        let list = op.attr(name).and_then(Attr::as_i64s).ok_or("a slice has no sizes")?;
        for v in list {
            lists[k].push(if v == DYNAMIC {
                next += 1;
                scope.value(op.operand(next - 1))?
            } else {
                v.to_string()
            });
        }
    }
    Ok(lists)
}

/// The dimensions of a slice that its type keeps: those of size 1 may be left out.
pub(crate) fn kept(sizes: &[String], ty: Type) -> Result<Vec<usize>, String> {
    let shape = ty.shape();
    let mut left = sizes.len() - shape.len();
    let mut kept = Vec::new();
    for (d, size) in sizes.iter().enumerate() {
        let wanted = shape.get(kept.len());
        let fits = wanted.is_some_and(|w| w.is_none_or(|w| *size == w.to_string() || size.parse::<i64>().is_err()));
        // The first of several dimensions of size 1 is left out as well as the last: the elements are the same.
        if size == "1" && left > 0 && (!fits || left > shape.len() - kept.len() || sizes.len() - d <= left) {
            left -= 1;
        } else if fits {
            kept.push(d);
        } else if size == "1" && left > 0 {
            left -= 1;
        } else {
            return Err("a slice of another form".into());
        }
    }
    if kept.len() == shape.len() { Ok(kept) } else { Err("a slice of another form".into()) }
}

/// Returns the sizes that a pad adds before and after.
pub(crate) fn pad_widths(scope: &impl Scope, op: Op) -> Result<[Vec<String>; 2], String> {
    let mut dynamic = scope.values(&op.operands()[1..])?.into_iter();
    let mut list = |name: &str| -> Result<Vec<String>, String> {
        let list = op.attr(name).and_then(Attr::as_i64s).ok_or("a pad has no widths")?;
        let one = |v| {
            if v == DYNAMIC { dynamic.next().ok_or("a width is missing".to_owned()) } else { Ok(i64::to_string(&v)) }
        };
        list.into_iter().map(one).collect()
    };
    Ok([list("static_low")?, list("static_high")?])
}

/// Returns the sizes of the padded tensor.
pub(crate) fn padded(old: &[String], [low, high]: &[Vec<String>; 2]) -> Shape {
    old.iter().zip(low.iter().zip(high)).map(|(s, (l, h))| sum(&[s.clone(), l.clone(), h.clone()])).collect()
}

/// `offset + i * stride` in each dimension.
pub(crate) fn shifted(names: &[String], offsets: &[String], strides: &[String]) -> Vec<String> {
    (0..names.len()).map(|d| sum(&[product(&[strides[d].clone(), names[d].clone()]), offsets[d].clone()])).collect()
}

/// Returns the trip count of each loop of a nest: the size of a dimension that it indexes alone.
pub(crate) fn loop_bounds(
    scope: &impl Scope,
    structured: &Structured,
    operands: &[Value],
) -> Result<Vec<String>, String> {
    (0..structured.loops())
        .map(|d| {
            for (map, &operand) in structured.maps.iter().zip(operands) {
                let found = map.results().iter().position(|e| *e == AffineKind::Dim(d));
                if let Some(dim) = found {
                    return Ok(scope.shape(operand)?[dim].clone());
                }
            }
            Err("no operand has the size of one of the loops".into())
        })
        .collect()
}
