//! Sizes: symbols, arithmetic on them, and their `index` values.
use super::{Context, require::shown};
use crate::onnx::{Dim, Elem, Outcome, Problem, Scalar, Value, dims::open, value::tensor_type};

impl Context<'_> {
    /// Returns the size with a key; `make` writes its computation if it is new.
    pub(crate) fn symbol(&mut self, key: String, make: impl FnOnce(&mut Self) -> String) -> Dim {
        if let Some(&symbol) = self.keys.get(&key) {
            return Dim::symbol(symbol);
        }
        let ssa = make(self);
        let dim = self.fresh_symbol(ssa);
        self.keys.insert(key, dim.terms()[0].0);
        dim
    }

    /// A size that equals no other; it is not negative.
    pub(crate) fn fresh_symbol(&mut self, ssa: String) -> Dim {
        self.symbols.push(ssa);
        Dim::symbol(self.symbols.len() - 1)
    }

    /// Returns the number of symbols: later ones have higher numbers.
    pub(crate) fn symbol_count(&self) -> usize {
        self.symbols.len()
    }

    /// Records that a size is not less than another one.
    pub(crate) fn assume_at_least(&mut self, a: &Dim, b: &Dim) {
        self.not_negative.insert(a.minus(b));
    }

    /// A value of the module with sizes that are known, or read from it.
    pub(crate) fn sized(&mut self, name: String, elem: Elem, dims: &[Option<Dim>]) -> Value {
        let ty = tensor_type(elem, &open(dims));
        let mut shape = Vec::new();
        for (i, d) in dims.iter().enumerate() {
            shape.push(match d {
                Some(d) => d.clone(),
                None => {
                    let at = self.index(&Dim::fixed(i as i64));
                    let size = self.w.value(format!("tensor.dim {name}, {at} : {ty}"));
                    self.fresh_symbol(size)
                }
            });
        }
        Value::new(name, elem, shape)
    }

    /// Records that an integer is not negative by construction.
    pub(crate) fn tighten(&mut self, number: &Dim) {
        for (symbol, _) in number.terms() {
            self.loose.remove(symbol);
        }
    }

    /// Makes a symbol like [`Context::fresh_symbol`], for an integer that may be negative.
    pub(crate) fn fresh_number(&mut self, ssa: String) -> Dim {
        let dim = self.fresh_symbol(ssa);
        self.loose.insert(dim.terms()[0].0);
        dim
    }

    /// Returns a size as an `index` value.
    pub(crate) fn index(&mut self, dim: &Dim) -> String {
        let dim = &self.settle_dim(dim);
        let key = dim.to_string();
        if let Some(ssa) = self.sizes.get(&key) {
            return ssa.clone();
        }
        let ssa = if let Some(size) = dim.get() {
            self.w.constant(format!("arith.constant {size} : index"))
        } else {
            let mut sum: Option<String> = None;
            for &(symbol, factor) in dim.terms() {
                let mut term = self.symbols[symbol].clone();
                if factor != 1 {
                    let factor = self.index(&Dim::fixed(factor));
                    term = self.w.value(format!("arith.muli {term}, {factor} : index"));
                }
                sum = Some(match sum {
                    Some(sum) => self.w.value(format!("arith.addi {sum}, {term} : index")),
                    None => term,
                });
            }
            let mut sum = sum.expect("a size that is not constant has a term");
            if dim.constant() != 0 {
                let constant = self.index(&Dim::fixed(dim.constant()));
                sum = self.w.value(format!("arith.addi {sum}, {constant} : index"));
            }
            sum
        };
        self.sizes.insert(key, ssa.clone());
        ssa
    }

    /// Whether it is surely not negative.
    pub(crate) fn is_size(&self, dim: &Dim) -> bool {
        let dim = &self.settle_dim(dim);
        if let Some(size) = dim.get() {
            return size >= 0;
        }
        // Models have the largest integer for "all": a constant near it may have wrapped around, and says nothing.
        let plain = |d: &Dim| {
            (0..1 << 62).contains(&d.constant())
                && d.terms().iter().all(|(s, factor)| *factor > 0 && !self.loose.contains(s))
        };
        plain(dim) || self.not_negative.iter().any(|known| plain(&dim.minus(&self.settle_dim(known))))
    }

    /// `sized`: whether the result is surely not negative.
    fn size_op(&mut self, name: &str, a: &Dim, b: &Dim, sized: bool) -> Dim {
        self.sized_symbol(format!("{name}({a},{b})"), sized, |c| {
            let (a, b) = (c.index(a), c.index(b));
            c.w.value(format!("{name} {a}, {b} : index"))
        })
    }

    /// Does the same as [`Context::symbol`]; `sized` states whether the symbol is surely not negative.
    fn sized_symbol(&mut self, key: String, sized: bool, make: impl FnOnce(&mut Self) -> String) -> Dim {
        let fresh = !self.keys.contains_key(&key);
        let dim = self.symbol(key, make);
        if fresh && !sized {
            self.loose.insert(dim.terms()[0].0);
        }
        dim
    }

    fn both(&self, a: &Dim, b: &Dim) -> bool {
        self.is_size(a) && self.is_size(b)
    }

    pub(crate) fn size_times(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (a, b) = (self.settle_dim(a), self.settle_dim(b));
        match (a.get(), b.get()) {
            (Some(a), _) => b.times(a),
            (_, Some(b)) => a.times(b),
            _ => {
                // Numbers go before the product and symbols are sorted, so that equal products are equal forms.
                let ((x, by), (y, times)) = (a.content(), b.content());
                let mut factors = [self.factors(&x), self.factors(&y)].concat();
                factors.sort();
                let mut product = factors[0].clone();
                for i in 1..factors.len() {
                    let (sized, key) = (self.both(&product, &factors[i]), format!("product {:?}", &factors[..=i]));
                    let next = self.sized_symbol(key, sized, |c| {
                        let (a, b) = (c.index(&product), c.index(&factors[i]));
                        c.w.value(format!("arith.muli {a}, {b} : index"))
                    });
                    self.products.insert(next.terms()[0].0, factors[..=i].to_vec());
                    product = next;
                }
                product.times(by.wrapping_mul(times))
            }
        }
    }

    /// Returns the factors of a size.
    fn factors(&self, dim: &Dim) -> Vec<Dim> {
        match dim.terms() {
            [(symbol, 1)] if dim.constant() == 0 => {
                self.products.get(symbol).cloned().unwrap_or_else(|| vec![dim.clone()])
            }
            _ => vec![dim.clone()],
        }
    }

    pub(crate) fn product<'d>(&mut self, dims: impl IntoIterator<Item = &'d Dim>) -> Dim {
        let mut sorted: Vec<_> = dims.into_iter().cloned().collect();
        // The same factors give the same size in any order.
        sorted.sort();
        sorted.iter().fold(Dim::fixed(1), |a, b| self.size_times(&a, b))
    }

    /// Divides toward zero; the dividend must not be negative, the divisor not 0.
    pub(crate) fn size_over(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (a, b) = (&self.settle_dim(a), &self.settle_dim(b));
        if a == b && !a.is(0) {
            return Dim::fixed(1);
        }
        match (a.get(), b.get()) {
            (Some(a), Some(b)) if b != 0 => Dim::fixed(a.wrapping_div(b)),
            (_, Some(b)) if a.exact_quotient(b).is_some() => a.exact_quotient(b).expect("just seen"),
            _ => self.size_op("arith.divsi", a, b, self.both(a, b)),
        }
    }

    pub(crate) fn size_rem(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (a, b) = (&self.settle_dim(a), &self.settle_dim(b));
        match (a.get(), b.get()) {
            (Some(a), Some(b)) if b != 0 => Dim::fixed(a.wrapping_rem(b)),
            (_, Some(b)) if a.exact_quotient(b).is_some() => Dim::fixed(0),
            _ => self.size_op("arith.remsi", a, b, self.is_size(a)),
        }
    }

    pub(crate) fn size_min(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (a, b) = (&self.settle_dim(a), &self.settle_dim(b));
        if let (Some(a), Some(b)) = (a.get(), b.get()) {
            return Dim::fixed(a.min(b));
        }
        if self.is_size(&b.minus(a)) {
            return a.clone();
        }
        if self.is_size(&a.minus(b)) {
            return b.clone();
        }
        let least = self.size_op("arith.minsi", a, b, self.both(a, b));
        self.minima.insert(least.terms()[0].0, [a.clone(), b.clone()]);
        least
    }

    pub(crate) fn size_max(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (a, b) = (&self.settle_dim(a), &self.settle_dim(b));
        if let (Some(a), Some(b)) = (a.get(), b.get()) {
            return Dim::fixed(a.max(b));
        }
        if self.is_size(&a.minus(b)) {
            return a.clone();
        }
        if self.is_size(&b.minus(a)) {
            return b.clone();
        }
        self.size_op("arith.maxsi", a, b, self.is_size(a) || self.is_size(b))
    }

    /// Whether one size is the other, clamped to a number above 1: they broadcast only if they are equal.
    pub(crate) fn is_cut(&self, a: &Dim, b: &Dim) -> bool {
        let cut = |a: &Dim, b: &Dim| {
            let [(symbol, 1)] = a.terms() else { return false };
            let of = self.minima.get(symbol).filter(|_| a.constant() == 0);
            of.is_some_and(|[x, y]| {
                let (x, y) = (self.settle_dim(x), self.settle_dim(y));
                (x == *b && y.get().is_some_and(|d| d > 1)) || (y == *b && x.get().is_some_and(|d| d > 1))
            })
        };
        cut(a, b) || cut(b, a)
    }

    /// `if a = 1 then b else a`: the size of two broadcast dimensions.
    pub(crate) fn size_broadcast(&mut self, a: &Dim, b: &Dim) -> Dim {
        let (a, b) = (&self.settle_dim(a), &self.settle_dim(b));
        self.sized_symbol(format!("broadcast({a},{b})"), self.both(a, b), |c| {
            let (a, b, one) = (c.index(a), c.index(b), c.index(&Dim::fixed(1)));
            let is_one = c.w.value(format!("arith.cmpi eq, {a}, {one} : index"));
            c.w.value(format!("arith.select {is_one}, {b}, {a} : index"))
        })
    }

    /// Reads sizes like [`Context::read_dims`], from a list of a length that is known from elsewhere than its type.
    pub(crate) fn read_dims_of(&mut self, value: &Value, count: Option<usize>) -> Outcome<Vec<Dim>> {
        let Some(count) = count.filter(|_| value.rank() == 1 && value.shape[0].get().is_none()) else {
            return self.read_dims(value);
        };
        self.require_size((value, 0), &Dim::fixed(count as i64), "one for each dimension")?;
        let value = self.settle(value);
        self.read_dims(&value)
    }

    /// The integers of a short list, in the form of sizes: known, or read when the program runs.
    pub(crate) fn read_dims(&mut self, value: &Value) -> Outcome<Vec<Dim>> {
        if let Some(dims) = value.as_dims() {
            return Ok(dims);
        }
        let count = value.count().filter(|&n| n <= 64 && value.rank() <= 1 && !value.elem.is_float());
        let Some(count) = count else {
            let (list, ty) = (shown(value), value.ty());
            return Err(if value.elem.is_float() {
                Problem::Invalid(format!("{list} of type `{ty}` is no list of sizes"))
            } else {
                Problem::Unsupported(format!(
                    "how many sizes {list} of type `{ty}` holds is not known at import; make it a constant, as by `--input-value`, or fix that by `--dim` or `--input-shape`"
                ))
            });
        };
        let ssa = self.ssa(value);
        let mut dims = Vec::new();
        for i in 0..count {
            let at = if value.rank() == 0 { Vec::new() } else { vec![Scalar::index(self.index(&Dim::fixed(i)))] };
            let read = self.body().extract(&ssa, &value.ty(), value.elem, &at);
            let index = self.body().to_index(&read);
            dims.push(self.fresh_number(index.name));
        }
        Ok(dims)
    }
}
