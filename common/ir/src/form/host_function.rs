//! Declarations of host functions, which a host library or the embedding application implements.
//!
//! ```text
//! func.func private @lookup(tensor<?xi64>) -> tensor<?x8xf32> attributes {hal.host_function = "vocab.lookup"}
//! ```
//! The host program calls them; arguments and results are in memory. Calls are kept in number and order, unless the
//! declaration has `hal.pure`.
use super::Program;
use crate::{Attr, Op, Type, names};

/// A declaration of a host function.
#[derive(Debug, Clone, Copy)]
pub struct HostFunctionDeclaration {
    /// The `func.func` without a body.
    pub op: Op,
}

impl HostFunctionDeclaration {
    /// Views an operation; `None` unless it is a declaration with `hal.host_function`.
    pub fn view(op: Op) -> Option<Self> {
        (op.is("func.func") && op.has_attr(names::HOST_FUNCTION) && op.body().is_none()).then_some(Self { op })
    }

    /// The symbol, by which the program calls it.
    pub fn symbol(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// The name by which it is found: `module.function`.
    pub fn name(self) -> String {
        self.op.attr(names::HOST_FUNCTION).and_then(Attr::as_string).unwrap_or_default()
    }

    /// Whether calls may be removed, repeated and reordered.
    pub fn is_pure(self) -> bool {
        self.op.has_attr(names::PURE)
    }

    /// The version that its module must have.
    pub fn version(self) -> Option<u32> {
        self.op.attr(names::MODULE_VERSION).and_then(Attr::as_int).and_then(|v| u32::try_from(v).ok())
    }

    /// Returns the function type.
    pub fn ty(self) -> Type {
        self.op.attr("function_type").and_then(Attr::as_type).expect("functions have a type")
    }
}

/// Verifies the host functions of a program, and their calls.
pub(super) fn verify_host_functions(program: Program, say: &mut dyn FnMut(Op, String)) {
    let top = program.op.body_ops();
    for &op in top.iter().filter(|op| op.is("func.func")) {
        let name = op.symbol().unwrap_or_default();
        if op.has_attr(names::HOST_FUNCTION) {
            if op.body().is_some() {
                say(
                    op,
                    format!("function `@{name}` has a body and `{}`, which is for declarations", names::HOST_FUNCTION),
                );
            } else {
                verify_declaration(HostFunctionDeclaration { op }, say);
            }
        } else if let Some(alone) = [names::PURE, names::MODULE_VERSION].into_iter().find(|n| op.has_attr(n)) {
            say(op, format!("`{alone}` of `@{name}` stands without `{}`", names::HOST_FUNCTION));
        }
    }
    let known: Vec<HostFunctionDeclaration> = program.host_functions();
    if known.is_empty() {
        return;
    }
    for function in program.functions() {
        function.walk(&mut |op| {
            let callee = op.callee().filter(|_| op.is("func.call"));
            let called = callee.and_then(|name| known.iter().find(|h| h.symbol() == name));
            let inside = || std::iter::successors(op.parent(), |op| op.parent()).find(|op| is_kernel_body(*op));
            if let (Some(called), Some(holder)) = (called, called.and_then(|_| inside())) {
                say(
                    op,
                    format!(
                        "host function `@{}` is called inside of `{}`, which runs on a device; kernels call functions with \
                         `{}` or `{}`",
                        called.symbol(),
                        holder.name(),
                        names::OBJECTS,
                        names::IMPORT
                    ),
                );
            }
        });
    }
}

/// Reports host functions and checks that are declared in an executable.
pub(super) fn verify_none_inside(executable: Op, say: &mut dyn FnMut(Op, String)) {
    executable.walk(&mut |op| {
        if op.has_attr(names::HOST_FUNCTION) {
            let name = op.symbol().unwrap_or_default();
            say(op, format!("host function `@{name}` is declared in an executable; only the host program can call it"));
        } else if op.has_attr(names::CHECK) {
            let name = op.symbol().unwrap_or_default();
            say(op, format!("check `@{name}` is declared in an executable; only the host program can call it"));
        }
    });
}

/// Operations whose regions become code of kernels.
pub(super) fn is_kernel_body(op: Op) -> bool {
    let name = op.name();
    name.starts_with("linalg.") || matches!(&*name, "tensor.generate" | "tensor.pad" | "scf.forall")
}

fn verify_declaration(function: HostFunctionDeclaration, say: &mut dyn FnMut(Op, String)) {
    let (op, symbol) = (function.op, function.symbol());
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let text = function.name();
    if !text.split_once('.').is_some_and(|(module, name)| word(module) && word(name)) {
        let is = op.attr(names::HOST_FUNCTION).map(|a| a.to_string()).unwrap_or_default();
        say(
            op,
            format!(
                "`{}` of `@{symbol}` is `{is}`; it is `\"module.function\"`, letters, digits and `_`",
                names::HOST_FUNCTION
            ),
        );
    }
    let others = [names::OBJECTS, names::WORKGROUPS, names::IMPORT, names::ENTRY];
    if let Some(other) = others.into_iter().find(|n| op.has_attr(n)) {
        say(op, format!("`@{symbol}` has `{}` and `{other}`; it is either or", names::HOST_FUNCTION));
    }
    if op.has_attr(names::MODULE_VERSION) && function.version().is_none() {
        say(op, format!("`{}` of `@{symbol}` is no number of at least 0", names::MODULE_VERSION));
    }
    let ty = function.ty();
    for (what, list) in [("argument", ty.inputs()), ("result", ty.results())] {
        for (i, ty) in list.into_iter().enumerate() {
            if !can_be_passed(ty) {
                let can = "ranked tensors and numbers of 8 bits and more, and `i1`, can be passed";
                say(op, format!("{what} {i} of host function `@{symbol}` has type `{ty}`; {can}"));
            }
        }
    }
}

/// Whether the runtime has an element type for it.
fn can_be_passed(ty: Type) -> bool {
    let element = ty.element();
    let known = element.is_index()
        || element.is_integer() && matches!(element.bits(), 1 | 8 | 16 | 32 | 64)
        || matches!(&*element.to_string(), "f16" | "bf16" | "f32" | "f64");
    known && (!ty.is_tensor() || ty.is_ranked_tensor()) && !ty.is_memref() && !ty.is_vector()
}
