//! Converts registers and instructions of NVIDIA GPUs in a kernel to those of AMD GPUs, and moves local memory to its
//! address space.
//!
//! Sources: MLIR's dialects `nvvm` and `rocdl`; "User Guide for AMDGPU Backend", address spaces and kernel dispatch packet.
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Module, Op, Type, Value};
use halyard_targets::HipTarget;

/// Offsets in a kernel dispatch packet: the sizes of a workgroup (16 bits each), and those of the grid in threads (32
/// bits each).
const WORKGROUP_SIZE_AT: i32 = 4;
const GRID_SIZE_AT: i32 = 12;

/// Rewrites the kernel of an export. Errors: an instruction that AMD GPUs lack, by name.
pub(super) fn replace(module: &Module<'_>, export: &str, block: [i64; 3], target: HipTarget) -> Result<()> {
    let mut ops = Vec::new();
    Op::from(module).walk(&mut |op| ops.push(op));
    for op in ops {
        let name = op.name();
        match name.strip_prefix("nvvm.") {
            Some(instruction) => self::instruction(op, instruction, target)?,
            None if name == "llvm.alloca" => private(op),
            None if name == "llvm.func" && op.symbol().as_deref() == Some(export) => kernel(op, block),
            None => {}
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
    let threads: i64 = block.iter().product();
    function.set_attr("rocdl.kernel", Attr::unit(context));
    function.set_attr("rocdl.flat_work_group_size", Attr::string(context, &format!("{threads},{threads}")));
    function.set_attr("rocdl.reqd_work_group_size", Attr::i32s(context, &block.map(|n| n as i32)));
}

fn instruction(op: Op, name: &str, target: HipTarget) -> Result<()> {
    let at = Builder::before(op);
    let word = Type::integer(at.context(), 32);
    let value = match name {
        "barrier0" => {
            at.op("rocdl.barrier", &[], &[], &[]);
            op.erase();
            return Ok(());
        }
        "shfl.sync" => shuffle(&at, op, target)?,
        _ => match name.strip_prefix("read.ptx.sreg.").and_then(|register| register.split_once('.')) {
            Some(("tid", dim)) => at.value(&format!("rocdl.workitem.id.{dim}"), &[], word, &[]),
            Some(("ctaid", dim)) => at.value(&format!("rocdl.workgroup.id.{dim}"), &[], word, &[]),
            Some(("nctaid", dim)) => workgroups(&at, axis(dim)),
            Some(("ntid", dim)) => packet_field(&at, WORKGROUP_SIZE_AT + 2 * axis(dim), 16),
            _ => {
                return Err(Error::input(format!("`{}` is an instruction that AMD GPUs do not have", op.name()))
                    .code("unsupported-op"));
            }
        },
    };
    op.result(0).replace_all_uses(value);
    op.erase();
    Ok(())
}

fn axis(dim: &str) -> i32 {
    ["x", "y", "z"].iter().position(|d| *d == dim).unwrap_or(0) as i32
}

/// Returns the workgroup count along an axis: the grid counts threads.
fn workgroups(at: &Builder, axis: i32) -> Value {
    let word = Type::integer(at.context(), 32);
    let threads = packet_field(at, GRID_SIZE_AT + 4 * axis, 32);
    let each = packet_field(at, WORKGROUP_SIZE_AT + 2 * axis, 16);
    at.value("llvm.udiv", &[threads, each], word, &[])
}

/// A number of the kernel dispatch packet, as 32 bits.
fn packet_field(at: &Builder, offset: i32, bits: u32) -> Value {
    let context = at.context();
    let (byte, word, own) = (Type::integer(context, 8), Type::integer(context, 32), Type::integer(context, bits));
    let constant = Type::parse(context, "!llvm.ptr<4>").expect("a pointer of the LLVM dialect");
    let none = Attr::i32s(context, &[]);
    let attrs = [
        ("intrin", Attr::string(context, "llvm.amdgcn.dispatch.ptr")),
        ("operandSegmentSizes", Attr::i32s(context, &[0, 0])),
        ("op_bundle_sizes", none),
    ];
    let packet = at.value("llvm.call_intrinsic", &[], constant, &attrs);
    let attrs = [("rawConstantIndices", Attr::i32s(context, &[offset])), ("elem_type", Attr::ty(byte))];
    let place = at.value("llvm.getelementptr", &[packet], constant, &attrs);
    let value = at.value("llvm.load", &[place], own, &[]);
    if bits == 32 { value } else { at.value("llvm.zext", &[value], word, &[]) }
}

/// A word of the lane whose number differs in some bits. Errors: another kind of shuffle.
fn shuffle(at: &Builder, op: Op, target: HipTarget) -> Result<Value> {
    let kind = op.attr("kind").map(|kind| kind.to_string()).unwrap_or_default();
    if !kind.contains("bfly") {
        return Err(
            Error::input(format!("`{}` of kind `{kind}` has no counterpart here", op.name())).code("unsupported-op")
        );
    }
    let word = Type::integer(at.context(), 32);
    let number = |n: i64| at.value("llvm.mlir.constant", &[], word, &[("value", Attr::integer(word, n))]);
    let [value, bits] = [op.operand(1), op.operand(2)];
    let (all, zero) = (number(-1), number(0));
    let mut lane = at.value("rocdl.mbcnt.lo", &[all, zero], word, &[]);
    if target.wavefront() == 64 {
        lane = at.value("rocdl.mbcnt.hi", &[all, lane], word, &[]);
    }
    let other = at.value("llvm.xor", &[lane, bits], word, &[]);
    // The instruction counts bytes.
    let place = at.value("llvm.shl", &[other, number(2)], word, &[]);
    let ty = value.ty();
    let sent = if ty == word { value } else { at.value("llvm.bitcast", &[value], word, &[]) };
    let got = at.value("rocdl.ds_bpermute", &[place, sent], word, &[]);
    Ok(if ty == word { got } else { at.value("llvm.bitcast", &[got], ty, &[]) })
}

/// Moves local memory to its address space.
fn private(alloca: Op) {
    let at = Builder::before(alloca);
    let generic = alloca.result(0).ty();
    let own = Type::parse(at.context(), "!llvm.ptr<5>").expect("a pointer of the LLVM dialect");
    if generic == own {
        return;
    }
    let attrs: Vec<_> =
        ["elem_type", "alignment"].into_iter().filter_map(|name| Some((name, alloca.attr(name)?))).collect();
    let place = at.value("llvm.alloca", &[alloca.operand(0)], own, &attrs);
    let pointer = at.value("llvm.addrspacecast", &[place], generic, &[]);
    alloca.result(0).replace_all_uses(pointer);
    alloca.erase();
}
