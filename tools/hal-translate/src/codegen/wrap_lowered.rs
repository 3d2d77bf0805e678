//! Adds the kernel ABI to exports that arrive on buffers, as memref descriptors or as bare pointers.
//!
//! The export remains a function, which the kernel calls; LLVM inlines it. Two liberties of bufferization are
//! corrected here: inputs that the body writes to are copied first, and results that share the buffer of an argument
//! are written to it last.
use super::{frame::Frame, freed::first_leak, lower, workgroup, writes};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Builder, Module, Op, Session, Type, Value,
    form::{Export, Interface, Level, Signature},
    names,
};

/// A wrapped export.
pub(super) struct WrappedExport {
    /// The function that it calls and the function of the LLVM dialect that this stands for; [`resolve`] replaces one
    /// by the other when everything is in the LLVM dialect.
    stand_in: Option<(String, String)>,
    /// Remarks for the user.
    pub remarks: Vec<String>,
    /// Whether it reads its workgroup.
    pub knows_workgroup: bool,
}

/// Wraps an export on buffers or pointers in a kernel. Fails for types that cannot be passed, and for memory that is
/// never freed.
pub(super) fn wrap(session: &Session, module: &Module<'_>, export: Op, signature: &Signature) -> Result<WrappedExport> {
    let view = Export { op: export };
    let interface = Interface::of_kernel(export);
    let name = view.name();
    let mut remarks = Vec::new();
    let freeing = if signature.level == Level::Buffers {
        freeing(session, module, &name)?
    } else {
        check_frees(Op::from(module), &name)?;
        Freeing::Done
    };
    let body = export.body().expect("an export of a source has a body");
    let is_address = |v: Value| v.ty().is_memref() || v.ty().is_pointer();
    let written =
        |positions: &[usize]| positions.iter().map(|&p| body.args()[p]).any(|v| is_address(v) && writes::may_write(v));
    // Only an interface states which arguments are read; without one, all belong to the kernel.
    let has_interface = export.has_attr(names::INTERFACE);

    let frame = Frame::open(export, &interface)?;
    let (at, context) = (frame.at, export.context());
    let mut values = Vec::new();
    let mut temporary = Vec::new();
    let mut late = Vec::new();
    let mut next = 0;
    for (i, &ty) in interface.inputs.iter().enumerate() {
        let width = arguments(ty, signature.level);
        let positions: Vec<usize> = (next..next + width).collect();
        next += width;
        let mut value = frame.inputs[i];
        if ty.is_tensor() && has_interface && !interface.tied.contains(&Some(i)) && written(&positions) {
            let copy = allocate(&at, value);
            at.op("memref.copy", &[value, copy], &[], &[]);
            remarks.push(format!("argument {i} is copied, because the body may write into it"));
            temporary.push(copy);
            value = copy;
        }
        values.push(value);
    }
    for &result in &signature.outputs {
        let mut value = frame.outputs[result];
        if interface.tied[result].is_some() {
            let copy = allocate(&at, value);
            late.push((copy, value));
            temporary.push(copy);
            value = copy;
        }
        values.push(value);
    }

    let (callee, stand_in) = rename(module, export, &name);
    let takes: Vec<Type> = match signature.level {
        Level::Buffers => view.signature().inputs(),
        _ => values.iter().map(|v| v.ty()).collect(),
    };
    let mut operands: Vec<Value> = values
        .iter()
        .zip(takes)
        .map(|(&value, want)| match signature.level {
            Level::BarePointers if value.ty().is_memref() => pointer(&at, value),
            _ if value.ty() == want => value,
            _ => at.value("memref.cast", &[value], want, &[]),
        })
        .collect();
    let results = if signature.returned.is_empty() { Vec::new() } else { view.signature().results() };
    let knows_workgroup = export.is("func.func") && workgroup::pass(export);
    if knows_workgroup {
        operands.push(frame.workgroup);
    }
    let call = at.op("func.call", &operands, &results, &[("callee", Attr::symbol(context, &callee))]);
    for (&result, value) in signature.returned.iter().zip(call.results()) {
        late.push((value, frame.outputs[result]));
        // The caller owns the results of a function.
        temporary.push(value);
    }
    for &(copy, value) in &late {
        at.op("memref.copy", &[copy, value], &[], &[]);
    }
    if freeing == Freeing::Done {
        for &memory in &temporary {
            at.op("memref.dealloc", &[memory], &[], &[]);
        }
    }
    at.op("func.return", &[], &[], &[]);
    if stand_in.is_some() {
        declare(export, &callee, &operands);
    }
    frame.insert(export, &name);
    if freeing == Freeing::Ours {
        lower::run(session, module, "builtin.module(buffer-deallocation-pipeline,cse,canonicalize)")?;
    }
    // Copies of what a function returns without having made it.
    let mut clones = false;
    Op::from(module).walk(&mut |op| clones |= op.is("bufferization.clone"));
    if clones {
        lower::run(session, module, "builtin.module(convert-bufferization-to-memref)")?;
    }
    Ok(WrappedExport { stand_in, remarks, knows_workgroup })
}

/// Makes a kernel in the LLVM dialect call the function that it wraps.
pub(super) fn resolve(module: &Module<'_>, given: &WrappedExport) {
    let Some((stand_in, function)) = &given.stand_in else { return };
    let root = Op::from(module);
    let ops = root.body_ops();
    let declared = ops.into_iter().find(|op| op.symbol().as_deref() == Some(stand_in));
    root.walk(&mut |op| {
        let calls = op.callee();
        if calls.as_ref() == Some(stand_in) {
            op.set_attr("callee", Attr::symbol(op.context(), function));
        }
    });
    if let Some(declared) = declared {
        declared.erase();
    }
}

