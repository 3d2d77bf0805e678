//! Tensors in memory: addresses, and the loads and stores that fit the lanes of an index.
use crate::emit::index::{Index, LaneIndex, Lanes};
use crate::emit::ir_builder::{Coder, IrBuilder, Supported};
use crate::graph::Memory;
use halyard_ir::{Attr, Type, Value};

impl IrBuilder {
    /// Row-major memory of these sizes.
    pub(crate) fn contiguous(&mut self, ptr: Value, elem: Type, dims: &[Index]) -> Memory {
        let mut strides = vec![Index::constant(1); dims.len()];
        for d in (0..dims.len().saturating_sub(1)).rev() {
            strides[d] = self.mul(strides[d + 1], dims[d + 1]);
        }
        Memory { ptr, elem, dims: dims.to_vec(), strides, offset: Index::ZERO }
    }

    /// The element offset of an index.
    pub(crate) fn offset(&mut self, memory: &Memory, idx: &[LaneIndex]) -> LaneIndex {
        let mut sum = LaneIndex::uniform(memory.offset);
        for (idx, &stride) in idx.iter().zip(&memory.strides) {
            let term = self.idx_scale(idx, stride);
            sum = self.idx_add(&sum, &term);
        }
        sum
    }

    /// The type as it stands in memory: a byte for `i1`, 64 bits for `index`.
    pub(crate) fn stored(&self, elem: Type) -> Type {
        if elem.is_index() {
            self.i64()
        } else if elem.is_integer() {
            self.int(8 * elem.byte_width() as u32)
        } else {
            elem
        }
    }

    /// Where an element is.
    pub(crate) fn address(&mut self, memory: &Memory, offset: Index) -> Value {
        let stored = self.stored(memory.elem);
        self.gep(memory.ptr, offset, stored)
    }

    pub(crate) fn gep(&mut self, ptr: Value, offset: Index, stored: Type) -> Value {
        let mut ptr = ptr;
        let ty = ptr.ty();
        if let Some(base) = offset.base {
            ptr = self.gep_op(ptr, &[base], i64::from(i32::MIN), stored, ty);
        }
        if offset.add != 0 {
            // A constant index is an `i32` in the operation, of which the least stands for a value, also where upstream folds one; larger
            // ones go through a value.
            let (far, small) = match i32::try_from(offset.add) {
                Ok(i32::MIN) => (Some(offset.add - 1), 1),
                Ok(small) => (None, small),
                Err(_) => (Some(offset.add), 0),
            };
            if let Some(far) = far {
                let add = self.index_constant(far);
                ptr = self.gep_op(ptr, &[add], i64::from(i32::MIN), stored, ty);
            }
            if small != 0 {
                ptr = self.gep_op(ptr, &[], i64::from(small), stored, ty);
            }
        }
        ptr
    }

    /// `llvm.getelementptr`; `raw` is the constant index, or the smallest `i32` where the index is an operand.
    fn gep_op(&mut self, ptr: Value, dynamic: &[Value], raw: i64, stored: Type, ty: Type) -> Value {
        let context = self.at.context();
        let raw = Attr::parse(context, &format!("array<i32: {raw}>")).expect("an array");
        let mut operands = vec![ptr];
        operands.extend_from_slice(dynamic);
        self.at.value(
            "llvm.getelementptr",
            &operands,
            ty,
            &[("rawConstantIndices", raw), ("elem_type", Attr::ty(stored))],
        )
    }

    pub(crate) fn alignment(&self, elem: Type) -> (&'static str, Attr) {
        ("alignment", Attr::integer(self.int(64), elem.byte_width().max(1) as i64))
    }

    pub(super) fn alignment32(&self, elem: Type) -> (&'static str, Attr) {
        ("alignment", Attr::integer(self.int(32), elem.byte_width().max(1) as i64))
    }

