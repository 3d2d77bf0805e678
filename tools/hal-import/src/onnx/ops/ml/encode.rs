//! Categories: maps keys to values.
use super::{super::Entry, class::pick};
use crate::onnx::{
    Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Tensor, Value, generic::map, problem::invalid,
    value::Words as Strings,
};
use std::rc::Rc;

pub(super) const OPS: &[Entry] =
    &[("LabelEncoder", label_encoder), ("OneHotEncoder", one_hot), ("CategoryMapper", category_mapper)];

/// A list of an attribute.
enum Words {
    Numbers(Tensor),
    Texts(Vec<String>),
}

impl Words {
    fn len(&self) -> usize {
        match self {
            Self::Numbers(t) => t.len(),
            Self::Texts(t) => t.len(),
        }
    }
}

/// The list of keys or values, of whichever type it is.
fn list(c: &mut Context<'_>, n: &Node, what: &str) -> Outcome<Option<Words>> {
    if let Some(texts) = n.strings(&format!("{what}_strings")).filter(|l| !l.is_empty()) {
        return Ok(Some(Words::Texts(texts)));
    }
    if let Some(ints) = n.ints(&format!("{what}_int64s")).filter(|l| !l.is_empty()) {
        return Ok(Some(Words::Numbers(Tensor::from_ints(Elem::I64, &ints))));
    }
    if let Some(floats) = n.floats(&format!("{what}_floats")).filter(|l| !l.is_empty()) {
        let numbers = floats.iter().map(|v| Num::F(f64::from(*v)));
        return Ok(Some(Words::Numbers(Tensor::from_numbers(Elem::F32, vec![floats.len()], numbers))));
    }
    if let Some(texts) = n.texts(&format!("{what}_tensor")) {
        return Ok(Some(Words::Texts(texts)));
    }
    Ok(n.tensor(&format!("{what}_tensor"), &mut c.loader)?.map(|t| {
        let count = t.len();
        Words::Numbers(t.reshaped(vec![count]))
    }))
}

/// Returns the position of each element in a list of keys (i64): the last one if there are several, -1 if there is
/// none.
fn places(c: &mut Context<'_>, x: &Value, keys: &Words) -> Outcome<Value> {
    match (keys, x.words.is_some()) {
        (Words::Texts(keys), true) => c.find_strings(x, keys),
        (Words::Texts(_), false) => invalid("the keys are strings, the input holds numbers"),
        (Words::Numbers(_), true) => invalid("the keys are numbers, the input holds strings"),
        (Words::Numbers(keys), false) => numbers(c, x, keys),
    }
}

fn numbers(c: &mut Context<'_>, x: &Value, keys: &Tensor) -> Outcome<Value> {
    if !keys.elem.is_float() && !x.elem.is_float() && keys.len() > 8 {
        // Keys that lie close together are a table.
        let ints = keys.ints();
        let (first, last) = (ints.iter().min().copied().unwrap_or(0), ints.iter().max().copied().unwrap_or(0));
        if last.checked_sub(first).is_some_and(|range| range < 8 * ints.len() as i64) {
            let mut table = vec![-1; (last - first) as usize + 3];
            ints.iter().enumerate().for_each(|(i, k)| table[(k - first) as usize + 1] = i as i64);
            // What is out of range falls on the ends, which are empty.
            let at = c.elementwise(std::slice::from_ref(x), Elem::I64, |b, v| {
                let wide = b.cast(&v[0], Elem::I64);
                let (low, high) = (b.int(Elem::I64, first.saturating_sub(1)), b.int(Elem::I64, last.saturating_add(1)));
                let held = b.max(&wide, &low);
                let held = b.min(&held, &high);
                b.sub(&held, &low)
            })?;
            return pick(c, &at, &Value::constant(Tensor::from_ints(Elem::I64, &table)));
        }
    }
    let elem = if keys.elem.is_float() || x.elem.is_float() {
        if keys.elem == Elem::F64 || x.elem == Elem::F64 { Elem::F64 } else { Elem::F32 }
    } else {
        Elem::I64
    };
    let keys = Value::constant(keys.mapped(elem, |v| v));
    let rank = x.rank();
    let out = c.filled(Elem::I64, &x.shape, Num::I(-1));
    let iters = [vec![Iter::Parallel; rank], vec![Iter::Reduction]].concat();
    let all = map(&(0..rank).collect::<Vec<_>>());
    Ok(c.generic(&iters, &[(x, all.clone()), (&keys, map(&[rank]))], &[(&out, all)], |b, v| {
        let wide = b.cast(&v[0], elem);
        let mut same = b.compare(Order::Eq, &wide, &v[1]);
        if elem.is_float() {
            let (one, other) = (b.is_nan(&wide), b.is_nan(&v[1]));
            let both = b.and(&one, &other);
            same = b.or(&same, &both);
        }
        let here = b.position(rank);
        let here = b.cast(&here, Elem::I64);
        let later = b.max(&here, &v[2]);
        vec![b.select(&same, &later, &v[2])]
    })
    .remove(0))
}

