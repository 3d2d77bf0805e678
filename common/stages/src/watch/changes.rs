//! What a stage changed, without the noise of MLIR's printer: it numbers values anew wherever one is gone, and lines that
//! differ in numbers alone are no change.
use similar::{Algorithm, DiffOp, capture_diff_slices};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
    ops::Range,
};

/// Lines around a change.
const CONTEXT: usize = 3;

/// Texts with more lines than this together are compared without looking for what moved: Myers' algorithm takes time with
/// the square of the number of differences.
const MOST: usize = 30_000;

/// The difference of two texts of MLIR as hunks of a unified diff, without a header; `None` if they are the same but for the
/// names of values, blocks and aliases. Lines that stay have their new text.
pub(super) fn changes(before: &str, after: &str) -> Option<String> {
    if before == after {
        return None;
    }
    let [old, new] = [before, after].map(|text| text.lines().map(Line::new).collect::<Vec<_>>());
    let mut names = Names::default();
    let mut lines = Vec::new();
    for op in operations(&old, &new) {
        match op {
            DiffOp::Equal { old_index, new_index, len } => {
                for (a, b) in old[old_index..old_index + len].iter().zip(&new[new_index..new_index + len]) {
                    if names.agree(a, b) {
                        lines.push((' ', b.text));
                    } else {
                        lines.extend([('-', a.text), ('+', b.text)]);
                    }
                }
            }
            op => {
                lines.extend(old[op.old_range()].iter().map(|line| ('-', line.text)));
                lines.extend(new[op.new_range()].iter().map(|line| ('+', line.text)));
            }
        }
    }
    lines.iter().any(|(mark, _)| *mark != ' ').then(|| hunks(&lines))
}

fn operations(old: &[Line<'_>], new: &[Line<'_>]) -> Vec<DiffOp> {
    let [a, b] = [old, new].map(|lines| lines.iter().map(|line| &*line.key).collect::<Vec<_>>());
    if a.len() + b.len() <= MOST {
        return capture_diff_slices(Algorithm::Myers, &a, &b);
    }
    let shorter = a.len().min(b.len());
    let head = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let tail = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count().min(shorter - head);
    let (old_len, new_len) = (a.len() - head - tail, b.len() - head - tail);
    vec![
        DiffOp::Equal { old_index: 0, new_index: 0, len: head },
        DiffOp::Replace { old_index: head, old_len, new_index: head, new_len },
        DiffOp::Equal { old_index: head + old_len, new_index: head + new_len, len: tail },
    ]
}

/// Hunks with line numbers, a few lines around each change.
fn hunks(lines: &[(char, &str)]) -> String {
    let mut parts: Vec<Range<usize>> = Vec::new();
    for (i, _) in lines.iter().enumerate().filter(|(_, (mark, _))| *mark != ' ') {
        let (from, to) = (i.saturating_sub(CONTEXT), (i + CONTEXT + 1).min(lines.len()));
        match parts.last_mut().filter(|last| from <= last.end) {
            Some(last) => last.end = to,
            None => parts.push(from..to),
        }
    }
    let mut text = String::new();
    let (mut old, mut new, mut done) = (1, 1, 0);
    let count = |lines: &[(char, &str)], not: char| lines.iter().filter(|(mark, _)| *mark != not).count();
    for part in parts {
        old += count(&lines[done..part.start], '+');
        new += count(&lines[done..part.start], '-');
        let own = &lines[part.clone()];
        let (olds, news) = (count(own, '+'), count(own, '-'));
        let _ = writeln!(text, "@@ -{old},{olds} +{new},{news} @@");
        own.iter().for_each(|(mark, line)| {
            let _ = writeln!(text, "{mark}{line}");
        });
        (old, new, done) = (old + olds, new + news, part.end);
    }
    text
}

/// A line, taken apart.
struct Line<'a> {
    text: &'a str,
    /// The line without names.
    key: String,
    /// Its names: values (`%3`), blocks (`^bb1`), aliases (`#map`), and whether the line defines each.
    names: Vec<(&'a str, bool)>,
}

impl<'a> Line<'a> {
    fn new(text: &'a str) -> Self {
        let trimmed = text.trim_start();
        let results = trimmed.starts_with(['%', '#', '^']).then(|| text.find(" = ")).flatten().unwrap_or(0);
        let ids = if text.contains("scf.forall (") { text.find(" in (").unwrap_or(0) } else { 0 };
        let (mut key, mut names, mut at) = (String::new(), Vec::new(), 0);
        for name in found(text) {
            let after = &text[name.end..];
            // `%x = …`, `%arg0: type`, `^bb1:`, `^bb1(…):`
            let label = trimmed.starts_with('^') && names.is_empty();
            let is_new = name.end <= results.max(ids) || label || after.starts_with(" = ") || after.starts_with(": ");
            key += &text[at..name.start];
            key.push_str(&text[name.start..=name.start]);
            at = name.end;
            names.push((&text[name], is_new));
        }
        key += &text[at..];
        Self { text, key, names }
    }
}

