//! Rewrites accesses to shaped views of flat buffers as accesses to the buffers with one index.
//!
//! Upstream's `flatten-memref` computes the sizes of views in each access.
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Op, Session, Type, Value};

/// Rewrites the loads and stores of views that [`super::frame`] has made, and drops the views. Errors: another use of one.
pub(super) fn flatten(session: &Session, kernel: Op) -> Result<()> {
    let mut views = Vec::new();
    kernel.walk(&mut |op| {
        if op.is("memref.reinterpret_cast") {
            views.push(op);
        }
    });
    for view in views {
        for (user, operand) in view.result(0).uses() {
            match &*user.name() {
                "memref.load" | "memref.store" if operand == memref_of(user) => access(user, view),
                "memref.dim" => {
                    let size = size(user, view).ok_or_else(|| unsupported(session, user))?;
                    user.result(0).replace_all_uses(size);
                    user.erase();
                }
                _ => return Err(unsupported(session, user)),
            }
        }
        if !view.result(0).has_uses() {
            view.erase();
        }
    }
    Ok(())
}

/// The size that a `memref.dim` of a view asks for; `None` if it asks by a number that is computed.
fn size(dim: Op, view: Op) -> Option<Value> {
    let which = usize::try_from(dim.operand(1).def()?.attr("value")?.as_int()?).ok()?;
    let shape = view.result(0).ty().shape();
    match shape.get(which)? {
        Some(known) => Some(Builder::before(dim).index(*known)),
        None => Some(view.operand(1 + shape[..which].iter().filter(|d| d.is_none()).count())),
    }
}

fn memref_of(access: Op) -> usize {
    usize::from(access.is("memref.store"))
}

/// Makes an error for memory that remains when loops are made.
pub(super) fn unsupported(session: &Session, op: Op) -> Error {
    let error = Error::input(format!("`{}` cannot be lowered for Vulkan", op.name()))
        .code("unsupported-op")
        .note("SPIR-V has no pointer arithmetic: memory is accessed as elements of a buffer");
    error.at(session.span(op))
}

/// Rewrites a load or store of a view to its flat buffer.
fn access(op: Op, view: Op) {
    let at = Builder::before(op);
    let index = Type::index(at.context());
    let memref = memref_of(op);
    let indices = op.operands()[memref + 1..].to_vec();
    let flat = view.operand(0);
    let mut sum: Option<Value> = None;
    for (i, stride) in indices.iter().zip(strides(&at, view)) {
        let part = match stride {
            Stride::One => *i,
            Stride::Is(stride) => at.value("arith.muli", &[*i, stride], index, &[]),
        };
        sum = Some(sum.map_or(part, |sum| at.value("arith.addi", &[sum, part], index, &[])));
    }
    let position = sum.unwrap_or_else(|| at.index(0));
    // Sizes in buffers have 64 bits, those in arithmetic 32.
    let (element, word) = (flat.ty().element(), Type::integer(at.context(), 64));
    let sizes = element != op.operand(memref).ty().element();
    if op.is("memref.load") {
        let value = at.value("memref.load", &[flat, position], element, &[]);
        let value = if sizes { at.value("arith.index_cast", &[value], index, &[]) } else { value };
        op.result(0).replace_all_uses(value);
    } else {
        let value = op.operand(0);
        let value = if sizes { at.value("arith.index_cast", &[value], word, &[]) } else { value };
        at.op("memref.store", &[value, flat, position], &[], &[]);
    }
    op.erase();
}

enum Stride {
    One,
    Is(Value),
}

fn strides(at: &Builder, view: Op) -> Vec<Stride> {
    let known = view.attr("static_strides").and_then(Attr::as_i64s).unwrap_or_default();
    // SAFETY: a constant of the C API.
    let dynamic = unsafe { mlir_sys::mlirShapedTypeGetDynamicStrideOrOffset() };
    let mut values = view.operands();
    let mut given = values.split_off(values.len() - known.iter().filter(|&&s| s == dynamic).count()).into_iter();
    known
        .into_iter()
        .map(|stride| match stride {
            1 => Stride::One,
            s if s == dynamic => Stride::Is(given.next().expect("an operand for each dynamic stride")),
            s => Stride::Is(at.index(s)),
        })
        .collect()
}