/// The values at places in a list, with a value for -1.
fn values(c: &mut Context<'_>, n: &Node, places: &Value, list: Words, default: Words) -> Outcome<Value> {
    // The default stands first.
    let shifted = c.elementwise(std::slice::from_ref(places), Elem::I64, |b, v| {
        let one = b.int(Elem::I64, 1);
        b.add(&v[0], &one)
    })?;
    match (list, default) {
        (Words::Texts(list), Words::Texts(default)) => {
            Ok(Value { words: Some(Strings::Known(Rc::new([default, list].concat()))), ..shifted })
        }
        (Words::Numbers(list), Words::Numbers(default)) => {
            let all = default.numbers().chain(list.numbers());
            let all = Tensor::from_numbers(list.elem, vec![list.len() + 1], all);
            pick(c, &shifted, &Value::constant(all.named(Some(format!("{}_values", n.name)))))
        }
        _ => invalid("the default is not of the type of the values"),
    }
}

/// Returns the value for missing keys.
fn default(c: &mut Context<'_>, n: &Node, of: &Words) -> Outcome<Words> {
    let default = n.tensor("default_tensor", &mut c.loader);
    Ok(match of {
        Words::Texts(_) => Words::Texts(vec![
            n.texts("default_tensor")
                .and_then(|l| l.first().cloned())
                .unwrap_or_else(|| n.string("default_string", "_Unused")),
        ]),
        Words::Numbers(t) => {
            let value = match default? {
                Some(d) if d.len() == 1 => d.get(0),
                Some(_) => return invalid("`default_tensor` is not one number"),
                None if t.elem == Elem::F32 => Num::F(n.float("default_float", -0.0)),
                None if t.elem == Elem::I64 => Num::I(n.int("default_int64", -1).into()),
                None if t.elem.is_float() => Num::F(-0.0),
                None => Num::I(-1),
            };
            Words::Numbers(Tensor::from_numbers(t.elem, vec![1], [value]))
        }
    })
}

fn label_encoder(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    // Defaults of the types that the values do not have.
    for name in ["default_string", "default_int64", "default_float", "default_tensor"] {
        n.has(name);
    }
    if n.opset < 2 {
        let classes = n.strings("classes_strings").unwrap_or_default();
        return Ok(vec![words_or_numbers(c, n, &x, classes, None)?]);
    }
    let (Some(keys), Some(list)) = (list(c, n, "keys")?, list(c, n, "values")?) else {
        return invalid("there are no keys, or no values");
    };
    if keys.len() != list.len() {
        return invalid(format!("there are {} keys, but {} values", keys.len(), list.len()));
    }
    let places = places(c, &x, &keys)?;
    let default = default(c, n, &list)?;
    Ok(vec![values(c, n, &places, list, default)?])
}

/// Strings to their numbers (by default their places), or back.
fn words_or_numbers(
    c: &mut Context<'_>,
    n: &Node,
    x: &Value,
    texts: Vec<String>,
    ints: Option<Vec<i64>>,
) -> Outcome<Value> {
    let ints = ints.unwrap_or_else(|| (0..texts.len() as i64).collect());
    if ints.len() != texts.len() || texts.is_empty() {
        return invalid("there are not as many strings as numbers");
    }
    let numbers = Tensor::from_ints(Elem::I64, &ints);
    let texts = Words::Texts(texts);
    if x.words.is_some() {
        let places = places(c, x, &texts)?;
        let default = Tensor::from_ints(Elem::I64, &[n.int("default_int64", -1)]);
        values(c, n, &places, Words::Numbers(numbers), Words::Numbers(default))
    } else {
        let places = places(c, x, &Words::Numbers(numbers))?;
        values(c, n, &places, texts, Words::Texts(vec![n.string("default_string", "_Unused")]))
    }
}

fn category_mapper(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    n.has("default_int64");
    n.has("default_string");
    let (texts, ints) = (n.strings("cats_strings").unwrap_or_default(), n.ints("cats_int64s").unwrap_or_default());
    Ok(vec![words_or_numbers(c, n, &x, texts, Some(ints))?])
}

/// A new last dimension with 1 at the category of the element. Without `zeros`, an element of no category is an error.
fn one_hot(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let keys = match list(c, n, "cats")? {
        Some(keys) => keys,
        None => return invalid("there are no categories"),
    };
    let count = keys.len() as i64;
    let mut x = x;
    if x.elem.is_float() {
        // The specification has numbers cast to integers.
        x = c.elementwise(&[x], Elem::I64, |b, v| b.cast(&v[0], Elem::I64))?;
    }
    let zeros = n.int("zeros", 1) != 0;
    let mut places = places(c, &x, &keys)?;
    if !zeros {
        places = c.elementwise(&[places], Elem::I64, |b, v| {
            let zero = b.int(Elem::I64, 0);
            let there = b.compare(Order::Ge, &v[0], &zero);
            b.demand(&there, "an element is of no category, and `zeros` is 0");
            v[0].clone()
        })?;
    }
    let mut shape = x.shape.clone();
    shape.push(Dim::fixed(1));
    let places = c.reshape(&places, &shape)?;
    let rank = x.rank();
    shape[rank] = Dim::fixed(count);
    Ok(vec![c.elementwise_to(&shape, &[places], Elem::F32, |b, v| {
        let here = b.position(rank);
        let here = b.cast(&here, Elem::I64);
        let hit = b.compare(Order::Eq, &here, &v[0]);
        let (one, zero) = (b.float(Elem::F32, 1.0), b.float(Elem::F32, 0.0));
        b.select(&hit, &one, &zero)
    })?])
}
