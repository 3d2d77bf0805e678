//! What a value of a body depends on, and the computation of it in another place. Numbers of type `index` become `i64`: a
//! device may count with fewer bits, and an index that is out of range must not come back into it.
use super::space::{Space, loop_of};
use halyard_ir::{Attr, Builder, Op, Type, Value};
use std::collections::{BTreeSet, HashMap};

/// What a value of a body depends on.
#[derive(Debug, Default)]
pub(super) struct Needs {
    /// Arguments of the body.
    pub(super) arguments: BTreeSet<usize>,
    /// Loops.
    pub(super) loops: BTreeSet<usize>,
    seen: BTreeSet<usize>,
}

impl Needs {
    /// Of some values; `None` where one depends on what an earlier step of a loop has left.
    pub(super) fn of(space: &Space, values: &[Value]) -> Option<Self> {
        let mut needs = Self::default();
        values.iter().try_for_each(|v| needs.visit(space, *v))?;
        let structured = space.structured.as_ref()?;
        for argument in &needs.arguments {
            let map = structured.maps[*argument];
            let used = (0..structured.loops()).filter(|d| map.results().iter().any(|e| e.uses_dim(*d)));
            needs.loops.extend(used);
        }
        // What a result starts from is an input like others where it is not summed up.
        let parallel = structured.parallel().iter().all(|p| *p);
        let starts = needs.arguments.iter().any(|a| *a >= structured.inputs);
        (parallel || !starts).then_some(needs)
    }

    fn visit(&mut self, space: &Space, value: Value) -> Option<()> {
        let Some(op) = value.def() else {
            let parent = value.argument_block().and_then(|b| b.parent())?;
            if parent == space.op {
                self.arguments.insert(value.index());
            } else if parent.is_inside(space.op) {
                return None;
            }
            return Some(());
        };
        if op == space.op || !op.is_inside(space.op) || !self.seen.insert(op.0.ptr as usize) {
            return Some(());
        }
        if op.is("linalg.index") {
            self.loops.insert(loop_of(op));
        }
        outside(op).into_iter().try_for_each(|v| self.visit(space, v))
    }
}

/// The operands of an operation, and what its regions use from outside.
fn outside(op: Op) -> Vec<Value> {
    crate::dispatch::graph::all_operands(op)
}

/// Computes values of a body in another place.
pub(super) struct Copier {
    /// The operation whose body it is.
    pub(super) root: Op,
    /// The values are computed beside where they are: what has regions is used as it is.
    pub(super) beside: bool,
    pub(super) at: Builder,
    /// What stands for the values of the body there.
    pub(super) map: HashMap<Value, Value>,
    /// The loops of the body as loops of the other place.
    pub(super) loops: Vec<usize>,
}

impl Copier {
    fn i64(&self) -> Type {
        Type::integer(self.at.context(), 64)
    }

    fn index(&self) -> Type {
        Type::index(self.at.context())
    }

    fn ty(&self, ty: Type) -> Type {
        if ty.is_index() { self.i64() } else { ty }
    }

    /// A value; an `index` as `i64`.
    pub(super) fn value(&mut self, value: Value) -> Value {
        if let Some(known) = self.map.get(&value) {
            return *known;
        }
        let own = value.def().filter(|op| *op != self.root && op.is_inside(self.root));
        let own = own.filter(|op| !(self.beside && !op.regions().is_empty()));
        let made = match own {
            Some(op) => {
                let results = self.operation(op);
                self.map.extend(op.results().into_iter().zip(results));
                return self.map[&value];
            }
            None if value.ty().is_index() => self.at.value("arith.index_cast", &[value], self.i64(), &[]),
            None => value,
        };
        self.map.insert(value, made);
        made
    }

    fn operation(&mut self, op: Op) -> Vec<Value> {
        let name = op.name();
        match &*name {
            "linalg.index" => {
                let d = self.loops.iter().position(|l| *l == loop_of(op)).expect("a loop that is needed");
                let dim = Attr::integer(self.i64(), d as i64);
                let index = self.at.value("linalg.index", &[], self.index(), &[("dim", dim)]);
                vec![self.at.value("arith.index_cast", &[index], self.i64(), &[])]
            }
            "arith.constant" if op.result(0).ty().is_index() => {
                let value = op.attr("value").and_then(Attr::as_int).expect("an `index` constant is a number");
                vec![self.at.constant(Attr::integer(self.i64(), value))]
            }
            "arith.index_cast" | "arith.index_castui" => {
                let from = self.value(op.operand(0));
                let to = self.ty(op.result(0).ty());
                let cast = match from.ty().bits().cmp(&to.bits()) {
                    std::cmp::Ordering::Equal => return vec![from],
                    std::cmp::Ordering::Greater => "arith.trunci",
                    std::cmp::Ordering::Less if name.ends_with("ui") => "arith.extui",
                    std::cmp::Ordering::Less => "arith.extsi",
                };
                vec![self.at.value(cast, &[from], to, &[])]
            }
            name if name.starts_with("arith.") => {
                let operands: Vec<Value> = op.operands().into_iter().map(|v| self.value(v)).collect();
                let types: Vec<Type> = op.results().into_iter().map(|r| self.ty(r.ty())).collect();
                let attrs = op.attrs();
                let attrs: Vec<(&str, Attr)> = attrs.iter().map(|(n, a)| (&**n, *a)).collect();
                self.at.op(name, &operands, &types, &attrs).results()
            }
            _ => self.duplicate(op),
        }
    }

    /// An operation as it is, with the types that it has.
    fn duplicate(&mut self, op: Op) -> Vec<Value> {
        let mut replaced = HashMap::new();
        for value in outside(op) {
            let mut new = self.value(value);
            if value.ty().is_index() {
                new = self.at.value("arith.index_cast", &[new], self.index(), &[]);
            }
            replaced.insert(value, new);
        }
        let copy = self.at.insert(op.duplicate());
        copy.walk(&mut |inner| {
            for (i, operand) in inner.operands().into_iter().enumerate() {
                if let Some(new) = replaced.get(&operand) {
                    inner.set_operand(i, *new);
                }
            }
        });
        let cast = |result: Value| match result.ty().is_index() {
            true => self.at.value("arith.index_cast", &[result], self.i64(), &[]),
            false => result,
        };
        copy.results().into_iter().map(cast).collect()
    }
}
