//! Elements of less than eight bits: how models pack them.
use super::Elem;
use bytes::Bytes;

/// The low bits of an integer of less than eight bits, with its sign above them.
pub(super) fn in_byte(elem: Elem, byte: u8) -> u8 {
    let rest = 8 - elem.bits();
    let high = byte << rest;
    if elem.is_unsigned() || elem.is_float() { high >> rest } else { ((high as i8) >> rest) as u8 }
}

/// Returns the bytes that a model needs for a number of elements; elements of less than eight bits are packed.
pub(super) fn packed_bytes(elem: Elem, count: usize) -> usize {
    if elem.is_narrow() {
        count.saturating_mul(elem.bits() as usize).div_ceil(8)
    } else {
        count.saturating_mul(elem.size())
    }
}

/// Unpacks elements, packed from the low bits on, to one per byte.
pub(super) fn unpack(elem: Elem, count: usize, packed: &Bytes) -> Bytes {
    let bits = elem.bits() as usize;
    if bits == 8 {
        return packed.clone();
    }
    let byte = |i: usize| u16::from(packed.get(i).copied().unwrap_or(0));
    let element = |i: usize| {
        let (at, shift) = (i * bits / 8, i * bits % 8);
        in_byte(elem, ((byte(at) | byte(at + 1) << 8) >> shift) as u8)
    };
    (0..count).map(element).collect::<Vec<_>>().into()
}

/// Reads codes of a number of bits, packed from the low bits on.
pub(super) fn pack(codes: &[u8], bits: usize) -> Vec<u8> {
    let mut out = vec![0u8; (codes.len() * bits).div_ceil(8)];
    for (i, &code) in codes.iter().enumerate() {
        let (at, shift) = (i * bits / 8, i * bits % 8);
        let wide = u16::from(code) << shift;
        out[at] |= wide as u8;
        if let Some(next) = out.get_mut(at + 1) {
            *next |= (wide >> 8) as u8;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_is_undone() {
        for elem in [Elem::U4, Elem::U2, Elem::F6E2M3, Elem::F4E2M1] {
            let codes: Vec<u8> = (0..11).map(|i| i & ((1 << elem.bits()) - 1)).collect();
            let packed: Bytes = pack(&codes, elem.bits() as usize).into();
            assert_eq!(packed.len(), packed_bytes(elem, codes.len()));
            assert_eq!(unpack(elem, codes.len(), &packed), codes);
        }
        assert_eq!(unpack(Elem::I4, 3, &Bytes::from_static(&[0xF7, 0x08])), [7, 0xFF, 0xF8].as_slice());
    }
}
