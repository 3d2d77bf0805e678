//! Code by MLIR's `gpu`, `memref` and `spirv`: a `gpu.func` on flat buffers and a block of push constants.
use super::{
    arguments::pushed,
    array::{constant_array, read_array},
};
use crate::{
    Emitter,
    emit::arguments::Arguments,
    emit::ir_builder::{IrBuilder, ReadArray, Supported},
    machine::code::{DeviceCode, GpuCode, KernelHead, region_of, signature},
};
use halyard_ir::{Attr, Block, Builder, Op, Type, Value};

/// Functions that upstream's passes bring to SPIR-V.
#[derive(Debug)]
pub(super) struct SpirvCode;

impl DeviceCode for SpirvCode {
    fn arguments(&self, func: Op, elements: &[Type], constants: usize) -> Supported<Arguments> {
        pushed(func, elements, constants)
    }

    /// In a `gpu.module` of its name.
    fn function(&self, emitter: &Emitter<'_>, kernel: &KernelHead<'_>, arguments: Arguments) -> Op {
        let code = &emitter.code;
        let (context, loc) = (code.at.context(), code.at.loc);
        code.at.op("gpu.return", &[], &[], &[]);
        let [name, ty] = signature(code, kernel.name, &arguments.types);
        let threads = Attr::i32s(context, &kernel.workgroup_size.map(|n| n as i32));
        let attrs = [name, ty, ("gpu.kernel", Attr::unit(context)), ("known_block_size", threads)];
        let func = Builder::create(loc, "gpu.func", &[], &[], &attrs, vec![region_of(arguments.entry)]);
        let block = Block::create(&[], loc);
        block.append(func);
        Builder::create(loc, "gpu.module", &[], &[], &[name], vec![region_of(block)])
    }

    fn arrays(&self) -> Option<ReadArray> {
        Some(read_array)
    }

    /// In an array of the kernel, as there is no memory of the module.
    fn constant(&self, emitter: &mut Emitter<'_>, value: Attr, elem: Type) -> Supported<Value> {
        constant_array(&mut emitter.code, value, elem).ok_or_else(|| format!("a constant of `{elem}`").into())
    }
}

impl GpuCode for SpirvCode {
    fn workgroup_number(&self, code: &IrBuilder, dim: &str) -> Value {
        number(code, "gpu.block_id", dim)
    }

    fn thread_number(&self, code: &IrBuilder) -> Value {
        number(code, "gpu.thread_id", "x")
    }

    fn barrier(&self, code: &IrBuilder) {
        code.at.op("gpu.barrier", &[], &[], &[]);
    }

    fn shared(&self, emitter: &mut Emitter<'_>, stored: Type, count: i64) -> Value {
        let code = &emitter.code;
        let context = code.at.context();
        let text = format!("memref<{count}x{stored}, #spirv.storage_class<Workgroup>>");
        let ty = Type::parse(context, &text).expect("a memref");
        let sizes = Attr::parse(context, "array<i32: 0, 0>").expect("an array");
        code.entry().value("memref.alloc", &[], ty, &[("operandSegmentSizes", sizes)])
    }
}

/// A number of `gpu` in a dimension, in the type of index arithmetic.
fn number(code: &IrBuilder, name: &str, dim: &str) -> Value {
    let (context, at) = (code.at.context(), code.entry());
    let dim = Attr::parse(context, &format!("#gpu<dim {dim}>")).expect("a dimension");
    let value = at.value(name, &[], Type::index(context), &[("dimension", dim)]);
    at.value("arith.index_cast", &[value], code.index_type(), &[])
}
