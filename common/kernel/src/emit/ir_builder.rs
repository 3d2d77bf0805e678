//! Emission: an insertion point, constants, value numbering by scope, structured loops.
use crate::emit::index::{Index, LaneIndex, Point};
use crate::graph::Memory;
use crate::graph::Unsupported;
use halyard_ir::{Attr, Block, Builder, Loc, Op, Region, Type, Value};
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

/// What is emitted, or why nothing is; the latter is not an error, see [`crate::EmitOutcome`].
pub(crate) type Supported<T> = Result<T, Unsupported>;

/// What one block already holds. Inner blocks see the scopes of outer ones.
#[derive(Default)]
pub(crate) struct Scope {
    /// Scalar and index operations, by operation, operands, type and attribute.
    numbers: HashMap<(&'static str, Vec<Value>, Type, Option<Attr>), Value>,
    /// Tensors at points.
    values: HashMap<(usize, i64, Point), Value>,
    /// Tensors in scratch memory.
    pub(crate) buffers: HashMap<usize, Buffer>,
    /// Reductions whose results stay in registers for the loops inside, each with the depth of its nest: the number of open roots.
    pub(crate) kept: BTreeSet<(usize, usize)>,
}

/// A tensor that stands in scratch memory within a scope.
#[derive(Clone)]
pub(crate) struct Buffer {
    /// The memory, over the kept dimensions.
    pub(crate) memory: Memory,
    /// For each dimension of the tensor: the index at which it is held, or that it is held from an offset on.
    pub(crate) dims: Vec<Residency>,
}

/// How a dimension of a tensor is held in scratch memory.
#[derive(Clone)]
pub(crate) enum Residency {
    /// Only this index.
    At(LaneIndex),
    /// These indices, as the next dimension of the memory, this many elements apart.
    Among(Vec<LaneIndex>, i64),
    /// All indices from this one on, as the next dimension of the memory.
    From(Index),
}

/// Loads an element as the type that would stand in memory; `None` if the place is no array of the kernel.
pub(crate) type ReadArray = fn(&mut IrBuilder, Value, Index, Type) -> Option<Value>;

/// How a machine loads and stores what is not a whole vector.
#[derive(Clone, Copy, Default)]
pub(crate) struct Accesses {
    /// The whole vectors that a vector of other lanes is put together from, at most.
    pub(crate) window_vectors: i64,
    /// How arrays that a kernel holds are read, on machines that have them.
    pub(crate) arrays: Option<ReadArray>,
    /// Whether the first lanes of a vector are stored in pieces, and not under a mask.
    pub(crate) store_pieces: bool,
    /// The bits of the narrowest elements that are loaded under a mask; of narrower ones, LLVM writes a branch for each lane.
    pub(crate) masked_load_bits: u32,
}

/// Builds the kernel's IR: every operation is emitted through it.
pub(crate) struct IrBuilder {
    /// Where operations go.
    pub(crate) at: Builder,
    /// Constants go before this operation of the entry block.
    marker: Op,
    constants: HashMap<Attr, Value>,
    scopes: Vec<Scope>,
    /// Lanes of a vector in the nest that is being emitted.
    pub(crate) lanes: i64,
    nsw: Attr,
    /// How what is not a whole vector is loaded and stored.
    pub(crate) accesses: Accesses,
    /// The masks of neighbouring lanes of which it is known which they are.
    pub(super) mask_lanes: HashMap<Value, Range<i64>>,
    index: Type,
}

impl IrBuilder {
    /// Starts in the entry block of the kernel. Indices have `bits` bits.
    pub(crate) fn new(entry: Block, loc: Loc, accesses: Accesses, bits: u32) -> IrBuilder {
        Self::starting(Builder::at_end(entry, loc), accesses, bits)
    }

    fn starting(at: Builder, accesses: Accesses, bits: u32) -> IrBuilder {
        let marker = at.index(0).def().expect("a constant is an operation");
        let index = Type::integer(at.context(), bits);
        let nsw = Attr::parse(at.context(), "#arith.overflow<nsw>").expect("an attribute of arith");
        let (constants, mask_lanes) = (HashMap::new(), HashMap::new());
        let scopes = vec![Scope::default()];
        IrBuilder { at, marker, constants, scopes, lanes: 1, nsw, accesses, mask_lanes, index }
    }

    /// Inside a function that is there already; constants go before its first operation.
    pub(crate) fn before(first: Op) -> IrBuilder {
        Self::starting(Builder::before(first), Accesses::default(), 64)
    }

    /// `i64`: the type of all index arithmetic on CPUs, and of MLIR's enumerations.
    pub(crate) fn i64(&self) -> Type {
        self.int(64)
    }

    /// The type of all index arithmetic.
    pub(crate) fn index_type(&self) -> Type {
        self.index
    }

