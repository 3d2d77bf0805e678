//! Where the counters of loops are in their bodies.
use super::{
    sizes::{Sizes, is_wide},
    symbols::Sym,
};
use halyard_ir::{Bound, ForallLoop, Op, Value};

/// A loop, as far as sizes are concerned.
#[derive(Debug, Clone)]
pub(super) struct Counter {
    /// The number that the counter is made of: itself where it goes in steps of 1, else the number of the iteration.
    pub(super) atom: Sym,
    /// The least and the greatest value of that, if the loop runs at all.
    pub(super) ends: (Sym, Sym),
    /// Where the loop starts, and where it ends: it runs if that is above.
    pub(super) bounds: (Sym, Sym),
}

impl Sizes {
    /// Learns how far the counters of a loop go, until what was learned is forgotten. Gives them.
    pub(super) fn enter_loop(&mut self, op: Op) -> Vec<Counter> {
        let Some(body) = op.body() else { return Vec::new() };
        if op.is("scf.forall") {
            let loops = ForallLoop::all(op).into_iter().zip(body.args());
            return loops.map(|(l, counter)| self.enter(counter, [l.lower, l.upper, l.step])).collect();
        }
        let counter = body.args().first().copied().filter(|counter| op.is("scf.for") && is_wide(*counter));
        counter.map(|counter| self.enter(counter, [0, 1, 2].map(|i| Bound::Given(op.operand(i))))).into_iter().collect()
    }

    fn enter(&mut self, counter: Value, bounds: [Bound; 3]) -> Counter {
        let [from, to, step] = bounds.map(|bound| match bound {
            Bound::Known(n) => Sym::constant(n),
            Bound::Given(value) => self.scalar(value),
        });
        let one = Sym::constant(1);
        let bounds = (from.clone(), to.clone());
        if step == one {
            let atom = self.scalar(counter);
            let last = self.symbols.sub(&to, &one);
            let (first, rest) = (self.symbols.sub(&atom, &from), self.symbols.sub(&last, &atom));
            self.learn_of_loop(&[first, rest]);
            return Counter { atom, ends: (from, last), bounds };
        }
        let atom = self.symbols.iteration(counter);
        let way = self.symbols.mul(&step, &atom);
        let value = self.symbols.add(&from, &way);
        self.say(counter, value.clone());
        let span = self.symbols.sub(&to, &from);
        let rounded = self.symbols.node("arith.ceildivsi", vec![span, step]);
        let last = self.symbols.sub(&rounded, &one);
        let rest = self.symbols.sub(&last, &atom);
        let below = self.symbols.sub(&to, &value);
        let below = self.symbols.sub(&below, &one);
        self.learn_of_loop(&[rest, below]);
        Counter { atom, ends: (Sym::constant(0), last), bounds }
    }

    fn learn_of_loop(&mut self, facts: &[Sym]) {
        for fact in facts {
            let fact = self.symbols.normal(fact);
            self.symbols.learn_of_loop(&fact);
        }
    }
}
