use super::{Constant, Floats, elementwise::broadcast};

fn floats(shape: &[usize]) -> Floats {
    let count: usize = shape.iter().product();
    Floats { shape: shape.to_vec(), data: (0..count).map(|i| i as f32).collect() }
}

#[test]
fn shapes_broadcast_from_the_end() {
    let sum =
        |a: &[usize], b: &[usize]| broadcast(&floats(a), &floats(b), |a, b| 10.0 * a + b).map(|r| (r.shape, r.data));
    assert_eq!(sum(&[2, 3], &[3]), Some((vec![2, 3], vec![0.0, 11.0, 22.0, 30.0, 41.0, 52.0])));
    assert_eq!(sum(&[2, 1], &[1, 2]), Some((vec![2, 2], vec![0.0, 1.0, 10.0, 11.0])));
    assert_eq!(sum(&[], &[2]), Some((vec![2], vec![0.0, 1.0])));
    assert_eq!(sum(&[2, 3], &[2]), None);
    assert_eq!(sum(&[2, 0], &[1]), Some((vec![2, 0], vec![])));
}

#[test]
fn products_of_matrices() {
    let product = |a: &[usize], b: &[usize]| {
        super::matmul::matmul(&[Constant::Floats(floats(a)), Constant::Floats(floats(b))])
            .map(|r| (r[0].shape.clone(), r[0].data.clone()))
    };
    assert_eq!(product(&[2, 2], &[2, 2]), Some((vec![2, 2], vec![2.0, 3.0, 6.0, 11.0])));
    assert_eq!(product(&[2, 1, 2], &[2, 1]), Some((vec![2, 1, 1], vec![1.0, 3.0])));
    assert_eq!(product(&[2, 3], &[2, 2]), None);
}
