//! Changes the case of letters, byte by byte: each character becomes one to three others, as Unicode specifies.
use crate::onnx::{
    Body, Context, Elem, Num, Order, Outcome, Scalar, Tensor, Value,
    strings::{List, Spans, length_of, start_of},
};
use std::sync::LazyLock;

/// The two tables of [`Case::tabulated`].
type Letters = (Vec<u8>, Vec<u64>);

/// How letters are changed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Case {
    Lower,
    Upper,
}

impl Case {
    /// Changes a string, character by character.
    pub(super) fn of(self, text: &str) -> String {
        text.chars().map(|c| self.of_char(c)).collect()
    }

    fn of_char(self, c: char) -> String {
        match self {
            Self::Lower => c.to_lowercase().collect(),
            Self::Upper => c.to_uppercase().collect(),
        }
    }

    /// Whether a character stays as it is.
    fn leaves(self, c: char) -> bool {
        match self {
            Self::Lower => c.to_lowercase().eq([c]),
            Self::Upper => c.to_uppercase().eq([c]),
        }
    }

    /// The tables, made once: all of Unicode takes a while.
    fn tables(self) -> &'static Letters {
        static LOWER: LazyLock<Letters> = LazyLock::new(|| Case::Lower.tabulated());
        static UPPER: LazyLock<Letters> = LazyLock::new(|| Case::Upper.tabulated());
        match self {
            Self::Lower => &LOWER,
            Self::Upper => &UPPER,
        }
    }

    /// Two tables: for each 256 characters the block of the second that they are in, and for each character of a block the bytes that it
    /// becomes, the first one lowest, with their number in the highest byte; 0 if it stays. Block 0 is of characters that all stay.
    fn tabulated(self) -> Letters {
        let (mut blocks, mut bytes) = (Vec::new(), vec![0; 256]);
        for first in (0..0x11_0000u32).step_by(256) {
            let row: Vec<u64> = (first..first + 256)
                .map(|point| {
                    let Some(c) = char::from_u32(point) else { return 0 };
                    if self.leaves(c) {
                        return 0;
                    }
                    let other = self.of_char(c);
                    let written = other.bytes().rev().fold(0u64, |all, byte| all << 8 | u64::from(byte));
                    written | (other.len() as u64) << 56
                })
                .collect();
            blocks.push(if row.iter().all(|&v| v == 0) {
                0
            } else {
                bytes.extend(row);
                u8::try_from(bytes.len() / 256 - 1).expect("few blocks have letters of two cases")
            });
        }
        (blocks, bytes)
    }
}

/// The tables that bodies read for a character.
struct Tables {
    blocks: List,
    bytes: List,
    /// The bytes of the strings.
    own: List,
}

impl Tables {
    /// Returns the replacement of the character that starts at a byte, as an entry of the second table; the character
    /// itself if it is unchanged. 0 if none starts there.
    fn at(&self, b: &mut Body<'_>, place: &Scalar) -> Scalar {
        let bytes: Vec<_> = (0..4)
            .map(|i| {
                let by = b.index_constant(i);
                let at = b.add(place, &by);
                let byte = self.own.at(b, &at);
                b.cast(&byte, Elem::U64)
            })
            .collect();
        // By the number of bytes of a character: its first one, what of that counts, the character, and its own bytes.
        let nothing = b.int(Elem::U64, 0);
        let (mut point, mut own) = (nothing.clone(), nothing.clone());
        let (mut starts, mut all) = (b.int(Elem::Bool, 0), Vec::new());
        for (width, &(mask, lead)) in [(0x80, 0x00), (0xE0, 0xC0), (0xF0, 0xE0), (0xF8, 0xF0)].iter().enumerate() {
            let (mask_value, lead) = (b.int(Elem::U64, mask), b.int(Elem::U64, lead));
            let head = b.and(&bytes[0], &mask_value);
            let is = b.compare(Order::Eq, &head, &lead);
            let payload = b.int(Elem::U64, 0xFF & !mask);
            let mut here = b.and(&bytes[0], &payload);
            let mut written = bytes[0].clone();
            for (i, byte) in bytes[1..=width].iter().enumerate() {
                let (six, low) = (b.int(Elem::U64, 6), b.int(Elem::U64, 0x3F));
                let (high, low) = (b.shift(&here, &six, true), b.and(byte, &low));
                here = b.or(&high, &low);
                let by = b.int(Elem::U64, 8 * (i as i64 + 1));
                let byte = b.shift(byte, &by, true);
                written = b.or(&written, &byte);
            }
            let count = b.int(Elem::U64, (width as i64 + 1) << 56);
            let written = b.or(&written, &count);
            point = b.select(&is, &here, &point);
            own = b.select(&is, &written, &own);
            starts = b.or(&starts, &is);
            all.push(is);
        }
        let eight = b.int(Elem::U64, 8);
        let row = b.shift(&point, &eight, false);
        let row = b.to_index(&row);
        let block = self.blocks.at(b, &row);
        let (low, mask) = (b.cast(&block, Elem::U64), b.int(Elem::U64, 0xFF));
        let low = b.shift(&low, &eight, true);
        let column = b.and(&point, &mask);
        let place = b.or(&low, &column);
        let place = b.to_index(&place);
        let other = self.bytes.at(b, &place);
        let stays = b.compare(Order::Eq, &other, &nothing);
        let result = b.select(&stays, &own, &other);
        b.select(&starts, &result, &nothing)
    }
}