/// Renames an export, since the kernel has its name; returns the function to call, and the function that it stands
/// for.
fn rename(module: &Module<'_>, export: Op, name: &str) -> (String, Option<(String, String)>) {
    let root = Op::from(module);
    let taken: Vec<String> = root.body_ops().iter().filter_map(|op| op.symbol()).collect();
    let free = |stem: String| {
        std::iter::once(stem.clone())
            .chain((2..).map(|i| format!("{stem}_{i}")))
            .find(|n| !taken.contains(n))
            .expect("numbers do not end")
    };
    let body = free(format!("{name}__body"));
    export.rename_symbol(&body, root);
    for attr in [names::EXPORT, names::INTERFACE, names::RESULTS, names::FINGERPRINT] {
        export.remove_attr(attr);
    }
    if export.is("func.func") {
        export.set_attr("sym_visibility", Attr::string(export.context(), "private"));
        return (body, None);
    }
    let stand_in = free(format!("{name}__call"));
    (stand_in.clone(), Some((stand_in, body)))
}

/// Declares a function for a call of a function of the LLVM dialect; conversion spreads its memrefs out.
fn declare(export: Op, name: &str, operands: &[Value]) {
    use halyard_ir::Region;
    let context = export.context();
    let types: Vec<Type> = operands.iter().map(|v| v.ty()).collect();
    let attrs = [
        ("sym_name", Attr::string(context, name)),
        ("sym_visibility", Attr::string(context, "private")),
        ("function_type", Attr::ty(Type::function(context, &types, &[]))),
    ];
    Builder::before(export).op_with_regions("func.func", &[], &[], &attrs, vec![Region::create()]);
}

/// The number of arguments that a type of the interface takes at a level.
fn arguments(ty: Type, level: Level) -> usize {
    if level == Level::Descriptors && ty.is_tensor() { 3 + 2 * ty.rank() } else { 1 }
}

/// Allocates a buffer like another one.
fn allocate(at: &Builder, like: Value) -> Value {
    let context = at.context();
    let ty = like.ty();
    let index = Type::index(context);
    let sizes: Vec<Value> = (0..ty.rank())
        .filter(|&d| ty.shape()[d].is_none())
        .map(|d| at.value("memref.dim", &[like, at.index(d as i64)], index, &[]))
        .collect();
    let segments = Attr::i32s(context, &[sizes.len() as i32, 0]);
    at.value("memref.alloc", &sizes, ty, &[("operandSegmentSizes", segments)])
}

fn pointer(at: &Builder, memref: Value) -> Value {
    let context = at.context();
    let pointer = Type::parse(context, "!llvm.ptr").expect("a type of the LLVM dialect");
    let index = at.value("memref.extract_aligned_pointer_as_index", &[memref], Type::index(context), &[]);
    let integer = at.value("arith.index_cast", &[index], Type::integer(context, 64), &[]);
    at.value("llvm.inttoptr", &[integer], pointer, &[])
}

/// Who frees allocated memory.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Freeing {
    /// The code itself.
    Done,
    /// Nobody yet: bufferization leaves that to a later pass, and a kernel that arrives before it would lose memory with
    /// each dispatch.
    Ours,
}

fn freeing(session: &Session, module: &Module<'_>, name: &str) -> Result<Freeing> {
    let (mut frees, mut unstructured) = (Vec::new(), false);
    Op::from(module).walk(&mut |op| match &*op.name() {
        "memref.dealloc" => frees.push(op),
        name => unstructured |= name.starts_with("cf."),
    });
    let leaked = first_leak(Op::from(module), |op| op.is("memref.alloc"), |op| op.is("memref.dealloc"));
    match leaked {
        Some(first) if unstructured => {
            let error = leak(name, "memref.alloc", "memref.dealloc");
            Err(error.at(session.span(first)))
        }
        None if unstructured || !frees.is_empty() => Ok(Freeing::Done),
        // Some is freed and some is not: the pass that sees to it wants to see to all.
        _ => {
            frees.into_iter().for_each(Op::erase);
            Ok(Freeing::Ours)
        }
    }
}

/// Checks code that is already in the LLVM dialect, where it is too late to add frees.
fn check_frees(module: Op, name: &str) -> Result<()> {
    let mut called = Vec::new();
    module.walk(&mut |op| {
        called.extend(op.callee());
    });
    let calls = |names: &[&str]| called.iter().find(|c| names.contains(&c.as_str())).cloned();
    if calls(&["memrefCopy"]).is_some() {
        return Err(Error::input(format!(
            "export `@{name}` calls `memrefCopy` of MLIR's runtime library, which programs do not have"
        ))
        .code("unsupported-op")
        .hint("copies between different layouts must become loops before the conversion to the LLVM dialect"));
    }
    let allocates = |op: Op| op.callee().is_some_and(|c| c == "malloc" || c == "aligned_alloc");
    match first_leak(module, allocates, |op| op.callee().is_some_and(|c| c == "free")) {
        Some(op) => Err(leak(name, &op.callee().unwrap_or_default(), "free")),
        None => Ok(()),
    }
}

fn leak(name: &str, alloc: &str, free: &str) -> Error {
    Error::input(format!("export `@{name}` allocates memory (`{alloc}`) and never frees it (`{free}`)"))
        .code("leak")
        .note("each dispatch would leak it")
        .hint("run `buffer-deallocation-pipeline` before loops become branches")
}
