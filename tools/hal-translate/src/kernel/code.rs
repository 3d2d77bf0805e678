//! Emission: an insertion point, constants, value numbering by scope, structured loops.
use super::ix::{Idx, Ix, Lanes, Point};
use super::memory::Memory;
use halyard_ir::{Attr, Block, Builder, Loc, Op, Region, Type, Value};
use std::{collections::HashMap, rc::Rc};

/// Why a body is not emitted, in words; not an error, see [`super::Outcome`].
pub(crate) type Emitted<T> = Result<T, String>;

/// What one block already holds. Inner blocks see the scopes of outer ones.
#[derive(Default)]
pub(crate) struct Scope {
    /// Scalar and index operations, by operation, operands, type and attribute.
    numbers: HashMap<(&'static str, Vec<Value>, Type, Option<Attr>), Value>,
    /// Tensors at points.
    values: HashMap<(usize, i64, Point), Value>,
    /// Tensors in scratch memory.
    pub(crate) buffers: HashMap<usize, Buffer>,
}

/// A tensor that stands in scratch memory within a scope.
#[derive(Clone)]
pub(crate) struct Buffer {
    /// The memory, over the kept dimensions.
    pub(crate) memory: Memory,
    /// For each dimension of the tensor: the index at which it is held, or that it is held from an offset on.
    pub(crate) dims: Vec<Held>,
}

/// How a dimension of a tensor is held in scratch memory.
#[derive(Clone)]
pub(crate) enum Held {
    /// Only this index.
    At(Idx),
    /// These indices, as the next dimension of the memory, this many elements apart.
    Among(Vec<Idx>, i64),
    /// All indices from this one on, as the next dimension of the memory.
    From(Ix),
}

/// The emitter's hand: everything that is written goes through it.
pub(crate) struct Code {
    /// Where operations go.
    pub(crate) at: Builder,
    /// Constants go before this operation of the entry block.
    marker: Op,
    constants: HashMap<Attr, Value>,
    scopes: Vec<Scope>,
    /// Lanes of a vector in the nest that is being emitted.
    pub(crate) lanes: i64,
    nsw: Attr,
}

impl Code {
    /// Starts in the entry block of the kernel.
    pub(crate) fn new(entry: Block, loc: Loc) -> Code {
        let at = Builder::at_end(entry, loc);
        let marker = at.index(0).def().expect("a constant is an operation");
        let nsw = Attr::parse(at.context(), "#arith.overflow<nsw>").expect("an attribute of arith");
        Code { at, marker, constants: HashMap::new(), scopes: vec![Scope::default()], lanes: 1, nsw }
    }

    /// `i64`, the type of all index arithmetic.
    pub(crate) fn i64(&self) -> Type {
        self.int(64)
    }

    /// An integer type.
    pub(crate) fn int(&self, bits: u32) -> Type {
        Type::integer(self.at.context(), bits)
    }

    /// `!llvm.ptr`.
    pub(crate) fn ptr(&self) -> Type {
        Type::parse(self.at.context(), "!llvm.ptr").expect("a type of LLVM's dialect")
    }

    /// A vector of the nest's lanes.
    pub(crate) fn vector(&self, element: Type) -> Type {
        Type::vector(self.lanes, element)
    }

    /// A constant, made once, in the entry block.
    pub(crate) fn constant(&mut self, value: Attr) -> Value {
        if let Some(&known) = self.constants.get(&value) {
            return known;
        }
        let made = self.entry().constant(value);
        self.constants.insert(value, made);
        made
    }

    /// The place for what must stand once, at the start of the kernel.
    pub(crate) fn entry(&self) -> Builder {
        Builder { before: Some(self.marker), block: self.marker.block().expect("in the entry"), loc: self.at.loc }
    }

    /// An `i64` constant.
    pub(crate) fn i64_constant(&mut self, value: i64) -> Value {
        let attr = Attr::integer(self.i64(), value);
        self.constant(attr)
    }

