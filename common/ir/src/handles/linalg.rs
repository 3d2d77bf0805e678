//! Reads properties of linalg operations, and builds generic ones.
use super::{Affine, Attr, Block, Builder, Op, Region, Type, Value};
use mlir_sys::*;

/// The operations that choose one of two numbers, in any order and as often as one likes.
pub const EXTREMES: &[&str] = &[
    "arith.maximumf",
    "arith.minimumf",
    "arith.maxnumf",
    "arith.minnumf",
    "arith.maxsi",
    "arith.minsi",
    "arith.maxui",
    "arith.minui",
];

/// The divisions of integers, which have no meaning where the divisor is zero.
pub const INTEGER_DIVISIONS: &[&str] = &[
    "arith.divsi",
    "arith.divui",
    "arith.remsi",
    "arith.remui",
    "arith.floordivsi",
    "arith.ceildivsi",
    "arith.ceildivui",
];

/// The loop structure of a linalg operation, named or generic.
#[derive(Debug, Clone)]
pub struct Structured {
    /// The indexing map of each operand, from loops to dimensions. Inputs first, then inits.
    pub maps: Vec<Affine>,
    /// The number of inputs; the operands after them are inits, one per result.
    pub inputs: usize,
}

impl Structured {
    /// The structure of a structured linalg operation on tensors; `None` for other operations (`linalg.softmax`,
    /// `linalg.pack` and the like have no indexing maps).
    pub fn of(op: Op) -> Option<Self> {
        // SAFETY: the operation is live; the C API gives null for anything that is not a structured operation.
        let attr = unsafe { mlirLinalgGetIndexingMapsAttribute(op.0) };
        if attr.ptr.is_null() {
            return None;
        }
        let maps: Vec<Affine> = Attr(attr).as_array()?.into_iter().filter_map(Attr::as_affine_map).collect();
        let inputs = maps.len().checked_sub(op.result_count())?;
        Some(Self { maps, inputs })
    }

    /// Returns the number of loops.
    pub fn loops(&self) -> usize {
        self.maps.first().map_or(0, |m| m.dims())
    }

    /// For each loop, returns whether it is parallel: it indexes the inits. The others are reductions.
    pub fn parallel(&self) -> Vec<bool> {
        let mut parallel = vec![false; self.loops()];
        for expression in self.maps[self.inputs..].iter().flat_map(|map| map.results()) {
            for (d, flag) in parallel.iter_mut().enumerate() {
                *flag |= expression.uses_dim(d);
            }
        }
        parallel
    }
}

/// Whether a linalg operation is a contraction: sums of products over projected permutations (matmul and its kin).
pub fn is_contraction(op: Op) -> bool {
    // SAFETY: the operation is live; any operation may be asked.
    unsafe { mlirLinalgIsAContractionOp(op.0) }
}

/// Whether a linalg operation slides a window over its input: a convolution or a pooling.
pub fn is_convolution(op: Op) -> bool {
    // SAFETY: the operation is live; any operation may be asked.
    unsafe { mlirLinalgIsAConvolutionOp(op.0) }
}

impl Builder {
    /// A `linalg.generic` of `loops.0` parallel and `loops.1` reduction loops, `d0`, `d1`, …, with one result, whose
    /// elements start as those of `init`. The maps are the right-hand sides of affine maps: of the inputs, then of the
    /// result. The body is given the elements of the inputs and of the result, and gives the new one.
    pub fn generic(
        &self,
        inputs: &[Value],
        maps: &[&str],
        loops: (usize, usize),
        init: Value,
        body: impl FnOnce(&Builder, &[Value]) -> Value,
    ) -> Op {
        let context = self.context();
        let parse = |text: String| Attr::parse(context, &text).expect("an attribute of linalg");
        let dims: Vec<String> = (0..loops.0 + loops.1).map(|d| format!("d{d}")).collect();
        let maps =
            maps.iter().map(|m| parse(format!("affine_map<({}) -> ({m})>", dims.join(", ")))).collect::<Vec<_>>();
        let mut iterators = vec![parse("#linalg.iterator_type<parallel>".into()); loops.0];
        iterators.resize(loops.0 + loops.1, parse("#linalg.iterator_type<reduction>".into()));
        let operands = [inputs, &[init]].concat();
        let elements: Vec<Type> = operands.iter().map(|v| v.ty().element()).collect();
        let block = Block::create(&elements, self.loc);
        let inside = Builder::at_end(block, self.loc);
        let result = body(&inside, &block.args());
        inside.op("linalg.yield", &[result], &[], &[]);
        let region = Region::create();
        region.append(block);
        let attrs = [
            ("indexing_maps", Attr::array(context, &maps)),
            ("iterator_types", Attr::array(context, &iterators)),
            ("operandSegmentSizes", Attr::i32s(context, &[inputs.len() as i32, 1])),
        ];
        self.op_with_regions("linalg.generic", &operands, &[init.ty()], &attrs, vec![region])
    }

    /// A tensor of narrower floats as `f32`.
    pub fn as_f32(&self, value: Value) -> Value {
        let (context, shape) = (self.context(), value.ty().shape());
        let (f32, index) = (Type::f32(context), Type::index(context));
        let open = (0..shape.len()).filter(|&d| shape[d].is_none());
        let sizes: Vec<Value> =
            open.map(|d| self.value("tensor.dim", &[value, self.index(d as i64)], index, &[])).collect();
        let empty = self.value("tensor.empty", &sizes, Type::tensor(&shape, f32), &[]);
        let map = (0..shape.len()).map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ");
        let widen = |at: &Builder, elements: &[Value]| at.value("arith.extf", &elements[..1], f32, &[]);
        self.generic(&[value], &[&map, &map], (shape.len(), 0), empty, widen).result(0)
    }

    /// A [`generic`](Self::generic) that sums products of its inputs, from zero: of floats, or of integers. `empty` is a tensor for them.
    pub fn sum_of_products(&self, inputs: &[Value], maps: &[&str], loops: (usize, usize), empty: Value) -> Op {
        let elem = empty.ty().element();
        let (zero, multiply, add) = match elem.is_integer() {
            true => (Attr::integer(elem, 0), "arith.muli", "arith.addi"),
            false => (Attr::float(elem, 0.0), "arith.mulf", "arith.addf"),
        };
        let init = self.fill(self.constant(zero), empty);
        self.generic(inputs, maps, loops, init, |at, elements| {
            let (sum, factors) = elements.split_last().expect("an element of the result");
            let product = factors[1..].iter().fold(factors[0], |p, f| at.value(multiply, &[p, *f], elem, &[]));
            at.value(add, &[*sum, product], elem, &[])
        })
    }
}
