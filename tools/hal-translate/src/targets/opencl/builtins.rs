//! Converts registers and instructions of NVIDIA GPUs in a kernel to calls of OpenCL's functions, by the names that LLVM's
//! code generator for SPIR-V knows, and operations that it would make something else of to others.
//!
//! Sources: MLIR's dialect `nvvm`; "OpenCL C", work-item functions and synchronization; "User Guide for SPIR-V Target" of LLVM.
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Module, Op, Region, Type, Value};

/// `CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE`.
const BOTH_FENCES: i64 = 3;

/// Predicates of `llvm.fcmp`: equal, greater, less (false for a NaN), and whether one is a NaN.
const EQUAL: i64 = 1;
const GREATER: i64 = 2;
const LESS: i64 = 4;
const NAN: i64 = 14;

/// Rewrites the kernel of an export. Errors: an instruction that OpenCL lacks, by name.
pub(super) fn replace(module: &Module<'_>, export: &str, block: [i64; 3]) -> Result<()> {
    let root = Op::from(module);
    let mut ops = Vec::new();
    root.walk(&mut |op| ops.push(op));
    for op in ops {
        let name = op.name();
        match (&*name, name.strip_prefix("nvvm.")) {
            (_, Some(instruction)) => self::instruction(root, op, instruction)?,
            ("llvm.intr.maximum", _) => extremum(op, GREATER),
            ("llvm.intr.minimum", _) => extremum(op, LESS),
            ("llvm.frem", _) => remainder(root, op)?,
            ("llvm.func", _) if op.symbol().as_deref() == Some(export) => kernel(op, block),
            _ => {}
        }
    }
    Ok(())
}

/// Sets the attributes of a kernel.
fn kernel(function: Op, block: [i64; 3]) {
    let context = function.context();
    for attr in ["nvvm.kernel", "nvvm.reqntid", "nvvm.maxntid", "nvvm.minctasm"] {
        function.remove_attr(attr);
    }
    function.set_attr("CConv", Attr::parse(context, "#llvm.cconv<spir_kernelcc>").expect("a calling convention"));
    function.set_attr("reqd_work_group_size", Attr::i32s(context, &block.map(|n| n as i32)));
}

fn instruction(root: Op, op: Op, name: &str) -> Result<()> {
    let at = Builder::before(op);
    let (word, long) = (Type::integer(at.context(), 32), Type::integer(at.context(), 64));
    let number = |n: i64| at.value("llvm.mlir.constant", &[], word, &[("value", Attr::integer(word, n))]);
    if name == "barrier0" {
        call(root, &at, "_Z7barrierj", &[number(BOTH_FENCES)], None);
        op.erase();
        return Ok(());
    }
    let register = name.strip_prefix("read.ptx.sreg.").and_then(|register| register.split_once('.'));
    let (function, dim) = match register {
        Some(("tid", dim)) => ("_Z12get_local_idj", dim),
        Some(("ctaid", dim)) => ("_Z12get_group_idj", dim),
        Some(("nctaid", dim)) => ("_Z14get_num_groupsj", dim),
        Some(("ntid", dim)) => ("_Z14get_local_sizej", dim),
        _ => {
            return Err(Error::input(format!("`{}` is an instruction that OpenCL does not have", op.name()))
                .code("unsupported-op"));
        }
    };
    let axis = ["x", "y", "z"].iter().position(|d| *d == dim).unwrap_or(0) as i64;
    if let Some(value) = call(root, &at, function, &[number(axis)], Some(long)) {
        op.result(0).replace_all_uses(at.value("llvm.trunc", &[value], word, &[]));
    }
    op.erase();
    Ok(())
}

/// The remainder of a division. SPIR-V's own may lose digits; OpenCL's function is exact.
fn remainder(root: Op, op: Op) -> Result<()> {
    let ty = op.result(0).ty();
    let name = match &*ty.to_string() {
        "f32" => "fmodf",
        "f64" => "fmod",
        _ => {
            return Err(Error::input(format!("a remainder of `{ty}` is not possible in OpenCL")).code("unsupported-op"));
        }
    };
    if let Some(value) = call(root, &Builder::before(op), name, &op.operands(), Some(ty)) {
        op.result(0).replace_all_uses(value);
    }
    op.erase();
    Ok(())
}

/// The larger or smaller of two floats; a NaN spreads, and of the zeros the positive one is larger. LLVM would write
/// OpenCL's `fmax`, for which a NaN gives way to a number.
fn extremum(op: Op, order: i64) {
    let at = Builder::before(op);
    let context = at.context();
    let (a, b, ty) = (op.operand(0), op.operand(1), op.result(0).ty());
    let like = |element: Type| match ty.is_vector() {
        true => Type::vector(ty.element_count().unwrap_or(1), element),
        false => element,
    };
    let (bit, bits) = (like(Type::integer(context, 1)), like(Type::integer(context, ty.element().bits())));
    let predicate = |p: i64| Attr::integer(Type::integer(context, 64), p);
    let compare = |p: i64, x: Value, y: Value| at.value("llvm.fcmp", &[x, y], bit, &[("predicate", predicate(p))]);
    let select = |condition: Value, yes: Value, no: Value| at.value("llvm.select", &[condition, yes, no], ty, &[]);
    let [x, y] = [a, b].map(|value| at.value("llvm.bitcast", &[value], bits, &[]));
    // Equal floats have the same bits, or they are zeros.
    let both = at.value(if order == GREATER { "llvm.and" } else { "llvm.or" }, &[x, y], bits, &[]);
    let equal = select(compare(EQUAL, a, b), at.value("llvm.bitcast", &[both], ty, &[]), b);
    let number = select(compare(order, a, b), a, equal);
    // It is `b` wherever one of them is a NaN.
    op.result(0).replace_all_uses(select(compare(NAN, a, a), a, number));
    op.erase();
}

/// A call of a function, which the module declares.
fn call(root: Op, at: &Builder, name: &str, arguments: &[Value], result: Option<Type>) -> Option<Value> {
    let context = at.context();
    let body = root.body()?;
    if !body.ops().iter().any(|op| op.symbol().as_deref() == Some(name)) {
        let inputs: Vec<String> = arguments.iter().map(|a| a.ty().to_string()).collect();
        let output = result.map_or_else(|| "void".to_owned(), |ty| ty.to_string());
        let text = format!("!llvm.func<{output} ({})>", inputs.join(", "));
        let mut attrs = vec![
            ("sym_name", Attr::string(context, name)),
            ("function_type", Attr::ty(Type::parse(context, &text)?)),
            ("linkage", Attr::parse(context, "#llvm.linkage<external>")?),
        ];
        if result.is_none() {
            // A barrier stays where all threads of the workgroup come.
            attrs.push(("convergent", Attr::unit(context)));
        }
        body.prepend(Builder::create(at.loc, "llvm.func", &[], &[], &attrs, vec![Region::create()]));
    }
    let attrs = [
        ("callee", Attr::symbol(context, name)),
        ("operandSegmentSizes", Attr::i32s(context, &[arguments.len() as i32, 0])),
        ("op_bundle_sizes", Attr::i32s(context, &[])),
    ];
    let types: Vec<Type> = result.into_iter().collect();
    let call = at.op("llvm.call", arguments, &types, &attrs);
    result.map(|_| call.result(0))
}
