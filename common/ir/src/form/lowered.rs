//! Exports that are already lowered: on buffers or in the LLVM dialect.
//!
//! A tool may lower the body of an export to any level. The interface stays the same, a function type on tensors, in
//! `hal.interface`; ties and sizes of its results are in `hal.results`.
use super::{Export, Interface, Program};
use crate::{Attr, Op, Type, names};

/// The level that an export is lowered to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// A `func.func` on tensors and scalars.
    Tensors,
    /// A `func.func` on memrefs and scalars: the arguments of the interface, then a memref per result that is not tied
    /// (or per result, as upstream's `buffer-results-to-out-params` makes it). It may return its results instead, as
    /// upstream's `one-shot-bufferize` makes it: they are the caller's then.
    Buffers,
    /// A `func.func` or `llvm.func` with the kernel ABI.
    Kernel,
    /// An `llvm.func` as upstream's conversion makes it of [`Level::Buffers`]: memrefs are spread out into two pointers,
    /// an offset, sizes and strides.
    Descriptors,
    /// An `llvm.func` as upstream's conversion makes it with bare pointers; static shapes only.
    BarePointers,
}

/// The signature of a lowered export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Signature {
    /// The level.
    pub level: Level,
    /// The results that have an argument of their own, in the order of the arguments; empty for [`Level::Tensors`] and
    /// [`Level::Kernel`], where the interface says all.
    pub outputs: Vec<usize>,
    /// The results that the function returns as memrefs that it allocated.
    pub returned: Vec<usize>,
}

impl Signature {
    /// The signature given by the interface alone.
    pub fn plain(level: Level) -> Self {
        Self { level, outputs: Vec::new(), returned: Vec::new() }
    }
}

impl Export {
    /// Returns the level of the export. The error follows "export `@name`" in a message: its type is not a lowering of
    /// its interface.
    pub fn level(self) -> Result<Signature, String> {
        let (ty, interface) = (self.signature(), Interface::of_kernel(self.op));
        let (inputs, results) = (ty.inputs(), ty.results());
        if self.op.is("func.func") && !is_lowered(self.op) {
            return Ok(Signature::plain(Level::Tensors));
        }
        if !self.op.has_attr(names::INTERFACE) {
            return Err(format!("has type `{ty}`: `{}` must say what that is on tensors", names::INTERFACE));
        }
        if self.op.is("func.func") && !results.is_empty() {
            let fits = |wanted: &[Type], are: &[Type]| {
                wanted.len() == are.len() && wanted.iter().zip(are).all(|(w, t)| is_buffer_of(*w, *t))
            };
            if fits(&interface.inputs, &inputs) && fits(&interface.results, &results) {
                let returned = (0..results.len()).collect();
                return Ok(Signature { level: Level::Buffers, outputs: Vec::new(), returned });
            }
        }
        let kernel = kernel_types(&interface);
        if matches_kernel(&inputs, &kernel) && results.iter().all(is_void) {
            return Ok(Signature::plain(Level::Kernel));
        }
        if let Some(returned) = results.iter().find(|t| !is_void(t)).filter(|_| self.op.is("llvm.func")) {
            return Err(format!(
                "of type `{ty}` returns `{returned}`: results must be arguments, as `buffer-results-to-out-params` makes them"
            ));
        }
        let untied = interface.untied_results();
        let all: Vec<usize> = (0..interface.results.len()).collect();
        let candidates = if untied == all { vec![untied] } else { vec![untied, all] };
        let mut wanted = Vec::new();
        for outputs in candidates {
            let shapes: Vec<Type> =
                interface.inputs.iter().copied().chain(outputs.iter().map(|&i| interface.results[i])).collect();
            if self.op.is("func.func") {
                if shapes.len() == inputs.len() && shapes.iter().zip(&inputs).all(|(t, is)| is_buffer_of(*t, *is)) {
                    return Ok(Signature { level: Level::Buffers, outputs, returned: Vec::new() });
                }
                wanted.push(shapes.iter().map(|t| memref_text(*t)).collect::<Vec<_>>().join(", "));
                continue;
            }
            let is = |want: &[String]| {
                want.len() == inputs.len() && want.iter().zip(&inputs).all(|(w, t)| *w == t.to_string())
            };
            if is(&descriptor_types(&shapes)) {
                return Ok(Signature { level: Level::Descriptors, outputs, returned: Vec::new() });
            }
            if is(&bare_types(&shapes)) {
                return match shapes.iter().find(|t| t.is_tensor() && !t.is_static()) {
                    None => Ok(Signature { level: Level::BarePointers, outputs, returned: Vec::new() }),
                    Some(t) => Err(format!(
                        "takes bare pointers, which do not carry the sizes of `{t}`; use descriptors or the kernel signature"
                    )),
                };
            }
        }
        let expected = match wanted.first() {
            Some(memrefs) if inputs.iter().any(|t| t.is_memref()) => format!("`({memrefs})`"),
            _ => format!(
                "the kernel signature `({})`, or memref descriptors in the order of the interface",
                kernel.join(", ")
            ),
        };
        Err(format!("of type `{ty}` does not fit its interface `{}`: expected {expected}", self.ty()))
    }
}

