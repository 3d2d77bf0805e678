//! Products of matrices.
use super::{Constant, Evaluate, Floats, MOST_PRODUCTS};

pub(super) const TABLE: &[(&str, Evaluate)] = &[("MatMul", |_, v| matmul(v))];

/// Products of the matrices in the last two dimensions, with sums in f64; the others broadcast only if one operand has none.
pub(super) fn matmul(inputs: &[Constant<'_>]) -> Option<Vec<Floats>> {
    let [a, b] = inputs else { return None };
    let (a, b) = (a.floats()?, b.floats()?);
    let (outer_a, &[m, k]) = a.shape.split_last_chunk()?;
    let (outer_b, &[l, n]) = b.shape.split_last_chunk()?;
    let outer = match (outer_a, outer_b) {
        (outer, []) | ([], outer) => outer,
        (a, b) if a == b => a,
        _ => return None,
    };
    let count: usize = outer.iter().product();
    let work = [m, k, n].iter().try_fold(count, |work, &size| work.checked_mul(size))?;
    if k != l || work > MOST_PRODUCTS {
        return None;
    }
    let mut data = Vec::with_capacity(count * m * n);
    let mut row = vec![0f64; n];
    for at in 0..count {
        let a = &a.data[if outer_a.is_empty() { 0 } else { at * m * k }..][..m * k];
        let b = &b.data[if outer_b.is_empty() { 0 } else { at * k * n }..][..k * n];
        for i in 0..m {
            row.fill(0.0);
            for j in 0..k {
                let factor = f64::from(a[i * k + j]);
                row.iter_mut().zip(&b[j * n..(j + 1) * n]).for_each(|(sum, &v)| *sum += factor * f64::from(v));
            }
            data.extend(row.iter().map(|&sum| sum as f32));
        }
    }
    let shape = outer.iter().copied().chain([m, n]).collect();
    Some(vec![Floats { shape, data }])
}
