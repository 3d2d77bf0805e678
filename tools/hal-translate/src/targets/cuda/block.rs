//! Turns exports into CUDA kernels: the last step before LLVM IR.
//!
//! A kernel of the kernel compiler is marked `nvvm.kernel` and has its block size. Any other export was lowered as for
//! CPUs: it has the pointer to the workgroup as its last argument, and becomes a kernel with one thread per block; the
//! grid is that of its workgroups. This is correct for everything that a CPU can run, but slow. Loops that are mapped
//! to threads ([`crate::codegen::grid`]) use more threads.
use crate::llvm::BlockLaunch;
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Block, Builder, Module, Op, Type, Value, names};

/// Makes a kernel for CUDA of an export in the LLVM dialect. Errors: a marked kernel that does not declare its block
/// size.
pub(in crate::targets) fn finish(module: &Module<'_>, export: &str) -> Result<BlockLaunch> {
    let ops = Op::from(module).body_ops();
    let is_it = |op: &Op| op.is("llvm.func") && op.symbol().as_deref() == Some(export);
    let kernel = ops.into_iter().find(is_it).ok_or_else(|| Error::input(format!("export `@{export}` is gone")))?;
    if kernel.has_attr("nvvm.kernel") {
        let block = kernel.attr("nvvm.reqntid").or(kernel.attr("nvvm.maxntid"));
        let block = block.and_then(Attr::as_i64s).filter(|b| (1..=3).contains(&b.len())).ok_or_else(|| {
            Error::input(format!("kernel `@{export}` does not declare its block size"))
                .code("no-workgroup-size")
                .hint("add `nvvm.reqntid = array<i32: X, Y, Z>`")
        })?;
        let mut size = [1; 3];
        size[..block.len()].copy_from_slice(&block);
        let shared_memory = kernel.attr(names::SHARED_MEMORY).and_then(Attr::as_int).unwrap_or(0).unsigned_abs();
        kernel.remove_attr(names::SHARED_MEMORY);
        return Ok(BlockLaunch { block: size, shared_memory, fallback: false });
    }
    let threads = kernel.attr(names::WORKGROUP_SIZE).and_then(Attr::as_i64s);
    let block = threads.and_then(|t| <[i64; 3]>::try_from(t).ok()).unwrap_or([1; 3]);
    kernel.remove_attr(names::WORKGROUP_SIZE);
    single(kernel, block);
    Ok(BlockLaunch { block, shared_memory: 0, fallback: block == [1; 3] })
}

/// Turns a kernel for CPUs into one of blocks: of one thread, unless its loops were mapped to more.
fn single(kernel: Op, block: [i64; 3]) {
    let context = kernel.context();
    let body = kernel.body().expect("the kernel has a body");
    let workgroup = *body.args().last().expect("the kernel takes its workgroup");
    if workgroup.has_uses() {
        let first = *body.ops().first().expect("a block ends with a terminator");
        let pointer = workgroup_here(&Builder::before(first), workgroup.ty());
        workgroup.replace_all_uses(pointer);
    }
    body.erase_arg(body.args().len() - 1);
    let inputs: Vec<String> = body.args().iter().map(|a| a.ty().to_string()).collect();
    let ty =
        Type::parse(context, &format!("!llvm.func<void ({})>", inputs.join(", "))).expect("types print as they parse");
    kernel.set_attr("function_type", Attr::ty(ty));
    if let Some(attrs) = kernel.attr("arg_attrs").and_then(Attr::as_array) {
        kernel.set_attr("arg_attrs", Attr::array(context, &attrs[..inputs.len()]));
    }
    kernel.set_attr("nvvm.kernel", Attr::unit(context));
    kernel.set_attr("nvvm.reqntid", Attr::i32s(context, &block.map(|n| n as i32)));
    static_allocas(body);
}

/// A `hal_workgroup_t` of this block in local memory: id[3], then count[3].
fn workgroup_here(at: &Builder, pointer: Type) -> Value {
    let context = at.context();
    let word = Type::integer(context, 32);
    let six = at.value("llvm.mlir.constant", &[], word, &[("value", Attr::integer(word, 6))]);
    let place = at.value("llvm.alloca", &[six], pointer, &[("elem_type", Attr::ty(word))]);
    let registers = ["ctaid.x", "ctaid.y", "ctaid.z", "nctaid.x", "nctaid.y", "nctaid.z"];
    for (field, register) in registers.iter().enumerate() {
        let value = at.value(&format!("nvvm.read.ptx.sreg.{register}"), &[], word, &[]);
        let attrs = [("rawConstantIndices", Attr::i32s(context, &[field as i32])), ("elem_type", Attr::ty(word))];
        let address = at.value("llvm.getelementptr", &[place], pointer, &attrs);
        at.op("llvm.store", &[value, address], &[], &[]);
    }
    place
}

/// Allocas move to the entry with their constant sizes: PTX has no stack that grows (`alloca` needs sm_52 and is slow).
fn static_allocas(entry: Block) {
    let first = *entry.ops().first().expect("a block ends with a terminator");
    let Some(kernel) = entry.parent() else { return };
    let mut allocas = Vec::new();
    kernel.walk(&mut |op| {
        if op.is("llvm.alloca") {
            allocas.push(op);
        }
    });
    for alloca in allocas {
        let Some(count) = alloca.operand(0).def().filter(|d| d.is("llvm.mlir.constant")) else { continue };
        alloca.move_before(first);
        let copy = Builder::before(alloca).insert(count.duplicate());
        alloca.set_operand(0, copy.result(0));
    }
}
