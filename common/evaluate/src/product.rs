//! Products of matrices, of whatever number of dimensions: sums of products of two operands of f32.
use crate::{
    Array,
    array::indices,
    body::{Body, Outcome},
    nest::Nest,
};
use halyard_runtime::commands::ScalarType;

/// Rows that are computed together, so that the second matrix is read once for all of them.
const ROWS: usize = 4;

/// The result of a nest that multiplies two operands and does nothing else; `None` if it is another one.
pub(crate) fn evaluate(nest: &Nest, body: &Body, operands: &[Array]) -> Option<Array> {
    let [Outcome::Products([a, b], ScalarType::F32)] = body.outcomes[..] else { return None };
    let [left, right, init] = operands else { return None };
    if !body.is_trivial()
        || [a, b] != [0, 1]
        || nest.inputs != 2
        || left.ty != ScalarType::F32
        || right.ty != ScalarType::F32
    {
        return None;
    }
    let steps = [nest.access[0].steps()?, nest.access[1].steps()?, nest.access[2].steps()?];
    let moved = |l: usize| steps.map(|s| s[l] != 0);
    let loops = |wanted: [bool; 3]| -> Vec<usize> {
        (0..nest.extents.len()).filter(|l| nest.extents[*l] > 1 && moved(*l) == wanted).collect()
    };
    let (batch, rows) = (loops([true, true, true]), loops([true, false, true]));
    let (columns, inner) = (loops([false, true, true]), loops([true, true, false]));
    let known = batch.len() + rows.len() + columns.len() + inner.len();
    if known != nest.extents.iter().filter(|n| **n > 1).count() || nest.extents.contains(&0) {
        return None;
    }
    // Where each index of some loops leads to, from the first.
    let places = |operand: usize, loops: &[usize]| -> Vec<usize> {
        let extents: Vec<usize> = loops.iter().map(|l| nest.extents[*l]).collect();
        let place = |index: Vec<usize>| index.iter().zip(loops).map(|(i, l)| i * steps[operand][*l] as usize).sum();
        indices(&extents).map(place).collect()
    };
    let number = |array: &Array, place: usize| f64::from(f32::from_bits(array.at(place) as u32));
    let matrix = |array: &Array, from: usize, outer: &[usize], inner: &[usize]| -> Vec<f64> {
        outer.iter().flat_map(|o| inner.iter().map(move |i| number(array, from + o + i))).collect()
    };
    let (left_rows, left_inner) = (places(0, &rows), places(0, &inner));
    let (right_inner, right_columns) = (places(1, &inner), places(1, &columns));
    let (to_rows, to_columns) = (places(2, &rows), places(2, &columns));
    let mut bits = vec![0; init.element_count()];
    let batches = places(0, &batch).into_iter().zip(places(1, &batch)).zip(places(2, &batch));
    for ((from_left, from_right), to) in batches {
        let factors = matrix(left, from_left, &left_rows, &left_inner);
        let columns = matrix(right, from_right, &right_inner, &right_columns);
        for (block, factors) in factors.chunks(ROWS * left_inner.len()).enumerate() {
            let rows = &to_rows[block * ROWS..][..factors.len() / left_inner.len()];
            let start = |row: &usize| to_columns.iter().map(|c| number(init, to + row + c)).collect::<Vec<f64>>();
            let mut sums: Vec<Vec<f64>> = rows.iter().map(start).collect();
            multiply(&mut sums, factors, &columns, left_inner.len());
            for (row, sums) in rows.iter().zip(sums) {
                for (column, sum) in to_columns.iter().zip(sums) {
                    bits[to + row + column] = init.ty.from_f64(sum);
                }
            }
        }
    }
    Some(Array::new(init.ty, &init.shape, bits))
}

/// Adds to each row the sum over `depth` of a factor times a row of `matrix`, in order.
fn multiply(sums: &mut [Vec<f64>], factors: &[f64], matrix: &[f64], depth: usize) {
    let width = sums.first().map_or(0, Vec::len);
    for k in 0..depth {
        let row = &matrix[k * width..][..width];
        if let [a, b, c, d] = &mut *sums {
            let [fa, fb, fc, fd] = [0, 1, 2, 3].map(|r| factors[r * depth + k]);
            let (a, b, c, d) = (&mut a[..width], &mut b[..width], &mut c[..width], &mut d[..width]);
            for j in 0..width {
                a[j] += fa * row[j];
                b[j] += fb * row[j];
                c[j] += fc * row[j];
                d[j] += fd * row[j];
            }
        } else {
            for (r, sums) in sums.iter_mut().enumerate() {
                let factor = factors[r * depth + k];
                sums.iter_mut().zip(row).for_each(|(sum, v)| *sum += factor * v);
            }
        }
    }
}
