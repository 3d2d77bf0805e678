//! Says in which memory each pointer of a kernel lies. In SPIR-V of OpenCL it is part of a pointer's type, and the plain
//! pointers of the LLVM dialect would all lead to local memory of a thread.
//!
//! Pointers start generic. What is known of arguments, globals and local memory is then carried on to loads, stores and
//! pointers computed from them; generic ones remain only where several kinds meet.
//!
//! Source: "User Guide for SPIR-V Target" of LLVM, address spaces.
use halyard_ir::{Attr, Builder, Module, Op, Type, Value};

/// Address spaces of LLVM for SPIR-V: memory of a thread, of the device, and any.
const OWN: u32 = 0;
const GLOBAL: u32 = 1;
const GENERIC: u32 = 4;

/// Places the pointers of a module; `export` is its kernel.
pub(super) fn place(module: &Module<'_>, export: &str) {
    let mut ops = Vec::new();
    Op::from(module).walk(&mut |op| ops.push(op));
    ops.iter().for_each(|op| retype(*op, GENERIC));
    let mut casts = Vec::new();
    for op in ops {
        match &*op.name() {
            "llvm.alloca" => casts.extend(known(op.result(0), OWN, op.next())),
            "llvm.mlir.addressof" => casts.extend(known(op.result(0), GLOBAL, op.next())),
            "llvm.addrspacecast" => casts.push(op),
            "llvm.mlir.global" if op.attr("addr_space").and_then(Attr::as_int).unwrap_or(0) == 0 => {
                op.set_attr("addr_space", Attr::integer(Type::integer(op.context(), 32), i64::from(GLOBAL)));
            }
            "llvm.func" if op.symbol().as_deref() == Some(export) => {
                let Some(body) = op.body() else { continue };
                let first = body.ops().first().copied();
                casts.extend(body.args().into_iter().flat_map(|argument| known(argument, GLOBAL, first)));
                let inputs: Vec<String> = body.args().iter().map(|a| a.ty().to_string()).collect();
                let text = format!("!llvm.func<void ({})>", inputs.join(", "));
                op.set_attr("function_type", Attr::ty(parse(op, &text)));
            }
            _ => {}
        }
    }
    while let Some(cast) = casts.pop() {
        carry_on(cast, &mut casts);
    }
}

/// Writes a space into all plain pointers among the types of an operation.
fn retype(op: Op, space: u32) {
    for (name, attr) in op.attrs() {
        let text = attr.to_string();
        if let Some(new) = Some(in_space(&text, space)).filter(|new| text.starts_with('!') && *new != text) {
            op.set_attr(&name, Attr::ty(parse(op, &new)));
        }
    }
    let blocks = op.regions().into_iter().flat_map(|region| region.blocks());
    for value in op.results().into_iter().chain(blocks.flat_map(|block| block.args())) {
        let text = value.ty().to_string();
        let new = in_space(&text, space);
        if new != text {
            value.set_ty(parse(op, &new));
        }
    }
}

/// The text of a type with its plain pointers in a space: `ptr` without `<…>` after it.
fn in_space(text: &str, space: u32) -> String {
    let mut parts = text.split("ptr");
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        new += "ptr";
        if !part.starts_with('<') {
            new += &format!("<{space}>");
        }
        new += part;
    }
    new
}

fn parse(op: Op, text: &str) -> Type {
    Type::parse(op.context(), text).expect("types print as they parse")
}

/// Gives a generic pointer its space, and its users a cast before `next`. Nothing for other values.
fn known(value: Value, space: u32, next: Option<Op>) -> Option<Op> {
    let (generic, next) = (value.ty(), next?);
    if generic.to_string() != format!("!llvm.ptr<{GENERIC}>") {
        return None;
    }
    let uses = value.uses();
    let text = if space == OWN { "!llvm.ptr".to_owned() } else { format!("!llvm.ptr<{space}>") };
    value.set_ty(parse(next, &text));
    let cast = Builder::before(next).op("llvm.addrspacecast", &[value], &[generic], &[]);
    uses.into_iter().for_each(|(user, index)| user.set_operand(index, cast.result(0)));
    Some(cast)
}

/// Gives the users of a cast to generic memory the pointer itself, where they take any.
fn carry_on(cast: Op, casts: &mut Vec<Op>) {
    let (source, generic) = (cast.operand(0), cast.result(0));
    for (user, index) in generic.uses() {
        match (&*user.name(), index) {
            ("llvm.getelementptr", 0) => {
                user.set_operand(0, source);
                let result = user.result(0);
                let uses = result.uses();
                result.set_ty(source.ty());
                let Some(next) = user.next() else { continue };
                let after = Builder::before(next).op("llvm.addrspacecast", &[result], &[generic.ty()], &[]);
                uses.into_iter().for_each(|(other, at)| other.set_operand(at, after.result(0)));
                casts.push(after);
            }
            ("llvm.load" | "llvm.atomicrmw" | "llvm.cmpxchg" | "llvm.intr.masked.load", 0)
            | ("llvm.store" | "llvm.intr.masked.store", 1)
            | ("llvm.intr.memcpy" | "llvm.intr.memmove" | "llvm.intr.memset", 0)
            | ("llvm.intr.memcpy" | "llvm.intr.memmove", 1)
            | ("llvm.intr.lifetime.start" | "llvm.intr.lifetime.end", _) => user.set_operand(index, source),
            _ => {}
        }
    }
    if !generic.has_uses() {
        cast.erase();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_pointers_get_a_space() {
        for (plain, placed) in [
            ("!llvm.ptr", "!llvm.ptr<4>"),
            ("!llvm.ptr<3>", "!llvm.ptr<3>"),
            ("!llvm.struct<(ptr, ptr<1>, i64)>", "!llvm.struct<(ptr<4>, ptr<1>, i64)>"),
            ("!llvm.func<void (ptr, i32)>", "!llvm.func<void (ptr<4>, i32)>"),
        ] {
            assert_eq!(in_space(plain, GENERIC), placed);
        }
    }
}
