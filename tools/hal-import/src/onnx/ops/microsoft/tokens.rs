//! `Tokenizer`: the parts of each string that match a regular expression, or that lie between matches of separators.
use super::super::{Entry, strings::pattern::rewritten};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Node, Num, Order, Outcome, Scalar, Value,
    generic::map,
    problem::{invalid, unsupported},
    strings::{List, Matcher, Searched, Spans, length_of, repeat, span_of, start_of, starts_character},
    value::Words,
};
use regex_automata::util::syntax;

pub(super) const OPS: &[Entry] = &[("Tokenizer", tokenize)];

/// The markers before the first token and after the last one, if requested.
const MARKS: [&str; 2] = ["\u{2}", "\u{3}"];

/// How strings are split.
struct Cuts {
    bytes: List,
    /// For each byte, the length in bytes of the match that starts there, 0 if none does.
    reach: List,
    /// Whether matches separate tokens, rather than being tokens.
    between: bool,
    /// The fewest characters of a token.
    least: i64,
}

fn tokenize(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    if x.words.is_none() || !matches!(x.rank(), 1 | 2) {
        return invalid(format!("input 0 of type `{}` is no list of strings, or rows of them", x.ty()));
    }
    let least = n.int("mincharnum", 0);
    if least < 1 {
        return invalid(format!("`mincharnum` is {least}, where at least 1 is possible"));
    }
    let marked = n.int("mark", 0) != 0;
    let (pattern, between, least) = pattern(n, least)?;
    let matcher = match Matcher::of_pattern(&pattern) {
        Ok(matcher) => matcher,
        Err(why) if why.contains("exceeded") => {
            return unsupported(format!("`{pattern}` has an automaton that is too large"));
        }
        Err(why) => return invalid(format!("`{pattern}`: {why}")),
    };
    // Strings that lie one after another: each byte is of one of them.
    let x = c.settle(&x);
    let spans = c.spans(&x)?;
    let lengths = c.string_lengths(&spans)?;
    let count = c.product(&x.shape);
    let lengths = c.reshape(&lengths, std::slice::from_ref(&count))?;
    let numbers = c.reshape(&spans.numbers, std::slice::from_ref(&count))?;
    let (old, bytes) = (List::of(c, &numbers), List::of(c, &spans.bytes));
    let (laid, bytes) = c.laid_out(&lengths, Elem::U8, |b, owner, place| {
        let span = old.at(b, owner);
        let start = start_of(b, &span);
        let at = b.add(&start, place);
        bytes.at(b, &at)
    })?;
    let numbers = c.elementwise(&[laid.ends.clone(), lengths], Elem::I64, |b, v| {
        let start = b.sub(&v[0], &v[1]);
        span_of(b, &start, &v[1])
    })?;
    let searched = Searched { bytes: &bytes, owners: &laid.owners, ends: &laid.ends };
    let reach = matcher.reach(c, &searched, if between { 1 } else { least })?;
    let reach = c.settle(&reach);
    let cuts = Cuts { bytes: List::of(c, &bytes), reach: List::of(c, &reach), between, least };
    let counts = c.elementwise(std::slice::from_ref(&numbers), Elem::I64, |b, v| {
        let none = b.int(Elem::I64, -1);
        cuts.token(b, &v[0], &none).1
    })?;
    let counts = c.settle(&counts);
    let width = width(c, &counts, marked)?;
    let packed = Spans { numbers, bytes }.value();
    let rows = written(c, &cuts, (&packed, &counts), (&count, &width), (&n.string("pad_value", ""), marked))?;
    let mut shape = x.shape.clone();
    shape.push(width);
    let numbers = c.reshape(&rows.numbers, &shape)?;
    Ok(vec![Spans { numbers, bytes: rows.bytes }.value()])
}

