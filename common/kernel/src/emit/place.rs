//! Single elements in memory. What memory is depends on the machine, and the type of the value that stands for it tells:
//! a pointer of LLVM's (in address space 3 what a workgroup shares), a flat memref, or an array of the kernel, which
//! [`crate::machine`] knows how to read.
use crate::emit::index::Index;
use crate::emit::ir_builder::IrBuilder;
use halyard_ir::{Type, Value};

impl IrBuilder {
    /// Loads an element of the type that stands in memory.
    pub(crate) fn read(&mut self, place: Value, at: Index, stored: Type) -> Value {
        if place.ty().is_memref() {
            let at = self.subscript(at);
            return self.at.value("memref.load", &[place, at], stored, &[]);
        }
        if let Some(read) = self.accesses.arrays
            && let Some(value) = read(self, place, at, stored)
        {
            return value;
        }
        let ptr = self.gep(place, at, stored);
        self.at.value("llvm.load", &[ptr], stored, &[self.alignment(stored)])
    }

    /// Stores an element of the type that stands in memory.
    pub(crate) fn write(&mut self, place: Value, at: Index, value: Value) {
        if place.ty().is_memref() {
            let at = self.subscript(at);
            self.at.op("memref.store", &[value, place, at], &[], &[]);
            return;
        }
        let ptr = self.gep(place, at, value.ty());
        let alignment = self.alignment(value.ty());
        self.at.op("llvm.store", &[value, ptr], &[], &[alignment]);
    }

    /// An index as memrefs want it.
    fn subscript(&mut self, at: Index) -> Value {
        let at = self.ix(at);
        let index = Type::index(self.at.context());
        self.pure("arith.index_cast", &[at], index, None)
    }
}
