//! What matched, what nearly did, and why not.
use halyard_diag::{Diagnostic, Error, Result, Severity, Span};
use halyard_ir::{Op, Session};

/// How matches are treated.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
pub struct Matching {
    /// Tell each match and near miss, not only their number.
    pub report: bool,
    /// A stage that looks for matches and finds none fails.
    pub require: bool,
    /// A script whose `structured.match` finds nothing says so. Not where a stage runs on one executable after the other, which
    /// need not all have a match.
    pub whole: bool,
}

/// Near misses that are reported without a request, if nothing matches at all.
pub(super) const SHOWN: usize = 3;

/// An operation that matched, or nearly.
#[derive(Debug)]
pub(super) struct Finding {
    /// The matcher or pattern, as people name it: `@is_layer`.
    pub(super) by: String,
    /// The operation: its name and, for people, its results' types.
    pub(super) op: String,
    /// Where it stands.
    pub(super) at: Option<Span>,
    /// Why it did not match; `None` if it did.
    pub(super) miss: Option<Miss>,
}

/// Why an operation did not match.
#[derive(Debug, Default)]
pub(super) struct Miss {
    /// In words.
    pub(super) why: String,
    /// The condition that does not hold.
    pub(super) at: Option<Span>,
}

/// Tells an operation in a line: name, function around it, types.
pub(super) fn describe(op: Op) -> String {
    let types: Vec<String> = op.results().iter().map(|r| r.ty().to_string()).collect();
    let function =
        std::iter::successors(op.parent(), |p| p.parent()).find(|p| p.is("func.func")).and_then(|f| f.symbol());
    let mut text = format!("`{}`", op.name());
    if !types.is_empty() {
        text += &format!(" of type `{}`", types.join(", "));
    }
    if let Some(function) = function {
        text += &format!(" in `@{function}`");
    }
    text
}

/// Says what a stage found. Errors: nothing, if there must be something.
pub(super) fn tell(
    session: &Session,
    stage: &str,
    matchers: &[String],
    findings: Vec<Finding>,
    how: Matching,
) -> Result<()> {
    let (matches, misses): (Vec<_>, Vec<_>) = findings.into_iter().partition(|f| f.miss.is_none());
    let counts: Vec<String> = matchers
        .iter()
        .map(|m| (m, matches.iter().filter(|f| f.by == **m).count()))
        .filter(|(_, n)| *n > 0)
        .map(|(m, n)| format!("`{m}` {n}"))
        .collect();
    let near = match misses.len() {
        0 => String::new(),
        1 => "; 1 near miss".into(),
        n => format!("; {n} near misses"),
    };
    if matches.is_empty() {
        let list: Vec<_> = matchers.iter().map(|m| format!("`{m}`")).collect();
        let message = format!("`{stage}` matched nothing (it looks for {}){near}", list.join(", "));
        // A few show what is wrong; all are for those who ask.
        let shown = if how.report { misses.len() } else { SHOWN };
        let details: Vec<Diagnostic> = misses.iter().take(shown).map(detail).collect();
        let more = (misses.len() > shown).then_some("`--report-matches` lists them near miss");
        if how.require {
            let mut error = Error::input(message).code("no-match");
            if details.is_empty() {
                error = error.note("there is no near miss: no operation meets the first condition");
            }
            error = more.into_iter().fold(error, Error::hint);
            error.diagnostics.extend(details);
            return Err(error);
        }
        let warning = Diagnostic::warning(message).code("no-match").hint("`--require-match` makes this an error");
        session.say(more.into_iter().fold(warning, Diagnostic::hint));
        details.into_iter().for_each(|d| session.say(d));
        return Ok(());
    }
    let mut summary = Diagnostic::new(Severity::Note, {
        let number = if matches.len() == 1 { "1 operation".into() } else { format!("{} operations", matches.len()) };
        format!("`{stage}` matched {number} ({}){near}", counts.join(", "))
    });
    if how.report {
        session.say(summary);
        matches.iter().chain(&misses).for_each(|f| session.say(detail(f)));
    } else {
        if !misses.is_empty() {
            summary = summary.hint("`--report-matches` lists them");
        }
        session.say(summary);
    }
    Ok(())
}

fn detail(finding: &Finding) -> Diagnostic {
    let message = match &finding.miss {
        None => format!("`{}` matched {}", finding.by, finding.op),
        Some(miss) => format!("`{}` did not match {}: {}", finding.by, finding.op, miss.why),
    };
    let mut d = Diagnostic::new(Severity::Remark, message);
    if let Some(span) = &finding.at {
        d = d.at(span.clone());
    }
    match finding.miss.as_ref().and_then(|m| m.at.clone()) {
        Some(span) if finding.at.is_some() => d.label(span, "this condition fails"),
        Some(span) => d.at(span),
        None => d,
    }
}
