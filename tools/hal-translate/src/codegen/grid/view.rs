//! Makes views of buffers: `memref.subview` with the type that upstream infers.
use super::forall::Slice;
use halyard_ir::{Attr, Bound, Builder, DYNAMIC, Type, Value};

/// The part of a dense buffer that a slice is, in the shape of a tensor, which may lack dimensions of size 1.
pub(super) fn view(at: &Builder, buffer: Value, slice: &Slice, tensor: Type) -> Value {
    let (context, whole) = (at.context(), buffer.ty());
    let rank = slice.sizes.len();
    if rank == 0 {
        return buffer;
    }
    let shape = whole.shape();
    let mut strides: Vec<Option<i64>> = vec![Some(1); rank];
    for d in (0..rank - 1).rev() {
        strides[d] = strides[d + 1].zip(shape[d + 1]).map(|(stride, size)| stride * size);
    }
    let mut dims = Vec::new();
    let (wanted, mut next) = (tensor.shape(), 0);
    for d in 0..rank {
        let size = known(slice.sizes[d]);
        let left = rank - d;
        let drop = size == Some(1) && (wanted.len() - next < left) && wanted.get(next) != Some(&Some(1));
        if !drop {
            dims.push((size, strides[d].zip(known(slice.strides[d])).map(|(a, b)| a * b)));
            next += 1;
        }
    }
    let text = |n: Option<i64>| n.map_or("?".into(), |n| n.to_string());
    let sizes: String = dims.iter().map(|(size, _)| format!("{}x", text(*size))).collect();
    let strides: Vec<String> = dims.iter().map(|(_, stride)| text(*stride)).collect();
    let layout = format!("strided<[{}], offset: ?>", strides.join(", "));
    let ty = format!("memref<{sizes}{}, {layout}>", whole.element());
    let ty = Type::parse(context, &ty).expect("a memref type");
    // All offsets are values: then that of the type is not known, whatever the strides are.
    let offsets: Vec<Value> = slice.offsets.iter().map(|o| o.value(at)).collect();
    let given = |bounds: &[Bound]| -> Vec<Value> {
        bounds.iter().filter_map(|b| if let Bound::Given(value) = b { Some(*value) } else { None }).collect()
    };
    let statics = |bounds: &[Bound]| {
        let all: Vec<i64> = bounds.iter().map(|b| known(*b).unwrap_or(DYNAMIC)).collect();
        Attr::i64s(context, &all)
    };
    let (sizes, strides) = (given(&slice.sizes), given(&slice.strides));
    let segments = [1, rank as i32, sizes.len() as i32, strides.len() as i32];
    let operands: Vec<Value> = [buffer].into_iter().chain(offsets).chain(sizes).chain(strides).collect();
    let attrs = [
        ("static_offsets", Attr::i64s(context, &vec![DYNAMIC; rank])),
        ("static_sizes", statics(&slice.sizes)),
        ("static_strides", statics(&slice.strides)),
        ("operandSegmentSizes", Attr::i32s(context, &segments)),
    ];
    at.value("memref.subview", &operands, ty, &attrs)
}

fn known(bound: Bound) -> Option<i64> {
    match bound {
        Bound::Known(n) => Some(n),
        Bound::Given(_) => None,
    }
}
