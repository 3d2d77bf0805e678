//! Linear models.
use super::{
    super::{Entry, matmul::product},
    class::{Labels, above, best},
    post::{Post, rows},
};
use crate::onnx::{Context, Dim, Elem, Node, Num, Outcome, Tensor, Value, problem::invalid};

pub(super) const OPS: &[Entry] = &[("LinearClassifier", classifier), ("LinearRegressor", regressor)];

/// Returns an attribute as a constant matrix with this many rows, transposed for the right side of a product.
pub(super) fn turned(n: &Node, what: &str, list: &[f32], count: usize) -> Outcome<Value> {
    if count == 0 || list.is_empty() || !list.len().is_multiple_of(count) {
        return invalid(format!("`{what}` has {} elements, which are no {count} rows", list.len()));
    }
    let width = list.len() / count;
    let numbers = (0..list.len()).map(|at| Num::F(list[at % count * width + at / count].into()));
    let tensor = Tensor::from_numbers(Elem::F32, vec![width, count], numbers);
    Ok(Value::constant(tensor.named(Some(format!("{}_{what}", n.name)))))
}

/// Computes `X · coefficientsᵀ + intercepts`.
fn scores(c: &mut Context<'_>, n: &Node, x: &Value, count: usize, intercepts: &[f32]) -> Outcome<Value> {
    let weights = turned(n, "coefficients", &n.floats("coefficients").unwrap_or_default(), count)?;
    c.require_size((x, 1), &weights.shape[0], "as there are coefficients")?;
    let x = c.settle(x);
    let product = product(c, &x, &weights)?;
    if intercepts.is_empty() {
        return Ok(product);
    }
    if intercepts.len() != count {
        return invalid(format!("there are {} intercepts, not {count}", intercepts.len()));
    }
    let list = Tensor::from_numbers(Elem::F32, vec![count], intercepts.iter().map(|v| Num::F(f64::from(*v))));
    let list = Value::constant(list.named(Some(format!("{}_intercepts", n.name))));
    c.elementwise(&[product, list], Elem::F32, |b, v| b.add(&v[0], &v[1]))
}

fn regressor(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = rows(c, n.input(0)?, Elem::F32)?;
    let count = usize::try_from(n.int("targets", 1)).unwrap_or(0);
    let scores = scores(c, n, &x, count, &n.floats("intercepts").unwrap_or_default())?;
    Ok(vec![Post::from_name(&n.string("post_transform", "NONE"))?.apply(c, &scores)?])
}

/// The scores are per class, or of two classes the second one's alone.
fn classifier(c: &mut Context<'_>, n: &Node) -> Outcome {
    // How many classes there are the lists say.
    n.int("multi_class", 0);
    let x = rows(c, n.input(0)?, Elem::F32)?;
    let labels = Labels::of(n, "classlabels_ints")?;
    let post = Post::from_name(&n.string("post_transform", "NONE"))?;
    let intercepts = n.floats("intercepts").unwrap_or_default();
    let coefficients = n.floats("coefficients").unwrap_or_default().len();
    // Without intercepts the number of features tells the number of rows.
    let count = match (intercepts.len(), x.shape[1].get()) {
        (0, Some(width)) if width > 0 => coefficients / width as usize,
        (0, _) => labels.len(),
        (count, _) => count,
    };
    let scores = scores(c, n, &x, count, &intercepts)?;
    if count == 1 {
        let flags = above(c, &scores, 0.0)?;
        let chosen = if n.wants(0) { labels.choose(c, &flags)? } else { flags };
        let scores = if labels.len() == 2 { both(c, &scores, post)? } else { post.apply(c, &scores)? };
        return Ok(vec![chosen, scores]);
    }
    if labels.len() < count {
        return invalid(format!("there are {count} rows of coefficients, but {} labels", labels.len()));
    }
    let best = best(c, &scores)?;
    Ok(vec![labels.at(c, &best)?, post.apply(c, &scores)?])
}

/// The scores of two classes from the second one's, transformed; as onnxruntime has it, a softmax does not apply.
pub(super) fn both(c: &mut Context<'_>, scores: &Value, post: Post) -> Outcome<Value> {
    if post == Post::Logistic {
        return pair(c, scores, Pair::Logistic);
    }
    let both = pair(c, scores, Pair::Complement)?;
    if post == Post::Probit { post.apply(c, &both) } else { Ok(both) }
}

/// The score of the first of two classes if a model has only that of the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pair {
    /// `1 - s`, beside `s`.
    Complement,
    /// `-s`, beside `s`.
    Opposite,
    /// The logistic function of `-s`, beside that of `s`.
    Logistic,
}

/// The scores of two classes from the second one's, of shape `[rows, 1]`.
pub(super) fn pair(c: &mut Context<'_>, scores: &Value, how: Pair) -> Outcome<Value> {
    let shape = [scores.shape[0].clone(), Dim::fixed(2)];
    c.elementwise_to(&shape, std::slice::from_ref(scores), scores.elem, |b, v| {
        let (column, zero) = (b.position(1), b.index_constant(0));
        let first = b.compare(crate::onnx::Order::Eq, &column, &zero);
        let minus = b.neg(&v[0]);
        match how {
            Pair::Opposite => b.select(&first, &minus, &v[0]),
            Pair::Complement => {
                let one = b.like(&v[0], 1.0);
                let rest = b.sub(&one, &v[0]);
                b.select(&first, &rest, &v[0])
            }
            Pair::Logistic => {
                let own = b.select(&first, &minus, &v[0]);
                super::post::logistic(b, &own)
            }
        }
    })
}