    /// Memory's form to the tensor's: bytes to `i1`, `i64` to `index`.
    fn from_stored(&mut self, value: Value, elem: Type) -> Value {
        let vector = value.ty().is_vector();
        if elem.is_index() {
            let ty = if vector { self.vector(elem) } else { elem };
            return self.pure("arith.index_cast", &[value], ty, None);
        }
        if elem.is_integer() && elem.bits() != self.stored(elem).bits() {
            if elem.bits() == 1 {
                let mut zero = self.number(self.stored(elem), 0.0);
                if vector {
                    zero = self.splat(zero);
                }
                return self.compare(1, value, zero);
            }
            let ty = if vector { self.vector(elem) } else { elem };
            return self.pure("arith.trunci", &[value], ty, None);
        }
        value
    }

    fn to_stored(&mut self, value: Value, elem: Type) -> Value {
        let stored = self.stored(elem);
        if stored == elem {
            return value;
        }
        let ty = if value.ty().is_vector() { self.vector(stored) } else { stored };
        let name = match (elem.is_index(), elem.bits()) {
            (true, _) => "arith.index_cast",
            (_, 1) => "arith.extui",
            _ => "arith.extsi",
        };
        self.pure(name, &[value], ty, None)
    }

    /// Loads what `offset` says: a scalar if all lanes share it, otherwise a vector. Lanes outside `mask` are `other`
    /// (zero if absent) and their memory is not touched; with a false `guard` no memory but the first element is.
    pub(crate) fn load(
        &mut self,
        memory: &Memory,
        offset: &LaneIndex,
        mask: Option<Value>,
        guard: Option<Value>,
        other: Option<Value>,
    ) -> Value {
        let elem = memory.elem;
        let stored = self.stored(elem);
        if offset.is_uniform() {
            let mut at = offset.ix;
            if let Some(guard) = guard {
                let (there, first) = (self.ix(at), self.ix(memory.offset));
                at = Index::value(self.select(guard, there, first));
            }
            let value = self.read(memory.ptr, at, stored);
            return self.from_stored(value, elem);
        }
        let ty = self.vector(stored);
        let narrow = stored.bits() < self.accesses.masked_load_bits;
        if let Some(guard) = guard.filter(|_| narrow) {
            // One branch for all lanes.
            let without = self.passed(other, elem, stored);
            let without = self.from_stored(without, elem);
            let yes = |this: &mut Self| Ok(vec![this.load(memory, offset, mask, None, other)]);
            return self.if_else(guard, &[without.ty()], yes, |_| Ok(vec![without])).expect("neither side fails")[0];
        }
        let guard = guard.map(|g| self.splat(g));
        let mask = self.and(mask, guard);
        let value = match (&offset.lanes, mask) {
            (Lanes::Strided(1), None) => {
                let ptr = self.gep(memory.ptr, offset.ix, stored);
                self.at.value("llvm.load", &[ptr], ty, &[self.alignment(stored)])
            }
            (Lanes::Strided(1), Some(mask)) => {
                let ptr = self.gep(memory.ptr, offset.ix, stored);
                let other = self.passed(other, elem, stored);
                self.masked_load(ptr, mask, other)
            }
            (Lanes::Strided(_) | Lanes::Constant(_), None) if self.span(offset).is_some() => {
                self.windows(memory, offset, stored, ty, None)
            }
            (Lanes::Strided(_), Some(mask)) if narrow && self.span(offset).is_some() => {
                let other = other.map(|other| self.passed(Some(other), elem, stored));
                self.narrow_windows(memory, offset, ty, mask, other)
            }
            (Lanes::Strided(_), Some(mask)) if other.is_none() && self.span(offset).is_some() => {
                self.windows(memory, offset, stored, ty, Some(mask))
            }
            _ => {
                let mask = match mask {
                    Some(mask) => mask,
                    None => {
                        let yes = self.constant(Attr::integer(self.int(1), 1));
                        self.splat(yes)
                    }
                };
                let other = self.passed(other, elem, stored);
                let base = self.gep(memory.ptr, offset.ix, stored);
                let lanes = self.lane_vector(&offset.lanes);
                let ptrs_ty = Type::parse(self.at.context(), &format!("vector<{}x!llvm.ptr>", self.lanes))
                    .expect("a vector of pointers");
                let ptrs = self.gep_op(base, &[lanes], i64::from(i32::MIN), stored, ptrs_ty);
                self.at.value("llvm.intr.masked.gather", &[ptrs, mask, other], ty, &[self.alignment32(stored)])
            }
        };
        self.from_stored(value, elem)
    }

