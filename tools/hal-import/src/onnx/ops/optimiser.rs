//! Steps of optimisers (`ai.onnx.preview.training`), for any number of tensors at once.
use super::Entry;
use crate::onnx::{Body, Context, Elem, Node, Order, Outcome, Scalar, Value, problem::invalid};

pub(super) const OPS: &[Entry] = &[("Adagrad", adagrad), ("Adam", adam), ("Momentum", momentum)];

/// The learning rate, the count of updates, then for each tensor its value, gradient and states.
struct Step {
    rate: Value,
    count: Value,
    tensors: Vec<Vec<Value>>,
}

impl Step {
    /// `parts`: how many inputs belong to a tensor.
    fn of(c: &mut Context<'_>, n: &Node, parts: usize) -> Outcome<Self> {
        let all = n.all()?;
        let Some((head, lists)) = all.split_first_chunk::<2>().filter(|(_, lists)| lists.len() % parts == 0) else {
            return invalid(format!("{} inputs are not two and {parts} for each tensor", all.len()));
        };
        let count = lists.len() / parts;
        let mut tensors = Vec::new();
        for i in 0..count {
            let own: Vec<_> = (0..parts).map(|p| lists[p * count + i].clone()).collect();
            for v in &own {
                if v.elem != own[0].elem || v.rank() != own[0].rank() || !v.elem.is_float() {
                    return invalid(format!("`{}` does not go with `{}`", v.ty(), own[0].ty()));
                }
                for axis in 0..v.rank() {
                    c.require_same((v, axis), (&own[0], axis))?;
                }
            }
            tensors.push(own.iter().map(|v| c.settle(v)).collect());
        }
        let [rate, count] = head.clone().map(|v| c.reshape(&v, &[]));
        Ok(Self { rate: rate?, count: count?, tensors })
    }

    /// Each result by itself: first all new values, then all new states of the first kind, and so on.
    fn results(
        &self,
        c: &mut Context<'_>,
        count: usize,
        f: impl Fn(&mut Body<'_>, &[Scalar]) -> Vec<Scalar>,
    ) -> Outcome {
        let mut all = Vec::new();
        for which in 0..count {
            for own in &self.tensors {
                let inputs = [vec![self.rate.clone(), self.count.clone()], own.clone()].concat();
                all.push(
                    c.elementwise_to(&own[0].shape.clone(), &inputs, own[0].elem, |b, v| f(b, v).swap_remove(which))?,
                );
            }
        }
        Ok(all)
    }
}

/// The gradient, with that of `factor / 2 · ‖x‖²`.
fn regular(b: &mut Body<'_>, x: &Scalar, gradient: &Scalar, factor: f64) -> Scalar {
    let factor = b.like(x, factor);
    let part = b.mul(&factor, x);
    b.add(&part, gradient)
}

fn elem_of(x: &Scalar) -> Elem {
    x.elem.unwrap_or(Elem::F32)
}

fn adagrad(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (norm, decay, epsilon) =
        (n.float("norm_coefficient", 0.0), n.float("decay_factor", 0.0), n.float("epsilon", 1e-6));
    Step::of(c, n, 3)?.results(c, 2, |b, v| {
        let [rate, count, x, gradient, squares] = v else { unreachable!("five inputs") };
        let (rate, count) = (b.cast(rate, elem_of(x)), b.cast(count, elem_of(x)));
        let (one, decay, epsilon) = (b.like(x, 1.0), b.like(x, decay), b.like(x, epsilon));
        let slower = b.mul(&count, &decay);
        let slower = b.add(&one, &slower);
        let rate = b.div(&rate, &slower);
        let gradient = regular(b, x, gradient, norm);
        let square = b.mul(&gradient, &gradient);
        let squares = b.add(squares, &square);
        let root = b.math("sqrt", &squares);
        let below = b.add(&root, &epsilon);
        let step = b.mul(&rate, &gradient);
        let step = b.div(&step, &below);
        vec![b.sub(x, &step), squares]
    })
}

fn adam(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (alpha, beta, epsilon) = (n.float("alpha", 0.9), n.float("beta", 0.999), n.float("epsilon", 1e-6));
    let (norm, after) = (n.float("norm_coefficient", 0.0), n.float("norm_coefficient_post", 0.0));
    Step::of(c, n, 4)?.results(c, 3, |b, v| {
        let [rate, count, x, gradient, mean, squares] = v else { unreachable!("six inputs") };
        let rate = b.cast(rate, elem_of(x));
        let average = |b: &mut Body<'_>, old: &Scalar, new: &Scalar, factor: f64| {
            let (keep, take) = (b.like(old, factor), b.like(old, 1.0 - factor));
            let (kept, added) = (b.mul(&keep, old), b.mul(&take, new));
            b.add(&kept, &added)
        };
        let gradient = regular(b, x, gradient, norm);
        let mean = average(b, mean, &gradient, alpha);
        let square = b.mul(&gradient, &gradient);
        let squares = average(b, squares, &square, beta);
        let (root, epsilon) = (b.math("sqrt", &squares), b.like(x, epsilon));
        let below = b.add(&root, &epsilon);
        // The first averages are too small, as they began with 0.
        let (one, times) = (b.like(x, 1.0), b.cast(count, elem_of(x)));
        let rest = |b: &mut Body<'_>, factor: f64| {
            let factor = b.like(x, factor);
            let power = b.math2("powf", &factor, &times);
            b.sub(&one, &power)
        };
        let (of_mean, of_squares) = (rest(b, alpha), rest(b, beta));
        let root = b.math("sqrt", &of_squares);
        let up = b.mul(&rate, &root);
        let corrected = b.div(&up, &of_mean);
        let zero = b.like(count, 0.0);
        let later = b.compare(Order::Gt, count, &zero);
        let rate = b.select(&later, &corrected, &rate);
        let step = b.mul(&rate, &mean);
        let step = b.div(&step, &below);
        let moved = b.sub(x, &step);
        let shrink = b.like(x, 1.0 - after);
        vec![b.mul(&shrink, &moved), mean, squares]
    })
}

fn momentum(c: &mut Context<'_>, n: &Node) -> Outcome {
    let (alpha, beta, norm) = (n.float("alpha", 0.0), n.float("beta", 0.0), n.float("norm_coefficient", 0.0));
    let nesterov = match n.string("mode", "standard").as_str() {
        "standard" => false,
        "nesterov" => true,
        other => return invalid(format!("`mode` is `{other}`")),
    };
    Step::of(c, n, 3)?.results(c, 2, |b, v| {
        let [rate, count, x, gradient, speed] = v else { unreachable!("five inputs") };
        let rate = b.cast(rate, elem_of(x));
        let gradient = regular(b, x, gradient, norm);
        let (zero, one) = (b.like(count, 0.0), b.like(x, 1.0));
        let (alpha, beta) = (b.like(x, alpha), b.like(x, beta));
        // In the first step the gradient counts in full.
        let later = b.compare(Order::Gt, count, &zero);
        let beta = b.select(&later, &beta, &one);
        let (kept, added) = (b.mul(&alpha, speed), b.mul(&beta, &gradient));
        let speed = b.add(&kept, &added);
        let direction = if nesterov {
            let ahead = b.mul(&alpha, &speed);
            b.add(&gradient, &ahead)
        } else {
            speed.clone()
        };
        let step = b.mul(&rate, &direction);
        vec![b.sub(x, &step), speed]
    })
}
