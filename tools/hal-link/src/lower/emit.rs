//! Emits host commands: registers, memory and its lifetimes.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, block_of, dtype_of, imm, known},
};
use halyard_diag::{Result, Template};
use halyard_ir::{Block, Op, Type, Value};
use halyard_runtime::{
    DType,
    commands::{
        Base, Binary, Buffer, Compare, HostPlace, Inst, MessageValue, Operand, Register, ScalarInst, ScalarType, Unary,
        evaluate,
    },
};

/// A static transient while the function is lowered.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Storage {
    pub(crate) bytes: u64,
    pub(crate) first: u32,
    pub(crate) last: u32,
    pub(crate) used: bool,
}

/// A loop that is being lowered: what lives into it lives to its end.
#[derive(Debug, Default)]
pub(crate) struct Loop {
    pub(crate) start: u32,
    pub(crate) touched: Vec<u32>,
}

impl FunctionLowering<'_, '_> {
    /// Allocates a register.
    pub(crate) fn register(&mut self) -> Register {
        self.registers += 1;
        self.registers - 1
    }

    /// Allocates a slot.
    pub(crate) fn slot(&mut self) -> u32 {
        self.slots += 1;
        self.slots - 1
    }

    /// Appends an instruction.
    pub(crate) fn emit(&mut self, inst: Inst) {
        self.touch_inst(&inst);
        self.now += 1;
        self.code.last_mut().expect("a block is open").push(inst);
    }

    /// Lowers into a nested block.
    pub(crate) fn nested<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<(Vec<Inst>, T)> {
        self.code.push(Vec::new());
        let result = lower(self);
        let code = self.code.pop().expect("opened above");
        Ok((code, result?))
    }

    /// Lowers what is repeated: what it uses of the outside lives until its end.
    pub(crate) fn repeated<T>(&mut self, lower: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.now += 1;
        self.loops.push(Loop { start: self.now, touched: Vec::new() });
        let result = lower(self);
        let frame = self.loops.pop().expect("opened above");
        for s in frame.touched {
            let storage = &mut self.storages[s as usize];
            storage.last = storage.last.max(self.now);
        }
        self.now += 1;
        result
    }

    /// Notes a use of memory at this step.
    pub(crate) fn touch(&mut self, base: Base) {
        let Base::Transient(s) = base else { return };
        let storage = &mut self.storages[s as usize];
        storage.used = true;
        storage.last = storage.last.max(self.now);
        let first = storage.first;
        // The outermost loop that it lives into ends last.
        if let Some(frame) = self.loops.iter_mut().find(|l| first < l.start) {
            frame.touched.push(s);
        }
    }

