//! The sizes of tensors and the values of scalars, as polynomials.
use super::{
    super::carried::start_of,
    rounded::Rounded,
    symbols::{Sym, Symbols},
};
use halyard_ir::{Attr, Op, Value};
use std::collections::HashMap;

/// What was found out so far.
#[derive(Debug, Default)]
pub(super) struct Sizes {
    pub(super) symbols: Symbols,
    scalars: HashMap<Value, Sym>,
    dims: HashMap<Value, Vec<Sym>>,
}

/// Operations of two `index` or `i64` operands that stay as they are.
const NODES: &[&str] = &[
    "arith.divsi",
    "arith.divui",
    "arith.floordivsi",
    "arith.ceildivsi",
    "arith.ceildivui",
    "arith.remsi",
    "arith.remui",
    "arith.maxsi",
    "arith.minsi",
    "arith.maxui",
    "arith.minui",
];

/// Whether a scalar is a number of 64 bits.
pub(super) fn is_wide(value: Value) -> bool {
    value.ty().is_index() || value.ty().is_integer() && value.ty().bits() == 64
}

impl Sizes {
    /// The value of an `index` or `i64`.
    pub(super) fn scalar(&mut self, value: Value) -> Sym {
        if let Some(known) = self.scalars.get(&value) {
            return known.clone();
        }
        let found = self.find_scalar(value).unwrap_or_else(|| self.symbols.scalar(value));
        self.scalars.insert(value, found.clone());
        found
    }

    /// Says the value of an `index` or `i64`.
    pub(super) fn say(&mut self, value: Value, is: Sym) {
        self.scalars.insert(value, is);
    }