    /// A constant of a scalar type: an integer's value or the nearest float.
    pub(crate) fn number(&mut self, ty: Type, value: f64) -> Value {
        let attr = if ty.is_float() { Attr::float(ty, value) } else { Attr::integer(ty, value as i64) };
        self.constant(attr)
    }

    /// A constant vector of `i64`.
    pub(crate) fn i64_vector(&mut self, values: &[i64]) -> Value {
        let text: Vec<String> = values.iter().map(i64::to_string).collect();
        let attr =
            Attr::parse(self.at.context(), &format!("dense<[{}]> : vector<{}xi64>", text.join(", "), values.len()));
        self.constant(attr.expect("a dense vector"))
    }

    /// A pure operation, made once in a scope.
    pub(crate) fn pure(
        &mut self,
        name: &'static str,
        operands: &[Value],
        ty: Type,
        attr: Option<(&str, Attr)>,
    ) -> Value {
        let key = (name, operands.to_vec(), ty, attr.map(|a| a.1));
        if let Some(&known) = self.scopes.iter().rev().find_map(|s| s.numbers.get(&key)) {
            return known;
        }
        let attrs: Vec<_> = attr.into_iter().collect();
        let made = self.at.value(name, operands, ty, &attrs);
        self.scope().numbers.insert(key, made);
        made
    }

    /// A unary or binary operation of the type of its first operand.
    pub(crate) fn math(&mut self, name: &'static str, operands: &[Value]) -> Value {
        self.pure(name, operands, operands[0].ty(), None)
    }

    fn flagged(&mut self, name: &'static str, a: Value, b: Value) -> Value {
        self.pure(name, &[a, b], a.ty(), Some(("overflowFlags", self.nsw)))
    }

    /// `arith.cmpi` by predicate number (0 eq, 1 ne, 2 slt, 3 sle, 4 sgt, 5 sge, 6 ult, 7 ule).
    pub(crate) fn compare(&mut self, predicate: i64, a: Value, b: Value) -> Value {
        let i1 = self.int(1);
        let ty = if a.ty().is_vector() { Type::vector(a.ty().element_count().expect("static"), i1) } else { i1 };
        let attr = Attr::integer(self.i64(), predicate);
        self.pure("arith.cmpi", &[a, b], ty, Some(("predicate", attr)))
    }

    /// `arith.select`.
    pub(crate) fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        self.pure("arith.select", &[condition, yes, no], yes.ty(), None)
    }

    /// A scalar in all lanes; a vector as it is.
    pub(crate) fn splat(&mut self, value: Value) -> Value {
        if value.ty().is_vector() || self.lanes == 1 {
            return value;
        }
        let ty = self.vector(value.ty());
        self.pure("vector.broadcast", &[value], ty, None)
    }

    /// Both conditions, where either may be absent.
    pub(crate) fn and(&mut self, a: Option<Value>, b: Option<Value>) -> Option<Value> {
        match (a, b) {
            (Some(a), Some(b)) => Some(if a == b { a } else { self.math("arith.andi", &[a, b]) }),
            (a, b) => a.or(b),
        }
    }

    // ---- index arithmetic

    /// An index as an SSA value.
    pub(crate) fn ix(&mut self, ix: Ix) -> Value {
        match ix.base {
            None => self.i64_constant(ix.add),
            Some(base) if ix.add == 0 => base,
            Some(base) => {
                let add = self.i64_constant(ix.add);
                self.flagged("arith.addi", base, add)
            }
        }
    }

    /// The sum.
    pub(crate) fn add(&mut self, a: Ix, b: Ix) -> Ix {
        let add = a.add + b.add;
        let base = match (a.base, b.base) {
            (Some(a), Some(b)) => Some(self.flagged("arith.addi", a, b)),
            (a, b) => a.or(b),
        };
        Ix { base, add }
    }

