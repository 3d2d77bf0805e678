//! What each kind of device writes in its own way: arguments, functions, who a thread is, and memory that no pointer
//! reaches. Everything else of a kernel is the same operations for all of them.
use crate::{
    Emitter,
    emit::arguments::Arguments,
    emit::ir_builder::{IrBuilder, ReadArray, Supported},
    emit::memory::global,
};
use halyard_ir::{Attr, Block, Builder, Op, Region, Type, Value};
use std::fmt;

/// How a kernel begins and ends, and where its constants are.
pub(crate) trait DeviceCode: fmt::Debug + Sync {
    /// The arguments for an export: bindings of these element types and so many constants.
    fn arguments(&self, func: Op, elements: &[Type], constants: usize) -> Supported<Arguments>;

    /// The kernel around the entry block of `arguments`, in no block itself.
    fn function(&self, emitter: &Emitter<'_>, kernel: &KernelHead<'_>, arguments: Arguments) -> Op;

    /// How arrays that a kernel holds are read, if [`Self::constant`] makes such.
    fn arrays(&self) -> Option<ReadArray> {
        None
    }

    /// Where the numbers of a dense constant are: a global of the module. Errors: they cannot be written.
    fn constant(&self, emitter: &mut Emitter<'_>, value: Attr, elem: Type) -> Supported<Value> {
        let name = format!("{}_constant_{}", emitter.export, emitter.globals);
        emitter.globals += 1;
        global(&mut emitter.code, emitter.module, &name, value, elem)
    }
}

/// The same of a GPU, and what threads of a workgroup do together.
pub(crate) trait GpuCode: DeviceCode {
    /// The number of the workgroup in a dimension, `x` or `y`, in the type of index arithmetic.
    fn workgroup_number(&self, code: &IrBuilder, dim: &str) -> Value;

    /// The number of the thread in its workgroup.
    fn thread_number(&self, code: &IrBuilder) -> Value;

    /// Waits until all threads of the workgroup are here, and have what the others wrote.
    fn barrier(&self, code: &IrBuilder);

    /// Memory for elements, as they are stored, that the threads of a workgroup share. Its values are undefined at first.
    fn shared(&self, emitter: &mut Emitter<'_>, stored: Type, count: i64) -> Value;
}

/// What a function of the kernel ABI says of a kernel.
pub(crate) struct KernelHead<'k> {
    /// Its symbol.
    pub(crate) name: &'k str,
    /// The bindings that it stores to.
    pub(crate) written: &'k [Value],
    /// The threads of a workgroup in x, y and z.
    pub(crate) workgroup_size: [i64; 3],
}

/// The argument attributes of pointers to bindings: aligned to 64 bytes, of no other binding, and where `readonly` only read
/// unless the kernel writes them.
pub(crate) fn pointer_attrs(code: &IrBuilder, arguments: &Arguments, written: &[Value], readonly: bool) -> Attr {
    let context = code.at.context();
    let unit = Attr::unit(context);
    let mut attrs = vec![("llvm.align", Attr::integer(code.i64(), 64)), ("llvm.noalias", unit), ("llvm.nonnull", unit)];
    let both = Attr::dict(context, &attrs);
    attrs.push(("llvm.readonly", unit));
    let read = if readonly { Attr::dict(context, &attrs) } else { both };
    let of = |binding: &Value| if written.contains(binding) { both } else { read };
    let mut each: Vec<Attr> = arguments.bindings.iter().map(of).collect();
    each.resize(arguments.types.len(), Attr::dict(context, &[]));
    Attr::array(context, &each)
}

/// The name and the function type of a kernel whose arguments have these types.
pub(crate) fn signature(code: &IrBuilder, name: &str, types: &[Type]) -> [(&'static str, Attr); 2] {
    let context = code.at.context();
    let plain = Attr::ty(Type::function(context, types, &[]));
    [("sym_name", Attr::string(context, name)), ("function_type", plain)]
}

/// A region of one block.
pub(crate) fn region_of(block: Block) -> Region {
    let region = Region::create();
    region.append(block);
    region
}

/// The address of a new global of LLVM's dialect in the address space that a workgroup shares: an array, with a linkage and
/// an alignment in bytes.
pub(crate) fn shared_global(emitter: &Emitter<'_>, name: &str, (array, linkage, alignment): (&str, &str, i64)) {
    let code = &emitter.code;
    let context = code.at.context();
    let attrs = [
        ("sym_name", Attr::string(context, name)),
        ("global_type", Attr::ty(Type::parse(context, array).expect("an array type"))),
        ("linkage", Attr::parse(context, &format!("#llvm.linkage<{linkage}>")).expect("a linkage")),
        ("alignment", Attr::integer(code.int(64), alignment)),
        ("addr_space", Attr::integer(code.int(32), 3)),
    ];
    let op = Builder::create(code.at.loc, "llvm.mlir.global", &[], &[], &attrs, vec![Region::create()]);
    emitter.module.body().expect("a module has a body").prepend(op);
}

/// The address of such a global.
pub(crate) fn shared_address(code: &IrBuilder, name: &str) -> Value {
    let context = code.at.context();
    let ptr = Type::parse(context, "!llvm.ptr<3>").expect("a type of LLVM's dialect");
    code.entry().value("llvm.mlir.addressof", &[], ptr, &[("global_name", Attr::symbol(context, name))])
}
