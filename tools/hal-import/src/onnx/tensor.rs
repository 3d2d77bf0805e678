//! Tensors that are known at import: weights, and results of folding.
use super::{Elem, narrow::Narrowing, packed::in_byte};
use bytes::Bytes;
use half::{bf16, f16};

/// One element: floats as `f64` (which holds all of them), integers and bools as `i128` (likewise).
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Num {
    F(f64),
    I(i128),
}

impl Num {
    pub(crate) fn float(self) -> f64 {
        match self {
            Self::F(v) => v,
            Self::I(v) => v as f64,
        }
    }

    /// Converts to an integer; floats are truncated toward zero.
    pub(crate) fn int(self) -> i128 {
        match self {
            Self::F(v) => v as i128,
            Self::I(v) => v,
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        match self {
            Self::F(v) => v == 0.0,
            Self::I(v) => v == 0,
        }
    }

    /// The little-endian bytes of this number in a type; integers wrap.
    pub(crate) fn bytes(self, elem: Elem) -> Vec<u8> {
        match elem {
            Elem::F32 => (self.float() as f32).to_le_bytes().to_vec(),
            Elem::F64 => self.float().to_le_bytes().to_vec(),
            Elem::F16 => f16::from_f64(self.float()).to_le_bytes().to_vec(),
            Elem::Bf16 => bf16::from_f64(self.float()).to_le_bytes().to_vec(),
            Elem::Bool => vec![u8::from(!self.is_zero())],
            elem => match elem.format() {
                // An infinity was made one on purpose.
                Some(format) => {
                    let saturate = self.float().is_finite();
                    vec![format.encode(self.float(), Narrowing { saturate, ..Narrowing::default() })]
                }
                None if elem.is_narrow() => vec![in_byte(elem, self.int() as u8)],
                None => self.int().to_le_bytes()[..elem.size()].to_vec(),
            },
        }
    }

    /// Writes the bytes of this number in a type.
    pub(crate) fn put(self, elem: Elem, out: &mut [u8]) {
        match elem {
            Elem::F32 => out.copy_from_slice(&(self.float() as f32).to_le_bytes()),
            Elem::F16 => out.copy_from_slice(&f16::from_f64(self.float()).to_le_bytes()),
            Elem::Bf16 => out.copy_from_slice(&bf16::from_f64(self.float()).to_le_bytes()),
            Elem::I8 | Elem::U8 | Elem::I16 | Elem::U16 | Elem::I32 | Elem::U32 | Elem::I64 | Elem::U64 => {
                out.copy_from_slice(&self.int().to_le_bytes()[..elem.size()]);
            }
            _ => out.copy_from_slice(&self.bytes(elem)),
        }
    }

    /// Reads the first element of little-endian bytes.
    pub(crate) fn read(elem: Elem, b: &[u8]) -> Self {
        fn first<const N: usize>(b: &[u8]) -> [u8; N] {
            b[..N].try_into().expect("N bytes")
        }
        match elem {
            Elem::F32 => Self::F(f32::from_le_bytes(first(b)).into()),
            Elem::F64 => Self::F(f64::from_le_bytes(first(b))),
            Elem::F16 => Self::F(f16::from_le_bytes(first(b)).into()),
            Elem::Bf16 => Self::F(bf16::from_le_bytes(first(b)).into()),
            Elem::Bool => Self::I((b[0] != 0).into()),
            Elem::U8 => Self::I(b[0].into()),
            Elem::I8 => Self::I((b[0] as i8).into()),
            Elem::U16 => Self::I(u16::from_le_bytes(first(b)).into()),
            Elem::I16 => Self::I(i16::from_le_bytes(first(b)).into()),
            Elem::U32 => Self::I(u32::from_le_bytes(first(b)).into()),
            Elem::I32 => Self::I(i32::from_le_bytes(first(b)).into()),
            Elem::U64 => Self::I(u64::from_le_bytes(first(b)).into()),
            Elem::I64 => Self::I(i64::from_le_bytes(first(b)).into()),
            elem => match elem.format() {
                Some(format) => Self::F(format.decode(b[0])),
                None if elem.is_unsigned() => Self::I(in_byte(elem, b[0]).into()),
                None => Self::I((in_byte(elem, b[0]) as i8).into()),
            },
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
enum Data {
    /// All elements have this value.
    Splat(Vec<u8>),
    /// Row-major, little-endian elements.
    Bytes(Bytes),
}

/// A tensor of known elements.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Tensor {
    pub(crate) elem: Elem,
    pub(crate) shape: Vec<usize>,
    data: Data,
    /// The name if it becomes a weight.
    pub(crate) name: Option<String>,
}

impl Tensor {
    /// Makes a tensor from row-major little-endian bytes; `None` if their number does not fit the shape. Detects equal
    /// elements.
    pub(crate) fn from_bytes(elem: Elem, shape: Vec<usize>, bytes: Bytes) -> Option<Self> {
        let len = shape.iter().try_fold(elem.size(), |a, &b| a.checked_mul(b))?;
        if len != bytes.len() {
            return None;
        }
        let size = elem.size();
        // Weights may be larger than memory: looked at in pieces, up to the first that differs.
        let splat = bytes.len() >= size
            && halyard_cli::try_in_pieces(&bytes, |piece| {
                let end = piece.len() - piece.len() % size;
                let same = piece[..size.min(end)] == bytes[..size.min(end)]
                    && piece[size.min(end)..end] == piece[..end.saturating_sub(size)];
                if same { Ok(()) } else { Err(()) }
            })
            .is_ok();
        let data = if splat { Data::Splat(bytes[..size].to_vec()) } else { Data::Bytes(bytes) };
        Some(Self { elem, shape, data, name: None })
    }

    pub(crate) fn splat(elem: Elem, shape: Vec<usize>, value: Num) -> Self {
        Self { elem, shape, data: Data::Splat(value.bytes(elem)), name: None }
    }

    pub(crate) fn scalar(elem: Elem, value: Num) -> Self {
        Self::splat(elem, Vec::new(), value)
    }

    /// Makes a tensor from elements in row-major order.
    ///
    /// # Panics
    /// If their number does not fit the shape.
    pub(crate) fn from_numbers(elem: Elem, shape: Vec<usize>, numbers: impl IntoIterator<Item = Num>) -> Self {
        let bytes: Vec<u8> = numbers.into_iter().flat_map(|n| n.bytes(elem)).collect();
        Self::from_bytes(elem, shape, bytes.into()).expect("as many numbers as the shape holds")
    }

    pub(crate) fn from_ints(elem: Elem, numbers: &[i64]) -> Self {
        Self::from_numbers(elem, vec![numbers.len()], numbers.iter().map(|&n| Num::I(n.into())))
    }

    /// Renames the tensor.
    pub(crate) fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    pub(crate) fn len(&self) -> usize {
        // One that is made of equal elements may say to have more than there can be.
        self.shape.iter().fold(1, |n, &d| n.saturating_mul(d))
    }

    /// Returns the common value of all elements, if there are any and they are equal bit for bit.
    pub(crate) fn as_splat(&self) -> Option<Num> {
        match &self.data {
            Data::Splat(bytes) if self.len() > 0 => Some(Num::read(self.elem, bytes)),
            _ => None,
        }
    }

    pub(crate) fn get(&self, index: usize) -> Num {
        match &self.data {
            Data::Splat(bytes) => Num::read(self.elem, bytes),
            Data::Bytes(bytes) => Num::read(self.elem, &bytes[index * self.elem.size()..]),
        }
    }

    pub(crate) fn numbers(&self) -> impl Iterator<Item = Num> + '_ {
        (0..self.len()).map(|i| self.get(i))
    }

    pub(crate) fn ints(&self) -> Vec<i64> {
        self.numbers().map(|n| n.int() as i64).collect()
    }

    /// The bytes, row-major, little-endian; `None` if all elements are known to be equal.
    pub(super) fn elements(&self) -> Option<&Bytes> {
        match &self.data {
            Data::Splat(_) => None,
            Data::Bytes(bytes) => Some(bytes),
        }
    }

    /// Returns all bytes, row-major, little-endian.
    pub(crate) fn bytes(&self) -> Bytes {
        match &self.data {
            Data::Splat(bytes) => bytes.repeat(self.len()).into(),
            Data::Bytes(bytes) => bytes.clone(),
        }
    }

    /// Reshapes to another shape with the same number of elements.
    pub(crate) fn reshaped(&self, shape: Vec<usize>) -> Self {
        debug_assert_eq!(self.len(), shape.iter().product::<usize>());
        Self { shape, ..self.clone() }
    }

    /// The tensor whose element `i` (row-major) is element `source(i)` of this one.
    pub(crate) fn gathered(&self, shape: Vec<usize>, source: impl Fn(usize) -> usize) -> Self {
        let name = self.name.clone();
        match &self.data {
            Data::Splat(_) => Self { shape, ..self.clone() },
            Data::Bytes(bytes) => {
                let (size, len) = (self.elem.size(), shape.iter().product::<usize>());
                let out = halyard_cli::filled(len * size, |out| {
                    for (i, out) in out.chunks_exact_mut(size).enumerate() {
                        let at = source(i) * size;
                        out.copy_from_slice(&bytes[at..at + size]);
                    }
                });
                let mut tensor = Self::from_bytes(self.elem, shape, out).expect("`len` elements");
                tensor.name = name;
                tensor
            }
        }
    }

    /// Each element by itself, in a new type.
    pub(crate) fn mapped(&self, elem: Elem, f: impl Fn(Num) -> Num) -> Self {
        match &self.data {
            Data::Splat(bytes) => Self {
                elem,
                shape: self.shape.clone(),
                data: Data::Splat(f(Num::read(self.elem, bytes)).bytes(elem)),
                name: self.name.clone(),
            },
            Data::Bytes(bytes) => self.converted(bytes, elem, f),
        }
    }
}

/// Returns the row-major strides, in elements.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1usize; shape.len()];
    for i in (0..shape.len().saturating_sub(1)).rev() {
        // For a tensor without elements, sizes may be anything.
        strides[i] = strides[i + 1].wrapping_mul(shape[i + 1]);
    }
    strides
}

/// Maps row-major positions of `shape` through `f`, which is given the indices and returns a position.
pub(crate) fn positions<F: Fn(&[usize]) -> usize>(shape: &[usize], f: F) -> impl Fn(usize) -> usize + use<F> {
    let shape = shape.to_vec();
    move |mut flat| {
        // Called for each element: small shapes need no allocation.
        let (mut few, mut many) = ([0; 8], Vec::new());
        let index = match shape.len() {
            0..=8 => &mut few[..shape.len()],
            rank => {
                many.resize(rank, 0);
                &mut many[..]
            }
        };
        for i in (0..shape.len()).rev() {
            index[i] = flat % shape[i];
            flat /= shape[i];
        }
        f(index)
    }
}

/// Maps an element of the broadcast shape to its source.
pub(crate) fn broadcast_source(from: &[usize], to: &[usize]) -> Box<dyn Fn(usize) -> usize> {
    let (steps, skip, from) = (strides(from), to.len() - from.len(), from.to_vec());
    Box::new(positions(to, move |index| {
        from.iter().enumerate().map(|(i, &d)| if d == 1 { 0 } else { index[skip + i] * steps[i] }).sum()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn splats_are_noticed() {
        let t = Tensor::from_numbers(Elem::F32, vec![2, 2], [Num::F(0.5); 4]);
        assert_eq!(t.as_splat(), Some(Num::F(0.5)));
        assert_eq!(Tensor::from_ints(Elem::I64, &[1, 2]).as_splat(), None);
        assert_eq!(Tensor::from_ints(Elem::I64, &[]).as_splat(), None);
    }

    #[test]
    fn numbers_round_trip() {
        for elem in [Elem::F16, Elem::Bf16, Elem::F32, Elem::F64, Elem::I8, Elem::I32, Elem::I64] {
            assert_eq!(Tensor::from_numbers(elem, vec![2], [Num::I(-3), Num::I(5)]).ints(), [-3, 5], "{elem:?}");
        }
        assert_eq!(Tensor::from_ints(Elem::U8, &[-1, 2]).ints(), [255, 2]);
    }
}