/// Where names are in a line: outside of strings. `#` begins an alias only at the start of a word: `%0#1` is a result, and
/// `#llvm.target<…>` an attribute.
fn found(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let is_word = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$' | b'-');
    let (mut list, mut i, mut quoted) = (Vec::new(), 0, false);
    while i < bytes.len() {
        let sigil = bytes[i];
        match sigil {
            b'\\' if quoted => i += 1,
            b'"' => quoted = !quoted,
            b'%' | b'^' | b'#' if !quoted => {
                let end = (i + 1..bytes.len()).find(|&k| !is_word(bytes[k])).unwrap_or(bytes.len());
                let alias = sigil != b'#' || ((i == 0 || !is_word(bytes[i - 1])) && bytes.get(end) != Some(&b'.'));
                if end > i + 1 && alias {
                    list.push(i..end);
                }
                i = end - 1;
            }
            _ => {}
        }
        i += 1;
    }
    list
}

/// Which name of the old text is which of the new one.
#[derive(Default)]
struct Names<'a> {
    new_of: HashMap<&'a str, &'a str>,
    old_of: BTreeMap<&'a str, &'a str>,
}

impl<'a> Names<'a> {
    /// Whether two lines that are the same without names have the same names, as far as it is known what was renamed. Names
    /// that they define are the same from here on.
    fn agree(&mut self, old: &Line<'a>, new: &Line<'a>) -> bool {
        if old.names.len() != new.names.len() {
            return false;
        }
        let mut same = true;
        for (&(a, is_new), &(b, _)) in old.names.iter().zip(&new.names) {
            let known = (self.new_of.get(a).copied(), self.old_of.get(b).copied());
            if is_new || known == (None, None) {
                self.new_of.insert(a, b);
                self.old_of.insert(b, a);
            } else {
                same &= known == (Some(b), Some(a));
            }
        }
        same
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_numbers_are_no_change() {
        let old = "func.func @f(%arg0: f32) {\n  %0 = a\n  %1 = b %arg0\n  %2 = c %1\n  return %2 : f32\n}\n";
        let new = "func.func @f(%x: f32) {\n  %7 = a\n  %8 = b %x\n  %9 = c %8\n  return %9 : f32\n}\n";
        assert_eq!(changes(old, new), None);
    }

    #[test]
    fn what_is_gone_renumbers_nothing() {
        let old = "%0 = dead\n%1 = b\n%2 = c %1\nreturn %2";
        let new = "%0 = b\n%1 = c %0\nreturn %1";
        assert_eq!(changes(old, new).unwrap(), "@@ -1,4 +1,3 @@\n-%0 = dead\n %0 = b\n %1 = c %0\n return %1\n");
    }

    #[test]
    fn another_operand_is_a_change() {
        // As cse does it: the second `a` goes, and what used it uses the first.
        let old = "%0 = a\n%1 = a\n%2 = add %0, %1\n";
        let new = "%0 = a\n%1 = add %0, %0\n";
        let found = changes(old, new).unwrap();
        assert!(found.contains("-%2 = add %0, %1\n+%1 = add %0, %0\n"), "{found}");
        let swapped = changes("f(%arg0: x, %arg1: x)\ng %arg0, %arg1\n", "f(%arg0: x, %arg1: x)\ng %arg1, %arg0\n");
        assert!(swapped.unwrap().contains("-g %arg0, %arg1\n+g %arg1, %arg0\n"));
    }

    #[test]
    fn names_are_found() {
        let names = |text| found(text).into_iter().map(|r| &text[r]).collect::<Vec<_>>();
        assert_eq!(names("^bb1(%arg0: f32):  // pred: ^bb0"), ["^bb1", "%arg0", "^bb0"]);
        assert_eq!(names("%0:2 = f %1#1 {m = #map1, s = \"%no\", t = #llvm.target<x>}"), ["%0", "%1", "#map1"]);
        assert_eq!(names("%"), [] as [&str; 0]);
    }

    #[test]
    fn hunks_have_line_numbers() {
        let old: String = (0..20).map(|i| format!("op.a{i}\n")).collect();
        let new = old.replace("op.a2\n", "").replace("op.a15\n", "op.b\nop.c\n");
        let text = changes(&old, &new).unwrap();
        assert!(text.starts_with("@@ -1,6 +1,5 @@\n") && text.contains("@@ -13,7 +12,8 @@\n"), "{text}");
    }

    #[test]
    fn long_texts_are_compared_at_their_ends() {
        let old: String = (0..MOST).map(|i| format!("a{i}\n")).collect();
        let text = changes(&old, &old.replace("a7\n", "b\n")).unwrap();
        assert!(text.contains("-a7\n+b\n") && text.lines().count() == 9, "{text}");
    }
}
