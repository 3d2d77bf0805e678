//! Constant tensors as bits.
use halyard_runtime::commands::ScalarType;
use std::rc::Rc;

/// A constant tensor, row-major: the bits of each element, zero-extended. One that is the same everywhere has one element.
#[derive(Debug, Clone)]
pub struct Array {
    /// The type of the elements.
    pub ty: ScalarType,
    /// The sizes.
    pub shape: Rc<[usize]>,
    bits: Rc<[u64]>,
}

impl Array {
    /// An array that is the same everywhere.
    pub fn splat(ty: ScalarType, shape: &[usize], bits: u64) -> Self {
        Self { ty, shape: shape.into(), bits: Rc::new([bits]) }
    }

    /// An array of these elements, one for each place of the shape.
    pub fn new(ty: ScalarType, shape: &[usize], bits: Vec<u64>) -> Self {
        debug_assert_eq!(bits.len(), shape.iter().product::<usize>());
        match bits.split_first() {
            Some((first, rest)) if rest.iter().all(|b| b == first) => Self::splat(ty, shape, *first),
            _ => Self { ty, shape: shape.into(), bits: bits.into() },
        }
    }

    /// An array of little-endian elements; a `splat` has one. `None` if the bytes are not those of the shape.
    pub fn from_bytes(ty: ScalarType, shape: &[usize], bytes: &[u8], splat: bool) -> Option<Self> {
        let size = ty.size();
        let count = if splat { 1 } else { shape.iter().product() };
        if bytes.len() != count * size {
            return None;
        }
        let read = |b: &[u8]| {
            let mut wide = [0; 8];
            wide[..size].copy_from_slice(b);
            u64::from_le_bytes(wide) & ty.mask()
        };
        let bits: Vec<u64> = bytes.chunks_exact(size).map(read).collect();
        Some(if splat { Self::splat(ty, shape, bits[0]) } else { Self::new(ty, shape, bits) })
    }

    /// The elements as they lie in memory.
    pub fn to_bytes(&self) -> Vec<u8> {
        let size = self.ty.size();
        (0..self.element_count()).flat_map(|i| self.at(i).to_le_bytes().into_iter().take(size)).collect()
    }

    /// Returns the number of elements.
    pub fn element_count(&self) -> usize {
        self.shape.iter().product()
    }

    /// The bits that all elements have.
    pub fn as_splat(&self) -> Option<u64> {
        (self.bits.len() == 1).then(|| self.bits[0])
    }

    /// The bits of an element, by its place in row-major order.
    pub fn at(&self, place: usize) -> u64 {
        if self.bits.len() == 1 { self.bits[0] } else { self.bits[place] }
    }

    /// The elements; one for all if it [`Self::as_splat`].
    pub fn bits(&self) -> &[u64] {
        &self.bits
    }

    /// The same elements in another shape of as many.
    pub fn reshaped(&self, shape: &[usize]) -> Self {
        Self { ty: self.ty, shape: shape.into(), bits: self.bits.clone() }
    }

    /// An array whose element at an index is the one that `source` finds, by its place; `None` where it finds none.
    pub fn gathered(&self, shape: &[usize], mut source: impl FnMut(&[usize]) -> Option<usize>) -> Option<Self> {
        if let Some(bits) = self.as_splat() {
            return Some(Self::splat(self.ty, shape, bits));
        }
        let mut bits = Vec::with_capacity(shape.iter().product());
        for index in indices(shape) {
            bits.push(self.at(source(&index)?));
        }
        Some(Self::new(self.ty, shape, bits))
    }
}

/// The distance of neighbours along each dimension, row-major.
pub(crate) fn strides(shape: &[usize]) -> Vec<usize> {
    let mut strides = vec![1; shape.len()];
    for d in (1..shape.len()).rev() {
        strides[d - 1] = strides[d] * shape[d];
    }
    strides
}

/// All indices of a shape, row-major.
pub(crate) fn indices(shape: &[usize]) -> impl Iterator<Item = Vec<usize>> + use<> {
    let shape = shape.to_vec();
    let count: usize = shape.iter().product();
    let mut index = vec![0; shape.len()];
    (0..count).map(move |place| {
        if place > 0 {
            for d in (0..shape.len()).rev() {
                index[d] += 1;
                if index[d] < shape[d] {
                    break;
                }
                index[d] = 0;
            }
        }
        index.clone()
    })
}
