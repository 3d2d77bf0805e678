//! Finds the longest match of a regular expression at each position of strings.
use super::{
    List, repeat,
    table::{Steps, Table, dense_automaton, stored},
};
use crate::onnx::{Body, Context, Elem, Order, Outcome, Scalar, Value};
use regex_automata::{Anchored, Input, MatchKind, dfa::Automaton as _};

/// The number of bytes that are read before testing whether a match can still become longer.
const BLOCK: i64 = 16;
/// Flags of a state: a match ended before the last byte; a match ends if the string ends here; no match can become
/// longer.
const MATCHED: i128 = 1;
const AT_END: i128 = 2;
const DEAD: i128 = 4;

/// An automaton that finds how far a match reaches.
#[derive(Debug)]
pub(crate) struct Matcher {
    table: Table,
    /// The state that a search starts in, by the byte before it; the last one is for the start of a string.
    starts: Vec<i32>,
    /// The flags of each state.
    flags: Vec<i128>,
}

/// The strings in which matches are looked for.
pub(crate) struct Searched<'a> {
    /// The bytes of all, one string after another.
    pub(crate) bytes: &'a Value,
    /// The string that each byte belongs to.
    pub(crate) owners: &'a Value,
    /// The end of each string.
    pub(crate) ends: &'a Value,
}

impl Matcher {
    /// Errors: a message about the pattern.
    pub(crate) fn of_pattern(pattern: &str) -> Result<Self, String> {
        let dfa = dense_automaton(pattern, MatchKind::All)?;
        let start = |before: &[u8]| {
            let input = Input::new(before).range(before.len()..).anchored(Anchored::Yes);
            dfa.start_state_forward(&input).map_err(|e| e.to_string())
        };
        let mut starts = (0..=u8::MAX).map(|byte| start(&[byte])).collect::<Result<Vec<_>, _>>()?;
        starts.push(start(&[])?);
        let (table, states) = Table::of(&dfa, &starts);
        let number = |state| states.iter().position(|s| s == state).map_or(0, |i| i as i32);
        let flag = |yes: bool, flag: i128| if yes { flag } else { 0 };
        let flags = states.iter().map(|&state| {
            flag(dfa.is_match_state(state), MATCHED)
                | flag(dfa.is_match_state(dfa.next_eoi_state(state)), AT_END)
                | flag(dfa.is_dead_state(state), DEAD)
        });
        let flags = flags.collect();
        Ok(Self { starts: starts.iter().map(number).collect(), flags, table })
    }

    /// Returns the number of bytes of the longest match that starts at each byte (`i64`); 0 if there is none with at
    /// least `least` characters.
    pub(crate) fn reach(&self, c: &mut Context<'_>, strings: &Searched<'_>, least: i64) -> Outcome<Value> {
        let steps = self.table.steps(c);
        let starts = stored(Elem::I32, self.starts.iter().map(|&s| s.into()));
        let flags = stored(Elem::I32, self.flags.iter().copied());
        let [starts, flags, bytes, ends] = [&starts, &flags, strings.bytes, strings.ends].map(|list| List::of(c, list));
        let search = Search { steps, flags, bytes };
        c.elementwise(std::slice::from_ref(strings.owners), Elem::I64, |b, v| {
            let owner = b.to_index(&v[0]);
            let (here, one) = (b.position(0), b.index_constant(1));
            let end = ends.at(b, &owner);
            let end = b.to_index(&end);
            // The byte before, unless it is of the string before.
            let (before, at) = (b.sub(&owner, &one), b.sub(&here, &one));
            let first = ends.at(b, &before);
            let first = b.to_index(&first);
            let is_first = b.compare(Order::Eq, &here, &first);
            let byte = search.bytes.at(b, &at);
            let (byte, none) = (b.to_index(&byte), b.index_constant(256));
            let byte = b.select(&is_first, &none, &byte);
            let start = starts.at(b, &byte);
            search.longest(b, &start, (&here, &end), least)
        })
    }
}

/// The values that the bodies of a search read.
struct Search {
    steps: Steps,
    flags: List,
    bytes: List,
}

impl Search {
    fn has(&self, b: &mut Body<'_>, state: &Scalar, flag: i128) -> Scalar {
        let state = b.to_index(state);
        let flags = self.flags.at(b, &state);
        let (flag, zero) = (b.int(Elem::I32, flag as i64), b.int(Elem::I32, 0));
        let flags = b.and(&flags, &flag);
        b.compare(Order::Gt, &flags, &zero)
    }

