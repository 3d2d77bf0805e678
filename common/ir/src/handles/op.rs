//! Operations, values, blocks and regions.
use super::{Attr, Type, erased, handle, owned, string_ref};
use mlir_sys::*;

/// An operation.
#[derive(Clone, Copy)]
pub struct Op(pub MlirOperation);
/// A value: a result or a block argument.
#[derive(Clone, Copy)]
pub struct Value(pub MlirValue);
/// A block.
#[derive(Clone, Copy)]
pub struct Block(pub MlirBlock);
/// A region.
#[derive(Clone, Copy, Debug)]
pub struct Region(pub MlirRegion);

handle!(Op, mlirOperationPrint);
handle!(Value, mlirValuePrint);
handle!(Block, mlirBlockPrint);

fn some(op: MlirOperation) -> Option<Op> {
    (!op.ptr.is_null()).then_some(Op(op))
}

// SAFETY of all blocks in this file: a handle names a live object of its session (see the module's docs), indices are
// below the counts that the C API gives, and strings are passed with their length.
#[allow(clippy::undocumented_unsafe_blocks, reason = "stated once for the file")]
mod imp {
    use super::*;

    impl Op {
        /// The full name, e.g. `linalg.matmul`.
        pub fn name(self) -> String {
            unsafe { owned(mlirIdentifierStr(mlirOperationGetName(self.live()))) }
        }
        /// Whether this is the operation with that full name.
        pub fn is(self, name: &str) -> bool {
            // SAFETY: the name lives as long as the context; it is not kept.
            unsafe {
                let is = mlirIdentifierStr(mlirOperationGetName(self.live()));
                std::slice::from_raw_parts(is.data.cast::<u8>(), is.length) == name.as_bytes()
            }
        }
        /// Whether it is an operation of that dialect.
        pub fn is_of(self, dialect: &str) -> bool {
            // SAFETY: as in `is`.
            unsafe {
                let name = mlirIdentifierStr(mlirOperationGetName(self.live()));
                let name = std::slice::from_raw_parts(name.data.cast::<u8>(), name.length);
                name.strip_prefix(dialect.as_bytes()).is_some_and(|rest| rest.first() == Some(&b'.'))
            }
        }
        /// Returns the location.
        pub fn loc(self) -> MlirLocation {
            unsafe { mlirOperationGetLocation(self.live()) }
        }
        /// Sets the location of an operation, of all operations in it, and of the arguments of their blocks.
        pub fn set_locs(self, loc: MlirLocation) {
            self.walk(&mut |op| {
                unsafe { mlirOperationSetLocation(op.0, loc) };
                let args = op.regions().into_iter().flat_map(|r| r.blocks()).flat_map(|b| b.args());
                args.for_each(|arg| unsafe { mlirBlockArgumentSetLocation(arg.0, loc) });
            });
        }
        /// Returns the context.
        pub fn context(self) -> MlirContext {
            unsafe { mlirOperationGetContext(self.live()) }
        }
        /// Returns the operands in order.
        pub fn operands(self) -> Vec<Value> {
            unsafe {
                (0..mlirOperationGetNumOperands(self.live()))
                    .map(|i| Value(mlirOperationGetOperand(self.live(), i)))
                    .collect()
            }
        }
        /// Returns one operand. Panics if the index is out of range.
        pub fn operand(self, index: usize) -> Value {
            assert!(index < self.operand_count(), "operand {index} of {}", self.name());
            unsafe { Value(mlirOperationGetOperand(self.live(), index as isize)) }
        }
        /// Returns the number of operands.
        pub fn operand_count(self) -> usize {
            unsafe { mlirOperationGetNumOperands(self.live()) as usize }
        }
        /// Replaces one operand.
        pub fn set_operand(self, index: usize, value: Value) {
            unsafe { mlirOperationSetOperand(self.live(), index as isize, value.0) }
        }
        /// Replaces all operands.
        pub fn set_operands(self, values: &[Value]) {
            let raw: Vec<_> = values.iter().map(|v| v.0).collect();
            unsafe { mlirOperationSetOperands(self.live(), raw.len() as isize, raw.as_ptr()) }
        }
        /// Returns the results in order.
        pub fn results(self) -> Vec<Value> {
            unsafe {
                (0..mlirOperationGetNumResults(self.live()))
                    .map(|i| Value(mlirOperationGetResult(self.live(), i)))
                    .collect()
            }
        }
        /// Returns one result. Panics if the index is out of range.
        pub fn result(self, index: usize) -> Value {
            assert!(index < self.result_count(), "result {index} of {}", self.name());
            unsafe { Value(mlirOperationGetResult(self.live(), index as isize)) }
        }
        /// Returns the number of results.
        pub fn result_count(self) -> usize {
            unsafe { mlirOperationGetNumResults(self.live()) as usize }
        }
        /// Returns the regions in order.
        pub fn regions(self) -> Vec<Region> {
            self.each_region().collect()
        }
        /// Returns one region. Panics if the index is out of range.
        pub fn region(self, index: usize) -> Region {
            self.regions()[index]
        }
        /// The first block of the first region, if any: the body of a module, function or linalg operation.
        pub fn body(self) -> Option<Block> {
            self.regions().first().and_then(|r| r.first_block())
        }
        /// The operations of its body in order, none if it has no body.
        pub fn body_ops(self) -> Vec<Op> {
            self.body().map(|b| b.ops()).unwrap_or_default()
        }
        /// An attribute, inherent or discardable.
        pub fn attr(self, name: &str) -> Option<Attr> {
            let raw = unsafe { mlirOperationGetAttributeByName(self.live(), string_ref(name)) };
            (!raw.ptr.is_null()).then_some(Attr(raw))
        }
        /// Whether it has an attribute of that name.
        pub fn has_attr(self, name: &str) -> bool {
            self.attr(name).is_some()
        }
        /// Returns all attributes, inherent and discardable, by name.
        pub fn attrs(self) -> Vec<(String, Attr)> {
            unsafe {
                (0..mlirOperationGetNumAttributes(self.live()))
                    .map(|i| {
                        let named = mlirOperationGetAttribute(self.live(), i);
                        (owned(mlirIdentifierStr(named.name)), Attr(named.attribute))
                    })
                    .collect()
            }
        }
        /// The discardable attributes, by name.
        pub fn discardable_attrs(self) -> Vec<(String, Attr)> {
            unsafe {
                (0..mlirOperationGetNumDiscardableAttributes(self.live()))
                    .map(|i| {
                        let named = mlirOperationGetDiscardableAttribute(self.live(), i);
                        (owned(mlirIdentifierStr(named.name)), Attr(named.attribute))
                    })
                    .collect()
            }
        }
        /// Sets an attribute.
        pub fn set_attr(self, name: &str, value: Attr) {
            unsafe { mlirOperationSetAttributeByName(self.live(), string_ref(name), value.0) }
        }
        /// Removes an attribute; says whether it was there.
        pub fn remove_attr(self, name: &str) -> bool {
            unsafe { mlirOperationRemoveAttributeByName(self.live(), string_ref(name)) }
        }
        /// Returns the successor blocks.
        pub fn successors(self) -> Vec<Block> {
            unsafe {
                (0..mlirOperationGetNumSuccessors(self.live()))
                    .map(|i| Block(mlirOperationGetSuccessor(self.live(), i)))
                    .collect()
            }
        }
        /// Returns the symbol name, if it has one.
        pub fn symbol(self) -> Option<String> {
            self.attr("sym_name")?.as_string()
        }
        /// The name of the function that a call calls, of whatever dialect the call is.
        pub fn callee(self) -> Option<String> {
            self.attr("callee")?.leaf_symbol()
        }
        /// Renames its symbol, and references to it inside `root`.
        pub fn rename_symbol(self, name: &str, root: Op) {
            let old = self.symbol().unwrap_or_default();
            self.set_attr("sym_name", Attr::string(self.context(), name));
            unsafe { mlirSymbolTableReplaceAllSymbolUses(string_ref(&old), string_ref(name), root.0) };
        }
        /// Returns the enclosing operation.
        pub fn parent(self) -> Option<Op> {
            some(unsafe { mlirOperationGetParentOperation(self.live()) })
        }
        /// Returns the block that contains it.
        pub fn block(self) -> Option<Block> {
            let block = unsafe { mlirOperationGetBlock(self.live()) };
            (!block.ptr.is_null()).then_some(Block(block))
        }
        /// Returns the next operation of its block.
        pub fn next(self) -> Option<Op> {
            some(unsafe { mlirOperationGetNextInBlock(self.live()) })
        }
        /// Whether it precedes another operation of the same block.
        pub fn is_before(self, other: Op) -> bool {
            unsafe { mlirOperationIsBeforeInBlock(self.live(), other.live()) }
        }
        /// Whether it is `other` or inside it.
        pub fn is_inside(self, other: Op) -> bool {
            std::iter::successors(Some(self), |op| op.parent()).any(|op| op == other)
        }
        /// Moves it before another operation.
        pub fn move_before(self, other: Op) {
            unsafe { mlirOperationMoveBefore(self.live(), other.live()) }
        }
        /// Moves it after another operation.
        pub fn move_after(self, other: Op) {
            unsafe { mlirOperationMoveAfter(self.live(), other.live()) }
        }
        /// Removes it from its block; the caller then owns it.
        pub fn detach(self) {
            unsafe { mlirOperationRemoveFromParent(self.live()) }
        }
        /// The handle of the C API. Panics in debug builds if the operation was erased.
        #[inline]
        pub(crate) fn live(self) -> MlirOperation {
            erased::check(self.0);
            self.0
        }
        /// Removes it from its block for good, with everything inside. Panics if a result is used outside. Handles to it
        /// must not be used any more: see [`super::erased`].
        pub fn erase(self) {
            assert!(!self.has_uses(), "`{}` is erased while its results are used", self.name());
            let mut inside = Vec::new();
            self.walk(&mut |op| inside.push(op));
            unsafe {
                mlirOperationRemoveFromParent(self.0);
                inside.iter().for_each(|op| mlirOperationSetOperands(op.0, 0, std::ptr::null()));
            }
            erased::keep(self.0, inside.iter().map(|op| op.0));
        }
        /// A deep copy with the same operands, in no block.
        pub fn duplicate(self) -> Op {
            unsafe { Op(mlirOperationClone(self.live())) }
        }
        /// Verifies it; problems go to the session's diagnostics.
        pub fn verify(self) -> bool {
            unsafe { mlirOperationVerify(self.live()) }
        }
        /// Whether any result is used.
        pub fn has_uses(self) -> bool {
            self.results().iter().any(|r| r.has_uses())
        }
    }

