//! What a transform script matches: its matchers are made to say how far they get with each operation.
//!
//! After each step of a matcher stands a remark at the operation that it is asked about. An operation that passes all
//! steps has matched; one that passes some of them is a near miss, and the first step that it does not pass is why.
use super::report::{Finding, Matching, Miss, SHOWN, describe};
use super::sequences::sequences;
use halyard_diag::Severity;
use halyard_ir::{Attr, Builder, MARK, Mark, Op, Session, Tags};
use std::collections::{BTreeMap, BTreeSet};

/// A matcher of a transform script.
#[derive(Debug)]
struct Matcher {
    /// As people name it.
    name: String,
    /// What it checks, in order. Empty for a `structured.match`, which either matches or does not.
    steps: Vec<Op>,
    /// The sequence.
    sequence: Option<Op>,
}

/// The matchers of a transform script, marked.
#[derive(Debug)]
pub(super) struct Matchers {
    all: Vec<Matcher>,
    how: Matching,
    /// They are `structured.match` operations; they are reported only if none of them matches.
    quiet: bool,
}

/// A module whose operations are numbered, with a copy as it was.
#[derive(Debug)]
pub(super) struct Watched {
    tags: Option<Tags>,
    copy: Option<Op>,
    /// The operations of the copy, by number.
    pub(super) ops: Vec<Op>,
}

impl Watched {
    /// Keeps a copy of a module and numbers its operations.
    pub(super) fn watch(module: Op) -> Self {
        let copy = module.duplicate();
        let mut ops = Vec::new();
        copy.walk(&mut |op| ops.push(op));
        Self { tags: Some(Tags::set(module)), copy: Some(copy), ops }
    }

    /// Takes the numbers out again.
    pub(super) fn done(self) {
        drop(self.tags);
        if let Some(copy) = self.copy {
            copy.erase();
        }
    }
}

impl Matchers {
    /// Finds the matchers that `entry` leads to and marks them. Where there are none, and someone asks for matches, what
    /// `structured.match` finds counts.
    pub(super) fn mark(root: Op, entry: Op, how: Matching) -> Self {
        let by_name: BTreeMap<String, Op> =
            sequences(root).into_iter().filter_map(|s| Some((s.symbol()?, s))).collect();
        let (mut seen, mut queue, mut names) = (BTreeSet::new(), vec![entry], Vec::new());
        let mut plain = Vec::new();
        while let Some(sequence) = queue.pop() {
            if !seen.insert(sequence.symbol()) {
                continue;
            }
            sequence.walk(&mut |op| {
                let symbols = |name: &str| -> Vec<String> {
                    let Some(attr) = op.attr(name) else { return Vec::new() };
                    let list = attr.as_array().unwrap_or_else(|| vec![attr]);
                    list.into_iter().filter_map(|a| a.leaf_symbol()).collect()
                };
                if op.is("transform.foreach_match") || op.is("transform.collect_matching") {
                    for name in symbols("matchers").into_iter().chain(symbols("matcher")) {
                        if !names.contains(&name) {
                            names.push(name);
                        }
                    }
                }
                if op.is("transform.structured.match") {
                    plain.push(op);
                }
                let next = ["target", "actions"].into_iter().flat_map(symbols);
                queue.extend(next.filter_map(|name| by_name.get(&name).copied()));
            });
        }
        let mut all: Vec<Matcher> = Vec::new();
        for name in names {
            let Some(&sequence) = by_name.get(&name) else { continue };
            let Some(body) = sequence.body() else { continue };
            let (Some(end), Some(&asked)) = (body.terminator(), body.args().first()) else { continue };
            let steps: Vec<Op> = body.ops().into_iter().filter(|op| *op != end).collect();
            for (i, step) in steps.iter().enumerate() {
                let next = step.next().expect("a terminator follows");
                remark(next, asked, &format!("{MARK}{} {}", all.len(), i + 1));
            }
            if steps.is_empty() {
                remark(end, asked, &format!("{MARK}{} 0", all.len()));
            }
            all.push(Matcher { name: format!("@{name}"), steps, sequence: Some(sequence) });
        }
        let quiet = all.is_empty() && !how.require && !how.report;
        if all.is_empty() && (how.require || how.report || how.whole) {
            for op in plain {
                remark(op.next().expect("a terminator follows"), op.result(0), &format!("{MARK}{} 0", all.len()));
                let what = op.attr("ops").map_or_else(String::new, |a| format!(" {a}"));
                all.push(Matcher { name: format!("structured.match{what}"), steps: Vec::new(), sequence: None });
            }
        }
        Self { all, how, quiet }
    }

