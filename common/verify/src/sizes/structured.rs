//! Sizes along the loops of structured operations, and through reshapes.
use super::{Size, Sizes, binary, key, operations::affine};
use halyard_ir::{AffineKind, Attr, Op, Structured};

impl Sizes {
    /// All operands of a loop that go along it have its size; windows follow from what slides in them.
    pub(super) fn structured(&mut self, op: Op, structured: &Structured) {
        let mut loops: Vec<Size> = vec![Size::Any; structured.loops()];
        let operands: Vec<Vec<Size>> = op
            .operands()
            .into_iter()
            .take(structured.maps.len())
            .map(|v| if v.ty().is_ranked_tensor() { self.shape(v) } else { Vec::new() })
            .collect();
        for (map, dims) in structured.maps.iter().zip(&operands) {
            for (expression, dim) in map.results().iter().zip(dims) {
                if let AffineKind::Dim(d) = expression {
                    if loops[*d] == Size::Any {
                        loops[*d] = dim.clone();
                    } else {
                        self.equate(&loops[*d].clone(), dim);
                    }
                }
            }
        }
        for (map, dims) in structured.maps.iter().zip(&operands) {
            for (expression, dim) in map.results().iter().zip(dims) {
                if !matches!(expression, AffineKind::Dim(_)) {
                    let last: Vec<Size> = loops.iter().map(|l| binary("-", l.clone(), Size::Known(1))).collect();
                    let extent = binary("+", affine(expression, structured.loops(), &last), Size::Known(1));
                    // A larger one would do, too; only one that is free follows.
                    if matches!(self.resolve(dim), Size::Unknown(_)) {
                        self.equate(dim, &extent);
                    }
                }
            }
        }
        for (result, init) in op.results().into_iter().zip(&operands[structured.inputs.min(operands.len())..]) {
            if result.ty().is_ranked_tensor() {
                self.shapes.insert(key(result), init.clone());
            }
        }
    }

    pub(super) fn reshape(&mut self, op: Op, collapse: bool) {
        let groups: Vec<Vec<i64>> = op
            .attr("reassociation")
            .and_then(Attr::as_array)
            .unwrap_or_default()
            .into_iter()
            .map(|g| g.as_array().unwrap_or_default().into_iter().filter_map(Attr::as_int).collect())
            .collect();
        let from = self.shape(op.operand(0));
        let long: Vec<Size> = if collapse {
            from.clone()
        } else {
            let mut given = op.operands().into_iter().skip(1);
            let fixed = op.result(0).ty().shape();
            fixed
                .into_iter()
                .map(|d| d.map_or_else(|| given.next().map_or(Size::Any, |v| self.number(v)), Size::Known))
                .collect()
        };
        let products: Vec<Size> = groups
            .iter()
            .map(|g| {
                g.iter()
                    .fold(Size::Known(1), |p, &d| binary("*", p, long.get(d as usize).cloned().unwrap_or(Size::Any)))
            })
            .collect();
        if collapse {
            self.define(op.result(0), products);
        } else {
            if products.len() == from.len() {
                from.iter().zip(&products).for_each(|(a, b)| self.equate(a, b));
            }
            self.define(op.result(0), long);
        }
    }
}
