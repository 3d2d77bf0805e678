//! Walks down a tree: one step per level.
use super::forest::{EQUAL, GREATER, LESS, UNORDERED};
use crate::onnx::{Body, Elem, Order, Scalar};

/// The arrays that a walk reads.
pub(super) struct Walk {
    pub(super) rows: (String, String),
    pub(super) nodes: (String, String),
    /// Splits in f64.
    pub(super) splits: Option<(String, String)>,
    /// The number of steps of the longest path.
    pub(super) depth: i64,
    /// The last branch, and the last feature.
    pub(super) last: (i64, i64),
    pub(super) truth: Option<u8>,
    pub(super) elem: Elem,
}

/// A number of an array as an index that is at most `last`. Arrays are right by construction: nothing is checked, and nothing
/// leaves memory even so.
pub(super) fn held(b: &mut Body<'_>, number: &Scalar, last: i64) -> Scalar {
    let last = b.int(Elem::I32, last);
    let number = Scalar::new(number.name.clone(), Elem::U32);
    let last = Scalar::new(last.name, Elem::U32);
    let at = b.min(&number, &last);
    b.to_index(&at)
}

impl Walk {
    /// The leaf that a row reaches from a root.
    pub(super) fn leaf(&self, b: &mut Body<'_>, root: &Scalar, row: &Scalar, last: i64) -> Scalar {
        let zero = b.int(Elem::I32, 0);
        let [first, one, depth] = [0, 1, self.depth].map(|n| b.index_constant(n));
        let (step, at) = (b.w.name(), b.w.name());
        let head = format!(
            "scf.for {step} = {} to {} step {} iter_args({at} = {}) -> (i32) {{",
            first.name, depth.name, one.name, root.name
        );
        let found = b.w.open_values(1, &head).remove(0);
        let at = Scalar::new(at, Elem::I32);
        // Few trees are as deep everywhere: at a leaf nothing is read.
        let inner = b.compare(Order::Ge, &at, &zero);
        let next = b.w.open_values(1, &format!("scf.if {} -> (i32) {{", inner.name)).remove(0);
        let below = self.step(b, &at, row);
        b.w.line(format!("scf.yield {} : i32", below.name));
        b.w.between("} else {");
        b.w.line(format!("scf.yield {} : i32", at.name));
        b.w.close("}");
        b.w.line(format!("scf.yield {next} : i32"));
        b.w.close("}");
        let minus = b.int(Elem::I32, -1);
        let leaf = b.sub(&minus, &Scalar::new(found, Elem::I32));
        held(b, &leaf, last)
    }

    /// Returns the next node after a branch.
    fn step(&self, b: &mut Body<'_>, at: &Scalar, row: &Scalar) -> Scalar {
        let at = held(b, at, self.last.0);
        let column = |b: &mut Body<'_>, i: i64| {
            let i = b.index_constant(i);
            b.extract(&self.nodes.0, &self.nodes.1, Elem::I32, &[at.clone(), i])
        };
        let (word, yes, no) = (column(b, 0), column(b, 2), column(b, 3));
        let split = match &self.splits {
            Some((ssa, ty)) => b.extract(ssa, ty, self.elem, std::slice::from_ref(&at)),
            None => {
                let bits = column(b, 1);
                Scalar::new(b.w.value(format!("arith.bitcast {} : i32 to f32", bits.name)), Elem::F32)
            }
        };
        let (mut feature, four) = (word.clone(), b.int(Elem::I32, 4));
        if self.truth.is_none() {
            let shifted = b.w.value(format!("arith.shrui {}, {} : i32", word.name, four.name));
            feature = Scalar::new(shifted, Elem::I32);
        }
        let feature = held(b, &feature, self.last.1);
        let x = b.extract(&self.rows.0, &self.rows.1, self.elem, &[row.clone(), feature]);
        let holds = match self.truth {
            Some(truth) => {
                let kind = if truth & UNORDERED != 0 { 'u' } else { 'o' };
                let name = match truth & !UNORDERED {
                    t if t == LESS => "lt",
                    t if t == LESS | EQUAL => "le",
                    t if t == GREATER => "gt",
                    t if t == GREATER | EQUAL => "ge",
                    t if t == EQUAL => "eq",
                    _ => "ne",
                };
                let ty = self.elem.mlir();
                let text = format!("arith.cmpf {kind}{name}, {}, {} : {ty}", x.name, split.name);
                Scalar::new(b.w.value(text), Elem::Bool)
            }
            None => {
                let (less, equal, greater) = (
                    b.compare(Order::Lt, &x, &split),
                    b.compare(Order::Eq, &x, &split),
                    b.compare(Order::Gt, &x, &split),
                );
                let mut outcome = b.int(Elem::I32, UNORDERED.into());
                for (flag, bit) in [(less, LESS), (equal, EQUAL), (greater, GREATER)] {
                    let bit = b.int(Elem::I32, bit.into());
                    outcome = b.select(&flag, &bit, &outcome);
                }
                let (both, none) = (b.and(&word, &outcome), b.int(Elem::I32, 0));
                let missed = b.compare(Order::Eq, &both, &none);
                b.not(&missed)
            }
        };
        b.select(&holds, &yes, &no)
    }
}
