//! Sizes within an export, as functions of the constants of its kernel.
use super::SizeSum;
use crate::{Attr, Op, Value, form::Interface};

/// The sizes of an export's values.
pub(super) struct KnownSizes {
    arguments: Vec<Value>,
    interface: Interface,
}

impl KnownSizes {
    /// Analyses an export on tensors with a body; `None` for other exports.
    pub(super) fn new(export: Op) -> Option<Self> {
        let arguments = export.body()?.args();
        let interface = Interface::of(export);
        // Load-time constants are arguments after those of the interface.
        (arguments.len() >= interface.inputs.len()).then_some(Self { arguments, interface })
    }

    pub(super) fn interface(&self) -> &Interface {
        &self.interface
    }

    /// The position of a value among the arguments of the interface.
    pub(super) fn argument(&self, value: Value) -> Option<usize> {
        self.arguments.iter().take(self.interface.inputs.len()).position(|a| *a == value)
    }

    pub(super) fn arguments(&self) -> &[Value] {
        &self.arguments
    }

    /// The size of a dimension of a tensor.
    pub(super) fn of(&self, value: Value, dim: usize) -> Option<SizeSum> {
        let shape = value.ty().shape();
        if let Some(size) = shape.get(dim)? {
            return Some(SizeSum::number(*size));
        }
        // How many sizes before it are not in the type: they come one after the other in lists.
        let before = shape[..dim].iter().filter(|d| d.is_none()).count();
        if let Some(i) = self.argument(value) {
            return Some(SizeSum::constant(self.sizes_before(i) + before));
        }
        let op = value.def()?;
        match &*op.name() {
            "tensor.empty" => self.index(op.operand(before)),
            "tensor.cast" => self.of(op.operand(0), dim),
            "tensor.expand_shape" => self.index(op.operand(1 + before)),
            "tensor.collapse_shape" => {
                let groups = op.attr("reassociation").and_then(Attr::as_array)?;
                let group = groups.get(dim)?.as_array()?;
                group.into_iter().try_fold(SizeSum::number(1), |product, d| {
                    product.times(&self.of(op.operand(0), usize::try_from(d.as_int()?).ok()?)?)
                })
            }
            name if name.starts_with("linalg.") && op.operand_count() >= op.result_count() => {
                self.of(op.operand(op.operand_count() - op.result_count() + value.index()), dim)
            }
            _ => None,
        }
    }

    /// The number of elements of a tensor.
    pub(super) fn elements(&self, value: Value) -> Option<SizeSum> {
        (0..value.ty().rank()).try_fold(SizeSum::number(1), |product, d| product.times(&self.of(value, d)?))
    }

    /// The number of elements of a result, whose sizes are constants of their own.
    pub(super) fn result_elements(&self, result: usize) -> Option<SizeSum> {
        let of_results = |n: usize| self.interface.results[..n].iter().map(|ty| unknown(*ty)).sum::<usize>();
        let mut next = self.sizes_before(self.interface.inputs.len()) + of_results(result);
        self.interface.results[result].shape().into_iter().try_fold(SizeSum::number(1), |product, size| {
            let size = size.map_or_else(
                || {
                    next += 1;
                    SizeSum::constant(next - 1)
                },
                SizeSum::number,
            );
            product.times(&size)
        })
    }

    /// Returns the value of an index.
    fn index(&self, value: Value) -> Option<SizeSum> {
        if let Some(i) = self.argument(value) {
            let of_results = self.interface.results.iter().map(|ty| unknown(*ty)).sum::<usize>();
            let scalar = self.interface.scalar_inputs().into_iter().position(|s| s == i)?;
            return Some(SizeSum::constant(self.sizes_before(self.interface.inputs.len()) + of_results + scalar));
        }
        let op = value.def()?;
        let both = || Some((self.index(op.operand(0))?, self.index(op.operand(1))?));
        match &*op.name() {
            "arith.constant" => op.attr("value").and_then(Attr::as_int).map(SizeSum::number),
            "tensor.dim" => {
                let dim = self.index(op.operand(1))?.as_number()?;
                self.of(op.operand(0), usize::try_from(dim).ok()?)
            }
            "arith.muli" => both().and_then(|(a, b)| a.times(&b)),
            "arith.addi" => both().and_then(|(a, b)| a.plus(&b)),
            "arith.subi" => both().and_then(|(a, b)| a.plus(&b.times(&SizeSum::number(-1))?)),
            _ => None,
        }
    }

    /// The number of constants that are sizes of the first arguments.
    fn sizes_before(&self, argument: usize) -> usize {
        self.interface.inputs[..argument].iter().map(|ty| unknown(*ty)).sum()
    }
}

/// The number of sizes that are not in a type.
fn unknown(ty: crate::Type) -> usize {
    if ty.is_tensor() { ty.shape().iter().filter(|d| d.is_none()).count() } else { 0 }
}
