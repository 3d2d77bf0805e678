//! Argmin and argmax: reductions of two results, an element and where it is, that both change when a comparison says
//! so. Each lane keeps the best of the elements that it sees; in the end lanes meet in the order of their positions, so
//! that of equals the first or the last wins as it would one by one.
use crate::Emitter;
use crate::analysis::extreme::Extreme;
use crate::emit::index::Point;
use crate::emit::ir_builder::Supported;
use halyard_ir::{Attr, Value};
use std::collections::HashMap;

/// An element and its position.
type Best = [Value; 2];

impl Emitter<'_> {
    /// The chains and lanes of all domains, each result of each chain after the other, brought together.
    pub(crate) fn best_of(&mut self, extreme: &Extreme, carried: &[Value], domains: usize) -> Supported<Vec<Value>> {
        let mut results = Vec::new();
        for domain in 0..domains {
            let chains =
                carried.chunks(2 * domains).map(|c| [c[2 * domain + extreme.at], c[2 * domain + 1 - extreme.at]]);
            let mut best: Option<Best> = None;
            for chain in chains {
                best = Some(match best {
                    Some(best) => self.better(extreme, best, chain)?,
                    None => chain,
                });
            }
            let best = self.best_lane(extreme, best.ok_or("a reduction of nothing")?)?;
            results.extend([best[extreme.at], best[1 - extreme.at]]);
        }
        Ok(results)
    }

    fn best_lane(&mut self, extreme: &Extreme, mut best: Best) -> Supported<Best> {
        let lanes = self.code.lanes;
        while self.code.lanes > 2 {
            let half = self.code.lanes / 2;
            let context = self.code.at.context();
            let part = |from: i64| {
                best.map(|v| {
                    let picks = Attr::i64s(context, &(from..from + half).collect::<Vec<_>>());
                    let ty = halyard_ir::Type::vector(half, v.ty().element());
                    self.code.at.value("vector.shuffle", &[v, v], ty, &[("mask", picks)])
                })
            };
            let (low, high) = (part(0), part(half));
            self.code.lanes = half;
            best = self.better(extreme, low, high)?;
        }
        let context = self.code.at.context();
        let lane = |at: i64| {
            let position = ("static_position", Attr::i64s(context, &[at]));
            best.map(|v| self.code.at.value("vector.extract", &[v], v.ty().element(), &[position]))
        };
        let (low, high) = (lane(0), lane(1));
        self.code.lanes = 1;
        let best = self.better(extreme, low, high);
        self.code.lanes = lanes;
        best
    }

    /// The better of two: what stands first has been seen before.
    fn better(&mut self, extreme: &Extreme, a: Best, b: Best) -> Supported<Best> {
        // Signed, less than.
        let swapped = self.code.compare(2, b[1], a[1]);
        let mut choose =
            |yes: Best, no: Best| -> Best { std::array::from_fn(|k| self.code.select(swapped, yes[k], no[k])) };
        let (old, new) = (choose(b, a), choose(a, b));
        let mut known = HashMap::from([
            (extreme.element, new[0]),
            (extreme.here, new[1]),
            (extreme.before[0], old[0]),
            (extreme.before[1], old[1]),
        ]);
        let take = self.expression(extreme.take, &mut known, &Point::new(Vec::new()))?;
        Ok(std::array::from_fn(|k| self.code.select(take, new[k], old[k])))
    }
}