    /// A constant of the type of index arithmetic.
    pub(crate) fn index_constant(&mut self, value: i64) -> Value {
        let attr = Attr::integer(self.index, value);
        self.constant(attr)
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

    /// Index arithmetic, which never wraps.
    pub(crate) fn flagged(&mut self, name: &'static str, a: Value, b: Value) -> Value {
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

    /// A call of a function of LLVM's.
    pub(crate) fn intrinsic(&mut self, name: &str, operands: &[Value], ty: Type) -> Value {
        let context = self.at.context();
        let array = |text: &str| Attr::parse(context, text).expect("an array");
        let attrs = [
            ("intrin", Attr::string(context, name)),
            ("operandSegmentSizes", array(&format!("array<i32: {}, 0>", operands.len()))),
            ("op_bundle_sizes", array("array<i32>")),
        ];
        self.at.value("llvm.call_intrinsic", operands, ty, &attrs)
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
            (Some(a), Some(b)) if a != b => {
                let both = self.math("arith.andi", &[a, b]);
                if let (Some(a), Some(b)) = (self.noted_lanes(a), self.noted_lanes(b)) {
                    self.note_lanes(both, a.start.max(b.start)..a.end.min(b.end));
                }
                Some(both)
            }
            (a, b) => a.or(b),
        }
    }

    /// The innermost scope.
    pub(crate) fn scope(&mut self) -> &mut Scope {
        self.scopes.last_mut().expect("the kernel's scope")
    }

    /// A tensor at a point, if some enclosing scope has it, under the same conditions or fewer. What is computed before the loops
    /// has none; what reads it for a padded image has those of the padding.
    pub(crate) fn recall(&self, tensor: usize, point: &Point) -> Option<Value> {
        let width = self.width(point);
        let Point { idx, mask, guard } = point;
        let under = |mask, guard| {
            let key = (tensor, width, Point { idx: idx.clone(), mask, guard });
            self.scopes.iter().rev().find_map(|s| s.values.get(&key)).copied()
        };
        under(*mask, *guard)
            .or_else(|| under(*mask, None).filter(|_| guard.is_some()))
            .or_else(|| under(None, *guard).filter(|_| mask.is_some()))
            .or_else(|| under(None, None).filter(|_| mask.is_some() && guard.is_some()))
    }

    /// Remembers a tensor at a point for the innermost scope.
    pub(crate) fn remember(&mut self, tensor: usize, point: &Point, value: Value) {
        let width = self.width(point);
        self.scope().values.insert((tensor, width, point.clone()), value);
    }

    /// The lanes of a value at a point; scalars are the same for all widths.
    fn width(&self, point: &Point) -> i64 {
        if point.is_uniform() { 1 } else { self.lanes }
    }

    /// The scratch memory that holds a tensor, if any does.
    pub(crate) fn buffer(&self, tensor: usize) -> Option<Buffer> {
        self.scopes.iter().rev().find_map(|s| s.buffers.get(&tensor)).cloned()
    }

    /// All tensors that some scratch memory holds.
    pub(crate) fn buffered(&self) -> BTreeSet<usize> {
        self.scopes.iter().flat_map(|s| s.buffers.keys().copied()).collect()
    }

    /// Whether the nest at this depth, the number of open roots, keeps a tensor in registers.
    pub(crate) fn keeps(&self, tensor: usize, roots: usize) -> bool {
        self.scopes.iter().any(|s| s.kept.contains(&(tensor, roots)))
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

impl Coder for IrBuilder {
    fn code(&mut self) -> &mut IrBuilder {
        self
    }
}

/// What tells LLVM to leave a loop a loop.
const ROLLED: (&str, &str) = ("llvm.loop_annotation", "#llvm.loop_annotation<unroll = <disable = true>>");

/// [`IrBuilder`] and what it is part of, so that loops can hand the whole emitter to their bodies.
pub(crate) trait Coder: Sized {
    /// The builder.
    fn code(&mut self) -> &mut IrBuilder;

    /// Emits a block: its arguments are `types`; `body` gives the operands of `scf.yield`.
    fn block(
        &mut self,
        types: &[Type],
        body: impl FnOnce(&mut Self, &[Value]) -> Supported<Vec<Value>>,
    ) -> Supported<Region> {
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
        (from, to, step): (Index, Index, Index),
        carried: &[Value],
        body: impl FnOnce(&mut Self, Index, &[Value]) -> Supported<Vec<Value>>,
    ) -> Supported<Vec<Value>> {
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
        let mut types = vec![self.code().index_type()];
        types.extend(carried.iter().map(|v| v.ty()));
        let region = self.block(&types, |this, args| body(this, Index::value(args[0]), &args[1..]))?;
        let mut operands = vec![from, to, step];
        operands.extend_from_slice(carried);
        Ok(self.code().at.op_with_regions("scf.for", &operands, &types[1..], &[], vec![region]).results())
    }

    /// [`Coder::for_loop`] with carried values that LLVM does not unroll: unrolled, it would keep in registers what two iterations load, and
    /// spill sums.
    fn rolled_loop(
        &mut self,
        bounds: (Index, Index, Index),
        carried: &[Value],
        body: impl FnOnce(&mut Self, Index, &[Value]) -> Supported<Vec<Value>>,
    ) -> Supported<Vec<Value>> {
        let results = self.for_loop(bounds, carried, body)?;
        if let Some(rolled) = results.first().and_then(|value| value.def()).filter(|op| op.is("scf.for")) {
            rolled
                .set_attr(ROLLED.0, Attr::parse(rolled.context(), ROLLED.1).expect("an attribute of the LLVM dialect"));
        }
        Ok(results)
    }

    /// `scf.if` with results.
    fn if_else(
        &mut self,
        condition: Value,
        types: &[Type],
        yes: impl FnOnce(&mut Self) -> Supported<Vec<Value>>,
        no: impl FnOnce(&mut Self) -> Supported<Vec<Value>>,
    ) -> Supported<Vec<Value>> {
        let yes = self.block(&[], |this, _| yes(this))?;
        let no = self.block(&[], |this, _| no(this))?;
        Ok(self.code().at.op_with_regions("scf.if", &[condition], types, &[], vec![yes, no]).results())
    }
}
