//! Who a thread is: numbers of workgroups and threads, barriers, memory that a workgroup shares.
use crate::Emitter;
use crate::emit::index::Index;
use crate::machine::code::{shared_address, shared_global};
use crate::machine::gpu::WORKGROUPS_IN_X;
use halyard_ir::{Type, Value};

impl Emitter<'_> {
    /// The number of this workgroup, of `total`.
    pub(super) fn workgroup_number(&mut self, total: Index) -> Index {
        let device = self.gpu_model().code;
        let x = Index::value(device.workgroup_number(&self.code, "x"));
        if total.known().is_some_and(|n| n <= WORKGROUPS_IN_X) {
            return x;
        }
        let y = Index::value(device.workgroup_number(&self.code, "y"));
        let rows = self.code.mul(y, Index::constant(WORKGROUPS_IN_X));
        self.code.add(rows, x)
    }

    /// The number of this thread in its workgroup.
    pub(super) fn thread(&mut self) -> Index {
        Index::value(self.gpu_model().code.thread_number(&self.code))
    }

    /// Waits until all threads of the workgroup are here, and have what the others wrote. All must come.
    pub(super) fn barrier(&mut self) {
        self.gpu_model().code.barrier(&self.code);
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

    /// Memory that the threads of a workgroup share, of a size in bytes that the launch says: all parts of a kernel have the
    /// same. For devices with [`launch_memory`](crate::GpuModel::launch_memory).
    pub(super) fn workspace(&mut self, bytes: i64) -> Value {
        let name = format!("{}_workspace", self.export);
        if self.workspace == 0 {
            shared_global(self, &name, ("!llvm.array<0 x i8>", "external", 128));
        }
        self.workspace = self.workspace.max(bytes);
        shared_address(&self.code, &name)
    }

    /// Memory for elements that the threads of a workgroup share. Integers below 32 bits must not be kept in it: where
    /// a device has no such type, neighbours would share a word.
    pub(super) fn shared(&mut self, elem: Type, count: i64) -> Value {
        let stored = self.code.stored(elem);
        self.gpu_model().code.shared(self, stored, count)
    }
}
