//! Converts elements of a file to the type of the model.
use super::{Entry, Stored, Taken, WantedWeight, blocks::Block};
use bytes::Bytes;
use half::{bf16, f16};
use safetensors::Dtype;
use std::io::{self, Write};

/// Elements that are converted beyond this many bytes go to a file without a name, where they need not stay in memory.
const IN_MEMORY: usize = 1 << 20;
/// The number of elements that are converted at a time, a multiple of any block.
const PIECE: usize = 1 << 18;

/// The elements of a tensor in the type that is wanted: as they are, or floats as wider ones, blocks as floats.
/// Errors: it does not fit; the text says why if that is not plain to see.
pub(super) fn convert(entry: &Entry, data: Bytes, wanted: &WantedWeight) -> Result<Taken, String> {
    let fits = |shape: &[usize]| {
        shape.len() == wanted.shape.len() && shape.iter().zip(&wanted.shape).all(|(s, w)| w.is_none_or(|w| w == *s))
    };
    // The bytes of blocks, row by row.
    if let Stored::Blocks(block) = entry.stored
        && is_bytes(wanted.dtype)
    {
        let mut shape = entry.shape.clone();
        let Some(row) = shape.last_mut() else { return Err(String::new()) };
        *row = *row / block.elements() * block.bytes();
        return if fits(&shape) { Ok(Taken { shape, bytes: data }) } else { Err(String::new()) };
    }
    if !fits(&entry.shape) {
        return Err(String::new());
    }
    let done = |bytes| Ok(Taken { shape: entry.shape.clone(), bytes });
    match entry.stored {
        Stored::Plain(dtype) if is_same(dtype, wanted.dtype) => done(data),
        Stored::Plain(dtype) if widens(dtype, wanted.dtype) => {
            let size = dtype.bitsize() / 8;
            done(converted(&data, size, 1, wanted.dtype, |from, to| to[0] = number(dtype, from))?)
        }
        Stored::Plain(dtype) if is_float(dtype) && is_float(wanted.dtype) => {
            Err("floats become wider ones only: convert the file, or the model".into())
        }
        Stored::Blocks(block) if is_float(wanted.dtype) => {
            let (from, elements) = (block.bytes(), block.elements());
            done(converted(&data, from, elements, wanted.dtype, |from, to| decode(block, from, to))?)
        }
        Stored::Unknown(_) => {
            Err("known formats are F32, F16, BF16, F64, I8 to I64, Q4_0, Q4_1, Q5_0, Q5_1, Q8_0, Q4_K, Q5_K and Q6_K"
                .into())
        }
        _ => Err(String::new()),
    }
}

fn decode(block: Block, from: &[u8], to: &mut [f64]) {
    let mut numbers = [0f32; 256];
    let numbers = &mut numbers[..to.len()];
    block.decode(from, numbers);
    to.iter_mut().zip(numbers).for_each(|(to, n)| *to = f64::from(*n));
}

/// Elements, `elements` of them from each `from` bytes.
fn converted(
    data: &[u8],
    from: usize,
    elements: usize,
    dtype: Dtype,
    decode: impl Fn(&[u8], &mut [f64]),
) -> Result<Bytes, String> {
    let size = dtype.bitsize() / 8;
    let mut numbers = vec![0f64; elements];
    let mut one = |from: &[u8], out: &mut dyn Write| -> io::Result<()> {
        decode(from, &mut numbers);
        numbers.iter().try_for_each(|n| match dtype {
            Dtype::F16 => out.write_all(&f16::from_f64(*n).to_le_bytes()),
            Dtype::BF16 => out.write_all(&bf16::from_f64(*n).to_le_bytes()),
            Dtype::F32 => out.write_all(&(*n as f32).to_le_bytes()),
            _ => out.write_all(&n.to_le_bytes()),
        })
    };
    // Pieces consist of whole blocks; their pages are returned to the system after reading.
    let mut all = |out: &mut dyn Write| -> io::Result<()> {
        for piece in data.chunks(from * (PIECE / elements).max(1)) {
            piece.chunks_exact(from).try_for_each(|block| one(block, out))?;
            halyard_cli::in_pieces(piece, |_| {});
        }
        Ok(())
    };
    let failed = |e: io::Error| format!("what it is converted to cannot be written: {e}");
    if (data.len() / from).saturating_mul(elements * size) <= IN_MEMORY {
        let mut bytes = Vec::new();
        all(&mut bytes).map_err(failed)?;
        return Ok(bytes.into());
    }
    halyard_cli::spilled(all).map_err(failed)
}

fn number(dtype: Dtype, b: &[u8]) -> f64 {
    match dtype {
        Dtype::F16 => f16::from_le_bytes([b[0], b[1]]).to_f64(),
        Dtype::BF16 => bf16::from_le_bytes([b[0], b[1]]).to_f64(),
        _ => f32::from_le_bytes(b.try_into().expect("four bytes")).into(),
    }
}

fn is_float(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::F16 | Dtype::BF16 | Dtype::F32 | Dtype::F64)
}

fn is_bytes(dtype: Dtype) -> bool {
    matches!(dtype, Dtype::U8 | Dtype::I8)
}

/// Whether two types have the same size and differ only in the meaning of their bits.
fn is_same(a: Dtype, b: Dtype) -> bool {
    let whole = |d: Dtype| {
        matches!(d, Dtype::U8 | Dtype::I8 | Dtype::U16 | Dtype::I16 | Dtype::U32 | Dtype::I32 | Dtype::U64 | Dtype::I64)
    };
    let bits = |d: Dtype| whole(d) || matches!(d, Dtype::F8_E4M3 | Dtype::F8_E5M2);
    a == b || bits(a) && bits(b) && a.bitsize() == b.bitsize()
}

/// Whether each number of one floating-point type is exactly representable in the other.
fn widens(from: Dtype, to: Dtype) -> bool {
    matches!((from, to), (Dtype::F16 | Dtype::BF16, Dtype::F32 | Dtype::F64) | (Dtype::F32, Dtype::F64))
}
