//! Sizes and positions as expressions.
use super::{helper::Helper, text::Text};
use halyard_ir::AffineKind;

/// Sizes of dimensions: integers if static, otherwise names.
pub(crate) type Shape = Vec<String>;

/// Returns the number of elements.
pub(crate) fn count(shape: &[String]) -> String {
    product(shape)
}

/// A product, computed as far as its factors are numbers.
pub(crate) fn product(factors: &[String]) -> String {
    let mut number = 1i64;
    let mut rest = Vec::new();
    for f in factors {
        match f.parse::<i64>() {
            Ok(v) => number = number.saturating_mul(v),
            Err(_) => rest.push(atom(f)),
        }
    }
    if number != 1 || rest.is_empty() {
        rest.insert(0, number.to_string());
    }
    rest.join(" * ")
}

/// A sum, computed as far as its terms are numbers.
pub(crate) fn sum(terms: &[String]) -> String {
    let mut number = 0i64;
    let mut rest = Vec::new();
    for t in terms {
        match t.parse::<i64>() {
            Ok(v) => number += v,
            Err(_) => rest.push(t.clone()),
        }
    }
    if rest.is_empty() {
        return number.to_string();
    }
    let text = rest.join(" + ");
    match number {
        0 => text,
        n if n < 0 => format!("{text} - {}", -n),
        n => format!("{text} + {n}"),
    }
}

/// Returns an expression that can be a factor, in parentheses if needed.
pub(crate) fn atom(text: &str) -> String {
    let simple = text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    if simple { text.to_owned() } else { format!("({text})") }
}

/// The position of an element of a dense row-major buffer: `(d0 * 56 + d1) * 64 + d2`.
pub(crate) fn position(shape: &[String], index: &[String]) -> String {
    let mut text = String::from("0");
    for (size, i) in shape.iter().zip(index) {
        text = match (&*text, &**size) {
            // A dimension of size 1 has one position.
            (_, "1") if i == "0" => text,
            ("0", _) => i.clone(),
            (_, "1") => sum(&[text, i.clone()]),
            _ => sum(&[format!("{} * {}", atom(&text), atom(size)), i.clone()]),
        };
    }
    text
}

/// An affine expression over loops, whose indices are never negative.
pub(crate) fn affine_of_loops(out: &mut Text, e: &AffineKind, loops: &[String]) -> String {
    expression(out, e, (loops, &[]), true)
}

/// An affine expression over any dimensions and symbols.
pub(crate) fn affine(out: &mut Text, e: &AffineKind, dims: &[String], symbols: &[String]) -> String {
    expression(out, e, (dims, symbols), false)
}

fn expression(
    out: &mut Text,
    e: &AffineKind,
    (dims, symbols): (&[String], &[String]),
    dims_are_natural: bool,
) -> String {
    let part = |out: &mut Text, e: &AffineKind| expression(out, e, (dims, symbols), dims_are_natural);
    match e {
        AffineKind::Dim(d) => dims[*d].clone(),
        AffineKind::Symbol(s) => symbols[*s].clone(),
        AffineKind::Constant(c) => c.to_string(),
        AffineKind::Add(l, r) => {
            let (l, r) = (part(out, l), part(out, r));
            // `a - b` is written `a + b * -1` in maps.
            match r.strip_suffix(" * -1") {
                Some(positive) if !positive.contains(' ') => format!("{l} - {positive}"),
                _ => sum(&[l, r]),
            }
        }
        AffineKind::Mul(l, r) => match (part(out, l), part(out, r)) {
            (l, r) if r == "-1" => format!("{} * -1", atom(&l)),
            (l, r) if r.starts_with('-') => format!("{} * ({r})", atom(&l)),
            (l, r) => format!("{} * {}", atom(&l), atom(&r)),
        },
        AffineKind::FloorDiv(l, r) => {
            let (positive, l, r) = (dims_are_natural && l.is_natural(), part(out, l), part(out, r));
            if positive {
                return format!("{} / {}", atom(&l), atom(&r));
            }
            out.helpers.insert(Helper::FloorDiv);
            format!("floor_div({l}, {r})")
        }
        AffineKind::CeilDiv(l, r) => {
            let (l, r) = (part(out, l), part(out, r));
            out.helpers.insert(Helper::FloorDiv);
            format!("(-floor_div(-({l}), {r}))")
        }
        AffineKind::Mod(l, r) => {
            let (positive, l, r) = (dims_are_natural && l.is_natural(), part(out, l), part(out, r));
            if positive {
                return format!("{} % {}", atom(&l), atom(&r));
            }
            out.helpers.insert(Helper::Remainder);
            format!("remainder_of({l}, {r})")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn positions() {
        assert_eq!(position(&words("2 3 4"), &words("i j k")), "(i * 3 + j) * 4 + k");
        assert_eq!(position(&words("1 3 n"), &words("0 j k")), "j * n + k");
        assert_eq!(position(&words("4 1"), &words("i j")), "i + j");
        assert_eq!(position(&[], &[]), "0");
        assert_eq!(count(&words("2 n 3")), "6 * n");
    }

    #[test]
    fn windows() {
        let two_i = AffineKind::Mul(Box::new(AffineKind::Dim(0)), Box::new(AffineKind::Constant(2)));
        let e = AffineKind::Add(Box::new(two_i), Box::new(AffineKind::Dim(1)));
        assert_eq!(
            affine_of_loops(&mut Text::new(crate::expression::language::Language::C), &e, &words("i j")),
            "i * 2 + j"
        );
        assert_eq!(position(&words("5 7"), &["i * 2 + j".into(), "k".into()]), "(i * 2 + j) * 7 + k");
    }
}