/// Whether a function is a lowered export: in the LLVM dialect, or on memrefs or pointers.
pub fn is_lowered(function: Op) -> bool {
    let ty = function.attr("function_type").and_then(Attr::as_type);
    let low = |t: &Type| t.is_memref() || t.is_pointer() || t.to_string().starts_with("memref<");
    function.is("llvm.func") || ty.is_some_and(|ty| ty.inputs().iter().chain(&ty.results()).any(low))
}

/// Copies the interface of the original to a lowered export, unless it has one.
pub fn adopt_interface(lowered: Op, original: Op) {
    if !is_lowered(lowered) || lowered.has_attr(names::INTERFACE) {
        return;
    }
    lowered.set_attr(names::INTERFACE, Attr::ty(super::fingerprint::interface_type(original)));
    if let Some(results) = super::fingerprint::result_attrs(original) {
        lowered.set_attr(names::RESULTS, results);
    }
}

/// Copies the interfaces of entries to lowered exports without one: upstream passes that ran on the executables of a
/// whole program do not know `hal.interface`.
pub(super) fn adopt_from_entries(program: Program) {
    let executables = program.executables_by_name();
    for entry in program.entries() {
        let Ok((executable, export)) = entry.target() else { continue };
        let Some(executable) = executables.get(&executable) else { continue };
        let of_variants = executable.variants().into_iter().flat_map(|v| v.exports());
        for found in executable.exports().into_iter().chain(of_variants).filter(|e| e.name() == export) {
            adopt_interface(found.op, entry.op);
        }
    }
}

fn is_void(ty: &Type) -> bool {
    ty.to_string() == "!llvm.void"
}

/// Whether bufferization turns a type of the interface into this type; any contiguous layout is accepted.
fn is_buffer_of(interface: Type, is: Type) -> bool {
    if !interface.is_tensor() {
        return interface == is;
    }
    let same = is.is_memref() && is.element() == interface.element() && is.shape() == interface.shape();
    same && !is.has_memory_space() && is.takes_contiguous()
}

fn memref_text(ty: Type) -> String {
    if ty.is_tensor() { Type::memref(&ty.shape(), ty.element()).to_string() } else { ty.to_string() }
}

/// The types of the kernel ABI; its last one, the workgroup, may be left out.
fn kernel_types(interface: &Interface) -> Vec<String> {
    let bindings = interface.tensor_inputs().len() + interface.untied_results().len();
    let mut types = vec!["!llvm.ptr".to_owned(); bindings];
    types.extend(vec!["i64".to_owned(); interface.constant_count()]);
    types.push("!llvm.ptr".into());
    types
}

fn matches_kernel(inputs: &[Type], kernel: &[String]) -> bool {
    inputs.len() == kernel.len() && inputs.iter().zip(kernel).all(|(t, k)| t.to_string() == *k)
}

/// Returns the type into which upstream converts a scalar in the LLVM dialect.
fn scalar_type(ty: Type) -> String {
    match ty {
        t if t.is_index() => "i64".into(),
        t if t.is_float() && t.bits() < 16 => format!("i{}", t.bits()),
        t => t.to_string(),
    }
}

fn descriptor_types(types: &[Type]) -> Vec<String> {
    let mut list = Vec::new();
    for ty in types {
        if ty.is_tensor() {
            list.extend(["!llvm.ptr", "!llvm.ptr", "i64"].map(str::to_owned));
            list.extend(vec!["i64".to_owned(); 2 * ty.rank()]);
        } else {
            list.push(scalar_type(*ty));
        }
    }
    list
}

fn bare_types(types: &[Type]) -> Vec<String> {
    types.iter().map(|t| if t.is_tensor() { "!llvm.ptr".into() } else { scalar_type(*t) }).collect()
}

#[cfg(test)]
mod tests;