/// Returns the pattern, whether it separates tokens, and the fewest characters of a token.
fn pattern(n: &Node, least: i64) -> Outcome<(String, bool, i64)> {
    let read = |pattern: &str| rewritten(pattern).or_else(|why| invalid(format!("`{pattern}`: {why}")));
    let (expression, separators) = (n.has("tokenexp"), n.strings("separators"));
    let separators = match separators {
        Some(_) if expression => return invalid("it has both `tokenexp` and `separators`"),
        Some(separators) => separators,
        // onnxruntime takes a lone dot for any character, also for the end of a line.
        None if expression && n.string("tokenexp", "") == "." => vec![String::new()],
        None if expression => return Ok((read(&n.string("tokenexp", ""))?, false, least)),
        None => return invalid("it has neither `tokenexp` nor `separators`"),
    };
    match &separators[..] {
        [] => return invalid("`separators` is empty"),
        [one] if one.is_empty() && least > 1 => {
            return invalid(format!("`mincharnum` is {least}, and every character is a token"));
        }
        [one] if one.is_empty() => return Ok(("(?s:.)".into(), false, 1)),
        _ => {}
    }
    let mut all = Vec::new();
    for separator in &separators {
        let pattern = read(separator)?;
        let config = syntax::Config::new().utf8(false);
        let Ok(parsed) = syntax::parse_with(&pattern, &config) else {
            return invalid(format!("the separator `{separator}` is no regular expression"));
        };
        let bytes = (parsed.properties().minimum_len(), parsed.properties().maximum_len());
        if bytes.0 == Some(0) {
            return unsupported(format!("the separator `{separator}` matches the empty string"));
        }
        // Strings are cut by one separator after another, which is the same as by any of them if no two overlap.
        let is_character = bytes == (Some(1), Some(1)) || separator.chars().count() == 1 && pattern == *separator;
        if separators.len() > 1 && !is_character {
            return unsupported(format!(
                "of several separators, `{separator}` is not one character; write one expression, as `a|b`"
            ));
        }
        all.push(format!("(?:{pattern})"));
    }
    Ok((all.join("|"), true, least))
}

/// Returns the width of rows: as many tokens as the longest row has, and two for markers; 0 if no row has tokens.
fn width(c: &mut Context<'_>, counts: &Value, marked: bool) -> Outcome<Dim> {
    let largest = c.reduce(counts, &[0], Elem::I64, Num::I(0), |b, v, a| b.max(a, v));
    let largest = c.read_scalar(&largest)?;
    let mut b = c.body();
    let mut places = b.to_index(&largest);
    if marked {
        let (zero, two) = (b.index_constant(0), b.index_constant(2));
        let more = b.add(&places, &two);
        let is_none = b.compare(Order::Eq, &places, &zero);
        places = b.select(&is_none, &zero, &more);
    }
    Ok(c.fresh_symbol(places.name))
}

/// The rows: marks, tokens, and padding.
fn written(
    c: &mut Context<'_>,
    cuts: &Cuts,
    (packed, counts): (&Value, &Value),
    (count, width): (&Dim, &Dim),
    (pad, marked): (&str, bool),
) -> Outcome<Spans> {
    let special = Value::of_words([pad, MARKS[0], MARKS[1]].map(str::to_owned).to_vec());
    // The tokens' own bytes come first, so that places in them stay.
    let (all, words) = c.with_one_table(&[packed.clone(), special], true)?;
    let Words::Spans(bytes) = words else { return invalid("its strings have no bytes") };
    let special = List::of(c, &all[1]);
    let out = c.empty(Elem::I64, &[count.clone(), width.clone()]);
    let row = map(&[0]);
    let inputs = [(&all[0], row.clone()), (counts, row)];
    let iters = [Iter::Parallel, Iter::Parallel];
    let made = c.generic(&iters, &inputs, &[(&out, map(&[0, 1]))], |b, v| {
        let place = b.position(1);
        let place = b.cast(&place, Elem::I64);
        let offset = b.int(Elem::I64, i64::from(marked));
        let number = b.sub(&place, &offset);
        let (token, _) = cuts.token(b, &v[0], &number);
        let [pad, first, last] = [0, 1, 2].map(|i| {
            let at = b.index_constant(i);
            special.at(b, &at)
        });
        let inside = b.compare(Order::Lt, &number, &v[1]);
        let mut word = b.select(&inside, &token, &pad);
        if marked {
            let (zero, is_end) = (b.int(Elem::I64, 0), b.compare(Order::Eq, &number, &v[1]));
            let is_start = b.compare(Order::Eq, &place, &zero);
            word = b.select(&is_end, &last, &word);
            word = b.select(&is_start, &first, &word);
        }
        vec![word]
    });
    Ok(Spans { numbers: made.into_iter().next().expect("one result"), bytes: (*bytes).clone() })
}

