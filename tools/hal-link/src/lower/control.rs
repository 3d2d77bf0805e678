//! Lowers structured control flow: `scf`.
use super::{
    FunctionLowering,
    values::{TensorVal, Val, dtype_of, imm, known},
};
use halyard_diag::Result;
use halyard_ir::{Attr, Block, Op, Type, Value};
use halyard_runtime::commands::{Base, Compare, Inst, Operand, ScalarType};
use halyard_scalars::scalar_of;
use std::collections::HashSet;

impl FunctionLowering<'_, '_> {
    /// Lowers control flow; `false` if it is none that is known.
    pub(crate) fn lower_control(&mut self, op: Op, name: &str) -> Result<bool> {
        match name {
            "scf.if" => self.lower_if(op)?,
            "scf.index_switch" => self.lower_switch(op)?,
            "scf.for" => self.lower_for(op)?,
            "scf.while" => self.lower_while(op)?,
            "scf.execute_region" => self.lower_region(op)?,
            "cf.assert" => {
                let condition = self.operand(op, 0)?;
                let message = op.attr("msg").and_then(Attr::as_string).unwrap_or_default();
                self.assert(condition, message);
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// A place that control flow writes: registers for scalars and dynamic dimensions, memory for tensors. `value` is
    /// the result that will be bound to it, if there is one.
    pub(crate) fn destination(&mut self, ty: Type, value: Option<Value>) -> Val {
        if !ty.is_tensor() {
            return Val::Scalar(Operand::Register(self.register()));
        }
        let dims: Vec<Operand> = ty
            .shape()
            .into_iter()
            .map(|d| d.map_or_else(|| Operand::Register(self.register()), |d| imm(d as u64)))
            .collect();
        let dtype = dtype_of(ty.element()).expect("types were checked");
        let base = if ty.is_static() {
            let bytes = dims.iter().filter_map(|&d| known(d)).product::<u64>() * dtype.size() as u64;
            match value.and_then(|v| self.wanted.get(&v)) {
                Some(&base) => base,
                None => self.storage(bytes),
            }
        } else {
            Base::Slot(self.slot())
        };
        Val::Tensor(TensorVal { base, offset: imm(0), dims, dtype, undefined: false })
    }

    /// Binds a result to what control flow wrote.
    pub(crate) fn bind_destination(&mut self, value: Value, destination: Val) {
        if let Val::Tensor(TensorVal { base: Base::Slot(slot), .. }) = destination {
            self.release_after_uses(value, slot);
        }
        self.bind(value, destination);
    }

    /// Binds an argument of the body of a loop to what the loop carries, and will be assigned anew at the end of the body: its slot
    /// can be released before, so that what works in place is the only one to hold the memory.
    fn bind_carried(&mut self, argument: Value, destination: Val) {
        if let Val::Tensor(TensorVal { base: Base::Slot(slot), .. }) = destination {
            self.release_before_end(argument, slot);
        }
        self.bind(argument, destination);
    }

    /// Assigns all at once: (destination, source, type). A source may be another one's destination.
    pub(crate) fn assign(&mut self, moves: &[(Val, Val, Type)]) -> Result<()> {
        let mut sources = Vec::new();
        let mut temporary = Vec::new();
        for (i, (destination, source, ty)) in moves.iter().enumerate() {
            let clobbered = destination != source
                && moves.iter().enumerate().any(|(j, (other, ..))| i != j && shares(other, source));
            if clobbered {
                let copy = self.destination(*ty, None);
                self.assign_one(&copy, source);
                if let Val::Tensor(TensorVal { base: Base::Slot(slot), .. }) = copy {
                    temporary.push(slot);
                }
                sources.push(copy);
            } else {
                sources.push(source.clone());
            }
        }
        for ((destination, ..), source) in moves.iter().zip(&sources) {
            self.assign_one(destination, source);
        }
        for slot in temporary {
            self.emit(Inst::Release { slot });
        }
        Ok(())
    }

    fn assign_one(&mut self, destination: &Val, source: &Val) {
        match (destination, source) {
            (Val::Scalar(Operand::Register(target)), Val::Scalar(value)) => self.assign_register(*target, *value),
            (Val::Tensor(to), Val::Tensor(from)) => {
                let same = to.same_place(from);
                if let Base::Slot(slot) = to.base {
                    let source = self.buffer(from);
                    match from.base {
                        _ if same => {}
                        // The memory of transients is planned without slots in mind.
                        Base::Transient(_) | Base::Output(_) => {
                            self.emit(Inst::Allocate { slot, bytes: source.bytes });
                            let target = halyard_runtime::commands::Buffer {
                                base: to.base,
                                offset: imm(0),
                                bytes: source.bytes,
                            };
                            self.emit(Inst::Copy { source, target });
                        }
                        _ => self.emit(Inst::View { slot, source }),
                    }
                    for (&to, &from) in to.dims.iter().zip(&from.dims) {
                        if let Operand::Register(target) = to {
                            self.assign_register(target, from);
                        }
                    }
                } else if !same && !from.undefined {
                    let (source, target) = (self.buffer(from), self.buffer(to));
                    self.emit(Inst::Copy { source, target });
                }
            }
            _ => unreachable!("a value was assigned to a place of another type"),
        }
    }

    fn sources(&self, op: Op, first: usize) -> Result<Vec<Val>> {
        op.operands()[first..].iter().map(|&v| self.value(op, v)).collect()
    }

    fn assign_from(&mut self, destinations: &[Val], op: Op, first: usize) -> Result<()> {
        let sources = self.sources(op, first)?;
        let types = op.operands()[first..].iter().map(|v| v.ty()).collect::<Vec<_>>();
        let moves: Vec<_> = destinations.iter().cloned().zip(sources).zip(types).map(|((d, s), t)| (d, s, t)).collect();
        self.assign(&moves)
    }

    /// A value that a block makes for nothing but a result of its terminator is made in the result's memory.
    fn want(&mut self, block: Block, destinations: &[Val]) {
        let Some(end) = block.terminator() else { return };
        let bases: Vec<_> = destinations
            .iter()
            .map(|d| match d {
                Val::Tensor(t) => Some(t.base),
                Val::Scalar(_) => None,
            })
            .collect();
        self.want_operands(end, &bases);
    }

    /// Requests that the operands of a terminator, or the values that they are views of, are computed in given memory,
    /// if they are defined in its block and have static types. Requests from an earlier lowering of the block (in a
    /// function that is inlined twice) are dropped.
    pub(crate) fn want_operands(&mut self, end: Op, bases: &[Option<Base>]) {
        let block = end.block();
        let mut taken = HashSet::new();
        for (value, base) in end.operands().into_iter().zip(bases) {
            let mut value = value;
            while let Some(def) = value.def()
                && def.block() == block
                && value.ty().is_tensor()
                && value.ty().is_static()
                && !taken.contains(&value)
            {
                match base {
                    Some(base) => {
                        taken.insert(value);
                        self.wanted.insert(value, *base)
                    }
                    None => self.wanted.remove(&value),
                };
                if !["tensor.collapse_shape", "tensor.expand_shape"].contains(&&*def.name()) {
                    break;
                }
                value = def.operand(0);
            }
        }
    }

    fn arm(&mut self, block: Option<Block>, destinations: &[Val]) -> Result<Vec<Inst>> {
        let Some(block) = block else { return Ok(Vec::new()) };
        self.want(block, destinations);
        let (code, ()) =
            self.nested(|this| this.lower_block(block, &mut |this, end| this.assign_from(destinations, end, 0)))?;
        Ok(code)
    }

    fn destinations(&mut self, op: Op) -> Vec<Val> {
        op.results().into_iter().map(|r| self.destination(r.ty(), Some(r))).collect()
    }

    fn bind_all(&mut self, values: &[Value], destinations: Vec<Val>) {
        for (&value, destination) in values.iter().zip(destinations) {
            self.bind_destination(value, destination);
        }
    }

    fn lower_if(&mut self, op: Op) -> Result<()> {
        let condition = self.operand(op, 0)?;
        let destinations = self.destinations(op);
        let then = self.arm(op.region(0).first_block(), &destinations)?;
        let otherwise = self.arm(op.region(1).first_block(), &destinations)?;
        self.emit(Inst::If { condition, then, otherwise });
        self.bind_all(&op.results(), destinations);
        Ok(())
    }

    fn lower_switch(&mut self, op: Op) -> Result<()> {
        let on = self.operand(op, 0)?;
        let destinations = self.destinations(op);
        let cases = op.attr("cases").and_then(Attr::as_i64s).unwrap_or_default();
        // All conditions first: they are registers of the enclosing block.
        let conditions: Vec<_> =
            cases.iter().map(|&c| self.compare(Compare::Eq, ScalarType::INDEX, on, imm(c as u64))).collect();
        let regions = op.regions();
        let mut arms = Vec::new();
        for region in &regions {
            arms.push(self.arm(region.first_block(), &destinations)?);
        }
        let mut arms = arms.into_iter();
        let mut chain = arms.next().unwrap_or_default();
        for (condition, then) in conditions.into_iter().zip(arms).rev() {
            chain = vec![Inst::If { condition, then, otherwise: chain }];
        }
        for inst in chain {
            self.emit(inst);
        }
        self.bind_all(&op.results(), destinations);
        Ok(())
    }

    /// Lowers a region that runs once, in place.
    fn lower_region(&mut self, op: Op) -> Result<()> {
        let blocks = op.region(0).blocks();
        let [block] = blocks[..] else {
            return Err(self.unit.fail(op, "`scf.execute_region` with several blocks is not supported".into()));
        };
        let destinations = self.destinations(op);
        for inst in self.arm(Some(block), &destinations)? {
            self.code.last_mut().expect("a block is open").push(inst);
        }
        self.bind_all(&op.results(), destinations);
        Ok(())
    }

    fn lower_for(&mut self, op: Op) -> Result<()> {
        let ty = scalar_of(op.operand(0).ty()).unwrap_or(ScalarType::INDEX);
        let unsigned = op.has_attr("unsignedCmp");
        let mut bound = |i| -> Result<Operand> {
            let value = self.operand(op, i)?;
            Ok(self.convert(ty, ScalarType::INDEX, !unsigned, value))
        };
        let (lower, upper, step) = (bound(0)?, bound(1)?, bound(2)?);
        let body = op.region(0).first_block().expect("scf.for has a body");
        let args = body.args();
        let destinations = self.destinations(op);
        self.assign_from(&destinations, op, 3)?;
        let counter = self.register();
        let (code, ()) = self.repeated(|this| {
            this.nested(|this| {
                let index = this.convert(ScalarType::INDEX, ty, true, Operand::Register(counter));
                this.bind(args[0], Val::Scalar(index));
                for (&arg, destination) in args[1..].iter().zip(&destinations) {
                    this.bind_carried(arg, destination.clone());
                }
                this.lower_block(body, &mut |this, end| this.assign_from(&destinations, end, 0))
            })
        })?;
        self.emit(Inst::For { counter, lower, upper, step, unsigned, body: code });
        self.bind_all(&op.results(), destinations);
        Ok(())
    }

    fn lower_while(&mut self, op: Op) -> Result<()> {
        let (before, after) = (
            op.region(0).first_block().expect("scf.while has two blocks"),
            op.region(1).first_block().expect("scf.while has two blocks"),
        );
        let carried: Vec<Val> = before.args().into_iter().map(|a| self.destination(a.ty(), None)).collect();
        self.assign_from(&carried, op, 0)?;
        let end = before.terminator().expect("scf.while ends with scf.condition");
        // A value that is passed on unchanged needs no separate memory.
        let passed: Vec<Option<usize>> = end.operands()[1..]
            .iter()
            .map(|v| (v.def().is_none() && v.argument_block() == Some(before)).then(|| v.index()))
            .collect();
        let forwarded: Vec<Val> = passed
            .iter()
            .zip(op.results())
            .map(|(passed, r)| match passed {
                Some(i) => carried[*i].clone(),
                None => self.destination(r.ty(), Some(r)),
            })
            .collect();
        let (first, condition, second) = self.repeated(|this| {
            for (arg, destination) in before.args().into_iter().zip(&carried) {
                this.bind(arg, destination.clone());
            }
            let condition = this.register();
            let (first, ()) = this.nested(|this| {
                this.lower_block(before, &mut |this, end| {
                    let value = this.operand(end, 0)?;
                    this.assign_register(condition, value);
                    this.assign_from(&forwarded, end, 1)
                })
            })?;
            for ((i, arg), destination) in after.args().into_iter().enumerate().zip(&forwarded) {
                let only = passed[i].is_some() && passed.iter().filter(|p| **p == passed[i]).count() == 1;
                if only {
                    this.bind_carried(arg, destination.clone());
                } else {
                    this.bind(arg, destination.clone());
                }
            }
            let (second, ()) =
                this.nested(|this| this.lower_block(after, &mut |this, end| this.assign_from(&carried, end, 0)))?;
            Ok((first, condition, second))
        })?;
        self.emit(Inst::While { before: first, condition: Operand::Register(condition), after: second });
        self.bind_loop_results(op, &carried, &passed, forwarded);
        Ok(())
    }

    /// Binds the results of a `while`. A slot that several results, or none, refer to is released once.
    fn bind_loop_results(&mut self, op: Op, carried: &[Val], passed: &[Option<usize>], forwarded: Vec<Val>) {
        for ((result, destination), passed) in op.results().into_iter().zip(forwarded).zip(passed) {
            match (&destination, passed) {
                // A separate view, so that each has its own lifetime.
                (Val::Tensor(t @ TensorVal { base: Base::Slot(_), .. }), Some(_)) => self.alias(result, t.clone()),
                _ => self.bind_destination(result, destination),
            }
        }
        for val in carried {
            if let Val::Tensor(TensorVal { base: Base::Slot(slot), .. }) = val {
                self.emit(Inst::Release { slot: *slot });
            }
        }
    }
}

/// Whether a write to `destination` changes `source`.
fn shares(destination: &Val, source: &Val) -> bool {
    let registers = |val: &Val| -> Vec<Operand> {
        match val {
            Val::Scalar(o) => vec![*o],
            Val::Tensor(t) => t.dims.iter().copied().chain([t.offset]).collect(),
        }
    };
    let read = registers(source);
    let written = registers(destination);
    let register = written.iter().any(|w| matches!(w, Operand::Register(_)) && read.contains(w));
    let memory = match (destination, source) {
        (Val::Tensor(d), Val::Tensor(s)) => d.base == s.base,
        _ => false,
    };
    register || memory
}
