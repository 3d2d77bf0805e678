//! Identifies sizes that a check made equal.
use super::Context;
use crate::onnx::{
    Dim, Known, Quantised, Value,
    value::{Ragged, Words, tensor_type},
};
use std::rc::Rc;

impl Context<'_> {
    /// Identifies two sizes from here on, if one of them is a symbol that the other can replace.
    pub(super) fn equate(&mut self, a: &Dim, b: &Dim) {
        let (a, b) = (self.settle_dim(a), self.settle_dim(b));
        let difference = a.minus(&b);
        // An integer of the data is replaced by a size, a later symbol by an earlier one.
        let candidate = difference
            .terms()
            .iter()
            .filter(|(symbol, factor)| {
                let rest = difference.minus(&Dim::symbol(*symbol).times(*factor));
                // A size with a constant beside it (`max(n - 1, 0)` is `n - 1`) says of the other that it is large enough.
                let plain = rest.constant() == 0 || !self.loose.contains(symbol);
                factor.abs() == 1 && (rest.terms().is_empty() || rest.terms().len() == 1 && plain)
            })
            .max_by_key(|(symbol, _)| (self.loose.contains(symbol), *symbol))
            .copied();
        let Some((symbol, factor)) = candidate else { return };
        let own = Dim::symbol(symbol);
        let stands = difference.minus(&own.times(factor)).times(-factor);
        if stands.get().is_some_and(|d| d < 0) {
            return;
        }
        // The one of both that was not negative says so of the other.
        if !self.loose.contains(&symbol)
            && let [(other, 1..)] = stands.terms()
        {
            if stands.constant() <= 0 {
                self.loose.remove(other);
            }
            if stands.constant() != 0 {
                self.not_negative.insert(stands.clone());
            }
        }
        let key = stands.to_string();
        if stands.get().is_none() && !self.sizes.contains_key(&key) && !self.symbols[symbol].is_empty() {
            let ssa = self.symbols[symbol].clone();
            self.sizes.insert(key, ssa);
        }
        self.stand(symbol, &stands);
        // Products of it are others now.
        let of_it = |d: &Dim| d.terms().iter().any(|t| t.0 == symbol);
        let products: Vec<_> = self
            .products
            .iter()
            .filter(|(_, factors)| factors.iter().any(of_it))
            .map(|(p, f)| (*p, f.clone()))
            .collect();
        for (symbol, factors) in products {
            let now = self.product(&factors);
            if !self.equal.contains_key(&symbol) && now.terms().iter().all(|t| t.0 != symbol) {
                self.stand(symbol, &now);
            }
        }
    }

    fn stand(&mut self, symbol: usize, stands: &Dim) {
        let own = Dim::symbol(symbol);
        for known in self.equal.values_mut() {
            if let Some(&(_, factor)) = known.terms().iter().find(|t| t.0 == symbol) {
                *known = known.minus(&own.times(factor)).plus(&stands.times(factor));
            }
        }
        self.equal.insert(symbol, stands.clone());
    }

    /// Rewrites a size in terms of symbols that are still distinct.
    pub(crate) fn settle_dim(&self, dim: &Dim) -> Dim {
        if self.equal.is_empty() {
            return dim.clone();
        }
        dim.terms().iter().fold(Dim::fixed(dim.constant()), |sum, &(symbol, factor)| {
            let stands = self.equal.get(&symbol).cloned().unwrap_or_else(|| Dim::symbol(symbol));
            sum.plus(&stands.times(factor))
        })
    }

    pub(crate) fn settle_shape(&self, shape: &[Dim]) -> Vec<Dim> {
        shape.iter().map(|d| self.settle_dim(d)).collect()
    }

    /// Returns a value with all that is known now about its shape.
    pub(crate) fn settle(&mut self, value: &Value) -> Value {
        if self.equal.is_empty() {
            return value.clone();
        }
        if let Some(Words::Spans(bytes)) = &value.words {
            let words = Some(Words::Spans(Rc::new(self.settle(bytes))));
            let numbers = self.settle(&Value { words: None, ..value.clone() });
            return Value { words, ..numbers };
        }
        if let Some(list) = &value.sequence {
            let list = list.iter().map(|v| self.settle(v)).collect();
            return Value { sequence: Some(Rc::new(list)), ..value.clone() };
        }
        if let Some(r) = &value.ragged {
            let now = Ragged { data: self.settle(&r.data), table: self.settle(&r.table), rank: r.rank };
            return Value { label: value.label.clone(), ..Value::of_ragged(now) };
        }
        if let Some(Known::Dims(dims)) = &value.known {
            let now = self.settle_shape(dims);
            if now == **dims {
                return value.clone();
            }
            return Value { label: value.label.clone(), ..Value::dims(value.elem, value.shape.clone(), now) };
        }
        let shape = self.settle_shape(&value.shape);
        if shape == value.shape {
            return value.clone();
        }
        let quantised =
            value.quantised.as_deref().cloned().map(|q| Rc::new(Quantised { numbers: self.settle(&q.numbers), ..q }));
        if tensor_type(value.elem, &shape) == value.ty() {
            return Value { shape, quantised, ..value.clone() };
        }
        Value { label: value.label.clone(), quantised, words: value.words.clone(), ..self.cast(value, &shape) }
    }
}
