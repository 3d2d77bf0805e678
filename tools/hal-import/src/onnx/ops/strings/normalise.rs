//! `StringNormalizer`: removes stop words, and changes letters to one case.
use super::letters::{Case, changed};
use crate::onnx::{
    Context, Dim, Elem, Node, Order, Outcome,
    problem::{invalid, unsupported},
    strings::Spans,
};

/// Languages whose letters have other cases than those of the rest.
const OTHER_CASES: &[&str] = &["az", "lt", "tr"];

pub(super) fn normalise(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let case = match &*n.string("case_change_action", "NONE") {
        "NONE" => None,
        "LOWER" => Some(Case::Lower),
        "UPPER" => Some(Case::Upper),
        other => {
            return invalid(format!(
                "`case_change_action` is `{other}`, where `LOWER`, `UPPER` and `NONE` are possible"
            ));
        }
    };
    let exact = n.int("is_case_sensitive", 0) != 0;
    let stops = n.strings("stopwords").unwrap_or_default();
    let locale = n.string("locale", "");
    if let Some(language) = OTHER_CASES.iter().find(|l| locale.to_lowercase().split(['_', '-', '.']).next() == Some(l))
        && (case.is_some() || !exact && !stops.is_empty())
    {
        return unsupported(format!(
            "`locale` is `{locale}`: the letters of language `{language}` have cases of their own"
        ));
    }
    let batched = match x.rank() {
        1 => false,
        2 => {
            c.require_size((&x, 0), &Dim::fixed(1), "as the operator takes a list, or a list in one row")?;
            true
        }
        _ => {
            return invalid(format!(
                "the input has rank {}, where the operator takes a list, or a list in one row",
                x.rank()
            ));
        }
    };
    let x = c.settle(&x);
    let own = c.spans(&x)?;
    let count = c.product(&x.shape);
    let mut spans = Spans { numbers: c.reshape(&own.numbers, &[count])?, bytes: own.bytes };
    if !stops.is_empty() {
        let compared = if exact { spans.clone() } else { changed(c, &spans, Case::Lower)? };
        let stops: Vec<_> = if exact { stops } else { stops.iter().map(|w| Case::Lower.of(w)).collect() };
        let places = c.find_strings(&compared.value(), &stops)?;
        let stays = c.elementwise(&[places], Elem::Bool, |b, v| {
            let zero = b.int(Elem::I64, 0);
            b.compare(Order::Lt, &v[0], &zero)
        })?;
        spans.numbers = c.chosen(&spans.numbers, &stays)?;
    }
    // If no string remains, the result is one empty string.
    spans.numbers = c.or_one(&spans.numbers);
    if let Some(case) = case {
        spans = changed(c, &spans, case)?;
    }
    if batched {
        let shape = [Dim::fixed(1), spans.numbers.shape[0].clone()];
        spans.numbers = c.reshape(&spans.numbers, &shape)?;
    }
    Ok(vec![spans.value()])
}
