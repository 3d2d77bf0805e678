//! Scratch memory: what a kernel needs beside its bindings and the stack.
//!
//! Whoever calls a kernel lends it memory of the calling thread (`hal_scratch_t` of `halyard/kernel.h`), so that nothing is
//! allocated once everything has run. Where none is lent, or too little, the kernel notes how much it wants, and allocates
//! for this one call. Memory that is lent stays as it is from one workgroup of a dispatch to the next on the same thread:
//! what one of them has computed there, the next one need not compute again.
use crate::Emitter;
use crate::emit::index::Index;
use crate::emit::ir_builder::{Coder, Supported};
use halyard_ir::{Attr, Builder, Region, Type, Value};

/// Where `hal_workgroup_t` has the pointer to `hal_scratch_t`, and where that has its fields, in bytes.
const POINTER: i32 = 24;
const DATA: i32 = 0;
const BYTES: i32 = 8;
const WANTED: i32 = 16;
const HELD: i32 = 24;
/// The size of `hal_scratch_t`, in words.
const WORDS: i64 = 4;

/// The scratch memory of a kernel.
#[derive(Default)]
pub(crate) struct Scratch {
    /// The record, the memory and its size, once something is taken.
    record: Option<(Value, Value, Value)>,
    /// What is taken, outermost first.
    taken: Vec<Taken>,
    /// What later workgroups find as it was.
    kept: Vec<Taken>,
    /// Whether `aligned_alloc` and `free` are declared.
    allocates: bool,
}

/// A piece of scratch memory.
#[derive(Clone, Copy)]
pub(crate) struct Taken {
    /// Where it is.
    pub(crate) ptr: Value,
    /// Whether it is part of what was lent.
    lent: Value,
    /// Where it ends there, in bytes.
    end: Index,
    /// Whether it is not given back yet.
    live: bool,
}