    /// Forgets what was found of the values in an operation, whose loops have become others.
    pub(super) fn forget_inside(&mut self, op: Op) {
        op.walk(&mut |inner| {
            let arguments = inner.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.args());
            for value in inner.results().into_iter().chain(arguments) {
                self.scalars.remove(&value);
                self.dims.remove(&value);
            }
        });
    }

    /// The value of an integer of any width.
    pub(super) fn number(&mut self, value: Value) -> Sym {
        if is_wide(value) {
            return self.scalar(value);
        }
        let known = value.constant();
        known.map_or_else(|| self.symbols.scalar(value), Sym::constant)
    }

    fn find_scalar(&mut self, value: Value) -> Option<Sym> {
        let op = value.def()?;
        let name = op.name();
        match &*name {
            "arith.constant" => return op.attr("value").and_then(Attr::as_int).map(Sym::constant),
            "arith.index_cast" if is_wide(op.operand(0)) => return Some(self.scalar(op.operand(0))),
            "tensor.dim" => {
                let d = usize::try_from(self.scalar(op.operand(1)).known()?).ok()?;
                return self.dims(op.operand(0)).get(d).cloned();
            }
            // One of the values that a tensor is made of.
            "tensor.extract" => {
                let made =
                    op.operand(0).def().filter(|d| d.is("tensor.from_elements") && d.result(0).ty().rank() == 1)?;
                let i = usize::try_from(self.scalar(op.operand(1)).known()?).ok()?;
                return (i < made.operand_count()).then(|| self.scalar(made.operand(i)));
            }
            "arith.select" => return Rounded::of(op).map(|rounded| self.rounded(rounded)),
            _ => {}
        }
        let known = matches!(&*name, "arith.addi" | "arith.subi" | "arith.muli");
        let node = NODES.iter().find(|n| **n == name);
        if !(known || node.is_some()) || op.operand_count() != 2 {
            return None;
        }
        let (a, b) = (self.scalar(op.operand(0)), self.scalar(op.operand(1)));
        Some(match &*name {
            "arith.addi" => self.symbols.add(&a, &b),
            "arith.subi" => self.symbols.sub(&a, &b),
            "arith.muli" => self.symbols.mul(&a, &b),
            _ => self.symbols.node(node?, vec![a, b]),
        })
    }

    fn rounded(&mut self, rounded: Rounded) -> Sym {
        match rounded {
            Rounded::Down(a, by) => self.quotient("arith.floordivsi", a, by),
            Rounded::Up(a, by) => self.quotient("arith.ceildivsi", a, by),
            Rounded::Rest(a, by) => {
                let quotient = self.quotient("arith.floordivsi", a, by);
                let multiple = self.symbols.scale(&quotient, by);
                let a = self.scalar(a);
                self.symbols.sub(&a, &multiple)
            }
        }
    }

    fn quotient(&mut self, name: &'static str, a: Value, by: i64) -> Sym {
        let a = self.scalar(a);
        self.symbols.node(name, vec![a, Sym::constant(by)])
    }

    /// The sizes of a ranked tensor.
    pub(super) fn dims(&mut self, tensor: Value) -> Vec<Sym> {
        if let Some(known) = self.dims.get(&tensor) {
            return known.clone();
        }
        let shape = tensor.ty().shape();
        let dynamic = shape.contains(&None);
        let found = dynamic.then(|| self.find_dims(tensor)).flatten().filter(|f| f.len() == shape.len());
        let dims: Vec<Sym> = (shape.iter().enumerate())
            .map(|(d, size)| match (size, &found) {
                (Some(size), _) => Sym::constant(*size),
                (None, Some(found)) => found[d].clone(),
                (None, None) => self.symbols.dim(tensor, d),
            })
            .collect();
        self.dims.insert(tensor, dims.clone());
        dims
    }

    fn find_dims(&mut self, tensor: Value) -> Option<Vec<Sym>> {
        if let Some(start) = start_of(tensor) {
            return Some(self.dims(start));
        }
        let op = tensor.def()?;
        let name = op.name();
        let shape = tensor.ty().shape();
        match &*name {
            "tensor.empty" | "tensor.generate" => Some(self.mixed(&shape, &op.operands())),
            "tensor.splat" => Some(self.mixed(&shape, &op.operands()[1..])),
            "tensor.cast" | "arith.bitcast" => Some(self.dims(op.operand(0))),
            "tensor.insert" | "tensor.insert_slice" => Some(self.dims(op.operand(1))),
            "tensor.extract_slice" => {
                let slice = self.slice(op, 1);
                Some(kept(&slice.sizes, &op.attr("static_sizes")?.as_i64s()?, &shape))
            }
            "tensor.pad" => {
                let (low, high) = self.padding(op);
                let source = self.dims(op.operand(0));
                Some(
                    source
                        .iter()
                        .zip(low.iter().zip(&high))
                        .map(|(s, (l, h))| {
                            let sum = self.symbols.add(s, l);
                            self.symbols.add(&sum, h)
                        })
                        .collect(),
                )
            }
            "tensor.concat" => {
                let axis = usize::try_from(op.attr("dim")?.as_int()?).ok()?;
                let mut dims = self.dims(op.operand(0));
                for part in &op.operands()[1..] {
                    let part = self.dims(*part);
                    dims[axis] = self.symbols.add(&dims[axis], part.get(axis)?);
                }
                Some(dims)
            }
            "tensor.expand_shape" => {
                let sizes = op.attr("static_output_shape")?.as_i64s()?;
                Some(self.mixed_i64s(&sizes, &op.operands()[1..]))
            }
            "tensor.collapse_shape" => {
                let source = self.dims(op.operand(0));
                groups(op)?
                    .into_iter()
                    .map(|group| self.product(group.into_iter().map(|d| source.get(d).cloned())))
                    .collect()
            }
            "tensor.reshape" => {
                let made = op.operand(1).def().filter(|d| d.is("tensor.from_elements"))?;
                made.operands().into_iter().map(|v| is_wide(v).then(|| self.scalar(v))).collect()
            }
            "linalg.unpack" | "linalg.pack" | "tensor.scatter" => Some(self.dims(op.operand(1))),
            // Inits come last, one per result.
            _ if name.starts_with("linalg.") => {
                let init = op.operand(op.operand_count().checked_sub(op.result_count())? + tensor.index());
                init.ty().is_ranked_tensor().then(|| self.dims(init))
            }
            // What is done for each element.
            "arith.select" => Some(self.dims(op.operand(1))),
            _ if name.starts_with("arith.") || name.starts_with("math.") => {
                let first = op.operands().into_iter().find(|v| v.ty().is_ranked_tensor())?;
                Some(self.dims(first))
            }
            _ => None,
        }
    }

    /// The product of sizes.
    pub(super) fn product(&mut self, sizes: impl IntoIterator<Item = Option<Sym>>) -> Option<Sym> {
        let sizes: Vec<Sym> = sizes.into_iter().collect::<Option<_>>()?;
        Some(sizes.iter().fold(Sym::constant(1), |n, size| self.symbols.mul(&n, size)))
    }

    /// A shape with operands in the place of what is dynamic.
    fn mixed(&mut self, shape: &[Option<i64>], operands: &[Value]) -> Vec<Sym> {
        let list: Vec<i64> = shape.iter().map(|s| s.unwrap_or(i64::MIN)).collect();
        self.mixed_i64s(&list, operands)
    }

    /// The same where [`i64::MIN`] says that a number is dynamic.
    pub(super) fn mixed_i64s(&mut self, list: &[i64], operands: &[Value]) -> Vec<Sym> {
        let mut operands = operands.iter();
        list.iter()
            .map(|&n| match n {
                i64::MIN => self.scalar(*operands.next().expect("an operand for each dynamic number")),
                n => Sym::constant(n),
            })
            .collect()
    }

    /// The part of a tensor that an operation takes or sets; `first` is its first dynamic offset.
    pub(super) fn slice(&mut self, op: Op, first: usize) -> Slice {
        let operands = op.operands();
        let mut next = first;
        let mut list = |this: &mut Self, name: &str| {
            let values = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
            let dynamic = values.iter().filter(|v| **v == i64::MIN).count();
            next += dynamic;
            this.mixed_i64s(&values, &operands[next - dynamic..next])
        };
        Slice {
            offsets: list(self, "static_offsets"),
            sizes: list(self, "static_sizes"),
            strides: list(self, "static_strides"),
        }
    }

    /// What a `tensor.pad` adds before and behind.
    fn padding(&mut self, op: Op) -> (Vec<Sym>, Vec<Sym>) {
        let operands = op.operands();
        let mut next = 1;
        let mut list = |this: &mut Self, name: &str| {
            let values = op.attr(name).and_then(Attr::as_i64s).unwrap_or_default();
            let dynamic = values.iter().filter(|v| **v == i64::MIN).count();
            next += dynamic;
            this.mixed_i64s(&values, &operands[next - dynamic..next])
        };
        (list(self, "static_low"), list(self, "static_high"))
    }
}

/// A rectangular part of a tensor.
pub(super) struct Slice {
    pub(super) offsets: Vec<Sym>,
    pub(super) sizes: Vec<Sym>,
    pub(super) strides: Vec<Sym>,
}

/// The groups of dimensions of a reshape.
pub(super) fn groups(op: Op) -> Option<Vec<Vec<usize>>> {
    let group = |g: Attr| g.as_i64s().map(|g| g.into_iter().map(|d| d as usize).collect());
    op.attr("reassociation")?.as_array()?.into_iter().map(group).collect()
}

/// Sizes of a slice without those of 1 that its type leaves out.
pub(super) fn kept(sizes: &[Sym], declared: &[i64], shape: &[Option<i64>]) -> Vec<Sym> {
    let mut kept = Vec::new();
    for (size, &declared) in sizes.iter().zip(declared) {
        let declared = (declared != i64::MIN).then_some(declared);
        if shape.get(kept.len()) == Some(&declared) {
            kept.push(size.clone());
        }
    }
    kept
}