impl Cuts {
    /// The span of a token of a string, the empty string if it has none of that number, and how many tokens it has.
    fn token(&self, b: &mut Body<'_>, span: &Scalar, number: &Scalar) -> (Scalar, Scalar) {
        let (start, length) = (start_of(b, span), length_of(b, span));
        let (zero, zero_index) = (b.int(Elem::I64, 0), b.index_constant(0));
        let empty = span_of(b, &zero_index, &zero_index);
        // How many tokens are behind, the one that is looked for, where to go on, and between matches the characters since then.
        let initial = [zero.clone(), empty, start.clone(), zero];
        let last = repeat(b, &length, &initial, |b, i, s| {
            let [count, found, from, characters] = s else { unreachable!("four values are carried") };
            let at = b.add(&start, i);
            let size = self.reach.at(b, &at);
            let size = b.to_index(&size);
            let nothing = b.index_constant(0);
            let (open, matches) = (b.compare(Order::Ge, &at, from), b.compare(Order::Gt, &size, &nothing));
            let hit = b.and(&open, &matches);
            let behind = b.add(&at, &size);
            let next = b.select(&hit, &behind, from);
            if !self.between {
                let (count, found) = taken(b, &hit, (&at, &size), (count, number), found);
                return vec![count, found, next, characters.clone()];
            }
            let token = self.is_token(b, &hit, characters);
            let size = b.sub(&at, from);
            let (count, found) = taken(b, &token, (from, &size), (count, number), found);
            let byte = self.bytes.at(b, &at);
            let starts = starts_character(b, &byte);
            let counts = b.and(&starts, &open);
            let counts = b.cast(&counts, Elem::I64);
            let more = b.add(characters, &counts);
            let none = b.int(Elem::I64, 0);
            vec![count, found, next, b.select(&hit, &none, &more)]
        });
        let [count, found, from, characters] = &last[..] else { unreachable!("four values are carried") };
        if !self.between {
            return (found.clone(), count.clone());
        }
        let end = b.add(&start, &length);
        let (yes, size) = (b.int(Elem::Bool, 1), b.sub(&end, from));
        let token = self.is_token(b, &yes, characters);
        let (count, found) = taken(b, &token, (from, &size), (count, number), found);
        (found, count)
    }

    /// Whether a token that ends here has enough characters.
    fn is_token(&self, b: &mut Body<'_>, ends: &Scalar, characters: &Scalar) -> Scalar {
        let least = b.int(Elem::I64, self.least);
        let enough = b.compare(Order::Ge, characters, &least);
        b.and(ends, &enough)
    }
}

/// Counts a token, if it is one, and keeps it if it is the one that is looked for.
fn taken(
    b: &mut Body<'_>,
    is_token: &Scalar,
    (start, size): (&Scalar, &Scalar),
    (count, wanted): (&Scalar, &Scalar),
    found: &Scalar,
) -> (Scalar, Scalar) {
    let is_it = b.compare(Order::Eq, count, wanted);
    let is_it = b.and(is_token, &is_it);
    let span = span_of(b, start, size);
    let one = b.cast(is_token, Elem::I64);
    (b.add(count, &one), b.select(&is_it, &span, found))
}