impl Emitter<'_> {
    /// Takes memory for elements of so many bytes.
    pub(crate) fn take(&mut self, count: Index, bytes: i64) -> Supported<Taken> {
        self.declare_allocator();
        let (record, data, lent_bytes) = self.lent()?;
        let size = self.code.mul(count, Index::constant(bytes));
        // Whole lines, and one more: never nothing, and vectors may reach over the end.
        let lines = self.code.divide("arith.divui", size.plus(63), Index::constant(64));
        let size = self.code.mul(lines.plus(1), Index::constant(64));
        let start = self.scratch.taken.last().map_or(Index::ZERO, |t| t.end);
        let end = self.code.add(start, size);
        let (size, end_value, start_value) = (self.code.ix(size), self.code.ix(end), self.code.ix(start));
        // Unsigned, at most.
        let lent = self.code.compare(7, end_value, lent_bytes);
        let (ptr_ty, i64) = (self.code.ptr(), self.code.i64());
        let align = self.code.i64_constant(64);
        let inside = |this: &mut Self| Ok(vec![displaced(&this.code.at, data, start_value)]);
        let outside = |this: &mut Self| {
            let field = field(&this.code.at, record, WANTED);
            let before = this.code.at.value("llvm.load", &[field], i64, &[]);
            let wanted = this.code.at.value("arith.maxui", &[before, end_value], i64, &[]);
            this.code.at.op("llvm.store", &[wanted, field], &[], &[]);
            let callee = [("callee", Attr::symbol(this.code.at.context(), "aligned_alloc"))];
            Ok(this.code.at.op("func.call", &[align, size], &[ptr_ty], &callee).results())
        };
        let ptr = self.if_else(lent, &[ptr_ty], inside, outside)?[0];
        let taken = Taken { ptr, lent, end, live: true };
        self.scratch.taken.push(taken);
        Ok(taken)
    }

    /// Gives it back.
    pub(crate) fn give(&mut self, taken: Taken) -> Supported<()> {
        let own = |this: &mut Self| {
            let callee = [("callee", Attr::symbol(this.code.at.context(), "free"))];
            this.code.at.op("func.call", &[taken.ptr], &[], &callee);
            Ok(Vec::new())
        };
        self.if_else(taken.lent, &[], |_| Ok(Vec::new()), own)?;
        for other in self.scratch.taken.iter_mut().filter(|t| t.ptr == taken.ptr) {
            other.live = false;
        }
        while self.scratch.taken.last().is_some_and(|t| !t.live) {
            self.scratch.taken.pop();
        }
        Ok(())
    }

    /// Fills memory unless this thread has filled it with the same before, for another workgroup of the dispatch. `key`, not
    /// zero, says with what; all kernels that use this have one such memory.
    pub(crate) fn fill_once(
        &mut self,
        taken: Taken,
        key: Index,
        fill: impl FnOnce(&mut Self) -> Supported<()>,
    ) -> Supported<()> {
        let key = self.code.ix(key);
        let (record, i64) = (self.lent()?.0, self.code.i64());
        let at = field(&self.code.at, record, HELD);
        let held = self.code.at.value("llvm.load", &[at], i64, &[]);
        let there = self.code.compare(0, held, key);
        let there = self.code.math("arith.andi", &[there, taken.lent]);
        let work = |this: &mut Self| {
            fill(this)?;
            this.note(taken, key)?;
            Ok(Vec::new())
        };
        self.if_else(there, &[], |_| Ok(Vec::new()), work)?;
        Ok(())
    }

    /// Fills memory unless this thread has done so before, for another workgroup of the dispatch. It is given
    /// back at the end of the kernel, which can have many such memories. Where `only` does not hold, it is filled each time.
    pub(crate) fn fill_for_all(
        &mut self,
        taken: Taken,
        only: Option<Value>,
        fill: impl FnOnce(&mut Self) -> Supported<()>,
    ) -> Supported<()> {
        let bit = self.scratch.kept.len();
        self.scratch.kept.push(taken);
        if bit >= 63 {
            return fill(self);
        }
        let (record, i64) = (self.lent()?.0, self.code.i64());
        let bit = self.code.i64_constant(1 << bit);
        let zero = self.code.i64_constant(0);
        let at = field(&self.code.at, record, HELD);
        let held = self.code.at.value("llvm.load", &[at], i64, &[]);
        let mine = self.code.at.value("arith.andi", &[held, bit], i64, &[]);
        let there = self.code.compare(1, mine, zero);
        let there = only.map_or(there, |only| self.code.math("arith.andi", &[there, only]));
        let there = self.code.math("arith.andi", &[there, taken.lent]);
        let work = |this: &mut Self| {
            fill(this)?;
            let held = this.code.at.value("arith.ori", &[held, bit], i64, &[]);
            this.note(taken, held)?;
            Ok(Vec::new())
        };
        self.if_else(there, &[], |_| Ok(Vec::new()), work)?;
        Ok(())
    }

    /// Gives back what was taken for all workgroups.
    pub(crate) fn give_kept(&mut self) -> Supported<()> {
        while let Some(taken) = self.scratch.kept.pop() {
            self.give(taken)?;
        }
        Ok(())
    }

    /// Says what lent memory holds.
    fn note(&mut self, taken: Taken, held: Value) -> Supported<()> {
        let record = self.lent()?.0;
        let nothing = self.code.i64_constant(0);
        let held = self.code.at.value("arith.select", &[taken.lent, held, nothing], held.ty(), &[]);
        let at = field(&self.code.at, record, HELD);
        self.code.at.op("llvm.store", &[held, at], &[], &[]);
        Ok(())
    }

    /// The record of what is lent, the memory and its size. Where nothing is lent, the record is an empty one of our own.
    fn lent(&mut self) -> Supported<(Value, Value, Value)> {
        if let Some(known) = self.scratch.record {
            return Ok(known);
        }
        let workgroup = self.workgroup_ptr.ok_or("scratch memory, which GPUs do not have")?;
        let (i64, ptr) = (self.code.i64(), self.code.ptr());
        let own = self.code.stack(i64, WORDS);
        let zero = self.code.i64_constant(0);
        let at = self.code.entry();
        for word in 0..WORDS as i32 {
            at.op("llvm.store", &[zero, field(&at, own, 8 * word)], &[], &[]);
        }
        let given = at.value("llvm.load", &[field(&at, workgroup, POINTER)], ptr, &[]);
        let none = at.value("llvm.mlir.zero", &[], ptr, &[]);
        // Equal.
        let equal = Attr::integer(i64, 0);
        let absent = at.value("llvm.icmp", &[given, none], Type::integer(at.context(), 1), &[("predicate", equal)]);
        let record = at.value("llvm.select", &[absent, own, given], ptr, &[]);
        let data = at.value("llvm.load", &[field(&at, record, DATA)], ptr, &[]);
        let bytes = at.value("llvm.load", &[field(&at, record, BYTES)], i64, &[]);
        self.scratch.record = Some((record, data, bytes));
        Ok((record, data, bytes))
    }

    fn declare_allocator(&mut self) {
        if std::mem::replace(&mut self.scratch.allocates, true) {
            return;
        }
        let (context, i64, ptr) = (self.code.at.context(), self.code.i64(), self.code.ptr());
        for (name, inputs, results) in [("aligned_alloc", vec![i64, i64], vec![ptr]), ("free", vec![ptr], vec![])] {
            let attrs = [
                ("sym_name", Attr::string(context, name)),
                ("function_type", Attr::ty(Type::function(context, &inputs, &results))),
                ("sym_visibility", Attr::string(context, "private")),
            ];
            let op = Builder::create(self.code.at.loc, "func.func", &[], &[], &attrs, vec![Region::create()]);
            self.module.body().expect("a module has a body").prepend(op);
        }
    }
}

/// Where a field is, so many bytes behind a pointer.
fn field(at: &Builder, ptr: Value, offset: i32) -> Value {
    let raw = Attr::parse(at.context(), &format!("array<i32: {offset}>")).expect("an array");
    let byte = Attr::ty(Type::integer(at.context(), 8));
    at.value("llvm.getelementptr", &[ptr], ptr.ty(), &[("rawConstantIndices", raw), ("elem_type", byte)])
}

/// So many bytes behind a pointer.
fn displaced(at: &Builder, ptr: Value, bytes: Value) -> Value {
    let raw = Attr::parse(at.context(), &format!("array<i32: {}>", i32::MIN)).expect("an array");
    let byte = Attr::ty(Type::integer(at.context(), 8));
    at.value("llvm.getelementptr", &[ptr, bytes], ptr.ty(), &[("rawConstantIndices", raw), ("elem_type", byte)])
}
