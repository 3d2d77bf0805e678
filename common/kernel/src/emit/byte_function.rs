//! Functions of one byte: bytes are looked up in registers.
use crate::Emitter;
use crate::emit::ir_builder::{IrBuilder, Supported};
use crate::machine::lookups::ByteLookups;
use halyard_ir::{Attr, Type, Value, dense_bytes};

/// What a shuffle puts into lanes that do not count.
const ANYTHING: i64 = -1;

impl Emitter<'_> {
    /// The results of a function of one byte, for a scalar or the lanes of a vector.
    pub(crate) fn look_up(&mut self, table: Attr, bytes: Value) -> Supported<Value> {
        let (mut table, _) = dense_bytes(table).ok_or("a table that is not dense")?;
        table.resize(256, table[0]);
        let table = Table { bytes: table, how: self.target.lookups, width: i64::from(self.target.vector_bits / 8) };
        let (code, ty) = (&mut self.code, bytes.ty());
        let scalar = !ty.is_vector();
        let vector = if scalar { code.pure("vector.broadcast", &[bytes], Type::vector(1, ty), None) } else { bytes };
        let lanes = vector.ty().shape()[0].unwrap_or(1);
        if lanes == table.width {
            return Ok(table.look_up(code, vector));
        }
        let mut found: Option<Value> = None;
        for start in (0..lanes).step_by(table.width as usize) {
            let picks = (start..start + table.width).map(|lane| if lane < lanes { lane } else { ANYTHING });
            let register = code.shuffled([vector, vector], table.ty(code), picks);
            let results = table.look_up(code, register);
            found = Some(match found {
                None => results,
                Some(before) => {
                    let both = start + table.width;
                    code.shuffled([before, results], Type::vector(both, results.ty().element()), 0..both)
                }
            });
        }
        let found = found.ok_or("a vector without lanes")?;
        if scalar {
            let position = ("static_position", Attr::i64s(code.at.context(), &[0]));
            return Ok(code.pure("vector.extract", &[found], ty, Some(position)));
        }
        Ok(code.shuffled([found, found], ty, 0..lanes))
    }
}

/// A table of 256 bytes.
struct Table {
    bytes: Vec<u8>,
    how: ByteLookups,
    /// The bytes of a vector register.
    width: i64,
}

impl Table {
    /// The bytes at the places that the lanes of a register say.
    fn look_up(&self, code: &mut IrBuilder, places: Value) -> Value {
        match self.how {
            ByteLookups::TwoRegisters => self.in_two_registers(code, places),
            ByteLookups::SixteenBytes => self.in_sixteen_bytes(code, places),
            ByteLookups::FourRegisters => self.in_four_registers(code, places),
            ByteLookups::None => unreachable!("a function stays as it is where there are no lookups"),
        }
    }

    /// The lowest bits of a place say which byte of a pair of registers is taken, the others which pair.
    fn in_two_registers(&self, code: &mut IrBuilder, places: Value) -> Value {
        let name = format!("llvm.x86.avx512.vpermi2var.qi.{}", 8 * self.width);
        let mut found: Vec<Value> = (0..256 / self.width)
            .step_by(2)
            .map(|at| {
                let [low, high] = [at, at + 1].map(|part| self.register(code, part));
                code.intrinsic(&name, &[low, places, high], places.ty())
            })
            .collect();
        let mut bit = 2 * self.width;
        while found.len() > 1 {
            let (mask, zero) = (code.bytes(&self.every(bit)), code.bytes(&self.every(0)));
            let bits = code.pure("arith.andi", &[places, mask], places.ty(), None);
            let condition = Type::vector(self.width, code.int(1));
            let differs = Attr::integer(code.int(64), NOT_EQUAL);
            let set = code.pure("arith.cmpi", &[bits, zero], condition, Some(("predicate", differs)));
            found = found.chunks(2).map(|pair| code.select(set, pair[1], pair[0])).collect();
            bit *= 2;
        }
        found[0]
    }

    /// `pshufb` reads the lowest four bits of a place, and gives 0 where the highest bit is set. That bit is set for all places outside of a
    /// part of 16 bytes, after the start of the part is subtracted and 112 is added with saturation.
    fn in_sixteen_bytes(&self, code: &mut IrBuilder, places: Value) -> Value {
        let name = match self.width {
            64 => "llvm.x86.avx512.pshuf.b.512",
            32 => "llvm.x86.avx2.pshuf.b",
            _ => "llvm.x86.ssse3.pshuf.b.128",
        };
        let saturating = format!("llvm.uadd.sat.v{}i8", self.width);
        let (mut rest, sixteen, raised) = (places, code.bytes(&self.every(16)), code.bytes(&self.every(112)));
        let mut found: Option<Value> = None;
        for part in self.bytes.chunks(16) {
            let ty = places.ty();
            if found.is_some() {
                rest = code.pure("arith.subi", &[rest, sixteen], ty, None);
            }
            let place = code.intrinsic(&saturating, &[rest, raised], ty);
            let part = code.bytes(&part.repeat(self.width as usize / 16));
            let here = code.intrinsic(name, &[part, place], ty);
            found = Some(found.map_or(here, |before| code.pure("arith.ori", &[before, here], ty, None)));
        }
        found.expect("a table has bytes")
    }

    /// `tbl` gives 0 for places beyond its registers.
    fn in_four_registers(&self, code: &mut IrBuilder, places: Value) -> Value {
        let (mut rest, all, ty) = (places, code.bytes(&self.every(4 * self.width)), places.ty());
        let mut found: Option<Value> = None;
        for first in (0..256 / self.width).step_by(4) {
            if found.is_some() {
                rest = code.pure("arith.subi", &[rest, all], ty, None);
            }
            let mut operands: Vec<Value> = (first..first + 4).map(|part| self.register(code, part)).collect();
            operands.push(rest);
            let here = code.intrinsic("llvm.aarch64.neon.tbl4.v16i8", &operands, ty);
            found = Some(found.map_or(here, |before| code.pure("arith.ori", &[before, here], ty, None)));
        }
        found.expect("a table has bytes")
    }

    /// A register of bytes.
    fn ty(&self, code: &IrBuilder) -> Type {
        Type::vector(self.width, code.int(8))
    }

    /// The bytes of a register that are all the same.
    fn every(&self, byte: i64) -> Vec<u8> {
        vec![byte as u8; self.width as usize]
    }

    /// A part of the table that fills a register.
    fn register(&self, code: &mut IrBuilder, part: i64) -> Value {
        let start = (part * self.width) as usize;
        code.bytes(&self.bytes[start..start + self.width as usize])
    }
}

/// The predicate of `arith.cmpi`.
const NOT_EQUAL: i64 = 1;

impl IrBuilder {
    /// A constant vector of bytes.
    fn bytes(&mut self, bytes: &[u8]) -> Value {
        let text: Vec<String> = bytes.iter().map(|&byte| (byte as i8).to_string()).collect();
        let value = format!("dense<[{}]> : vector<{}xi8>", text.join(", "), bytes.len());
        let value = Attr::parse(self.at.context(), &value).expect("a constant");
        self.constant(value)
    }
}
