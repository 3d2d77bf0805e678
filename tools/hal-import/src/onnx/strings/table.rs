//! Automata over bytes: tables that are made at import, by which strings are looked through byte by byte.
use super::{List, Spans, length_of, repeat, start_of};
use crate::onnx::{Context, Elem, Num, Outcome, Tensor, Value};
use regex_automata::{
    Anchored, Input,
    dfa::{Automaton as _, StartKind, dense},
    nfa::thompson,
    util::syntax,
};
use std::collections::HashMap;

/// The most memory of an automaton while it is made.
const LARGEST: usize = 32 << 20;
/// How many states an automaton may have to be made as small as it can be, which takes long.
const MINIMISED: usize = 4 << 20;

/// A deterministic automaton whose states are numbers, the first of which is where it starts.
#[derive(Debug)]
pub(crate) struct Automaton {
    /// What kind each byte is of: bytes of one kind lead to the same states.
    kinds: Vec<u8>,
    /// How many kinds there are.
    width: usize,
    /// The next state by state and kind.
    next: Vec<i32>,
    /// Which states accept a string that ends there.
    accepts: Vec<bool>,
}

impl Automaton {
    /// The one that accepts what is UTF-8.
    pub(crate) fn utf8() -> Self {
        Self::of_pattern("(?s:.)*").expect("a valid pattern")
    }

    /// The one that accepts what a regular expression matches as a whole. Errors: a message about the pattern.
    pub(crate) fn of_pattern(pattern: &str) -> Result<Self, String> {
        let build = |minimise: bool| {
            let config = dense::Config::new()
                .start_kind(StartKind::Anchored)
                .minimize(minimise)
                .dfa_size_limit(Some(if minimise { MINIMISED } else { LARGEST }))
                .determinize_size_limit(Some(LARGEST));
            dense::Builder::new()
                .configure(config)
                .syntax(syntax::Config::new().utf8(false))
                .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(LARGEST)))
                .build(&format!(r"\A(?:{pattern})\z"))
                .map_err(Box::new)
        };
        let dfa = build(true).or_else(|_| build(false)).map_err(|e| {
            let mut text = e.to_string();
            let mut source = std::error::Error::source(&e);
            while let Some(inner) = source {
                text = inner.to_string();
                source = inner.source();
            }
            // The last line of the parser's message says what is wrong; those before it show where.
            text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
        })?;
        let start = dfa.start_state_forward(&Input::new("").anchored(Anchored::Yes)).map_err(|e| e.to_string())?;
        let (mut numbers, mut states, mut rows, mut accepts) =
            (HashMap::from([(start, 0i32)]), vec![start], Vec::new(), Vec::new());
        let mut at = 0;
        while let Some(&state) = states.get(at) {
            accepts.push(dfa.is_match_state(dfa.next_eoi_state(state)));
            for byte in 0..=u8::MAX {
                let next = dfa.next_state(state, byte);
                let number = *numbers.entry(next).or_insert_with(|| {
                    states.push(next);
                    states.len() as i32 - 1
                });
                rows.push(number);
            }
            at += 1;
        }
        // Bytes that lead to the same states from everywhere are of one kind.
        let (mut kinds, mut firsts, mut seen) = (Vec::new(), Vec::new(), HashMap::new());
        for byte in 0..256 {
            let column: Vec<i32> = rows.iter().skip(byte).step_by(256).copied().collect();
            kinds.push(*seen.entry(column).or_insert_with(|| {
                firsts.push(byte);
                firsts.len() as u8 - 1
            }));
        }
        let next = rows.chunks(256).flat_map(|row| firsts.iter().map(|&b| row[b]).collect::<Vec<_>>()).collect();
        Ok(Self { kinds, width: firsts.len(), next, accepts })
    }

    /// Whether a string is accepted.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        let state = text
            .bytes()
            .fold(0, |state, byte| self.next[state * self.width + usize::from(self.kinds[usize::from(byte)])] as usize);
        self.accepts[state]
    }

    /// Whether each string is accepted, element by element.
    pub(crate) fn runs(&self, c: &mut Context<'_>, spans: &Spans) -> Outcome<Value> {
        let table = |elem, numbers: &mut dyn Iterator<Item = i128>| {
            let numbers: Vec<_> = numbers.map(Num::I).collect();
            Value::constant(Tensor::from_numbers(elem, vec![numbers.len()], numbers).named(Some("automaton".into())))
        };
        let kinds = table(Elem::U8, &mut self.kinds.iter().map(|&k| k.into()));
        let next = table(Elem::I32, &mut self.next.iter().map(|&s| s.into()));
        let accepts = table(Elem::U8, &mut self.accepts.iter().map(|&a| a.into()));
        let [kinds, next, accepts, bytes] = [&kinds, &next, &accepts, &spans.bytes].map(|list| List::of(c, list));
        let width = self.width as i64;
        c.elementwise(std::slice::from_ref(&spans.numbers), Elem::Bool, |b, v| {
            let (start, length, first) = (start_of(b, &v[0]), length_of(b, &v[0]), b.int(Elem::I32, 0));
            let last = repeat(b, &length, &[first], |b, i, state| {
                let at = b.add(&start, i);
                let byte = bytes.at(b, &at);
                let byte = b.to_index(&byte);
                let kind = kinds.at(b, &byte);
                let (kind, state, width) = (b.to_index(&kind), b.to_index(&state[0]), b.index_constant(width));
                let row = b.mul(&state, &width);
                let place = b.add(&row, &kind);
                vec![next.at(b, &place)]
            });
            let last = b.to_index(&last[0]);
            let accepted = accepts.at(b, &last);
            b.cast(&accepted, Elem::Bool)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_whole_strings() {
        let email = Automaton::of_pattern(r"[a-z]+@[a-z]+\.(?:com|org)").unwrap();
        assert!(email.accepts("me@here.org") && !email.accepts("me@here.orgs") && !email.accepts(""));
        assert!(Automaton::of_pattern("a|ab").unwrap().accepts("ab"));
        assert!(Automaton::of_pattern(r"(?-u:\b)x(?-u:\b).").unwrap().accepts("x-"));
        assert!(Automaton::of_pattern("(").unwrap_err().contains("unclosed group"));
        assert!(Automaton::of_pattern("é.").unwrap().accepts("éß"));
    }

    #[test]
    fn utf8_is_told_from_other_bytes() {
        assert!(Automaton::utf8().accepts("aß語😀\n\0"));
        assert!(Automaton::utf8().width < 20);
    }
}
