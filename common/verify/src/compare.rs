//! Whether what a kernel computed is what the reference computed.
use crate::element::{Element, ulp};

/// How far results are apart.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Comparison {
    /// Elements that were compared.
    pub(crate) compared: u64,
    /// The largest distance, in ulp.
    pub(crate) largest: f64,
    /// The elements that are too far apart, at most [`KEPT`] of them.
    pub(crate) wrong: Vec<Wrong>,
    /// All of them.
    pub(crate) wrong_count: u64,
}

/// An element that is too far off.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Wrong {
    /// Its number in memory.
    pub(crate) index: usize,
    /// How far, in ulp; infinite where a number is compared with NaN.
    pub(crate) ulp: f64,
}

impl Wrong {
    /// What one ulp is worth where it is.
    pub(crate) fn unit(&self, element: Element, got: &[u8], wanted: &[u8]) -> f64 {
        if !element.is_float() {
            return 1.0;
        }
        let far = (element.float(got, self.index) - element.float(wanted, self.index)).abs();
        if self.ulp.is_finite() && self.ulp > 0.0 { far / self.ulp } else { 0.0 }
    }
}

/// As many wrong elements are kept.
const KEPT: usize = 4096;

/// Compares elements. A distance is measured in ulp of the larger of the wanted number and the root mean square of all of
/// them: where terms cancel, the error is that of the terms. `computed` are the elements that the reference has, if not all.
pub(crate) fn compare(
    element: Element,
    got: &[u8],
    wanted: &[u8],
    tolerance: f64,
    computed: Option<&[usize]>,
) -> Comparison {
    match computed {
        Some(list) => compare_at(element, got, wanted, tolerance, list.iter().copied()),
        None => compare_at(element, got, wanted, tolerance, 0..wanted.len() / element.size()),
    }
}

fn compare_at(
    element: Element,
    got: &[u8],
    wanted: &[u8],
    tolerance: f64,
    computed: impl Iterator<Item = usize> + Clone,
) -> Comparison {
    let mut result = Comparison::default();
    let scale = if element.is_float() && element != Element::F8 {
        root_mean_square(element, wanted, computed.clone())
    } else {
        0.0
    };
    for i in computed {
        result.compared += 1;
        let size = element.size();
        if got[i * size..][..size] == wanted[i * size..][..size] {
            continue;
        }
        let distance = distance(element, got, wanted, i, scale);
        if distance.is_finite() {
            result.largest = result.largest.max(distance);
        }
        if distance > tolerance {
            result.wrong_count += 1;
            result.largest = result.largest.max(distance);
            if result.wrong.len() < KEPT {
                result.wrong.push(Wrong { index: i, ulp: distance });
            }
        }
    }
    result
}

fn distance(element: Element, got: &[u8], wanted: &[u8], i: usize, scale: f64) -> f64 {
    match element {
        Element::Bool => {
            if got[i] == wanted[i] {
                0.0
            } else {
                1.0
            }
        }
        Element::Int(_) => element.int(got, i).abs_diff(element.int(wanted, i)) as f64,
        Element::F8 => f64::from(got[i].abs_diff(wanted[i])),
        _ => {
            let (a, b) = (element.float(got, i), element.float(wanted, i));
            if a == b || (a.is_nan() && b.is_nan()) {
                0.0
            } else if !a.is_finite() || !b.is_finite() {
                f64::INFINITY
            } else {
                (a - b).abs() / ulp(b.abs().max(scale), element)
            }
        }
    }
}

fn root_mean_square(element: Element, wanted: &[u8], computed: impl Iterator<Item = usize>) -> f64 {
    let (mut sum, mut count) = (0.0, 0u64);
    for i in computed {
        let x = element.float(wanted, i);
        if x.is_finite() {
            sum += x * x;
            count += 1;
        }
    }
    if count == 0 || !sum.is_finite() { 0.0 } else { (sum / count as f64).sqrt() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bytes(list: &[f32]) -> Vec<u8> {
        list.iter().flat_map(|x| x.to_le_bytes()).collect()
    }

    #[test]
    fn distances_are_in_ulp_of_what_is_typical() {
        let one = f32::from_bits(1.0f32.to_bits() + 3);
        let c = compare(Element::F32, &bytes(&[one, 0.0]), &bytes(&[1.0, 0.0]), 2.0, None);
        assert_eq!((c.largest, c.wrong.len(), c.compared), (3.0, 1, 2));
        // Near zero, among numbers around one.
        let c = compare(Element::F32, &bytes(&[1.0, 2e-7]), &bytes(&[1.0, 1e-7]), 2.0, None);
        assert!(c.wrong.is_empty() && c.largest < 2.0, "{c:?}");
        let c = compare(Element::F32, &bytes(&[f32::NAN, 1.0]), &bytes(&[f32::NAN, f32::NAN]), 2.0, None);
        assert_eq!((c.wrong.len(), c.wrong[0].index), (1, 1));
        let c = compare(Element::F32, &bytes(&[9.0, 1.0]), &bytes(&[1.0, 1.0]), 2.0, Some(&[1]));
        assert_eq!((c.wrong.len(), c.compared), (0, 1));
    }
}
