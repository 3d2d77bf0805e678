//! The expected texts come from numpy 2.4.
use super::*;
use halyard_runtime::f16;

fn f32s(values: &[f32]) -> String {
    print(&Tensor::from_slice(&[values.len()], values))
}

#[test]
fn small_arrays() {
    assert_eq!(f32s(&[1.0, 0.5, -2.25]), "array([ 1.  ,  0.5 , -2.25], dtype=float32)");
    assert_eq!(f32s(&[0.1, 1.0 / 3.0]), "array([0.1       , 0.33333334], dtype=float32)");
    assert_eq!(f32s(&[1e-5, 1.25]), "array([1.00e-05, 1.25e+00], dtype=float32)");
    assert_eq!(f32s(&[f32::NAN, f32::INFINITY, -f32::INFINITY, 1.5]), "array([ nan,  inf, -inf,  1.5], dtype=float32)");
    assert_eq!(f32s(&[f32::NAN]), "array([nan], dtype=float32)");
    assert_eq!(f32s(&[0.0, -0.0]), "array([ 0., -0.], dtype=float32)");
    assert_eq!(f32s(&[1234567.0]), "array([1.234567e+06], dtype=float32)");
    assert_eq!(
        print(&Tensor::from_slice(&[2], &[f16::from_f32(0.1), f16::from_f32(2.0)])),
        "array([0.1, 2. ], dtype=float16)"
    );
    assert_eq!(print(&Tensor::from_slice(&[], &[1.0f32])), "array(1., dtype=float32)");
    assert_eq!(print(&Tensor::from_slice(&[], &[7i64])), "array(7)");
    assert_eq!(print(&Tensor::from_slice(&[3], &[-1i32, 20, 3])), "array([-1, 20,  3], dtype=int32)");
    assert_eq!(print(&Tensor::from_bytes(DType::I1, &[2], &[1, 0]).unwrap()), "array([ True, False])");
    assert_eq!(print(&Tensor::zeros(DType::F32, &[0, 3])), "array([], shape=(0, 3), dtype=float32)");
    assert_eq!(print(&Tensor::zeros(DType::F32, &[0])), "array([], dtype=float32)");
}

#[test]
fn blocks_and_long_lines() {
    let t = Tensor::from_slice(&[2, 2, 2], &[1i64, 2, 3, 4, 5, 6, 7, 8]);
    assert_eq!(print(&t), "array([[[1, 2],\n        [3, 4]],\n\n       [[5, 6],\n        [7, 8]]])");
    let t = Tensor::from_slice(&[30], &(0..30).collect::<Vec<i64>>());
    let wrapped = "array([ 0,  1,  2,  3,  4,  5,  6,  7,  8,  9, 10, 11, 12, 13, 14, 15, 16,\n       17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29])";
    assert_eq!(print(&t), wrapped);
}

#[test]
fn long_arrays_are_summarised() {
    let t = Tensor::from_slice(&[2000], &(0..2000).collect::<Vec<i64>>());
    assert_eq!(print(&t), "array([   0,    1,    2, ..., 1997, 1998, 1999], shape=(2000,))");
    let t = Tensor::zeros(DType::F32, &[1, 1001]);
    assert_eq!(print(&t), "array([[0., 0., 0., ..., 0., 0., 0.]], shape=(1, 1001), dtype=float32)");
    let t = Tensor::zeros(DType::F32, &[200, 100]);
    insta::assert_snapshot!(print(&t), @r"
    array([[0., 0., 0., ..., 0., 0., 0.],
           [0., 0., 0., ..., 0., 0., 0.],
           [0., 0., 0., ..., 0., 0., 0.],
           ...,
           [0., 0., 0., ..., 0., 0., 0.],
           [0., 0., 0., ..., 0., 0., 0.],
           [0., 0., 0., ..., 0., 0., 0.]], shape=(200, 100), dtype=float32)
    ");
}