    pub(super) fn passed(&mut self, other: Option<Value>, elem: Type, stored: Type) -> Value {
        let other = match other {
            Some(other) => self.to_stored(other, elem),
            None => self.number(stored, 0.0),
        };
        self.splat(other)
    }

    /// Lowest and highest known lane offset, if few whole vectors cover them.
    fn span(&self, offset: &LaneIndex) -> Option<(i64, i64)> {
        let (low, high) = match &offset.lanes {
            Lanes::Strided(step) => (0.min(step * (self.lanes - 1)), 0.max(step * (self.lanes - 1))),
            Lanes::Constant(values) => (*values.iter().min()?, *values.iter().max()?),
            _ => return None,
        };
        let elements = high - low + 1;
        (elements >= self.lanes && elements <= self.accesses.window_vectors * self.lanes).then_some((low, high))
    }

    /// Loads whole vectors that lie between the lowest and the highest element, and shuffles. With a mask only the elements
    /// of its lanes are touched; no two lanes have the same element then.
    pub(super) fn windows(
        &mut self,
        memory: &Memory,
        offset: &LaneIndex,
        stored: Type,
        ty: Type,
        mask: Option<Value>,
    ) -> Value {
        let (low, high) = self.span(offset).expect("checked by the caller");
        let lanes: Vec<i64> = match &offset.lanes {
            Lanes::Strided(step) => (0..self.lanes).map(|l| l * step).collect(),
            Lanes::Constant(values) => values.to_vec(),
            _ => unreachable!("a span is known"),
        };
        let mut starts: Vec<i64> =
            (0..).map(|w| low + w * self.lanes).take_while(|&s| s + self.lanes <= high + 1).collect();
        if starts.last().is_none_or(|s| s + self.lanes <= high) {
            starts.push(high + 1 - self.lanes);
        }
        let mut result: Option<Value> = None;
        let mut done = vec![false; lanes.len()];
        for start in starts {
            let inside: Vec<Option<i64>> = lanes
                .iter()
                .zip(&done)
                .map(|(&l, &done)| (!done && l >= start && l < start + self.lanes).then_some(l - start))
                .collect();
            if inside.iter().all(Option::is_none) {
                continue;
            }
            let ptr = self.gep(memory.ptr, offset.ix.plus(start), stored);
            let window = match mask {
                None => self.at.value("llvm.load", &[ptr], ty, &[self.alignment(stored)]),
                Some(mask) => {
                    // The lane that wants each element of the window, or a lane of a mask of nothing.
                    let wanted: Vec<i64> = (0..self.lanes)
                        .map(|e| inside.iter().position(|&i| i == Some(e)).map_or(self.lanes, |l| l as i64))
                        .collect();
                    let no = self.constant(Attr::integer(self.int(1), 0));
                    let nothing = self.splat(no);
                    let picks = Attr::i64s(self.at.context(), &wanted);
                    let mask = self.pure("vector.shuffle", &[mask, nothing], mask.ty(), Some(("mask", picks)));
                    let zero = self.passed(None, memory.elem, stored);
                    self.at.value("llvm.intr.masked.load", &[ptr, mask, zero], ty, &[self.alignment32(stored)])
                }
            };
            let picks: Vec<i64> = inside
                .iter()
                .enumerate()
                .map(|(lane, pick)| match (pick, result) {
                    (Some(pick), None) => *pick,
                    (Some(pick), Some(_)) => self.lanes + pick,
                    (None, Some(_)) => lane as i64,
                    (None, None) => 0,
                })
                .collect();
            for (done, pick) in done.iter_mut().zip(&inside) {
                *done |= pick.is_some();
            }
            let mask = Attr::i64s(self.at.context(), &picks);
            result = Some(self.at.value("vector.shuffle", &[result.unwrap_or(window), window], ty, &[("mask", mask)]));
        }
        result.expect("a pattern has lanes")
    }

