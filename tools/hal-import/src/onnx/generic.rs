//! `linalg.generic`: elementwise operations with broadcasting, reductions, and anything else with a body.
use super::{
    Body, Context, Dim, Elem, Num, Outcome, Scalar, Tensor, Value,
    context::require::{Rule, dimension},
    evaluate,
    problem::invalid,
    tensor::broadcast_source,
};

/// A dimension of an iteration space.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Iter {
    Parallel,
    Reduction,
}

/// How an operand of an elementwise operation is read.
enum Read {
    /// A constant in the body.
    Constant(Elem, Num),
    /// An operand with the dimensions that its map names.
    Operand(Value, Vec<usize>),
    /// Element by element: whether a dimension is 1 is not known at import.
    Gather(Value),
}

impl Context<'_> {
    /// A `linalg.generic`. `ins` are values, or windows of which only the shape counts, with the results of their
    /// indexing maps over `d0`, `d1` …; `outs` likewise are the initial values of the results. `body` is given the
    /// scalars of inputs, then of outputs.
    pub(crate) fn generic(
        &mut self,
        iters: &[Iter],
        ins: &[(&Value, String)],
        outs: &[(&Value, String)],
        body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Vec<Scalar>,
    ) -> Vec<Value> {
        self.marked_generic("", iters, ins, outs, body)
    }

    /// As [`Context::generic`], with attributes: `name = value`, or nothing.
    pub(crate) fn marked_generic(
        &mut self,
        attrs: &str,
        iters: &[Iter],
        ins: &[(&Value, String)],
        outs: &[(&Value, String)],
        body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Vec<Scalar>,
    ) -> Vec<Value> {
        let space: Vec<_> = (0..iters.len()).map(|i| format!("d{i}")).collect();
        let space = space.join(", ");
        let maps: Vec<_> = ins.iter().chain(outs).map(|(_, map)| format!("affine_map<({space}) -> ({map})>")).collect();
        let kinds: Vec<_> =
            iters.iter().map(|i| if *i == Iter::Parallel { "\"parallel\"" } else { "\"reduction\"" }).collect();
        let mut list = |values: &[(&Value, String)]| {
            let names: Vec<_> = values.iter().map(|(v, _)| self.ssa(v)).collect();
            let types: Vec<_> = values.iter().map(|(v, _)| v.ty()).collect();
            format!("({} : {})", names.join(", "), types.join(", "))
        };
        let inputs = if ins.is_empty() { String::new() } else { format!(" ins{}", list(ins)) };
        let outputs = list(outs);
        let marks = if attrs.is_empty() { String::new() } else { format!(" attrs = {{{attrs}}}") };
        let head = format!(
            "linalg.generic {{indexing_maps = [{}], iterator_types = [{}]}}{inputs} outs{outputs}{marks} {{",
            maps.join(", "),
            kinds.join(", ")
        );
        let names = self.w.open_values(outs.len(), &head);
        let elems: Vec<_> = ins.iter().chain(outs).map(|(v, _)| v.elem).collect();
        let types: Vec<_> = elems.iter().map(|e| e.mlir()).collect();
        let args = self.w.block(&types);
        let args: Vec<_> = args.into_iter().zip(elems).map(|(n, e)| Scalar::new(n, e)).collect();
        let results = body(&mut Body { w: &mut self.w }, &args);
        for (result, (out, _)) in results.iter().zip(outs) {
            if result.elem.map(Elem::mlir) != Some(out.elem.mlir()) {
                let got = result.elem.map_or("index", Elem::mlir);
                self.w.fault(format!("a result of type `{}` would be of type `{got}`", out.elem.mlir()));
            }
        }
        let result_names: Vec<_> = results.iter().map(|s| s.name.as_str()).collect();
        let result_types: Vec<_> = outs.iter().map(|(v, _)| v.elem.mlir()).collect();
        self.w.line(format!("linalg.yield {} : {}", result_names.join(", "), result_types.join(", ")));
        let types: Vec<_> = outs.iter().map(|(v, _)| v.ty()).collect();
        let types = if types.len() == 1 { types[0].clone() } else { format!("({})", types.join(", ")) };
        self.w.close(&format!("}} -> {types}"));
        names.into_iter().zip(outs).map(|(n, (v, _))| Value::new(n, v.elem, v.shape.clone())).collect()
    }

    /// The shape that shapes broadcast to. Errors: they do not.
    pub(crate) fn broadcast_shape(&mut self, shapes: &[&[Dim]]) -> Outcome<Vec<Dim>> {
        self.level(shapes, |_, _| "a dimension".to_owned())?;
        let shapes: Vec<_> = shapes.iter().map(|s| self.settle_shape(s)).collect();
        let rank = shapes.iter().map(|s| s.len()).max().unwrap_or(0);
        let mut out = Vec::with_capacity(rank);
        for at in 0..rank {
            let here: Vec<_> = shapes
                .iter()
                .filter(|s| at + s.len() >= rank)
                .map(|s| s[at + s.len() - rank].clone())
                .filter(|d| !d.is(1))
                .collect();
            let fixed: Vec<_> = here.iter().filter_map(Dim::get).collect();
            out.push(if let Some(&first) = fixed.first() {
                if fixed.iter().any(|&d| d != first) {
                    let shapes: Vec<_> = shapes.iter().map(|s| shape_text(s)).collect();
                    return invalid(format!("shapes {} do not broadcast", shapes.join(" and ")));
                }
                Dim::fixed(first)
            } else {
                let mut distinct = here;
                distinct.dedup();
                match distinct.split_first() {
                    None => Dim::fixed(1),
                    Some((first, rest)) => {
                        let size = rest
                            .iter()
                            .fold(first.clone(), |a, b| if a == *b { a } else { self.size_broadcast(&a, b) });
                        // The first is what the result is, unless it is 1.
                        self.granted(&Rule::Fits(first.clone(), size.clone()));
                        size
                    }
                }
            });
        }
        Ok(out)
    }

    /// An elementwise operation: `body` is given a scalar of each input, with numpy's broadcasting.
    pub(crate) fn elementwise(
        &mut self,
        inputs: &[Value],
        elem: Elem,
        body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Scalar,
    ) -> Outcome<Value> {
        let inputs = &*self.levelled(inputs)?;
        let shapes: Vec<_> = inputs.iter().map(|v| &*v.shape).collect();
        let shape = self.broadcast_shape(&shapes)?;
        self.elementwise_to(&shape, inputs, elem, body)
    }

    /// Values that are broadcast to each other, after their sizes have been levelled.
    fn levelled(&mut self, inputs: &[Value]) -> Outcome<Vec<Value>> {
        let shapes: Vec<_> = inputs.iter().map(|v| &*v.shape).collect();
        self.level(&shapes, |at, d| dimension(&inputs[at], d))?;
        Ok(inputs.iter().map(|v| self.settle(v)).collect())
    }

    /// Makes sizes one that fit only where they are equal: positions that were cut from a longer list, as transformers add them. `named` names a
    /// dimension of a shape, by their numbers.
    fn level(&mut self, shapes: &[&[Dim]], named: impl Fn(usize, usize) -> String) -> Outcome<()> {
        for (at, b) in shapes.iter().enumerate() {
            for a in &shapes[..at] {
                for back in 1..=a.len().min(b.len()) {
                    let (i, j) = (a.len() - back, b.len() - back);
                    let (x, y) = (self.settle_dim(&a[i]), self.settle_dim(&b[j]));
                    if x != y && self.is_cut(&x, &y) {
                        let text = format!("{} is {{0}}, which does not broadcast to {{1}}", named(at, j));
                        self.require(Rule::Equal(x.clone(), y.clone()), &text, &[&y, &x])?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Does the same as [`Context::elementwise`], with a result shape that all inputs broadcast to.
    pub(crate) fn elementwise_to(
        &mut self,
        shape: &[Dim],
        inputs: &[Value],
        elem: Elem,
        body: impl FnOnce(&mut Body<'_>, &[Scalar]) -> Scalar,
    ) -> Outcome<Value> {
        for v in inputs {
            self.require_fit(v, shape)?;
        }
        let shape = &*self.settle_shape(shape);
        let inputs: Vec<_> = inputs.iter().map(|v| self.settle(v)).collect();
        let reads: Vec<_> = inputs.iter().map(|v| self.read(v, shape)).collect::<Outcome<_>>()?;
        let out = self.empty(elem, shape);
        let rank = shape.len();
        let ins: Vec<_> = reads
            .iter()
            .filter_map(|r| match r {
                Read::Operand(v, dims) => Some((v, map(dims))),
                _ => None,
            })
            .collect();
        // Values from outside that bodies use are written before the operation.
        let outside: Vec<_> = reads
            .iter()
            .map(|r| match r {
                Read::Gather(v) => Some((self.ssa(v), v.shape.iter().map(|d| self.index(d)).collect::<Vec<_>>())),
                _ => None,
            })
            .collect();
        let identity = map(&(0..rank).collect::<Vec<_>>());
        let mut results = self.generic(&vec![Iter::Parallel; rank], &ins, &[(&out, identity)], |b, args| {
            let mut args = args.iter();
            let scalars: Vec<_> = reads
                .iter()
                .zip(&outside)
                .map(|(read, outside)| match (read, outside) {
                    (Read::Constant(elem, value), _) => b.number(*elem, *value),
                    (Read::Gather(v), Some((ssa, sizes))) => {
                        let one = b.index_constant(1);
                        let at: Vec<_> = sizes
                            .iter()
                            .enumerate()
                            .map(|(i, size)| {
                                // A dimension of size 1 is read at 0, any other is as large as the result's.
                                let last = b.sub(&Scalar::index(size), &one);
                                let here = b.position(rank - v.rank() + i);
                                b.min(&here, &last)
                            })
                            .collect();
                        b.extract(ssa, &v.ty(), v.elem, &at)
                    }
                    _ => args.next().expect("an argument for each operand").clone(),
                })
                .collect();
            vec![body(b, &scalars)]
        });
        Ok(results.remove(0))
    }

    /// Requires that a value broadcasts to a shape.
    pub(crate) fn require_fit(&mut self, value: &Value, shape: &[Dim]) -> Outcome<()> {
        let Some(skip) = shape.len().checked_sub(value.rank()) else {
            return invalid(format!("shape {} does not broadcast to {}", shape_text(&value.shape), shape_text(shape)));
        };
        for (i, own) in value.shape.iter().enumerate() {
            let wanted = &shape[skip + i];
            if own.get().is_some() && wanted.get().is_some() && own != wanted && !own.is(1) {
                return invalid(format!(
                    "shape {} does not broadcast to {}",
                    shape_text(&value.shape),
                    shape_text(shape)
                ));
            }
            if own.get().is_some_and(|d| d != 1) {
                let text = format!("{} is {{0}}, where the result has {{1}}", dimension(value, i));
                self.require(Rule::Equal(own.clone(), wanted.clone()), &text, &[own, wanted])?;
            } else {
                let text = format!("{} is {{0}}, which does not broadcast to {{1}}", dimension(value, i));
                self.require(Rule::Fits(own.clone(), wanted.clone()), &text, &[own, wanted])?;
            }
        }
        Ok(())
    }

    fn read(&mut self, value: &Value, shape: &[Dim]) -> Outcome<Read> {
        if let Some(number) = value.splat() {
            return Ok(Read::Constant(value.elem, number));
        }
        let skip = shape.len() - value.rank();
        let mut kept = Vec::new();
        for (i, d) in value.shape.iter().enumerate() {
            if *d == shape[skip + i] {
                kept.push(i);
            } else if !d.is(1) {
                return Ok(Read::Gather(value.clone()));
            }
        }
        let dims: Vec<_> = kept.iter().map(|&i| skip + i).collect();
        let squeezed = kept.iter().map(|&i| value.shape[i].clone()).collect::<Vec<_>>();
        let operand = if squeezed.len() == value.rank() { value.clone() } else { self.reshape(value, &squeezed)? };
        Ok(Read::Operand(operand, dims))
    }

    /// The value at a larger shape, by numpy's broadcasting.
    pub(crate) fn broadcast(&mut self, value: &Value, shape: &[Dim]) -> Outcome<Value> {
        if value.shape == shape {
            return Ok(value.clone());
        }
        if super::dims::is_too_large(shape) {
            return invalid("the result is larger than any memory");
        }
        if let (Some(number), Some(shape)) = (value.splat(), super::dims::fixed(shape)) {
            return Ok(Value::constant(Tensor::splat(value.elem, shape.iter().map(|&d| d as usize).collect(), number)));
        }
        // Positions, of which others are computed; floats are broadcast where they are read.
        if let (Some(tensor), Some(shape)) = (value.tensor(), super::dims::fixed(shape)) {
            let to: Vec<usize> = shape.iter().map(|&d| d as usize).collect();
            let broadcasts = |(own, wanted): (&usize, &usize)| *own == 1 || own == wanted;
            let fits = tensor.shape.len() <= to.len() && tensor.shape.iter().rev().zip(to.iter().rev()).all(broadcasts);
            let plain = !tensor.elem.is_float() && value.quantised.is_none();
            if fits && plain && evaluate::worthwhile(tensor.elem, to.iter().product(), 0) {
                let source = broadcast_source(&tensor.shape, &to);
                return Ok(Value::constant(tensor.gathered(to, source)));
            }
        }
        self.elementwise_to(shape, std::slice::from_ref(value), value.elem, |_, args| args[0].clone())
    }

    /// A reduction over `axes`, which vanish from the shape. `combine` is given the element, then the accumulator.
    pub(crate) fn reduce(
        &mut self,
        value: &Value,
        axes: &[usize],
        elem: Elem,
        start: Num,
        combine: impl FnOnce(&mut Body<'_>, &Scalar, &Scalar) -> Scalar,
    ) -> Value {
        let kept: Vec<_> = (0..value.rank()).filter(|i| !axes.contains(i)).collect();
        let shape: Vec<_> = kept.iter().map(|&i| value.shape[i].clone()).collect();
        let out = self.filled(elem, &shape, start);
        let iters: Vec<_> =
            (0..value.rank()).map(|i| if axes.contains(&i) { Iter::Reduction } else { Iter::Parallel }).collect();
        let all: Vec<_> = (0..value.rank()).collect();
        self.generic(&iters, &[(value, map(&all))], &[(&out, map(&kept))], |b, args| {
            vec![combine(b, &args[0], &args[1])]
        })
        .remove(0)
    }
}

/// An indexing map that picks dimensions: `d0, d2`.
pub(crate) fn map(dims: &[usize]) -> String {
    dims.iter().map(|d| format!("d{d}")).collect::<Vec<_>>().join(", ")
}

/// Prints a shape as `[2, ?]`.
pub(crate) fn shape_text(shape: &[Dim]) -> String {
    let dims: Vec<_> = shape.iter().map(|d| d.get().map_or("?".into(), |d| d.to_string())).collect();
    format!("[{}]", dims.join(", "))
}
