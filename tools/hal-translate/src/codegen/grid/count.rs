//! Makes the function that computes the workgroup count of a grid from the constants of an export.
use super::{
    Workgroups,
    forall::{Axes, Forall},
};
use crate::codegen::frame::constant_count;
use halyard_ir::{Attr, Block, Bound, Builder, ForallLoop, Op, Region, Type, Value, form::Interface};
use std::collections::HashMap;

/// Makes it, in no block. `None`: a bound depends on more than sizes and scalars.
pub(super) fn function(export: Op, interface: &Interface, workgroups: &Workgroups, name: &str) -> Option<Op> {
    let (context, loc) = (export.context(), export.loc());
    let index = Type::index(context);
    let inputs = vec![index; constant_count(interface)];
    let body = Block::create(&inputs, loc);
    let at = Builder::at_end(body, loc);
    let mut copier =
        Copier { at, interface, constants: body.args(), args: export.body()?.args(), made: HashMap::new() };
    let counts = copier.counts(&workgroups.foralls);
    // One at least, where something is to be done without any iteration.
    let least = |count: Value| match workgroups.counts_rest() {
        true => at.value("arith.maxsi", &[count, at.index(1)], index, &[]),
        false => count,
    };
    let counts = counts.map(|counts| counts.map(least));
    let region = Region::create();
    region.append(body);
    let attrs = [
        ("sym_name", Attr::string(context, name)),
        ("function_type", Attr::ty(Type::function(context, &inputs, &[index; 3]))),
    ];
    let function = Builder::create(loc, "func.func", &[], &[], &attrs, vec![region]);
    match counts {
        Some(counts) => {
            at.op("func.return", &counts, &[], &[]);
            Some(function)
        }
        None => {
            function.erase();
            None
        }
    }
}

/// Copies what bounds are computed with.
struct Copier<'i> {
    at: Builder,
    interface: &'i Interface,
    /// The arguments of the function that counts.
    constants: Vec<Value>,
    /// The arguments of the export.
    args: Vec<Value>,
    made: HashMap<Value, Value>,
}

impl Copier<'_> {
    fn counts(&mut self, foralls: &[Forall]) -> Option<[Value; 3]> {
        let at = self.at;
        let one = at.index(1);
        let mut counts = [one; 3];
        let index = Type::index(at.context());
        if let [only @ Forall { axes: Axes::Apart(axes), .. }] = foralls {
            for (l, &axis) in only.loops().into_iter().zip(axes) {
                counts[axis] = self.trips(l)?;
            }
            return Some(counts);
        }
        let mut sum: Option<Value> = None;
        for forall in foralls {
            let mut product = one;
            for l in forall.loops() {
                let trips = self.trips(l)?;
                product = at.value("arith.muli", &[product, trips], index, &[]);
            }
            sum = Some(sum.map_or(product, |sum| at.value("arith.addi", &[sum, product], index, &[])));
        }
        counts[0] = sum?;
        Some(counts)
    }

    fn trips(&mut self, l: ForallLoop) -> Option<Value> {
        let mut copy = |bound: Bound| match bound {
            Bound::Known(n) => Some(Bound::Known(n)),
            Bound::Given(value) => self.value(value).map(Bound::Given),
        };
        let l = ForallLoop { lower: copy(l.lower)?, upper: copy(l.upper)?, step: copy(l.step)? };
        Some(l.trips_at(&self.at))
    }

    fn value(&mut self, value: Value) -> Option<Value> {
        if let Some(&made) = self.made.get(&value) {
            return Some(made);
        }
        let made = match value.def() {
            None => self.argument(value)?,
            Some(def) if def.is("tensor.dim") => self.size(def.operand(0), def.operand(1).constant()?)?,
            Some(def) => {
                let name = def.name();
                let arithmetic = ["arith.", "affine.", "index."].iter().any(|dialect| name.starts_with(dialect));
                let numbers = def.results().iter().all(|r| r.ty().is_index() || r.ty().is_integer());
                if !arithmetic || !numbers || !def.regions().is_empty() {
                    return None;
                }
                let operands: Vec<Value> = def.operands().into_iter().map(|v| self.value(v)).collect::<Option<_>>()?;
                let copy = def.duplicate();
                copy.set_operands(&operands);
                self.at.insert(copy).results().get(value.index()).copied()?
            }
        };
        self.made.insert(value, made);
        Some(made)
    }

    /// A scalar argument of the export, which is passed as an `index`.
    fn argument(&self, value: Value) -> Option<Value> {
        let i = self.args.iter().position(|&a| a == value)?;
        let scalars = self.interface.scalar_inputs();
        let at = scalars.iter().position(|&s| s == i)?;
        let passed = self.constants[self.constants.len() - scalars.len() + at];
        match self.interface.inputs[i] {
            ty if ty.is_index() => Some(passed),
            ty if ty.is_integer() => Some(self.at.value("arith.index_cast", &[passed], ty, &[])),
            _ => None,
        }
    }

    /// The size of a tensor in a dimension.
    fn size(&mut self, tensor: Value, d: i64) -> Option<Value> {
        let d = usize::try_from(d).ok()?;
        let shape = tensor.ty().shape();
        if let Some(known) = *shape.get(d)? {
            return Some(self.at.index(known));
        }
        let dynamic = |shape: &[Option<i64>]| shape.iter().filter(|size| size.is_none()).count();
        let before = dynamic(&shape[..d]);
        match tensor.def() {
            None => {
                let i = self.args.iter().position(|&a| a == tensor)?;
                let tensors = self.interface.tensor_inputs();
                let sizes = tensors.iter().filter(|&&t| t < i).map(|&t| dynamic(&self.interface.inputs[t].shape()));
                Some(self.constants[sizes.sum::<usize>() + before])
            }
            Some(def) if def.is("tensor.empty") => self.value(def.operand(before)),
            Some(def) if def.is("linalg.fill") => self.size(def.operand(1), d as i64),
            Some(_) => None,
        }
    }
}
