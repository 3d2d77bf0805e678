//! Lowers temporary memory of a kernel with one thread: allocations, and constants.
use super::{
    environment::{class, with_class},
    flatten::unsupported,
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Op, Session, Type, dense_bytes};

/// Private memory that drivers give a thread without complaint, in bytes.
const LIMIT: u64 = 64 << 10;

/// Places allocations of a kernel in private memory, and constants, too. Fails for memory of unknown size, and for too
/// much of it.
pub(super) fn place(session: &Session, module: Op, kernel: Op) -> Result<()> {
    let mut bytes = 0;
    let mut found = Vec::new();
    kernel.walk(&mut |op| {
        if matches!(&*op.name(), "memref.alloc" | "memref.alloca" | "memref.dealloc" | "memref.get_global") {
            found.push(op);
        }
    });
    let first = kernel.body().and_then(|b| b.ops().first().copied()).expect("a kernel has operations");
    for op in found {
        if op.is("memref.dealloc") {
            op.erase();
            continue;
        }
        let ty = op.result(0).ty();
        let Some(count) = ty.element_count() else { return Err(at(session, op, dynamic())) };
        bytes += count as u64 * ty.element().byte_width();
        if bytes > LIMIT {
            return Err(at(session, op, too_much(bytes)));
        }
        let builder = Builder { loc: op.loc(), ..Builder::before(first) };
        let context = op.context();
        let private = with_class(Type::memref(&ty.shape(), ty.element()), class(context, "Function"));
        let segments = [("operandSegmentSizes", Attr::i32s(context, &[0, 0]))];
        let memory = builder.value("memref.alloca", &[], private, &segments);
        if op.is("memref.get_global") {
            fill(session, module, op, memory.def().expect("an alloca"), &builder)?;
        }
        retype(session, op, memory)?;
        op.erase();
    }
    module.body_ops().into_iter().filter(|o| o.is("memref.global")).for_each(Op::erase);
    Ok(())
}

/// Redirects loads and stores to memory of another storage class.
fn retype(session: &Session, old: Op, new: halyard_ir::Value) -> Result<()> {
    for (user, operand) in old.result(0).uses() {
        let is_access = (user.is("memref.load") && operand == 0) || (user.is("memref.store") && operand == 1);
        if !is_access {
            return Err(unsupported(session, user));
        }
        user.set_operand(operand, new);
    }
    Ok(())
}

/// Writes the elements of a constant.
fn fill(session: &Session, module: Op, op: Op, memory: Op, at: &Builder) -> Result<()> {
    let name = op.attr("name").and_then(Attr::leaf_symbol).unwrap_or_default();
    let ops = module.body_ops();
    let global = ops.into_iter().find(|o| o.is("memref.global") && o.symbol().as_deref() == Some(&*name));
    let value = global.and_then(|g| g.attr("initial_value")).filter(|v| v.is_elements());
    let Some((bytes, splat)) = value.and_then(dense_bytes) else {
        return Err(unsupported(session, op));
    };
    let ty = op.result(0).ty();
    let (element, width) = (ty.element(), ty.element().byte_width() as usize);
    let shape: Vec<i64> = ty.shape().into_iter().flatten().collect();
    for i in 0..ty.element_count().unwrap_or(0) {
        let start = if splat { 0 } else { i as usize * width };
        let number = at.constant(number(element, &bytes[start..start + width]));
        let mut rest = i;
        let mut indices: Vec<_> = shape
            .iter()
            .rev()
            .map(|&size| {
                let position = at.index(rest % size);
                rest /= size;
                position
            })
            .collect();
        indices.reverse();
        let operands: Vec<_> = [number, memory.result(0)].into_iter().chain(indices).collect();
        at.op("memref.store", &operands, &[], &[]);
    }
    Ok(())
}

/// A number of little-endian bytes as an attribute, bit by bit.
fn number(ty: Type, bytes: &[u8]) -> Attr {
    let mut padded = [0; 8];
    padded[..bytes.len()].copy_from_slice(bytes);
    let bits = u64::from_le_bytes(padded);
    if ty.is_float() {
        let text = format!("{bits:#0width$x} : {ty}", width = 2 + 2 * bytes.len());
        Attr::parse(ty.context(), &text).expect("a float by its bits")
    } else {
        Attr::integer(ty, if ty.bits() == 1 { i64::from(bits != 0) } else { bits as i64 })
    }
}

fn at(session: &Session, op: Op, error: Error) -> Error {
    error.at(session.span(op))
}

fn dynamic() -> Error {
    Error::input("it keeps intermediate results whose size is known only when it runs")
        .code("unsupported-op")
        .note("plain loops keep these in private memory, which SPIR-V allocates with a fixed size")
        .hint("make the sizes static, or let this executable run on the CPU: `hal-run --fallback=cpu`")
}

fn too_much(bytes: u64) -> Error {
    Error::input(format!("it keeps {bytes} bytes of intermediate results or more"))
        .code("unsupported-op")
        .note(format!("plain loops keep these in private memory, of which a thread has {LIMIT} bytes"))
        .hint("split it, or let this executable run on the CPU: `hal-run --fallback=cpu`")
}