    /// Whether the script looks for nothing.
    pub(super) fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    /// Whether matches are reported only if there are none.
    pub(super) fn is_quiet(&self) -> bool {
        self.quiet
    }

    /// The names, in order.
    pub(super) fn names(&self) -> Vec<String> {
        self.all.iter().map(|m| m.name.clone()).collect()
    }

    /// Numbers the operations of a module, and keeps a copy of it, if there is something to watch for.
    pub(super) fn watch(&self, module: Op) -> Watched {
        if self.is_empty() || self.quiet {
            return Watched { tags: None, copy: None, ops: Vec::new() };
        }
        Watched::watch(module)
    }

    /// What matched last.
    pub(super) fn last_match(&self, session: &Session, watched: &Watched, marks: &[Mark]) -> Option<Finding> {
        let complete = |mark: &Mark| {
            let (op, matcher, step) = read(mark)?;
            (step == self.all[matcher].steps.len()).then_some((op, matcher))
        };
        let (op, matcher) = marks.iter().rev().find_map(complete)?;
        let op = *watched.ops.get(op)?;
        Some(Finding { by: self.all[matcher].name.clone(), op: describe(op), at: session.span(op), miss: None })
    }

    /// What the marks tell.
    pub(super) fn findings(&self, session: &Session, root: Op, watched: &Watched, marks: &[Mark]) -> Vec<Finding> {
        // The furthest step for each operation and matcher.
        let mut reached: BTreeMap<(usize, usize), usize> = BTreeMap::new();
        for mark in marks {
            if let Some((op, matcher, step)) = read(mark) {
                let furthest = reached.entry((op, matcher)).or_default();
                *furthest = step.max(*furthest);
            }
        }
        let matched = |op: usize, matcher: usize| {
            reached.get(&(op, matcher)).is_some_and(|&s| s == self.all[matcher].steps.len())
        };
        let taken: BTreeSet<usize> = reached.keys().filter(|(op, m)| matched(*op, *m)).map(|(op, _)| *op).collect();
        let mut findings = Vec::new();
        let mut misses = 0;
        for (&(number, matcher), &step) in &reached {
            let (Some(&op), by) = (watched.ops.get(number), &self.all[matcher]) else { continue };
            let miss = if matched(number, matcher) {
                None
            } else if taken.contains(&number) {
                continue;
            } else {
                misses += 1;
                // To ask again takes time; nobody will see the answer.
                let shown = self.how.report || (taken.is_empty() && misses <= SHOWN);
                let failed = by.steps[step];
                Some(if shown { why(session, root, by, op, failed) } else { Miss::default() })
            };
            findings.push(Finding { by: by.name.clone(), op: describe(op), at: session.span(op), miss });
        }
        findings
    }
}

/// The operation, matcher and step that a mark tells of.
fn read(mark: &Mark) -> Option<(usize, usize, usize)> {
    let mut numbers = mark.text.split(' ').filter_map(|n| n.parse().ok());
    Some((mark.op?, numbers.next()?, numbers.next()?))
}

/// Why an operation does not pass a matcher, in the words of the step that it fails at.
fn why(session: &Session, root: Op, matcher: &Matcher, op: Op, failed: Op) -> Miss {
    let own = session.span(failed);
    let unknown = Miss { why: format!("`{}` fails", failed.name()), at: own.clone() };
    let Some(sequence) = matcher.sequence else { return unknown };
    let before = session.take_diagnostics();
    let (result, _) = session.apply_sequence(op, sequence, root);
    session.take_diagnostics();
    before.into_iter().for_each(|d| session.say(d));
    let said = result.err().and_then(|e| e.diagnostics.into_iter().find(|d| d.severity == Severity::Error));
    let Some(said) = said else { return unknown };
    // A step may fail at a step inside of it.
    let inner = said.primary.filter(|s| own.as_ref().is_none_or(|own| own.source == s.source));
    Miss { why: said.message, at: inner.or(own) }
}

fn remark(before: Op, at: halyard_ir::Value, text: &str) {
    let builder = Builder::before(before);
    builder.op("transform.debug.emit_remark_at", &[at], &[], &[("message", Attr::string(before.context(), text))]);
}