    /// The bytes of the longest match between two places.
    fn longest(&self, b: &mut Body<'_>, start: &Scalar, (here, end): (&Scalar, &Scalar), least: i64) -> Scalar {
        let zero = b.int(Elem::I64, 0);
        let rest = b.sub(end, here);
        let (block, most) = (b.index_constant(BLOCK), b.index_constant(BLOCK - 1));
        let blocks = b.add(&rest, &most);
        let blocks = b.div(&blocks, &block);
        let initial = [start.clone(), zero.clone(), zero];
        let last = repeat(b, &blocks, &initial, |b, i, s| {
            let dead = self.has(b, &s[0], DEAD);
            let alive = b.not(&dead);
            let names = b.w.open_values(3, &format!("scf.if {} -> (i32, i64, i64) {{", alive.name));
            let (size, block) = (b.index_constant(BLOCK), b.index_constant(BLOCK));
            let base = b.mul(i, &size);
            let base = b.add(here, &base);
            let read = repeat(b, &block, s, |b, j, s| {
                let at = b.add(&base, j);
                self.step(b, s, (here, &at, end), least)
            });
            let give = |s: &[Scalar]| format!("scf.yield {}, {}, {} : i32, i64, i64", s[0].name, s[1].name, s[2].name);
            b.w.line(give(&read));
            b.w.between("} else {");
            b.w.line(give(s));
            b.w.close("}");
            names.into_iter().zip(s).map(|(name, s)| Scalar::new(name, s.elem.unwrap_or(Elem::I64))).collect()
        });
        let ends = self.has(b, &last[0], AT_END);
        let length = b.cast(&rest, Elem::I64);
        let longest = longer(b, &ends, (&length, &last[1]), &last[2], least);
        // A string without bytes is not read.
        let zero = b.int(Elem::I64, 0);
        b.max(&longest, &zero)
    }

    /// Reads a byte: the state, the characters before the byte, and the longest match so far.
    fn step(
        &self,
        b: &mut Body<'_>,
        s: &[Scalar],
        (here, at, end): (&Scalar, &Scalar, &Scalar),
        least: i64,
    ) -> Vec<Scalar> {
        let inside = b.compare(Order::Lt, at, end);
        let byte = self.bytes.at(b, at);
        let next = self.steps.next(b, &s[0], &byte);
        let matched = self.has(b, &next, MATCHED);
        let matched = b.and(&matched, &inside);
        let length = b.sub(at, here);
        let length = b.cast(&length, Elem::I64);
        let best = longer(b, &matched, (&length, &s[1]), &s[2], least);
        let starts = starts_character(b, &byte);
        let starts = b.and(&starts, &inside);
        let starts = b.cast(&starts, Elem::I64);
        let count = b.add(&s[1], &starts);
        vec![b.select(&inside, &next, &s[0]), count, best]
    }
}

/// Returns a match of this many bytes and characters, if it is one and has enough characters, or else the previous
/// one.
fn longer(
    b: &mut Body<'_>,
    is_match: &Scalar,
    (length, characters): (&Scalar, &Scalar),
    before: &Scalar,
    least: i64,
) -> Scalar {
    let least = b.int(Elem::I64, least);
    let enough = b.compare(Order::Ge, characters, &least);
    let counts = b.and(is_match, &enough);
    b.select(&counts, length, before)
}

/// Whether a UTF-8 character starts with a byte.
pub(crate) fn starts_character(b: &mut Body<'_>, byte: &Scalar) -> Scalar {
    let byte = b.cast(byte, Elem::I32);
    let (mask, follows) = (b.int(Elem::I32, 0xC0), b.int(Elem::I32, 0x80));
    let bits = b.and(&byte, &mask);
    let same = b.compare(Order::Eq, &bits, &follows);
    b.not(&same)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The longest match at a place, as a program finds it.
    fn longest(pattern: &str, text: &str, at: usize) -> Option<usize> {
        let m = Matcher::of_pattern(pattern).unwrap();
        let bytes = text.as_bytes();
        let mut state = m.starts[at.checked_sub(1).map_or(256, |i| usize::from(bytes[i]))];
        let mut best = None;
        for (i, byte) in bytes.iter().enumerate().skip(at) {
            state = m.table.next(state, *byte);
            if m.flags[state as usize] & MATCHED != 0 {
                best = Some(i - at);
            }
        }
        if m.flags[state as usize] & AT_END != 0 {
            best = Some(bytes.len() - at);
        }
        best
    }

    #[test]
    fn the_longest_match_counts() {
        assert_eq!(longest("a|ab|abc", "abcd", 0), Some(3));
        assert_eq!(longest("a+?", "aaab", 0), Some(3));
        assert_eq!(longest("b", "ab", 0), None);
        assert_eq!(longest("b", "ab", 1), Some(1));
        assert_eq!(longest(r"(?-u:\b)\w+", "ab", 1), None);
        assert_eq!(longest("^b", "ab", 1), None);
        assert_eq!(longest("é.", "éß", 0), Some(4));
    }
}