/// The strings with letters of one case.
pub(super) fn changed(c: &mut Context<'_>, spans: &Spans, case: Case) -> Outcome<Spans> {
    let (blocks, bytes) = case.tables();
    let numbers = |elem, list: Vec<i128>, name: &str| {
        let count = list.len();
        let tensor = Tensor::from_numbers(elem, vec![count], list.into_iter().map(Num::I));
        Value::constant(tensor.named(Some(format!("letters_{name}"))))
    };
    let way = if case == Case::Lower { "lower" } else { "upper" };
    let blocks = numbers(Elem::U8, blocks.iter().map(|&n| i128::from(n)).collect(), &format!("{way}_blocks"));
    let bytes = numbers(Elem::U64, bytes.iter().map(|&n| i128::from(n)).collect(), way);
    let [blocks, bytes, own] = [&blocks, &bytes, &spans.bytes].map(|list| List::of(c, list));
    let tables = Tables { blocks, bytes, own };
    let made = c.elementwise(std::slice::from_ref(&spans.bytes), Elem::U64, |b, _| {
        let here = b.position(0);
        tables.at(b, &here)
    })?;
    let lengths = c.elementwise(std::slice::from_ref(&made), Elem::I64, |b, v| {
        let count = b.int(Elem::U64, 56);
        let count = b.shift(&v[0], &count, false);
        b.cast(&count, Elem::I64)
    })?;
    let written = List::of(c, &made);
    let (laid, bytes) = c.laid_out(&lengths, Elem::U8, |b, owner, place| {
        let all = written.at(b, owner);
        let place = b.cast(place, Elem::U64);
        let eight = b.int(Elem::U64, 8);
        let by = b.mul(&place, &eight);
        let byte = b.shift(&all, &by, false);
        b.cast(&byte, Elem::U8)
    })?;
    // Strings begin and end where characters do.
    let ends = List::of(c, &laid.ends);
    let numbers = c.elementwise(std::slice::from_ref(&spans.numbers), Elem::I64, |b, v| {
        let (start, length, one) = (start_of(b, &v[0]), length_of(b, &v[0]), b.index_constant(1));
        let end = b.add(&start, &length);
        let places = [start, end].map(|at| {
            let before = b.sub(&at, &one);
            let place = ends.at(b, &before);
            b.to_index(&place)
        });
        let length = b.sub(&places[1], &places[0]);
        crate::onnx::strings::span_of(b, &places[0], &length)
    })?;
    Ok(Spans { numbers, bytes })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_have_all_letters() {
        for case in [Case::Lower, Case::Upper] {
            let (blocks, bytes) = case.tables();
            for c in (0..0x11_0000u32).filter_map(char::from_u32) {
                let entry = bytes[usize::from(blocks[c as usize >> 8]) * 256 + (c as usize & 0xFF)];
                let length = (entry >> 56) as usize;
                let found = if entry == 0 {
                    c.to_string()
                } else {
                    String::from_utf8(entry.to_le_bytes()[..length].to_vec()).unwrap()
                };
                assert_eq!(found, case.of(&c.to_string()));
            }
        }
    }
}