    /// The difference.
    pub(crate) fn sub(&mut self, a: Ix, b: Ix) -> Ix {
        let add = a.add - b.add;
        let base = match (a.base, b.base) {
            (Some(a), Some(b)) if a == b => None,
            (Some(a), Some(b)) => Some(self.flagged("arith.subi", a, b)),
            (None, Some(b)) => {
                let zero = self.i64_constant(0);
                Some(self.flagged("arith.subi", zero, b))
            }
            (a, None) => a,
        };
        Ix { base, add }
    }

    /// The product.
    pub(crate) fn mul(&mut self, a: Ix, b: Ix) -> Ix {
        match (a.known(), b.known()) {
            (Some(a), Some(b)) => Ix::constant(a * b),
            (Some(0), _) | (_, Some(0)) => Ix::ZERO,
            (Some(1), _) => b,
            (_, Some(1)) => a,
            (None, Some(c)) => {
                let factor = self.i64_constant(c);
                let base = self.flagged("arith.muli", a.base.expect("not known"), factor);
                Ix { base: Some(base), add: a.add * c }
            }
            (Some(_), None) => self.mul(b, a),
            (None, None) => {
                let (a, b) = (self.ix(a), self.ix(b));
                Ix::value(self.flagged("arith.muli", a, b))
            }
        }
    }

    /// A division of operation `name`, of numbers that are not negative unless `name` says so.
    pub(crate) fn divide(&mut self, name: &'static str, a: Ix, b: Ix) -> Ix {
        if let (Some(a), Some(b)) = (a.known(), b.known()) {
            if b != 0 {
                return Ix::constant(match name {
                    "arith.remui" | "arith.remsi" => a.rem_euclid(b),
                    "arith.ceildivsi" => -((-a).div_euclid(b)),
                    _ => a.div_euclid(b),
                });
            }
        }
        if b.known() == Some(1) {
            return if name.contains("rem") { Ix::ZERO } else { a };
        }
        let (a, b) = (self.ix(a), self.ix(b));
        Ix::value(self.math(name, &[a, b]))
    }

    /// The smaller one.
    pub(crate) fn min(&mut self, a: Ix, b: Ix) -> Ix {
        match (a.known(), b.known()) {
            (Some(x), Some(y)) => Ix::constant(x.min(y)),
            _ if a == b => a,
            _ => {
                let (a, b) = (self.ix(a), self.ix(b));
                Ix::value(self.math("arith.minsi", &[a, b]))
            }
        }
    }

    /// The larger one.
    pub(crate) fn max(&mut self, a: Ix, b: Ix) -> Ix {
        match (a.known(), b.known()) {
            (Some(x), Some(y)) => Ix::constant(x.max(y)),
            _ if a == b => a,
            _ => {
                let (a, b) = (self.ix(a), self.ix(b));
                Ix::value(self.math("arith.maxsi", &[a, b]))
            }
        }
    }

    /// What the lanes add, as a vector of `i64`.
    pub(crate) fn lane_vector(&mut self, lanes: &Lanes) -> Value {
        match lanes {
            Lanes::Same => self.i64_vector(&vec![0; self.lanes as usize]),
            Lanes::Step(step) => {
                let values: Vec<i64> = (0..self.lanes).map(|l| l * step).collect();
                self.i64_vector(&values)
            }
            Lanes::Known(values) => self.i64_vector(values),
            Lanes::Vector(value) => *value,
        }
    }

    /// The index of every lane as a vector of `i64`.
    pub(crate) fn idx_vector(&mut self, idx: &Idx) -> Value {
        let base = self.ix(idx.ix);
        let base = self.splat(base);
        if idx.is_same() {
            return base;
        }
        let lanes = self.lane_vector(&idx.lanes);
        self.flagged("arith.addi", base, lanes)
    }

    /// An index as an SSA value: a scalar if all lanes share it, otherwise a vector.
    pub(crate) fn idx(&mut self, idx: &Idx) -> Value {
        if idx.is_same() { self.ix(idx.ix) } else { self.idx_vector(idx) }
    }

