//! Who a thread is: numbers of workgroups and threads, barriers, memory that a workgroup shares.
use crate::Emitter;
use crate::index::Index;
use crate::machine::Backend;
use crate::machine::gpu::WORKGROUPS_IN_X;
use halyard_ir::{Attr, Builder, Region, Type, Value};

impl Emitter<'_> {
    /// The number of this workgroup, of `total`.
    pub(super) fn workgroup_number(&mut self, total: Index) -> Index {
        let x = self.special("ctaid", "gpu.block_id", "x");
        if total.known().is_some_and(|n| n <= WORKGROUPS_IN_X) {
            return x;
        }
        let y = self.special("ctaid", "gpu.block_id", "y");
        let rows = self.code.mul(y, Index::constant(WORKGROUPS_IN_X));
        self.code.add(rows, x)
    }

    /// The number of this thread in its workgroup.
    pub(super) fn thread(&mut self) -> Index {
        self.special("tid", "gpu.thread_id", "x")
    }

    /// A number that the machine has for each thread.
    fn special(&mut self, nvvm: &str, gpu: &str, dim: &str) -> Index {
        let (context, at) = (self.code.at.context(), self.code.entry());
        let (i32, index) = (self.code.int(32), Type::index(context));
        let ty = self.code.index_type();
        let value = if self.code.backend == Backend::Vulkan {
            let dim = Attr::parse(context, &format!("#gpu<dim {dim}>")).expect("a dimension");
            let value = at.value(gpu, &[], index, &[("dimension", dim)]);
            at.value("arith.index_cast", &[value], ty, &[])
        } else {
            let value = at.value(&format!("nvvm.read.ptx.sreg.{nvvm}.{dim}"), &[], i32, &[]);
            if ty == i32 { value } else { at.value("arith.extui", &[value], ty, &[]) }
        };
        Index::value(value)
    }

    /// Waits until all threads of the workgroup are here, and have what the others wrote. All must come.
    pub(super) fn barrier(&mut self) {
        let name = if self.code.backend == Backend::Vulkan { "gpu.barrier" } else { "nvvm.barrier0" };
        self.code.at.op(name, &[], &[], &[]);
    }

    /// The type in which a number is shared: what is narrower than a word is kept in one, see [`Self::shared`].
    pub(super) fn word_of(&self, ty: Type) -> Type {
        if ty.is_index() {
            self.code.i64()
        } else if ty.is_integer() && ty.bits() < 32 {
            self.code.int(32)
        } else {
            ty
        }
    }

    /// A number as it is shared.
    pub(super) fn to_word(&mut self, value: Value) -> Value {
        let word = self.word_of(value.ty());
        if word == value.ty() {
            return value;
        }
        let name = if value.ty().is_index() { "arith.index_cast" } else { "arith.extui" };
        self.code.pure(name, &[value], word, None)
    }

    /// A number as it was.
    pub(super) fn from_word(&mut self, value: Value, ty: Type) -> Value {
        if value.ty() == ty {
            return value;
        }
        let name = if ty.is_index() { "arith.index_cast" } else { "arith.trunci" };
        self.code.pure(name, &[value], ty, None)
    }

    /// Memory that the threads of a workgroup share on CUDA, of a size that the launch says: all parts of a kernel have the
    /// same.
    pub(super) fn workspace(&mut self, bytes: i64) -> Value {
        let context = self.code.at.context();
        let name = format!("{}_workspace", self.export);
        if self.workspace == 0 {
            let array = Type::parse(context, "!llvm.array<0 x i8>").expect("an array type");
            let attrs = [
                ("sym_name", Attr::string(context, &name)),
                ("global_type", Attr::ty(array)),
                ("linkage", Attr::parse(context, "#llvm.linkage<external>").expect("a linkage")),
                ("alignment", Attr::integer(self.code.int(64), 128)),
                ("addr_space", Attr::integer(self.code.int(32), 3)),
            ];
            let op = Builder::create(self.code.at.loc, "llvm.mlir.global", &[], &[], &attrs, vec![Region::create()]);
            self.module.body().expect("a module has a body").prepend(op);
        }
        self.workspace = self.workspace.max(bytes);
        let ptr = Type::parse(context, "!llvm.ptr<3>").expect("a type of LLVM's dialect");
        let at = self.code.entry();
        at.value("llvm.mlir.addressof", &[], ptr, &[("global_name", Attr::symbol(context, &name))])
    }

    /// Memory for elements that the threads of a workgroup share. Integers below 32 bits must not be kept in it: where
    /// a device has no such type, neighbours would share a word.
    pub(super) fn shared(&mut self, elem: Type, count: i64) -> Value {
        let context = self.code.at.context();
        let stored = self.code.stored(elem);
        if self.code.backend == Backend::Vulkan {
            let text = format!("memref<{count}x{stored}, #spirv.storage_class<Workgroup>>");
            let ty = Type::parse(context, &text).expect("a memref");
            let sizes = Attr::parse(context, "array<i32: 0, 0>").expect("an array");
            return self.code.entry().value("memref.alloc", &[], ty, &[("operandSegmentSizes", sizes)]);
        }
        let name = format!("{}_shared_{}", self.export, self.globals);
        self.globals += 1;
        let array = Type::parse(context, &format!("!llvm.array<{count} x {stored}>")).expect("an array type");
        let attrs = [
            ("sym_name", Attr::string(context, &name)),
            ("global_type", Attr::ty(array)),
            ("linkage", Attr::parse(context, "#llvm.linkage<internal>").expect("a linkage")),
            ("alignment", Attr::integer(self.code.int(64), 16)),
            ("addr_space", Attr::integer(self.code.int(32), 3)),
        ];
        // Its value is undefined.
        let op = Builder::create(self.code.at.loc, "llvm.mlir.global", &[], &[], &attrs, vec![Region::create()]);
        self.module.body().expect("a module has a body").prepend(op);
        let ptr = Type::parse(context, "!llvm.ptr<3>").expect("a type of LLVM's dialect");
        let at = self.code.entry();
        at.value("llvm.mlir.addressof", &[], ptr, &[("global_name", Attr::symbol(context, &name))])
    }
}
