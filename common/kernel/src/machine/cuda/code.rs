//! Code by MLIR's `nvvm` and `llvm`: a function on pointers and constants, registers that say who a thread is.
use crate::{
    Emitter,
    emit::arguments::Arguments,
    emit::ir_builder::{IrBuilder, Supported},
    machine::code::{
        DeviceCode, GpuCode, KernelHead, pointer_attrs, region_of, shared_address, shared_global, signature,
    },
};
use halyard_ir::{Attr, Builder, Op, Type, Value, names};

/// Functions that LLVM's NVPTX takes.
#[derive(Debug)]
pub(super) struct NvvmCode;

impl DeviceCode for NvvmCode {
    fn arguments(&self, func: Op, elements: &[Type], constants: usize) -> Supported<Arguments> {
        Ok(Arguments::pointers(func, elements, constants, false))
    }

    fn function(&self, emitter: &Emitter<'_>, kernel: &KernelHead<'_>, arguments: Arguments) -> Op {
        let code = &emitter.code;
        let context = code.at.context();
        let [name, _] = signature(code, kernel.name, &arguments.types);
        let each = ("arg_attrs", pointer_attrs(code, &arguments, kernel.written, true));
        code.at.op("llvm.return", &[], &[], &[]);
        let types: Vec<String> = arguments.types.iter().map(Type::to_string).collect();
        let text = format!("!llvm.func<void ({})>", types.join(", "));
        let ty = ("function_type", Attr::ty(Type::parse(context, &text).expect("types print as they parse")));
        let threads = Attr::i32s(context, &kernel.workgroup_size.map(|n| n as i32));
        // One workgroup on a multiprocessor is enough: else ptxas spills some registers to fit more.
        let least = Attr::integer(Type::integer(context, 32), 1);
        let unit = Attr::unit(context);
        let mut attrs =
            vec![name, ty, each, ("nvvm.kernel", unit), ("nvvm.reqntid", threads), ("nvvm.minctasm", least)];
        if emitter.workspace > 0 {
            attrs.push((names::SHARED_MEMORY, Attr::integer(code.i64(), emitter.workspace)));
        }
        Builder::create(code.at.loc, "llvm.func", &[], &[], &attrs, vec![region_of(arguments.entry)])
    }
}

impl GpuCode for NvvmCode {
    fn workgroup_number(&self, code: &IrBuilder, dim: &str) -> Value {
        register(code, "ctaid", dim)
    }

    fn thread_number(&self, code: &IrBuilder) -> Value {
        register(code, "tid", "x")
    }

    fn barrier(&self, code: &IrBuilder) {
        code.at.op("nvvm.barrier0", &[], &[], &[]);
    }

    fn shared(&self, emitter: &mut Emitter<'_>, stored: Type, count: i64) -> Value {
        let name = format!("{}_shared_{}", emitter.export, emitter.globals);
        emitter.globals += 1;
        shared_global(emitter, &name, (&format!("!llvm.array<{count} x {stored}>"), "internal", 16));
        shared_address(&emitter.code, &name)
    }
}

/// A special register, in the type of index arithmetic.
fn register(code: &IrBuilder, name: &str, dim: &str) -> Value {
    let (at, ty, word) = (code.entry(), code.index_type(), code.int(32));
    let value = at.value(&format!("nvvm.read.ptx.sreg.{name}.{dim}"), &[], word, &[]);
    if ty == word { value } else { at.value("arith.extui", &[value], ty, &[]) }
}

/// What the lane of a warp has whose number differs in one bit, of 32 bits.
pub(super) fn shuffled(code: &mut IrBuilder, value: Value, bit: i64) -> Value {
    let word = code.int(32);
    let [all, bit, clamp] = [-1, bit, 31].map(|n| code.constant(Attr::integer(word, n)));
    let kind = Attr::parse(code.at.context(), "#nvvm<shfl_kind bfly>").expect("a kind of shuffle");
    code.at.value("nvvm.shfl.sync", &[all, value, bit, clamp], value.ty(), &[("kind", kind)])
}
