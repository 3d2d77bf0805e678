//! Automata over bytes: tables that are made at import, with which strings are scanned byte by byte.
use super::{List, Spans, length_of, repeat, start_of};
use crate::onnx::{Body, Context, Elem, Num, Outcome, Scalar, Tensor, Value};
use regex_automata::{
    Anchored, Input, MatchKind,
    dfa::{Automaton as _, StartKind, dense},
    nfa::thompson,
    util::{primitives::StateID, syntax},
};
use std::collections::HashMap;

/// The most memory of an automaton while it is made.
const LARGEST: usize = 32 << 20;
/// The largest number of states of an automaton that is minimised, which takes long.
const MINIMISED: usize = 4 << 20;

/// States of a deterministic automaton, which are numbers, and where bytes lead from each.
#[derive(Debug)]
pub(super) struct Table {
    /// The class of each byte: bytes of one class lead to the same states.
    kinds: Vec<u8>,
    /// The number of classes.
    width: usize,
    /// The next state, by state and class.
    next: Vec<i32>,
}

/// The table as bodies read it.
pub(super) struct Steps {
    kinds: List,
    width: i64,
    next: List,
}

/// A deterministic automaton whose first state is where it starts.
#[derive(Debug)]
pub(crate) struct Automaton {
    table: Table,
    /// Whether each state accepts a string that ends there.
    accepts: Vec<bool>,
}

/// An automaton of bytes for a regular expression, which starts at the place where it is asked. Errors: a message about the pattern.
pub(super) fn dense_automaton(pattern: &str, kind: MatchKind) -> Result<dense::DFA<Vec<u32>>, String> {
    let build = |minimise: bool| {
        let config = dense::Config::new()
            .start_kind(StartKind::Anchored)
            .match_kind(kind)
            .minimize(minimise)
            .dfa_size_limit(Some(if minimise { MINIMISED } else { LARGEST }))
            .determinize_size_limit(Some(LARGEST));
        dense::Builder::new()
            .configure(config)
            .syntax(syntax::Config::new().utf8(false))
            .thompson(thompson::Config::new().utf8(false).nfa_size_limit(Some(LARGEST)))
            .build(pattern)
            .map_err(Box::new)
    };
    build(true).or_else(|_| build(false)).map_err(|e| {
        let mut text = e.to_string();
        let mut source = std::error::Error::source(&e);
        while let Some(inner) = source {
            text = inner.to_string();
            source = inner.source();
        }
        // The last line of the parser's message says what is wrong; those before it show where.
        text.lines().last().unwrap_or_default().trim_start_matches("error: ").to_owned()
    })
}

/// A list of numbers that a program has.
pub(super) fn stored(elem: Elem, numbers: impl Iterator<Item = i128>) -> Value {
    let numbers: Vec<_> = numbers.map(Num::I).collect();
    Value::constant(Tensor::from_numbers(elem, vec![numbers.len()], numbers).named(Some("automaton".into())))
}

impl Table {
    /// Returns all states that can be reached from `starts`, which come first, and the automaton's identifier of each.
    pub(super) fn of(dfa: &dense::DFA<Vec<u32>>, starts: &[StateID]) -> (Self, Vec<StateID>) {
        let (mut numbers, mut states, mut rows) = (HashMap::new(), Vec::new(), Vec::new());
        for &start in starts {
            numbers.entry(start).or_insert_with(|| {
                states.push(start);
                states.len() as i32 - 1
            });
        }
        let mut at = 0;
        while let Some(&state) = states.get(at) {
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
        (Self { kinds, width: firsts.len(), next }, states)
    }

    /// Returns the state after a byte.
    pub(super) fn next(&self, state: i32, byte: u8) -> i32 {
        self.next[state as usize * self.width + usize::from(self.kinds[usize::from(byte)])]
    }

    /// Returns the table as a value of the program.
    pub(super) fn steps(&self, c: &mut Context<'_>) -> Steps {
        let kinds = stored(Elem::U8, self.kinds.iter().map(|&k| k.into()));
        let next = stored(Elem::I32, self.next.iter().map(|&s| s.into()));
        Steps { kinds: List::of(c, &kinds), width: self.width as i64, next: List::of(c, &next) }
    }
}

impl Steps {
    /// Returns the state (`i32`) after a byte.
    pub(super) fn next(&self, b: &mut Body<'_>, state: &Scalar, byte: &Scalar) -> Scalar {
        let byte = b.to_index(byte);
        let kind = self.kinds.at(b, &byte);
        let (kind, state, width) = (b.to_index(&kind), b.to_index(state), b.index_constant(self.width));
        let row = b.mul(&state, &width);
        let place = b.add(&row, &kind);
        self.next.at(b, &place)
    }
}

impl Automaton {
    /// The one that accepts what is UTF-8.
    pub(crate) fn utf8() -> Self {
        Self::of_pattern("(?s:.)*").expect("a valid pattern")
    }

    /// The one that accepts what a regular expression matches as a whole. Errors: a message about the pattern.
    pub(crate) fn of_pattern(pattern: &str) -> Result<Self, String> {
        let dfa = dense_automaton(&format!(r"\A(?:{pattern})\z"), MatchKind::LeftmostFirst)?;
        let start = dfa.start_state_forward(&Input::new("").anchored(Anchored::Yes)).map_err(|e| e.to_string())?;
        let (table, states) = Table::of(&dfa, &[start]);
        let accepts = states.iter().map(|&state| dfa.is_match_state(dfa.next_eoi_state(state))).collect();
        Ok(Self { table, accepts })
    }

    /// Whether a string is accepted.
    pub(crate) fn accepts(&self, text: &str) -> bool {
        self.accepts[text.bytes().fold(0, |state, byte| self.table.next(state, byte)) as usize]
    }

    /// Computes for each element whether the string is accepted.
    pub(crate) fn runs(&self, c: &mut Context<'_>, spans: &Spans) -> Outcome<Value> {
        let accepts = stored(Elem::U8, self.accepts.iter().map(|&a| a.into()));
        let steps = self.table.steps(c);
        let [accepts, bytes] = [&accepts, &spans.bytes].map(|list| List::of(c, list));
        c.elementwise(std::slice::from_ref(&spans.numbers), Elem::Bool, |b, v| {
            let (start, length, first) = (start_of(b, &v[0]), length_of(b, &v[0]), b.int(Elem::I32, 0));
            let last = repeat(b, &length, &[first], |b, i, state| {
                let at = b.add(&start, i);
                let byte = bytes.at(b, &at);
                vec![steps.next(b, &state[0], &byte)]
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
        assert!(Automaton::utf8().table.width < 20);
    }
}
