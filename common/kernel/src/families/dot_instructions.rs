//! Instructions that add several products of short numbers to a sum at once.
use crate::Emitter;
use crate::emit::ir_builder::IrBuilder;
use crate::machine::dot_products::Instruction;
use halyard_ir::{Attr, Type, Value};

/// The type of the numbers that are multiplied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::families) enum Short {
    Byte,
    Word,
    Half,
    Single,
}

impl Short {
    pub(in crate::families) fn bits(self) -> u32 {
        match self {
            Self::Byte => 8,
            Self::Word | Self::Half => 16,
            Self::Single => 32,
        }
    }

    /// Whether the elements are floating-point numbers.
    pub(in crate::families) fn is_float(self) -> bool {
        matches!(self, Self::Half | Self::Single)
    }

    /// How many are multiplied at once for each sum.
    pub(in crate::families) fn group(self) -> i64 {
        i64::from(32 / self.bits())
    }
}

impl Instruction {
    pub(in crate::families) fn short(self) -> Short {
        match self {
            Self::Bytes | Self::SignedBytes => Short::Byte,
            Self::Words | Self::WordsThenAdd => Short::Word,
            Self::Halves => Short::Half,
            Self::Wide => Short::Single,
        }
    }

    /// What is added to bytes of this signedness so that they are what the rows (or the columns) must be.
    pub(in crate::families) fn shift(self, rows: bool, signed: bool) -> i64 {
        match (self == Self::Bytes && rows, signed) {
            (true, true) => 128,
            (true, false) | (false, true) => 0,
            (false, false) => -128,
        }
    }

    /// For people.
    pub(in crate::families) fn name(self) -> &'static str {
        match self {
            Self::Bytes => "vpdpbusd",
            Self::SignedBytes => "sdot",
            Self::Words => "vpdpwssd",
            Self::WordsThenAdd => "pmaddwd",
            Self::Halves => "vdpbf16ps",
            Self::Wide => "multiply-adds of f32",
        }
    }

    /// Registers that it needs beside its operands.
    pub(in crate::families) fn temporaries(self) -> i64 {
        i64::from(self == Self::WordsThenAdd)
    }

    fn intrinsic(self, lanes: i64) -> String {
        let bits = lanes * 32;
        match (self, bits) {
            (Self::Bytes, _) => format!("llvm.x86.avx512.vpdpbusd.{bits}"),
            (Self::Words, _) => format!("llvm.x86.avx512.vpdpwssd.{bits}"),
            (Self::Halves, _) => format!("llvm.x86.avx512bf16.dpbf16ps.{bits}"),
            (Self::SignedBytes, _) => format!("llvm.aarch64.neon.sdot.v{lanes}i32.v{}i8", 4 * lanes),
            (Self::WordsThenAdd, 512) => "llvm.x86.avx512.pmaddw.d.512".to_owned(),
            (Self::WordsThenAdd, 256) => "llvm.x86.avx2.pmadd.wd".to_owned(),
            (Self::WordsThenAdd, _) => "llvm.x86.sse2.pmadd.wd".to_owned(),
            (Self::Wide, _) => unreachable!("it is an operation of MLIR's"),
        }
    }
}

impl Emitter<'_> {
    /// `sum` plus the products of two vectors of 32-bit groups.
    pub(in crate::families) fn dot(&mut self, how: Instruction, sum: Value, rows: Value, columns: Value) -> Value {
        let (rows, columns) = (self.code.groups(rows, how.short()), self.code.groups(columns, how.short()));
        if how == Instruction::Wide {
            return self.code.at.value("math.fma", &[rows, columns, sum], sum.ty(), &[]);
        }
        let name = how.intrinsic(self.code.lanes);
        if how == Instruction::WordsThenAdd {
            let pairs = self.code.intrinsic(&name, &[rows, columns], sum.ty());
            return self.code.at.value("arith.addi", &[sum, pairs], sum.ty(), &[]);
        }
        self.code.intrinsic(&name, &[sum, rows, columns], sum.ty())
    }
}

impl Emitter<'_> {
    /// The lowest bits of integers.
    pub(in crate::families) fn narrow(&mut self, value: Value, to: Type) -> Value {
        let ty = self.code.vector(to);
        if value.ty() == ty { value } else { self.code.pure("arith.trunci", &[value], ty, None) }
    }

    /// Vectors of short numbers as one of groups of 32 bits: the first number of a group from the first vector, and so on. Zeros fill groups
    /// up.
    pub(in crate::families) fn side_by_side(&mut self, how: Short, mut parts: Vec<Value>) -> Value {
        let (lanes, group) = (self.code.lanes, how.group());
        let (short, int) = (self.code.int(how.bits()), self.code.int(32));
        let zero = self.code.number(short, 0.0);
        parts.resize(group as usize, self.code.splat(zero));
        if let [only] = parts[..] {
            return only;
        }
        // All of one step after all of the one before, then lane by lane.
        let shuffled = |this: &mut Self, a: Value, b: Value, picks: &[i64]| {
            let mask = Attr::i64s(this.code.at.context(), picks);
            let ty = Type::vector(picks.len() as i64, short);
            this.code.pure("vector.shuffle", &[a, b], ty, Some(("mask", mask)))
        };
        while parts.len() > 2 {
            let both = 2 * lanes * group / parts.len() as i64;
            let picks: Vec<i64> = (0..both).collect();
            parts = parts.chunks(2).map(|pair| shuffled(self, pair[0], pair[1], &picks)).collect();
        }
        let picks: Vec<i64> = (0..lanes * group).map(|at| at % group * lanes + at / group).collect();
        let all = shuffled(self, parts[0], parts[1], &picks);
        self.code.pure("vector.bitcast", &[all], Type::vector(lanes, int), None)
    }
}

impl IrBuilder {
    /// A vector of 32-bit groups as the short numbers that it holds.
    fn groups(&mut self, value: Value, short: Short) -> Value {
        let elem = match short {
            Short::Byte | Short::Word => self.int(short.bits()),
            Short::Single => Type::f32(self.at.context()),
            Short::Half => Type::parse(self.at.context(), "bf16").expect("a builtin type"),
        };
        let ty = Type::vector(self.lanes * short.group(), elem);
        self.pure("vector.bitcast", &[value], ty, None)
    }
}
