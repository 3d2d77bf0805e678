//! Support vector machines.
use super::{
    super::{Entry, matmul::product},
    class::{Labels, best},
    linear::{Pair, both, pair, turned},
    post::{Post, rows},
    svm_probability::probabilities,
};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Tensor, Value, generic::map, problem::invalid,
};

pub(super) const OPS: &[Entry] = &[("SVMClassifier", classifier), ("SVMRegressor", regressor)];

/// Computes the kernel function of each row and support vector.
fn kernel(c: &mut Context<'_>, n: &Node, x: &Value, vectors: &[f32], count: usize, kind: &str) -> Outcome<Value> {
    let parameters = n.floats("kernel_params").unwrap_or_default();
    let parameter = |i: usize| f64::from(parameters.get(i).copied().unwrap_or(0.0));
    let (gamma, offset, degree) = (parameter(0), parameter(1), parameter(2));
    let vectors = turned(n, "support_vectors", vectors, count)?;
    c.require_size((x, 1), &vectors.shape[0], "as support vectors have elements")?;
    let x = c.settle(x);
    if kind == "RBF" {
        let out = c.filled(Elem::F32, &[x.shape[0].clone(), vectors.shape[1].clone()], Num::F(0.0));
        let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
        let ins = [(&x, map(&[0, 2])), (&vectors, map(&[2, 1]))];
        let distances = c.generic(&iters, &ins, &[(&out, map(&[0, 1]))], |b, v| {
            let difference = b.sub(&v[0], &v[1]);
            let square = b.mul(&difference, &difference);
            vec![b.add(&v[2], &square)]
        });
        return c.elementwise(&distances, Elem::F32, |b, v| {
            let gamma = b.like(&v[0], -gamma);
            let power = b.mul(&gamma, &v[0]);
            b.math("exp", &power)
        });
    }
    let products = product(c, &x, &vectors)?;
    c.elementwise(&[products], Elem::F32, |b, v| {
        if kind == "LINEAR" {
            return v[0].clone();
        }
        let (gamma, offset) = (b.like(&v[0], gamma), b.like(&v[0], offset));
        let scaled = b.mul(&gamma, &v[0]);
        let sum = b.add(&scaled, &offset);
        if kind == "SIGMOID" { b.math("tanh", &sum) } else { power(b, &sum, degree) }
    })
}

/// A power; whole ones are products, which also hold below 0.
fn power(b: &mut Body<'_>, x: &Scalar, degree: f64) -> Scalar {
    if degree.fract() == 0.0 && (1.0..=8.0).contains(&degree) {
        return (1..degree as usize).fold(x.clone(), |product, _| b.mul(&product, x));
    }
    let degree = b.like(x, degree);
    b.math2("powf", x, &degree)
}

fn kind(n: &Node) -> Outcome<String> {
    let kind = n.string("kernel_type", "LINEAR");
    match &*kind {
        "LINEAR" | "POLY" | "RBF" | "SIGMOID" => Ok(kind),
        _ => invalid(format!("`kernel_type` is `{kind}`")),
    }
}

fn regressor(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = rows(c, n.input(0)?, Elem::F32)?;
    let (count, kind) = (usize::try_from(n.int("n_supports", 0)).unwrap_or(0), kind(n)?);
    let coefficients = n.floats("coefficients").unwrap_or_default();
    let vectors = n.floats("support_vectors").unwrap_or_default();
    n.has("kernel_params");
    let rho = n.floats("rho").unwrap_or_default().first().copied().unwrap_or(0.0);
    let post = Post::from_name(&n.string("post_transform", "NONE"))?;
    let (left, list) = if count > 0 {
        if coefficients.len() != count {
            return invalid(format!("there are {count} support vectors, but {} coefficients", coefficients.len()));
        }
        (kernel(c, n, &x, &vectors, count, &kind)?, turned(n, "coefficients", &coefficients, 1)?)
    } else {
        let list = turned(n, "coefficients", &coefficients, 1)?;
        c.require_size((&x, 1), &list.shape[0], "as there are coefficients")?;
        (c.settle(&x), list)
    };
    let sums = product(c, &left, &list)?;
    let one_class = n.int("one_class", 0) != 0;
    let scores = c.elementwise(&[sums], Elem::F32, |b, v| {
        let rho = b.like(&v[0], rho.into());
        let score = b.add(&v[0], &rho);
        if !one_class {
            return score;
        }
        let (zero, one, minus) = (b.like(&score, 0.0), b.like(&score, 1.0), b.like(&score, -1.0));
        let inside = b.compare(Order::Gt, &score, &zero);
        b.select(&inside, &one, &minus)
    })?;
    Ok(vec![post.apply(c, &scores)?])
}

