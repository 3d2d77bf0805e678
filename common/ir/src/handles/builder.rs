//! Builds operations at an insertion point.
use super::{Attr, Block, Op, Region, Type, Value, string_ref};
use mlir_sys::*;

/// A location.
pub type Loc = MlirLocation;

/// Inserts operations at the end of a block, or before an operation.
#[derive(Clone, Copy)]
pub struct Builder {
    /// The block in which operations are inserted.
    pub block: Block,
    /// Insert before this operation; at the end if `None`.
    pub before: Option<Op>,
    /// The location of new operations.
    pub loc: Loc,
}

// SAFETY of all blocks in this file: handles are live; arrays are passed with their lengths and live across the call;
// regions are given away exactly once.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once for the file")]
mod imp {
    use super::*;

    impl Builder {
        /// Makes a builder at the end of a block.
        pub fn at_end(block: Block, loc: Loc) -> Self {
            Self { block, before: None, loc }
        }
        /// Before an operation, with its location.
        pub fn before(op: Op) -> Self {
            Self { block: op.block().expect("the operation is in a block"), before: Some(op), loc: op.loc() }
        }
        /// Returns the context.
        pub fn context(&self) -> MlirContext {
            unsafe { mlirLocationGetContext(self.loc) }
        }
        /// Inserts an operation that is in no block.
        pub fn insert(&self, op: Op) -> Op {
            match self.before {
                Some(reference) => self.block.insert_before(reference, op),
                None => self.block.append(op),
            }
        }
        /// Makes and inserts an operation without regions.
        pub fn op(&self, name: &str, operands: &[Value], types: &[Type], attrs: &[(&str, Attr)]) -> Op {
            self.insert(Self::create(self.loc, name, operands, types, attrs, Vec::new()))
        }
        /// Makes and inserts an operation of one result, and gives the result.
        pub fn value(&self, name: &str, operands: &[Value], ty: Type, attrs: &[(&str, Attr)]) -> Value {
            self.op(name, operands, &[ty], attrs).result(0)
        }
        /// Makes and inserts an operation with regions, which it takes over.
        pub fn op_with_regions(
            &self,
            name: &str,
            operands: &[Value],
            types: &[Type],
            attrs: &[(&str, Attr)],
            regions: Vec<Region>,
        ) -> Op {
            self.insert(Self::create(self.loc, name, operands, types, attrs, regions))
        }
        /// Makes an operation in no block. Panics if MLIR refuses it (a malformed property is a bug of the caller).
        pub fn create(
            loc: Loc,
            name: &str,
            operands: &[Value],
            types: &[Type],
            attrs: &[(&str, Attr)],
            regions: Vec<Region>,
        ) -> Op {
            unsafe {
                let context = mlirLocationGetContext(loc);
                // An operation of a dialect that is not loaded yet would be created as unregistered, and remain so.
                if !mlirContextIsRegisteredOperation(context, string_ref(name)) {
                    mlirContextGetOrLoadDialect(context, string_ref(name.split('.').next().unwrap_or(name)));
                }
                let operands: Vec<_> = operands.iter().map(|v| v.0).collect();
                let types: Vec<_> = types.iter().map(|t| t.0).collect();
                let attrs: Vec<_> = attrs
                    .iter()
                    .map(|(n, a)| mlirNamedAttributeGet(mlirIdentifierGet(context, string_ref(n)), a.0))
                    .collect();
                let regions: Vec<_> = regions.into_iter().map(|r| r.0).collect();
                let mut state = mlirOperationStateGet(string_ref(name), loc);
                mlirOperationStateAddOperands(&raw mut state, operands.len() as isize, operands.as_ptr());
                mlirOperationStateAddResults(&raw mut state, types.len() as isize, types.as_ptr());
                mlirOperationStateAddAttributes(&raw mut state, attrs.len() as isize, attrs.as_ptr());
                mlirOperationStateAddOwnedRegions(&raw mut state, regions.len() as isize, regions.as_ptr());
                let op = mlirOperationCreate(&raw mut state);
                assert!(!op.ptr.is_null(), "MLIR refused to create `{name}`");
                Op(op)
            }
        }
        /// Builds an `arith.constant` of type `index`.
        pub fn index(&self, value: i64) -> Value {
            let ty = Type::index(self.context());
            self.value("arith.constant", &[], ty, &[("value", Attr::integer(ty, value))])
        }
        /// Builds a `tensor.collapse_shape`, or a `tensor.expand_shape` to a static shape. Each group lists the dimensions of the
        /// longer shape that correspond to one dimension of the shorter shape.
        pub fn reshape(&self, value: Value, to: Type, groups: &[Vec<usize>]) -> Value {
            if to.rank() < value.ty().rank() {
                return self.value("tensor.collapse_shape", &[value], to, &[self.reassociation(groups)]);
            }
            self.expand(value, &[], to, groups)
        }
        /// Builds a `tensor.expand_shape`; `sizes` are those of the result that only a run knows, in order.
        pub fn expand(&self, value: Value, sizes: &[Value], to: Type, groups: &[Vec<usize>]) -> Value {
            let shape: Vec<i64> = to.shape().into_iter().map(|size| size.unwrap_or(i64::MIN)).collect();
            let shape = ("static_output_shape", Attr::i64s(self.context(), &shape));
            self.value("tensor.expand_shape", &[&[value], sizes].concat(), to, &[self.reassociation(groups), shape])
        }
        fn reassociation(&self, groups: &[Vec<usize>]) -> (&'static str, Attr) {
            let i64 = Type::integer(self.context(), 64);
            let group = |g: &Vec<usize>| {
                Attr::array(self.context(), &g.iter().map(|d| Attr::integer(i64, *d as i64)).collect::<Vec<_>>())
            };
            ("reassociation", Attr::array(self.context(), &groups.iter().map(group).collect::<Vec<_>>()))
        }
        /// A named linalg operation other than `linalg.generic`; `operandSegmentSizes` is among the attributes.
        pub fn named_linalg(&self, name: &str, operands: &[Value], types: &[Type], attrs: &[(&str, Attr)]) -> Op {
            let op = self.op_with_regions(name, operands, types, attrs, vec![Region::create()]);
            // The region of a named operation is not written; the dialect knows it.
            unsafe { mlirLinalgFillBuiltinNamedOpRegion(op.0) };
            op
        }
        /// `linalg.fill` of a tensor with a scalar of its element type.
        pub fn fill(&self, scalar: Value, into: Value) -> Value {
            let segments = Attr::i32s(self.context(), &[1, 1]);
            self.named_linalg("linalg.fill", &[scalar, into], &[into.ty()], &[("operandSegmentSizes", segments)])
                .result(0)
        }
        /// `arith.constant` of any typed attribute.
        pub fn constant(&self, value: Attr) -> Value {
            self.value("arith.constant", &[], value.value_type(), &[("value", value)])
        }
    }
}