    fn known_lanes(&self, lanes: &Lanes) -> Option<Rc<[i64]>> {
        match lanes {
            Lanes::Same => Some(vec![0; self.lanes as usize].into()),
            Lanes::Step(step) => Some((0..self.lanes).map(|l| l * step).collect()),
            Lanes::Known(values) => Some(values.clone()),
            Lanes::Vector(_) => None,
        }
    }

    fn lanes_of(values: Vec<i64>) -> Lanes {
        if values.iter().all(|&v| v == 0) {
            return Lanes::Same;
        }
        let step = if values.len() > 1 { values[1] - values[0] } else { 0 };
        if values[0] == 0 && values.windows(2).all(|w| w[1] - w[0] == step) {
            return Lanes::Step(step);
        }
        Lanes::Known(values.into())
    }

    /// The sum of two lane indices.
    pub(crate) fn idx_add(&mut self, a: &Idx, b: &Idx) -> Idx {
        let ix = self.add(a.ix, b.ix);
        let lanes = match (&a.lanes, &b.lanes) {
            (Lanes::Same, other) | (other, Lanes::Same) => other.clone(),
            (a, b) => match (self.known_lanes(a), self.known_lanes(b)) {
                (Some(a), Some(b)) => Self::lanes_of(a.iter().zip(b.iter()).map(|(a, b)| a + b).collect()),
                _ => {
                    let (a, b) = (self.lane_vector(a), self.lane_vector(b));
                    Lanes::Vector(self.flagged("arith.addi", a, b))
                }
            },
        };
        Idx { ix, lanes }
    }

    /// A lane index times a scalar.
    pub(crate) fn idx_scale(&mut self, a: &Idx, by: Ix) -> Idx {
        let ix = self.mul(a.ix, by);
        let lanes = match (&a.lanes, by.known()) {
            (Lanes::Same, _) | (_, Some(0)) => Lanes::Same,
            (lanes, Some(1)) => lanes.clone(),
            (Lanes::Step(step), Some(c)) => Lanes::Step(step * c),
            (Lanes::Known(values), Some(c)) => Self::lanes_of(values.iter().map(|v| v * c).collect()),
            (lanes, _) => {
                let lanes = self.lane_vector(lanes);
                let by = self.ix(by);
                let by = self.splat(by);
                Lanes::Vector(self.flagged("arith.muli", lanes, by))
            }
        };
        Idx { ix, lanes }
    }

    /// A lane index divided by a scalar, see [`Self::divide`].
    pub(crate) fn idx_divide(&mut self, name: &'static str, a: &Idx, by: Ix) -> Idx {
        if a.is_same() {
            return Idx::same(self.divide(name, a.ix, by));
        }
        if let (Some(base), Some(by), Some(lanes)) = (a.ix.known(), by.known(), self.known_lanes(&a.lanes)) {
            let values = lanes.iter().map(|l| {
                let of = base + l;
                match name {
                    "arith.remui" | "arith.remsi" => of.rem_euclid(by),
                    "arith.ceildivsi" => -((-of).div_euclid(by)),
                    _ => of.div_euclid(by),
                }
            });
            return Idx { ix: Ix::ZERO, lanes: Self::lanes_of(values.collect()) };
        }
        let a = self.idx_vector(a);
        let by = self.ix(by);
        let by = self.splat(by);
        let value = self.math(name, &[a, by]);
        Idx { ix: Ix::ZERO, lanes: Lanes::Vector(value) }
    }

    /// A scalar or vector SSA value of an integer or index type as a lane index.
    pub(crate) fn idx_of(&mut self, value: Value) -> Idx {
        let i64 = self.i64();
        let element = value.ty().element();
        let ty = if value.ty().is_vector() { self.vector(i64) } else { i64 };
        let value = if element == i64 {
            value
        } else if element.is_index() {
            self.pure("arith.index_cast", &[value], ty, None)
        } else {
            self.pure("arith.extsi", &[value], ty, None)
        };
        if ty.is_vector() { Idx { ix: Ix::ZERO, lanes: Lanes::Vector(value) } } else { Idx::same(Ix::value(value)) }
    }

    // ---- scopes

