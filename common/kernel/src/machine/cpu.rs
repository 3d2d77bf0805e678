//! Code for CPUs: a function on pointers and constants, and the pointer to the number and count of the workgroup.
use super::code::{DeviceCode, KernelHead, pointer_attrs, region_of, signature};
use crate::{Emitter, emit::arguments::Arguments, emit::ir_builder::Supported};
use halyard_ir::{Builder, Op, Type};

/// Functions that a C program could call.
#[derive(Debug)]
pub(crate) struct CpuCode;

impl DeviceCode for CpuCode {
    fn arguments(&self, func: Op, elements: &[Type], constants: usize) -> Supported<Arguments> {
        Ok(Arguments::pointers(func, elements, constants, true))
    }

    fn function(&self, emitter: &Emitter<'_>, kernel: &KernelHead<'_>, arguments: Arguments) -> Op {
        let code = &emitter.code;
        code.at.op("func.return", &[], &[], &[]);
        let [name, ty] = signature(code, kernel.name, &arguments.types);
        let each = ("arg_attrs", pointer_attrs(code, &arguments, kernel.written, false));
        Builder::create(code.at.loc, "func.func", &[], &[], &[name, ty, each], vec![region_of(arguments.entry)])
    }
}