    impl Value {
        /// Returns the type.
        pub fn ty(self) -> Type {
            unsafe { Type(mlirValueGetType(self.0)) }
        }
        /// Changes the type in place.
        pub fn set_ty(self, ty: Type) {
            unsafe { mlirValueSetType(self.0, ty.0) }
        }
        /// The operation that makes it, or `None` for a block argument.
        pub fn def(self) -> Option<Op> {
            unsafe { mlirValueIsAOpResult(self.0).then(|| Op(mlirOpResultGetOwner(self.0))) }
        }
        /// Its number among the results of its operation or the arguments of its block.
        pub fn index(self) -> usize {
            unsafe {
                if mlirValueIsAOpResult(self.0) {
                    mlirOpResultGetResultNumber(self.0) as usize
                } else {
                    mlirBlockArgumentGetArgNumber(self.0) as usize
                }
            }
        }
        /// Returns the block whose argument it is.
        pub fn argument_block(self) -> Option<Block> {
            unsafe { mlirValueIsABlockArgument(self.0).then(|| Block(mlirBlockArgumentGetOwner(self.0))) }
        }
        /// Returns all uses: the operation and the operand index, in the order of MLIR's use list.
        pub fn uses(self) -> Vec<(Op, usize)> {
            let mut uses = Vec::new();
            unsafe {
                let mut operand = mlirValueGetFirstUse(self.0);
                while !mlirOpOperandIsNull(operand) {
                    uses.push((Op(mlirOpOperandGetOwner(operand)), mlirOpOperandGetOperandNumber(operand) as usize));
                    operand = mlirOpOperandGetNextUse(operand);
                }
            }
            uses
        }
        /// Whether the value has any use.
        pub fn has_uses(self) -> bool {
            unsafe { !mlirOpOperandIsNull(mlirValueGetFirstUse(self.0)) }
        }
        /// Replaces all uses by another value.
        pub fn replace_all_uses(self, with: Value) {
            unsafe { mlirValueReplaceAllUsesOfWith(self.0, with.0) }
        }
    }