    fn touch_inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Dispatch { bindings, .. } => bindings.iter().for_each(|b| self.touch(b.base)),
            Inst::Copy { source, target } => {
                self.touch(source.base);
                self.touch(target.base);
            }
            Inst::Fill { target, .. } | Inst::Store { target, .. } => self.touch(target.base),
            Inst::View { source, .. } | Inst::Load { source, .. } | Inst::StoreState { source, .. } => {
                self.touch(source.base)
            }
            Inst::Host { inputs, results, .. } => {
                inputs.iter().for_each(|i| self.touch(i.buffer.base));
                for result in results {
                    if let HostPlace::Buffer(buffer) = &result.place {
                        self.touch(buffer.base);
                    }
                }
            }
            // Their contents were emitted before.
            _ => {}
        }
    }

    /// Emits scalar arithmetic, or does it now if all is known.
    fn scalar(&mut self, make: impl Fn(Register) -> ScalarInst) -> Operand {
        let probe = make(0);
        if probe.operands().all(|o| known(o).is_some()) {
            let mut registers = [0];
            // A division by zero fails where and when the program does it.
            if evaluate(&probe, &mut registers).is_ok() {
                return imm(registers[0]);
            }
        }
        let target = self.register();
        self.emit(Inst::Scalar(make(target)));
        Operand::Register(target)
    }

    pub(crate) fn unary(&mut self, op: Unary, ty: ScalarType, value: Operand) -> Operand {
        self.scalar(|target| ScalarInst::Unary { op, ty, target, value })
    }

    pub(crate) fn binary(&mut self, op: Binary, ty: ScalarType, left: Operand, right: Operand) -> Operand {
        if ty == ScalarType::INDEX {
            match (op, known(left), known(right)) {
                (Binary::Add, Some(0), _) | (Binary::Mul | Binary::MulSize, Some(1), _) => return right,
                (Binary::Add, _, Some(0)) | (Binary::Mul | Binary::MulSize, _, Some(1)) => return left,
                (Binary::Mul, Some(0), _) | (Binary::Mul, _, Some(0)) => return imm(0),
                _ => {}
            }
        }
        self.scalar(|target| ScalarInst::Binary { op, ty, target, left, right })
    }

    pub(crate) fn compare(&mut self, op: Compare, ty: ScalarType, left: Operand, right: Operand) -> Operand {
        if op == Compare::Eq && left == right {
            return imm(1);
        }
        self.scalar(|target| ScalarInst::Compare { op, ty, target, left, right })
    }

    pub(crate) fn select(&mut self, condition: Operand, then: Operand, otherwise: Operand) -> Operand {
        self.scalar(|target| ScalarInst::Select { target, condition, then, otherwise })
    }

    pub(crate) fn convert(&mut self, from: ScalarType, to: ScalarType, signed: bool, value: Operand) -> Operand {
        if from == to { value } else { self.scalar(|target| ScalarInst::Convert { from, to, signed, target, value }) }
    }

    pub(crate) fn add(&mut self, a: Operand, b: Operand) -> Operand {
        self.binary(Binary::Add, ScalarType::INDEX, a, b)
    }

    pub(crate) fn mul(&mut self, a: Operand, b: Operand) -> Operand {
        self.binary(Binary::Mul, ScalarType::INDEX, a, b)
    }

    /// Assigns to an existing register.
    pub(crate) fn assign_register(&mut self, target: Register, value: Operand) {
        if value != Operand::Register(target) {
            self.emit(Inst::Scalar(ScalarInst::Unary { op: Unary::Move, ty: ScalarType::INDEX, target, value }));
        }
    }

    /// Emits a check that fails the call unless the condition holds, with the message unchanged.
    pub(crate) fn assert(&mut self, condition: Operand, message: String) {
        self.check(condition, Template::escape(&message), Vec::new());
    }

    /// Fails the call unless the condition holds, with a message for values.
    pub(crate) fn check(&mut self, condition: Operand, message: String, values: Vec<MessageValue>) {
        if known(condition).is_none_or(|c| c & 1 == 0) {
            self.emit(Inst::Assert { condition, message, values });
        }
    }

    /// Emits the number of elements of a shape.
    pub(crate) fn count(&mut self, dims: &[Operand]) -> Operand {
        dims.iter().fold(imm(1), |n, &d| self.binary(Binary::MulSize, ScalarType::INDEX, n, d))
    }

    /// Emits the size of a tensor in bytes.
    pub(crate) fn bytes(&mut self, dims: &[Operand], dtype: DType) -> Operand {
        let count = self.count(dims);
        self.binary(Binary::MulSize, ScalarType::INDEX, count, imm(dtype.size() as u64))
    }

    /// Returns a tensor as a range of bytes.
    pub(crate) fn buffer(&mut self, tensor: &TensorVal) -> Buffer {
        Buffer { base: tensor.base, offset: tensor.offset, bytes: self.bytes(&tensor.dims, tensor.dtype) }
    }

    /// Allocates a static transient.
    pub(crate) fn storage(&mut self, bytes: u64) -> Base {
        self.storages.push(Storage { bytes, first: self.now, last: self.now, used: false });
        Base::Transient(self.storages.len() as u32 - 1)
    }

    /// Memory for a new value: where it is wanted, or new. Values of dynamic type, and what becomes the value of a state, live
    /// in slots, so that their lifetime is counted at run time; they are released after their last use.
    pub(crate) fn fresh(&mut self, value: Value, dims: Vec<Operand>) -> TensorVal {
        let dtype = dtype_of(value.ty().element()).expect("types were checked");
        let bytes = self.bytes(&dims, dtype);
        let mut offset = imm(0);
        let base = if value.ty().is_static() && !self.is_stored(value) {
            match self.wanted.get(&value) {
                Some(&base) => base,
                None => match self.place_in_whole(value) {
                    Some((base, start)) => {
                        offset = imm(start);
                        base
                    }
                    None => self.storage(known(bytes).expect("the type is static")),
                },
            }
        } else {
            let slot = self.slot();
            self.emit(Inst::Allocate { slot, bytes });
            self.release_after_uses(value, slot);
            Base::Slot(slot)
        };
        TensorVal { base, offset, dims, dtype, undefined: false }
    }

    /// Binds a value to a tensor that shares the memory of another one.
    pub(crate) fn alias(&mut self, value: Value, tensor: TensorVal) {
        let mut tensor = tensor;
        if let Base::Slot(_) = tensor.base {
            let slot = self.slot();
            let source = self.buffer(&tensor);
            self.emit(Inst::View { slot, source });
            self.release_after_uses(value, slot);
            tensor.base = Base::Slot(slot);
            tensor.offset = imm(0);
        }
        self.bind(value, Val::Tensor(tensor));
    }

    /// Binds a value to its lowered form.
    pub(crate) fn bind(&mut self, value: Value, val: Val) {
        if let Val::Tensor(t) = &val {
            self.aliases.entry(t.base).or_default().push(value);
        }
        self.values.insert(value, val);
    }

    /// Releases a slot after the last operation of the value's block that uses the value.
    pub(crate) fn release_after_uses(&mut self, value: Value, slot: u32) {
        match block_of(value).and_then(|block| last_use(value, block)) {
            Some(op) => self.releases.entry(op).or_default().push(slot),
            None => self.unused.push(slot),
        }
    }

    /// Releases a slot after the last operation that uses an argument of a block, unless that is the end of the block.
    pub(crate) fn release_before_end(&mut self, argument: Value, slot: u32) {
        let block = block_of(argument);
        if let Some(op) = block.and_then(|block| last_use(argument, block))
            && block.and_then(|block| block.terminator()) != Some(op)
        {
            self.releases.entry(op).or_default().push(slot);
        }
    }

    /// A tensor with the contents of another that may be written: the other one itself if nothing else will read it,
    /// else a copy. `operand` is the index of the tensor among the operands of `op`; `value` the new tensor.
    pub(crate) fn writable(&mut self, op: Op, operand: usize, tensor: &TensorVal, value: Value) -> TensorVal {
        // A state is updated where it is; what the function returns is written where that is wanted.
        let in_slot = matches!(tensor.base, Base::Slot(_)) && !self.wanted.contains_key(&value);
        if in_slot || !value.ty().is_static() {
            return self.writable_slot(op, operand, tensor, value);
        }
        if self.is_last_use(op, operand, tensor) && self.wanted.get(&value).is_none_or(|&w| w == tensor.base) {
            return tensor.clone();
        }
        let copy = self.fresh(value, tensor.dims.clone());
        if !tensor.undefined {
            let (source, target) = (self.buffer(tensor), self.buffer(&copy));
            self.emit(Inst::Copy { source, target });
        }
        copy
    }

    fn writable_slot(&mut self, op: Op, operand: usize, tensor: &TensorVal, value: Value) -> TensorVal {
        let Base::Slot(old) = tensor.base else {
            let copy = self.fresh(value, tensor.dims.clone());
            let (source, target) = (self.buffer(tensor), self.buffer(&copy));
            self.emit(Inst::Copy { source, target });
            return copy;
        };
        let slot = self.slot();
        let source = self.buffer(tensor);
        self.emit(Inst::View { slot, source });
        // If this is the last use of the old value, nothing need be copied.
        let others =
            op.operands().into_iter().enumerate().any(|(i, v)| {
                i != operand && matches!(self.values.get(&v), Some(Val::Tensor(t)) if t.base == tensor.base)
            });
        if !others
            && let Some(list) = self.releases.get_mut(&op)
            && list.contains(&old)
        {
            list.retain(|&s| s != old);
            self.emit(Inst::Release { slot: old });
        }
        self.emit(Inst::Own { slot });
        self.release_after_uses(value, slot);
        TensorVal { base: Base::Slot(slot), offset: imm(0), ..tensor.clone() }
    }

    /// Whether nothing reads the memory of a static tensor after `op`, and `op` reads it through that operand only.
    fn is_last_use(&self, op: Op, operand: usize, tensor: &TensorVal) -> bool {
        let whole = match tensor.base {
            Base::Transient(s) => {
                known(tensor.offset) == Some(0)
                    && self.storages[s as usize].bytes
                        == tensor.dims.iter().filter_map(|&d| known(d)).product::<u64>() * tensor.dtype.size() as u64
            }
            Base::Output(_) => known(tensor.offset) == Some(0),
            // Inputs and constants are not ours to write.
            _ => false,
        };
        let Some(block) = op.block() else { return false };
        // What decides whether a loop goes on reads what it carries only once that is assigned anew.
        let condition = block.parent().filter(|op| op.is("scf.while")).and_then(|op| op.region(0).first_block());
        let is_of_condition =
            |alias: Value| condition != Some(block) && condition.is_some() && block_of(alias) == condition;
        let empty = Vec::new();
        let aliases = self.aliases.get(&tensor.base).unwrap_or(&empty);
        whole
            && aliases.iter().filter(|alias| !is_of_condition(**alias)).all(|&alias| {
                // A value of another block may be read again in another iteration, or later.
                block_of(alias) == Some(block)
                    && alias.uses().into_iter().all(|(user, index)| match ancestor(user, block) {
                        Some(user) if user == op => index == operand && alias == op.operand(operand),
                        Some(user) => user.is_before(op),
                        None => false,
                    })
            })
    }

    /// The shape of a type, with the sizes of its dynamic dimensions.
    pub(crate) fn shape(ty: Type, dynamic: &[Operand]) -> Vec<Operand> {
        let mut dynamic = dynamic.iter().copied();
        ty.shape()
            .into_iter()
            .map(|d| d.map_or_else(|| dynamic.next().expect("one operand per dynamic dimension"), |d| imm(d as u64)))
            .collect()
    }
}

/// The operation of a block that is `op` or contains it.
pub(crate) fn ancestor(op: Op, block: Block) -> Option<Op> {
    std::iter::successors(Some(op), |op| op.parent()).find(|op| op.block() == Some(block))
}

fn last_use(value: Value, block: Block) -> Option<Op> {
    let mut last: Option<Op> = None;
    for (user, _) in value.uses() {
        if let Some(op) = ancestor(user, block)
            && last.is_none_or(|l| l.is_before(op))
        {
            last = Some(op);
        }
    }
    last
}
