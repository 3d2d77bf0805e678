//! What the forms of convolutions are built of.
use halyard_ir::{Attr, Block, Builder, Region, Type, Value};

/// The sizes of a tensor, if all are known.
pub(super) fn sizes(value: Value) -> Option<Vec<i64>> {
    value.ty().shape().into_iter().collect()
}

/// Whether a tensor is zero everywhere.
pub(super) fn is_zero(value: Value) -> bool {
    let scalar = value.def().filter(|d| d.is("linalg.fill")).and_then(|d| d.operand(0).def());
    scalar.and_then(|d| d.attr("value")).and_then(Attr::as_float) == Some(0.0)
}

/// Where operations go.
pub(super) struct Site(pub(super) Builder);

impl Site {
    /// A type of f32.
    pub(super) fn tensor(&self, shape: &[i64]) -> Type {
        let shape: Vec<Option<i64>> = shape.iter().map(|n| Some(*n)).collect();
        Type::tensor(&shape, Type::f32(self.0.context()))
    }

    /// A `linalg.generic` of `loops.0` parallel and `loops.1` reduction loops that sums products of its inputs.
    pub(super) fn sum_of_products(
        &self,
        inputs: &[Value],
        maps: &[&str],
        loops: (usize, usize),
        shape: &[i64],
    ) -> Value {
        let (at, context) = (&self.0, self.0.context());
        let ty = self.tensor(shape);
        let f32 = Type::f32(context);
        let zero = at.constant(Attr::float(f32, 0.0));
        let init = at.fill(zero, at.value("tensor.empty", &[], ty, &[]));
        let dims: Vec<String> = (0..loops.0 + loops.1).map(|d| format!("d{d}")).collect();
        let maps = maps.iter().map(|m| format!("affine_map<({}) -> ({m})>", dims.join(", ")));
        let maps = maps.map(|m| Attr::parse(context, &m).expect("an affine map")).collect::<Vec<_>>();
        let iterator =
            |kind: &str| Attr::parse(context, &format!("#linalg.iterator_type<{kind}>")).expect("an iterator");
        let mut iterators = vec![iterator("parallel"); loops.0];
        iterators.resize(loops.0 + loops.1, iterator("reduction"));
        let block = Block::create(&vec![f32; inputs.len() + 1], at.loc);
        let (body, args) = (Builder::at_end(block, at.loc), block.args());
        let (factors, sum) = (&args[..inputs.len()], args[inputs.len()]);
        let product = factors[1..].iter().fold(factors[0], |p, f| body.value("arith.mulf", &[p, *f], f32, &[]));
        let total = body.value("arith.addf", &[sum, product], f32, &[]);
        body.op("linalg.yield", &[total], &[], &[]);
        let region = Region::create();
        region.append(block);
        let operands = [inputs, &[init]].concat();
        let attrs = [
            ("indexing_maps", Attr::array(context, &maps)),
            ("iterator_types", Attr::array(context, &iterators)),
            ("operandSegmentSizes", Attr::i32s(context, &[inputs.len() as i32, 1])),
        ];
        at.op_with_regions("linalg.generic", &operands, &[ty], &attrs, vec![region]).result(0)
    }
}
