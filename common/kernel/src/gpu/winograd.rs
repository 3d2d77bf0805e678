//! Convolutions that `hal-import` wrote in Winograd's form become sums over windows again: what pays on a CPU, where a
//! stripe's transformed tiles stay in a cache, would be computed anew by each thread here, while a product in shared
//! memory takes windows as they are.
//!
//! The transform `U = G g Gᵀ` of a filter has a left inverse: a row of 3 numbers is two rows of `U` and the difference of
//! two others, scaled (A. Lavin and S. Gray, "Fast Algorithms for Convolutional Neural Networks", 2015, have the
//! matrices). That costs a rounding, as the transform did.
use halyard_ir::{Attr, Builder, Filtering, Op, Type, Value, names};

/// How the filters of one of the algorithms are had back.
struct Inverse {
    /// For each of the three numbers: which of the transformed ones it is, and its factor.
    take: [(i64, f64); 3],
    /// What is added to the second: another one times this.
    minus: (i64, f64),
    /// The algorithm.
    of: Filtering,
}

const ALGORITHMS: [Inverse; 2] = [
    Inverse { take: [(0, 1.0), (1, 1.0), (3, 1.0)], minus: (2, -1.0), of: Filtering::TWO },
    Inverse { take: [(0, 4.0), (2, 3.0), (5, 1.0)], minus: (1, -3.0), of: Filtering::FOUR },
];

/// The convolutions of a module.
pub(crate) fn rewrite(module: Op) {
    let mut found = Vec::new();
    module.walk(&mut |op| {
        for inverse in &ALGORITHMS {
            found.extend(Convolution::of(op, inverse));
        }
    });
    for convolution in found {
        convolution.rewrite();
    }
}

/// A convolution: its last operation, its input with padding, its transformed filters.
struct Convolution<'a> {
    back: Op,
    x: Value,
    u: Value,
    inverse: &'a Inverse,
}

impl<'a> Convolution<'a> {
    fn of(back: Op, inverse: &'a Inverse) -> Option<Self> {
        let generic = |op: Op, inputs: usize| op.is("linalg.generic") && op.operand_count() == inputs + 1;
        if !generic(back, 3) {
            return None;
        }
        let product = back.operand(0).def().filter(|p| generic(*p, 2) && p.has_attr(names::TRANSFORMED_FILTERS))?;
        let forth = product.operand(1).def().filter(|f| generic(*f, 3))?;
        let matrix = |of: Op, numbers: &[f32]| [1, 2].iter().all(|i| is_matrix(of.operand(*i), numbers));
        let (x, u) = (forth.operand(0), product.operand(0));
        let known = [x.ty(), u.ty(), back.result(0).ty()].iter().all(|t| t.is_static() && t.rank() >= 4);
        (known && matrix(forth, inverse.of.input) && matrix(back, inverse.of.output)).then_some(Self {
            back,
            x,
            u,
            inverse,
        })
    }

    fn rewrite(&self) {
        let (at, ty) = (Builder::before(self.back), self.back.result(0).ty());
        let filters = self.filters(&at, ty);
        let window = "d0, d4, d2 + d5, d3 + d6";
        let maps = [window, "d1, d4, d5, d6", "d0, d1, d2, d3"];
        let y = at.sum_of_products(&[self.x, filters], &maps, (4, 3), ty);
        self.back.result(0).replace_all_uses(y.result(0));
        self.back.erase();
    }

    /// The filters `[K, C, 3, 3]` from `[tile, tile, K / BLOCK, C, BLOCK]`.
    fn filters(&self, at: &Builder, result: Type) -> Value {
        let f32 = Type::f32(at.context());
        let (of_u, of_y) = (self.u.ty().shape(), result.shape());
        let block = of_u[4].expect("known sizes");
        let empty = at.value("tensor.empty", &[], Type::tensor(&[of_y[1], of_u[3], Some(3), Some(3)], f32), &[]);
        let filters = at.generic(&[], &["d0, d1, d2, d3"], (4, 0), empty, |at, _| {
            let at = Scalars(*at);
            let [f, c, row, column] = [0, 1, 2, 3].map(|d| at.loop_index(d));
            let (high, low) = (at.whole("arith.divui", f, block), at.whole("arith.remui", f, block));
            let element = |r: Value, s: Value| at.0.value("tensor.extract", &[self.u, r, s, high, c, low], f32, &[]);
            let (rows, columns) = (self.places(&at, row), self.places(&at, column));
            // Along the columns, then along the rows.
            let along = |r: Value| columns.combine(&at, element(r, columns.first), element(r, columns.second));
            rows.combine(&at, along(rows.first), along(rows.second))
        });
        filters.result(0)
    }

    /// Which transformed numbers one of three is made of.
    fn places(&self, at: &Scalars, of: Value) -> Places {
        let take = self.inverse.take;
        let [first, middle] = [0, 1].map(|n| at.is(of, n));
        let choose = |values: [Value; 3]| at.select(first, values[0], at.select(middle, values[1], values[2]));
        let (second, minus) = self.inverse.minus;
        Places {
            first: choose(take.map(|(place, _)| at.0.index(place))),
            factor: choose(take.map(|(_, factor)| at.number(factor))),
            second: at.0.index(second),
            minus: at.number(minus),
            middle,
        }
    }
}

/// Two places, the factors of what stands there, and whether the second one counts.
struct Places {
    first: Value,
    factor: Value,
    second: Value,
    minus: Value,
    middle: Value,
}

impl Places {
    fn combine(&self, at: &Scalars, first: Value, second: Value) -> Value {
        let one = at.float("arith.mulf", first, self.factor);
        let both = at.float("arith.addf", one, at.float("arith.mulf", second, self.minus));
        at.select(self.middle, both, one)
    }
}

/// Scalars in the body of a generic operation.
struct Scalars(Builder);

impl Scalars {
    fn loop_index(&self, d: i64) -> Value {
        let i64 = Type::integer(self.0.context(), 64);
        self.0.value("linalg.index", &[], Type::index(self.0.context()), &[("dim", Attr::integer(i64, d))])
    }

    fn whole(&self, name: &str, a: Value, b: i64) -> Value {
        self.0.value(name, &[a, self.0.index(b)], a.ty(), &[])
    }

    fn float(&self, name: &str, a: Value, b: Value) -> Value {
        self.0.value(name, &[a, b], a.ty(), &[])
    }

    fn number(&self, value: f64) -> Value {
        self.0.constant(Attr::float(Type::f32(self.0.context()), value))
    }

    fn is(&self, a: Value, number: i64) -> Value {
        let equal = Attr::integer(Type::integer(self.0.context(), 64), 0);
        let bool = Type::integer(self.0.context(), 1);
        self.0.value("arith.cmpi", &[a, self.0.index(number)], bool, &[("predicate", equal)])
    }

    fn select(&self, condition: Value, a: Value, b: Value) -> Value {
        self.0.value("arith.select", &[condition, a, b], a.ty(), &[])
    }
}

/// Whether a value is a constant matrix of these numbers, row-major.
fn is_matrix(value: Value, numbers: &[f32]) -> bool {
    let Some(dense) = value.def().filter(|d| d.is("arith.constant")).and_then(|d| d.attr("value")) else {
        return false;
    };
    let Some((bytes, false)) = halyard_ir::dense_bytes(dense) else { return false };
    let found = bytes.chunks_exact(4).map(|b| f32::from_ne_bytes([b[0], b[1], b[2], b[3]]));
    value.ty().element() == Type::f32(value.ty().context()) && found.eq(numbers.iter().copied())
}