    impl Block {
        /// The operations in order, the terminator last.
        pub fn ops(self) -> Vec<Op> {
            self.each_op().collect()
        }
        /// Returns the terminator, if the block has one.
        pub fn terminator(self) -> Option<Op> {
            some(unsafe { mlirBlockGetTerminator(self.0) })
        }
        /// Returns the arguments in order.
        pub fn args(self) -> Vec<Value> {
            self.each_arg().collect()
        }
        /// Adds an argument.
        pub fn add_arg(self, ty: Type, loc: MlirLocation) -> Value {
            unsafe { Value(mlirBlockAddArgument(self.0, ty.0, loc)) }
        }
        /// Removes an argument, which must have no uses.
        pub fn erase_arg(self, index: usize) {
            unsafe { mlirBlockEraseArgument(self.0, u32::try_from(index).expect("blocks have few arguments")) }
        }
        /// The operation whose region it is in.
        pub fn parent(self) -> Option<Op> {
            some(unsafe { mlirBlockGetParentOperation(self.0) })
        }
        /// Appends an operation that is in no block.
        pub fn append(self, op: Op) -> Op {
            unsafe { mlirBlockAppendOwnedOperation(self.0, op.0) };
            op
        }
        /// Inserts an operation that is in no block before another one of this block.
        pub fn insert_before(self, reference: Op, op: Op) -> Op {
            unsafe { mlirBlockInsertOwnedOperationBefore(self.0, reference.0, op.0) };
            op
        }
        /// Inserts an operation that is in no block at the start.
        pub fn prepend(self, op: Op) -> Op {
            unsafe { mlirBlockInsertOwnedOperation(self.0, 0, op.0) };
            op
        }
        /// A new block in no region, with arguments of these types.
        pub fn create(types: &[Type], loc: MlirLocation) -> Block {
            let raw: Vec<_> = types.iter().map(|t| t.0).collect();
            let locs = vec![loc; types.len()];
            unsafe { Block(mlirBlockCreate(raw.len() as isize, raw.as_ptr(), locs.as_ptr())) }
        }
    }

    impl Region {
        /// Returns the blocks in order.
        pub fn blocks(self) -> Vec<Block> {
            self.each_block().collect()
        }
        /// Returns the first block, if there is one.
        pub fn first_block(self) -> Option<Block> {
            let block = unsafe { mlirRegionGetFirstBlock(self.0) };
            (!block.ptr.is_null()).then_some(Block(block))
        }
        /// Appends a block that is in no region.
        pub fn append(self, block: Block) {
            unsafe { mlirRegionAppendOwnedBlock(self.0, block.0) }
        }
        /// A new empty region, to be given to an operation under construction.
        pub fn create() -> Region {
            unsafe { Region(mlirRegionCreate()) }
        }
    }
}
