use super::*;
use proptest::prelude::*;

#[test]
fn known_values() {
    assert_eq!(median(&[3.0, 1.0, 2.0]), 2.0);
    assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), 2.5);
    assert_eq!(mad(&[1.0, 1.0, 2.0, 2.0, 4.0, 6.0, 9.0]), 1.0);
    assert_eq!(mad(&[5.0]), 0.0);
    let s = summary(&[1.0, 2.0, 3.0, 4.0, 100.0]);
    assert_eq!((s.median, s.mad, s.mean, s.min, s.max, s.outliers), (3.0, 1.0, 22.0, 1.0, 100.0, 1));
}

#[test]
fn one_sample_has_an_interval_of_no_width() {
    assert_eq!(median_interval(&[7.0]), [7.0, 7.0]);
}

#[test]
fn equal_samples_have_no_outliers() {
    assert!(outliers(&[2.0; 20]).is_empty());
    assert_eq!(outliers(&[2.0, 2.0, 2.0, 2.0, 2.2]), [4]);
}

/// The interval covers the true median about as often as it says. (Uniform samples on [0, 1) around 0.5.)
#[test]
fn intervals_cover() {
    let mut generator = Pcg32::new(1, 1);
    let mut covered = 0;
    for _ in 0..200 {
        let samples: Vec<f64> = (0..25).map(|_| f64::from(generator.next_u32()) / 4_294_967_296.0).collect();
        let [low, high] = median_interval(&samples);
        covered += usize::from(low <= 0.5 && 0.5 <= high);
    }
    assert!((180..=200).contains(&covered), "{covered} of 200");
}

/// A drift that both programs see cancels.
#[test]
fn pairs_cancel_drift() {
    let a: Vec<f64> = (0..30).map(|i| 1.0 + f64::from(i) * 0.1).collect();
    let b: Vec<f64> = a.iter().map(|v| v * 2.0).collect();
    assert_eq!(ratio(&a, &b), (0.5, [0.5, 0.5]));
}

proptest! {
    #[test]
    fn half_lies_on_each_side(samples in proptest::collection::vec(0.0f64..1e3, 1..60)) {
        let m = median(&samples);
        prop_assert!(samples.iter().filter(|s| **s <= m).count() * 2 >= samples.len());
        prop_assert!(samples.iter().filter(|s| **s >= m).count() * 2 >= samples.len());
        prop_assert_eq!(middle(&mut samples.clone()), m);
    }

    #[test]
    fn intervals_are_ordered_and_inside(samples in proptest::collection::vec(1e-9f64..1e3, 1..60)) {
        let s = summary(&samples);
        prop_assert!(s.min <= s.interval[0] && s.interval[0] <= s.interval[1] && s.interval[1] <= s.max);
        prop_assert!(s.interval[0] <= s.median && s.median <= s.interval[1] || samples.len() < 8);
    }

    #[test]
    fn units_do_not_matter(samples in proptest::collection::vec(1e-3f64..1e3, 1..40)) {
        let scaled: Vec<f64> = samples.iter().map(|s| s * 1024.0).collect();
        let (a, b) = (summary(&samples), summary(&scaled));
        prop_assert_eq!((a.median * 1024.0, a.mad * 1024.0, a.outliers), (b.median, b.mad, b.outliers));
        prop_assert_eq!(a.interval.map(|v| v * 1024.0), b.interval);
    }
}