fn classifier(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = rows(c, n.input(0)?, Elem::F32)?;
    let labels = Labels::of(n, "classlabels_ints")?;
    let post = Post::from_name(&n.string("post_transform", "NONE"))?;
    let kind = kind(n)?;
    let coefficients = n.floats("coefficients").unwrap_or_default();
    let rho = n.floats("rho").unwrap_or_default();
    let vectors = n.floats("support_vectors").unwrap_or_default();
    let sizes = n.ints("vectors_per_class").unwrap_or_default();
    let (a, b) = (n.floats("prob_a").unwrap_or_default(), n.floats("prob_b").unwrap_or_default());
    n.has("kernel_params");
    let classes = labels.len();
    if sizes.iter().any(|s| *s < 0) || sizes.iter().try_fold(0i64, |sum, s| sum.checked_add(*s)).is_none() {
        return invalid("`vectors_per_class` has impossible numbers");
    }
    let count = sizes.iter().sum::<i64>() as usize;
    if count == 0 {
        return linear(c, n, &x, &labels, post, &coefficients, &rho);
    }
    let pairs = classes * (classes - 1) / 2;
    if sizes.len() != classes
        || coefficients.len() < classes.saturating_sub(1) * count
        || rho.len() < pairs
        || pairs == 0
    {
        return invalid("the lists of support vectors, coefficients and classes do not fit");
    }
    if a.len() != b.len() || !(a.is_empty() || a.len() >= pairs) {
        return invalid(format!("there are {pairs} pairs of classes, but {} and {} probabilities", a.len(), b.len()));
    }
    let alike = kernel(c, n, &x, &vectors, count, &kind)?;
    // One column for each pair of classes, with the coefficients of both classes' vectors.
    let starts: Vec<_> = sizes
        .iter()
        .scan(0, |at, s| {
            let start = *at;
            *at += *s as usize;
            Some(start)
        })
        .collect();
    let of = |class: usize| starts[class]..starts[class] + sizes[class] as usize;
    let mut weights = vec![0.0; count * pairs];
    let (mut winners, mut losers) = (Vec::new(), Vec::new());
    for i in 0..classes {
        for j in i + 1..classes {
            let column = winners.len();
            of(i).for_each(|m| weights[m * pairs + column] = coefficients[(j - 1) * count + m]);
            of(j).for_each(|m| weights[m * pairs + column] = coefficients[i * count + m]);
            winners.push(i as i64);
            losers.push(j as i64);
        }
    }
    let numbers = weights.iter().map(|v| Num::F(f64::from(*v)));
    let weights = Tensor::from_numbers(Elem::F32, vec![count, pairs], numbers);
    let weights = Value::constant(weights.named(Some(format!("{}_coefficients", n.name))));
    let sums = product(c, &alike, &weights)?;
    let rho = Tensor::from_numbers(Elem::F32, vec![pairs], rho[..pairs].iter().map(|v| Num::F(f64::from(*v))));
    let rho = Value::constant(rho.named(Some(format!("{}_rho", n.name))));
    let sums = c.elementwise(&[sums, rho], Elem::F32, |b, v| b.add(&v[0], &v[1]))?;
    let votes = votes(c, &sums, &winners, &losers, classes);
    let best = best(c, &votes)?;
    let label = labels.at(c, &best)?;
    let scores = if !a.is_empty() {
        let all = probabilities(c, &sums, classes, &a[..pairs], &b[..pairs])?;
        post.apply(c, &all)?
    } else if classes == 2 {
        if post == Post::None { pair(c, &sums, Pair::Opposite)? } else { both(c, &sums, post)? }
    } else {
        post.apply(c, &sums)?
    };
    Ok(vec![label, scores])
}

/// Counts the pairs that each class wins.
fn votes(c: &mut Context<'_>, sums: &Value, winners: &[i64], losers: &[i64], classes: usize) -> Value {
    let table = |list: &[i64]| Value::constant(Tensor::from_ints(Elem::I64, list));
    let (winners, losers) = (table(winners), table(losers));
    let out = c.filled(Elem::I32, &[sums.shape[0].clone(), Dim::fixed(classes as i64)], Num::I(0));
    let ins = [(sums, map(&[0, 2])), (&winners, map(&[2])), (&losers, map(&[2]))];
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    c.generic(&iters, &ins, &[(&out, map(&[0, 1]))], |b, v| {
        let zero = b.like(&v[0], 0.0);
        let first = b.compare(Order::Gt, &v[0], &zero);
        let winner = b.select(&first, &v[1], &v[2]);
        let class = b.position(1);
        let class = b.cast(&class, Elem::I64);
        let mine = b.compare(Order::Eq, &winner, &class);
        let one = b.int(Elem::I32, 1);
        let more = b.add(&v[3], &one);
        vec![b.select(&mine, &more, &v[3])]
    })
    .remove(0)
}

/// Without support vectors: a row of coefficients for each class.
fn linear(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    labels: &Labels,
    post: Post,
    coefficients: &[f32],
    rho: &[f32],
) -> Outcome {
    let weights = turned(n, "coefficients", coefficients, labels.len())?;
    c.require_size((x, 1), &weights.shape[0], "as there are coefficients")?;
    let x = c.settle(x);
    let sums = product(c, &x, &weights)?;
    let rho = f64::from(rho.first().copied().unwrap_or(0.0));
    let sums = c.elementwise(&[sums], Elem::F32, |b, v| {
        let rho = b.like(&v[0], rho);
        b.add(&v[0], &rho)
    })?;
    let mut place = best(c, &sums)?;
    if labels.len() == 2 {
        // As onnxruntime has it: the second class wins where the larger score is high enough.
        let positive = coefficients.iter().all(|v| *v >= 0.0);
        let most = c.reduce(&sums, &[1], Elem::F32, super::super::lowest(Elem::F32), |b, v, a| b.max(a, v));
        place = c.elementwise(&[place, most], Elem::I64, |b, v| {
            let least = b.like(&v[1], if positive { 0.5 } else { 0.0 });
            let high = b.compare(if positive { Order::Ge } else { Order::Gt }, &v[1], &least);
            let one = b.int(Elem::I64, 1);
            b.select(&high, &one, &v[0])
        })?;
    }
    Ok(vec![labels.at(c, &place)?, post.apply(c, &sums)?])
}
