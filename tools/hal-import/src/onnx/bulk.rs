//! Copies and converts elements of large tensors, in memory order, without keeping the input resident.
use super::{Elem, Num, Tensor, tensor::strides};
use bytes::Bytes;

impl Tensor {
    /// Dimension `i` of the result is dimension `permutation[i]` of this one.
    pub(crate) fn transposed(&self, permutation: &[usize]) -> Self {
        let shape: Vec<usize> = permutation.iter().map(|p| self.shape[*p]).collect();
        let Some(bytes) = self.elements().filter(|b| !b.is_empty()) else {
            let mut same = self.clone();
            same.shape = shape;
            return same;
        };
        let steps = strides(&self.shape);
        // Neighbours that stay neighbours are one dimension; those of size 1 are none.
        let mut dims: Vec<(usize, usize)> = Vec::new();
        for (size, step) in permutation.iter().map(|p| (self.shape[*p], steps[*p])).filter(|(size, _)| *size != 1) {
            match dims.last_mut() {
                Some((n, last)) if *last == step * size => (*n, *last) = (*n * size, step),
                _ => dims.push((size, step)),
            }
        }
        let size = self.elem.size();
        let made = halyard_cli::filled(bytes.len(), |out| match size {
            1 => permute::<1>(bytes, &dims, out),
            2 => permute::<2>(bytes, &dims, out),
            4 => permute::<4>(bytes, &dims, out),
            _ => permute::<8>(bytes, &dims, out),
        });
        Self::from_bytes(self.elem, shape, looked_through(bytes, made))
            .expect("as many elements")
            .named(self.name.clone())
    }

    /// Converts each element separately to a new type, if they are not all equal.
    pub(super) fn converted(&self, bytes: &Bytes, elem: Elem, f: impl Fn(Num) -> Num) -> Self {
        let (from, to) = (self.elem.size(), elem.size());
        let made = halyard_cli::filled(bytes.len() / from * to, |out| {
            let elements = bytes.chunks_exact(from).zip(out.chunks_exact_mut(to));
            elements.for_each(|(b, out)| f(Num::read(self.elem, b)).put(elem, out));
        });
        Self::from_bytes(elem, self.shape.clone(), looked_through(bytes, made))
            .expect("as many elements")
            .named(self.name.clone())
    }
}

/// Returns the pages of the input and the output to the system, if they belong to files.
fn looked_through(read: &Bytes, made: Bytes) -> Bytes {
    halyard_cli::in_pieces(read, |_| {});
    halyard_cli::in_pieces(&made, |_| {});
    made
}

/// Elements of `S` bytes in the order of some dimensions, each with its size and its step in what is read.
fn permute<const S: usize>(from: &[u8], dims: &[(usize, usize)], to: &mut [u8]) {
    let Some((&(columns, step), outer)) = dims.split_last() else {
        to.copy_from_slice(from);
        return;
    };
    // Copies tiles whose elements are adjacent in both the input and the output.
    let side = outer.iter().position(|(_, step)| *step == 1);
    let sizes: Vec<usize> = dims.iter().map(|(n, _)| *n).collect();
    let places = strides(&sizes);
    let (rows, stride) = side.map_or((1, 0), |d| (sizes[d], places[d]));
    let mut index = vec![0; outer.len()];
    loop {
        let (mut source, mut target) = (0, 0);
        for (d, i) in index.iter().enumerate() {
            source += i * outer[d].1;
            target += i * places[d];
        }
        if step == 1 {
            to[target * S..(target + columns) * S].copy_from_slice(&from[source * S..(source + columns) * S]);
        } else {
            for first in (0..rows).step_by(16) {
                for column in 0..columns {
                    let source = source + column * step;
                    for row in first..rows.min(first + 16) {
                        let (i, o) = ((source + row) * S, (target + row * stride + column) * S);
                        to[o..o + S].copy_from_slice(&from[i..i + S]);
                    }
                }
            }
        }
        // The next of all but the tile's dimensions.
        let next = (0..outer.len()).rev().filter(|d| side != Some(*d) || step == 1).find(|d| {
            index[*d] += 1;
            if index[*d] == sizes[*d] {
                index[*d] = 0;
            }
            index[*d] != 0
        });
        if next.is_none() {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn transposing_puts_each_element_where_it_belongs(
            shape in prop::collection::vec(1usize..20, 1..5),
            order in prop::collection::vec(0u32..1000, 4),
            elem in prop_oneof![Just(Elem::U8), Just(Elem::F16), Just(Elem::F32), Just(Elem::I64)],
        ) {
            let mut permutation: Vec<usize> = (0..shape.len()).collect();
            permutation.sort_by_key(|d| order[*d]);
            let count: usize = shape.iter().product();
            let tensor = Tensor::from_numbers(elem, shape.clone(), (0..count).map(|i| Num::I(i as i128 % 200)));
            let to: Vec<usize> = permutation.iter().map(|p| shape[*p]).collect();
            let steps = strides(&shape);
            let source = super::super::tensor::positions(&to, |index| index.iter().zip(&permutation).map(|(i, p)| i * steps[*p]).sum());
            prop_assert_eq!(tensor.transposed(&permutation), tensor.gathered(to, source));
        }
    }
}
