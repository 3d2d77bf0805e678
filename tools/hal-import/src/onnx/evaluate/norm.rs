//! Normalisations, and softmax.
use super::{
    Constant, Evaluate, Floats,
    elementwise::rows,
    reduce::{Totals, totals},
};
use crate::onnx::Node;

pub(super) const TABLE: &[(&str, Evaluate)] = &[("BatchNormalization", batch), ("Softmax", softmax)];

/// `(x - mean) / sqrt(var + epsilon) · scale + bias` of each channel; in training mode with the mean and the variance of the batch.
fn batch(n: &Node, inputs: &[Constant<'_>]) -> Option<Vec<Floats>> {
    let all: Vec<&Floats> = inputs.iter().map(Constant::floats).collect::<Option<_>>()?;
    let [x, scale, bias, mean, var] = all[..] else { return None };
    let training = n.int("training_mode", 0) != 0;
    let (epsilon, momentum) = (n.float("epsilon", 1e-5), n.float("momentum", 0.9));
    let channels = *x.shape.get(1)?;
    let lists = [scale, bias, mean, var].iter().all(|list| list.shape == [channels]);
    if !lists || n.opset < 14 || (!training && (1..5).any(|i| n.wants(i))) {
        return None;
    }
    let axes: Vec<usize> = (0..x.rank()).filter(|&d| d != 1).collect();
    let count = (x.data.len() / channels.max(1)) as f64;
    let (means, variances): (Vec<f64>, Vec<f64>) = if training {
        let sums = totals(x, &axes, 0.0, |a, v| a + v);
        let means: Vec<f64> = sums.data.iter().map(|sum| sum / count).collect();
        let apart = |at: usize, v: f32| (f64::from(v) - means[at]).powi(2);
        let mut squares = vec![0.0; channels];
        each(x, &sums, |at, v| squares[at] += apart(at, v));
        let variances = squares.into_iter().map(|square| square / count).collect();
        (means, variances)
    } else {
        let wide = |list: &Floats| list.data.iter().map(|&v| f64::from(v)).collect();
        (wide(mean), wide(var))
    };
    let of = |list: &Floats, at: usize| f64::from(list.data[at]);
    let mut data = Vec::with_capacity(x.data.len());
    each(x, &Totals { data: Vec::new(), steps: along(x, 1) }, |at, v| {
        let normal = (f64::from(v) - means[at]) / (variances[at] + epsilon).sqrt();
        data.push((normal * of(scale, at) + of(bias, at)) as f32);
    });
    let mut results = vec![Floats { shape: x.shape.clone(), data }];
    if training {
        for (old, new) in [(mean, means), (var, variances)] {
            let running =
                old.data.iter().zip(new).map(|(&old, new)| f64::from(old) * momentum + new * (1.0 - momentum));
            results.push(Floats { shape: vec![channels], data: running.map(|v| v as f32).collect() });
        }
    }
    Some(results)
}

/// Along one axis, as from opset 13 on.
fn softmax(n: &Node, inputs: &[Constant<'_>]) -> Option<Vec<Floats>> {
    let [x] = inputs else { return None };
    let x = x.floats()?;
    if n.opset < 13 {
        return None;
    }
    let axis = n.axis(n.int("axis", -1), x.rank()).ok()?;
    let highest = totals(x, &[axis], f64::NEG_INFINITY, f64::max);
    let mut powers = Vec::with_capacity(x.data.len());
    each(x, &highest, |at, v| powers.push(libm::exp(f64::from(v) - highest.data[at])));
    let mut sums = vec![0.0; highest.data.len()];
    let mut next = powers.iter();
    each(x, &highest, |at, _| sums[at] += next.next().copied().unwrap_or(0.0));
    let mut next = powers.iter();
    let mut data = Vec::with_capacity(x.data.len());
    each(x, &highest, |at, _| data.push((next.next().copied().unwrap_or(0.0) / sums[at]) as f32));
    Some(vec![Floats { shape: x.shape.clone(), data }])
}

/// The steps of a list along one axis.
fn along(x: &Floats, axis: usize) -> Vec<usize> {
    (0..x.rank()).map(|d| usize::from(d == axis)).collect()
}

/// Calls `f` for each element in order, with the place of its total.
fn each(x: &Floats, totals: &Totals, mut f: impl FnMut(usize, f32)) {
    let mut from = 0;
    rows(&x.shape, |index, count| {
        let at: usize = index.iter().zip(&totals.steps).map(|(i, s)| i * s).sum();
        let step = totals.steps.last().copied().unwrap_or(0);
        x.data[from..from + count].iter().enumerate().for_each(|(i, &v)| f(at + i * step, v));
        from += count;
    });
}
