//! Bytes in groups, as convolutions and products with packed weights multiply them: an instruction that adds the products of a group takes the
//! place of a multiplication and an addition. A group has four bytes; on CPUs that do not multiply bytes two, which become words.
use super::dot_instructions::Short;
use super::forms::dim;
use super::raw_bytes::{Raw, Zero};
use crate::Emitter;
use crate::emit::index::{Index, LaneIndex};
use crate::emit::ir_builder::{Coder, Supported};
use crate::graph::{Kind, Memory};
use crate::machine::convolutions::FILTER_BLOCK;
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;
use halyard_ir::{Type, Value};

/// Steps of the sums over weights that are added side by side, so that none waits for the one before.
const STEPS: i64 = 4;

/// The input of a convolution of bytes, or the activations of a product.
pub(super) struct ByteInput {
    pub(super) raw: Raw,
    pub(super) instruction: Instruction,
    /// The channels of a group of filters, the steps of a sum; they may not fill the last group.
    pub(super) channels: i64,
}

impl ByteInput {
    /// What the numbers become.
    pub(super) fn short(&self) -> Short {
        self.instruction.short()
    }

    /// Whether words hold the bytes less their zero point, so that nothing is left to correct.
    pub(super) fn is_exact(&self) -> bool {
        let fits = match self.raw.zero {
            Zero::None | Zero::Scalar(_, Some(_)) | Zero::Tensor(..) => true,
            Zero::Constant(zero) => (-(1 << 14)..1 << 14).contains(&zero),
            Zero::Scalar(_, None) => false,
        };
        self.short() == Short::Word && fits
    }
}

impl Planner<'_> {
    /// An input as bytes that an instruction multiplies with signed ones, of a convolution or product that gives `y`.
    pub(super) fn byte_input(&self, x: usize, y: usize, channels: i64) -> Option<ByteInput> {
        let instruction = self.target.dots.of_packed_bytes()?;
        let raw = self.raw_tensor(x)?;
        let fits = self.graph.tensors[y].elem.bits() == 32;
        fits.then_some(ByteInput { raw, instruction, channels })
    }

    /// A tensor of one type in memory that an operation makes wider.
    pub(super) fn widened(&self, tensor: usize, (narrow, wide, how): (&str, &str, &str)) -> Option<usize> {
        let elem = |t: usize| self.graph.tensors[t].elem.to_string();
        let memory = |t: usize| matches!(self.graph.tensors[t].kind, Kind::Memory(_));
        let node = self.graph.node_of(tensor)?;
        let ops = node.body.ops();
        let ([from], [wider, end]) = (&self.graph.inputs_of(node)?[..], ops.as_slice()) else { return None };
        let plain = !node.reduction.contains(&true)
            && node.maps[0] == (0..node.dims.len()).map(dim).collect::<Vec<_>>()
            && node.maps[0] == node.maps[1]
            && wider.is(how)
            && wider.operand(0) == node.body.args()[0]
            && end.operand(0) == wider.result(0);
        (plain && memory(*from) && elem(*from) == narrow && elem(tensor) == wide).then_some(*from)
    }
}

impl Emitter<'_> {
    /// Bytes in memory as groups for an instruction.
    pub(super) fn as_groups(&mut self, bytes: &Memory, instruction: Instruction) -> Memory {
        let ptr = self.code.address(bytes, bytes.offset);
        let count: i64 = bytes.dims.iter().filter_map(|size| size.known()).product();
        let group = instruction.short().group();
        let elem = self.code.int(8 * group as u32);
        self.code.contiguous(ptr, elem, &[Index::constant(count / group)])
    }

    /// Groups of packed bytes, of [`Self::as_groups`], as an instruction multiplies them: 32 bits each.
    pub(super) fn load_groups(&mut self, groups: &Memory, at: Index, instruction: Instruction) -> Value {
        let loaded = self.code.load(groups, &LaneIndex::from(at), None, None, None);
        if instruction.short() == Short::Byte {
            return loaded;
        }
        let (byte, word, int) = (self.code.int(8), self.code.int(16), self.code.int(32));
        let (lanes, pairs) = (self.code.lanes, 2 * self.code.lanes);
        let bytes = self.code.pure("vector.bitcast", &[loaded], Type::vector(pairs, byte), None);
        let words = self.code.pure("arith.extsi", &[bytes], Type::vector(pairs, word), None);
        self.code.pure("vector.bitcast", &[words], Type::vector(lanes, int), None)
    }

    /// What is added to the numbers that an instruction multiplies with packed bytes, and their zero point then, negated: see
    /// [`Self::correction`].
    pub(super) fn correction_of(&mut self, bytes: &ByteInput) -> Supported<(Option<Value>, Option<Value>)> {
        if bytes.is_exact() {
            return Ok((None, None));
        }
        let shift = match bytes.short() {
            Short::Byte => bytes.instruction.shift(true, bytes.raw.signed),
            _ => 0,
        };
        self.correction(bytes.raw, shift)
    }

    /// What the sums of some vectors of a block of packed weights, from `w` on, of so many steps, start from: `-p·Σ s`, where the other factor
    /// has the zero point `p`, of which `minus_zero` is the negative; zero without one.
    pub(super) fn starts_of_sums(
        &mut self,
        instruction: Instruction,
        minus_zero: Option<Value>,
        weights: &Memory,
        (w, vectors, steps): (Index, i64, i64),
    ) -> Supported<Vec<Value>> {
        let int = self.code.int(32);
        let zero = self.code.number(int, 0.0);
        let zero = self.code.splat(zero);
        let Some(minus) = minus_zero else { return Ok(vec![zero; vectors as usize]) };
        let ones = match instruction.short() {
            Short::Byte => 0x0101_0101,
            _ => 0x0001_0001,
        };
        let ones = self.code.number(int, f64::from(ones));
        let (ones, minus) = (self.code.splat(ones), self.code.splat(minus));
        let lanes = self.code.lanes;
        let add = |this: &mut Self, step: Index, sums: &[Value]| -> Vec<Value> {
            let at = this.code.mul(step, Index::constant(FILTER_BLOCK));
            let at = this.code.add(w, at);
            let each = sums.iter().enumerate().map(|(number, &sum)| {
                let (step, vector) = (number as i64 / vectors, number as i64 % vectors);
                let at = at.plus(step * FILTER_BLOCK + vector * lanes);
                let filters = this.load_groups(weights, at, instruction);
                this.dot(instruction, sum, ones, filters)
            });
            each.collect()
        };
        let whole = steps / STEPS * STEPS;
        let bounds = (Index::ZERO, Index::constant(whole), Index::constant(STEPS));
        let start = vec![zero; (STEPS * vectors) as usize];
        let sums = self.rolled_loop(bounds, &start, |this, step, sums| Ok(add(this, step, sums)))?;
        let mut sums = sums.chunks(vectors as usize);
        let mut all = sums.next().expect("there are steps").to_vec();
        for more in sums {
            for (sum, more) in all.iter_mut().zip(more) {
                *sum = self.code.math("arith.addi", &[*sum, *more]);
            }
        }
        for step in whole..steps {
            all = add(self, Index::constant(step), &all);
        }
        Ok(all.into_iter().map(|sum| self.code.math("arith.muli", &[sum, minus])).collect())
    }
}