    /// Stores a scalar, or the wanted lanes of a vector.
    pub(crate) fn store(&mut self, memory: &Memory, offset: &LaneIndex, value: Value, mask: Option<Value>) {
        let stored = self.stored(memory.elem);
        let value = self.to_stored(value, memory.elem);
        if offset.is_uniform() {
            self.write(memory.ptr, offset.ix, value);
            return;
        }
        let value = self.splat(value);
        match (&offset.lanes, mask) {
            (Lanes::Strided(1), None) => {
                let ptr = self.gep(memory.ptr, offset.ix, stored);
                self.at.op("llvm.store", &[value, ptr], &[], &[self.alignment(stored)]);
            }
            (Lanes::Strided(1), Some(mask)) => {
                if let Some(lanes) = self.noted_lanes(mask).filter(|_| self.accesses.store_pieces) {
                    return self.store_pieces(memory.ptr, offset.ix, (value, lanes));
                }
                let ptr = self.gep(memory.ptr, offset.ix, stored);
                self.at.op("llvm.intr.masked.store", &[value, ptr, mask], &[], &[self.alignment32(stored)]);
            }
            (lanes, mask) => {
                let mask = match mask {
                    Some(mask) => mask,
                    None => {
                        let yes = self.constant(Attr::integer(self.int(1), 1));
                        self.splat(yes)
                    }
                };
                let base = self.gep(memory.ptr, offset.ix, stored);
                let lanes = self.lane_vector(lanes);
                let ptrs_ty = Type::parse(self.at.context(), &format!("vector<{}x!llvm.ptr>", self.lanes))
                    .expect("a vector of pointers");
                let ptrs = self.gep_op(base, &[lanes], i64::from(i32::MIN), stored, ptrs_ty);
                self.at.op("llvm.intr.masked.scatter", &[value, ptrs, mask], &[], &[self.alignment32(stored)]);
            }
        }
    }

    /// Elements of scratch memory on the stack (of the whole kernel, so that loops do not grow it).
    pub(crate) fn stack(&mut self, elem: Type, count: i64) -> Value {
        let stored = self.stored(elem);
        let count = self.i64_constant(count.max(1));
        let ty = self.ptr();
        let at = self.entry();
        at.value(
            "llvm.alloca",
            &[count],
            ty,
            &[("elem_type", Attr::ty(stored)), ("alignment", Attr::integer(self.int(64), 64))],
        )
    }
}

/// Dense constants of a kernel: an internal global per attribute.
pub(crate) fn global(
    code: &mut IrBuilder,
    module: halyard_ir::Op,
    name: &str,
    attr: Attr,
    elem: Type,
) -> Supported<Value> {
    let context = code.at.context();
    let stored = code.stored(elem);
    let (bytes, splat) = halyard_ir::dense_bytes(attr).ok_or("a constant that is not dense")?;
    let width = stored.byte_width() as usize;
    let count = attr.value_type().element_count().ok_or("a constant of dynamic shape")? as usize;
    let unit = if elem.is_index() { 8 } else { elem.byte_width() as usize };
    if unit != width || splat {
        return Err(format!("a constant of `{}`", attr.value_type()).into());
    }
    // Raw bytes keep every value exactly, whatever the type.
    let text: String = bytes.iter().map(|b| format!("\\{b:02X}")).collect();
    let value = Attr::parse(context, &format!("\"{text}\"")).ok_or("a constant that cannot be written")?;
    let body = module.body().ok_or("a module without a body")?;
    let ty = Type::parse(context, &format!("!llvm.array<{} x i8>", count * width)).expect("an array type");
    let attrs = [
        ("sym_name", Attr::string(context, name)),
        ("global_type", Attr::ty(ty)),
        ("linkage", Attr::parse(context, "#llvm.linkage<internal>").expect("a linkage")),
        ("constant", Attr::unit(context)),
        ("alignment", Attr::integer(code.int(64), 64)),
        ("addr_space", Attr::integer(code.int(32), 0)),
        ("value", value),
    ];
    let op = halyard_ir::Builder::create(
        code.at.loc,
        "llvm.mlir.global",
        &[],
        &[],
        &attrs,
        vec![halyard_ir::Region::create()],
    );
    body.prepend(op);
    let ptr = code.ptr();
    let at = code.entry();
    Ok(at.value("llvm.mlir.addressof", &[], ptr, &[("global_name", Attr::symbol(context, name))]))
}