    /// The innermost scope.
    pub(crate) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the kernel's scope")
    }

    /// A tensor at a point, if some enclosing scope has it.
    pub(crate) fn recall(&self, tensor: usize, point: &Point) -> Option<Value> {
        let key = (tensor, self.lanes, point.clone());
        self.scopes.iter().rev().find_map(|s| s.values.get(&key)).copied()
    }

    /// Remembers a tensor at a point for the innermost scope.
    pub(crate) fn remember(&mut self, tensor: usize, point: &Point, value: Value) {
        let lanes = self.lanes;
        self.scope().values.insert((tensor, lanes, point.clone()), value);
    }

    /// The scratch memory that holds a tensor, if any does.
    pub(crate) fn buffer(&self, tensor: usize) -> Option<Buffer> {
        self.scopes.iter().rev().find_map(|s| s.buffers.get(&tensor)).cloned()
    }

    /// Opens a scope in the same block.
    pub(crate) fn enter(&mut self) {
        self.scopes.push(Scope::default());
    }

    /// Closes it.
    pub(crate) fn leave(&mut self) {
        self.scopes.pop();
    }
}

/// What [`Code`] is part of, so that loops can hand the whole emitter to their bodies.
pub(crate) trait Coder: Sized {
    /// The hand.
    fn code(&mut self) -> &mut Code;

    /// Emits a block: its arguments are `types`; `body` gives the operands of `scf.yield`.
    fn block(
        &mut self,
        types: &[Type],
        body: impl FnOnce(&mut Self, &[Value]) -> Emitted<Vec<Value>>,
    ) -> Emitted<Region> {
        let region = Region::create();
        let loc = self.code().at.loc;
        let block = Block::create(types, loc);
        region.append(block);
        let outer = std::mem::replace(&mut self.code().at, Builder::at_end(block, loc));
        self.code().scopes.push(Scope::default());
        let yielded = body(self, &block.args());
        if let Ok(yielded) = &yielded {
            self.code().at.op("scf.yield", yielded, &[], &[]);
        }
        self.code().scopes.pop();
        self.code().at = outer;
        // On failure the whole kernel is thrown away, and this region with it is leaked once.
        yielded.map(|_| region)
    }

    /// `for i = from; i < to; i += step` with carried values. A loop of at most one known step becomes straight code.
    fn for_loop(
        &mut self,
        (from, to, step): (Ix, Ix, Ix),
        carried: &[Value],
        body: impl FnOnce(&mut Self, Ix, &[Value]) -> Emitted<Vec<Value>>,
    ) -> Emitted<Vec<Value>> {
        let span = self.code().sub(to, from).known();
        if let (Some(span), Some(step)) = (span, step.known()) {
            if span <= 0 {
                return Ok(carried.to_vec());
            }
            if span <= step {
                self.code().scopes.push(Scope::default());
                let result = body(self, from, carried);
                self.code().scopes.pop();
                return result;
            }
        }
        let (from, to, step) = (self.code().ix(from), self.code().ix(to), self.code().ix(step));
        let mut types = vec![self.code().i64()];
        types.extend(carried.iter().map(|v| v.ty()));
        let region = self.block(&types, |this, args| body(this, Ix::value(args[0]), &args[1..]))?;
        let mut operands = vec![from, to, step];
        operands.extend_from_slice(carried);
        Ok(self.code().at.op_with_regions("scf.for", &operands, &types[1..], &[], vec![region]).results())
    }

    /// `scf.if` with results.
    fn if_else(
        &mut self,
        condition: Value,
        types: &[Type],
        yes: impl FnOnce(&mut Self) -> Emitted<Vec<Value>>,
        no: impl FnOnce(&mut Self) -> Emitted<Vec<Value>>,
    ) -> Emitted<Vec<Value>> {
        let yes = self.block(&[], |this, _| yes(this))?;
        let no = self.block(&[], |this, _| no(this))?;
        Ok(self.code().at.op_with_regions("scf.if", &[condition], types, &[], vec![yes, no]).results())
    }
}
