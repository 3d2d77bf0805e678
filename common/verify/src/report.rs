//! Messages about the results of verification.
use crate::{Case, Difference, State, fault};
use halyard_diag::{Diagnostic, Error, Severity};
use halyard_exec::{How, Loss};
use halyard_ir::form::Interface;

/// The verified and the skipped cases.
#[derive(Debug, Default)]
pub struct VerifyReport {
    /// A note for each export that agrees, and for each that was not verified.
    pub notes: Vec<Diagnostic>,
    /// Exports that agree.
    pub verified: usize,
    /// Executables or exports that were not verified.
    pub skipped: usize,
}

impl VerifyReport {
    pub(crate) fn add(&mut self, place: &str, export: &str, state: State, alike: usize) {
        let name = if export.is_empty() { place.to_owned() } else { format!("kernel `@{export}` of {place}") };
        let also = match alike {
            0 => String::new(),
            1 => "; one more is the same".into(),
            n => format!("; {n} more are the same"),
        };
        let text = match state {
            State::Agrees { runs, largest, tolerance, compared, elements } => {
                self.verified += 1;
                let share =
                    if compared < elements { format!(", {compared} of {elements} elements") } else { String::new() };
                let times = if runs == 1 { "run" } else { "runs" };
                format!(
                    "{name}: {runs} {times}{share}, largest error {} ulp, tolerance {} ulp{also}",
                    number(largest),
                    number(tolerance)
                )
            }
            State::Skipped(why) => {
                self.skipped += 1;
                format!("{name} was not verified: {why}{also}")
            }
            State::Differs(_) => return,
        };
        self.notes.push(Diagnostic::new(Severity::Note, text).code("verified"));
    }

    /// The sum, for people.
    pub fn summary(&self) -> String {
        let skipped = if self.skipped > 0 { format!(", {} not verified", self.skipped) } else { String::new() };
        format!("{} kernels agree with their sources{skipped}", self.verified)
    }
}

/// Ulp as people read them.
fn number(ulp: f64) -> String {
    if ulp == 0.0 || (10.0..1e6).contains(&ulp) {
        format!("{ulp:.0}")
    } else if ulp.is_finite() && ulp < 10.0 {
        format!("{ulp:.1}")
    } else {
        format!("{ulp:.1e}")
    }
}

/// The error for a kernel that differs from its source.
pub(crate) fn difference(place: &str, export: &str, d: &Difference, alike: &[String]) -> Error {
    let element: Vec<String> = d.element.iter().map(ToString::to_string).collect();
    let far = if d.ulp.is_finite() { format!("{} ulp", number(d.ulp)) } else { "not comparable".into() };
    let message = format!(
        "kernel `@{export}` of {place} does not compute what its source says: element [{}] of result {} is {}, not {} ({far}, the tolerance is {} ulp)",
        element.join(", "),
        d.result,
        d.got,
        d.wanted,
        number(d.tolerance),
    );
    let error = Error::input(message).code("wrong-kernel");
    let error = if d.count > 1 { error.note(format!("{} elements differ by more than that", d.count)) } else { error };
    let error = if d.sizes.is_empty() { error } else { error.note(format!("its arguments were {}", d.sizes)) };
    same(error, alike)
}

fn same(error: Error, alike: &[String]) -> Error {
    match alike {
        [] => error,
        [one] => error.note(format!("so does `@{one}`, which is the same")),
        [one, ..] => error.note(format!("so do {} more, which are the same: `@{one}` …", alike.len())),
    }
}

/// An error that names what it is about.
pub(crate) fn named(place: &str, mut error: Error) -> Error {
    if let Some(first) = error.diagnostics.iter_mut().find(|d| d.severity == Severity::Error) {
        first.message = format!("{place}: {}", first.message);
    }
    error
}

/// The error for a worker that was lost; `Err` is why a kernel was not verified, where it had not begun to run.
pub(crate) fn lost(case: &Case, place: &str, loss: &Loss) -> Result<Error, String> {
    if let How::NotStarted(why) = &loss.how {
        return Ok(Error::environment(format!("{place}: no worker process could be started: {why}")).code("no-worker"));
    }
    let last = |mark: &str| loss.said.rfind(mark);
    let began = last(fault::BEGIN).filter(|&b| last(fault::END).is_none_or(|e| e < b));
    let Some(began) = began else {
        return Err(match loss.how {
            How::TooSlow(limit) => format!("its reference took longer than {} s", limit.as_secs_f64()),
            _ => {
                let said = loss.said.lines().find(|l| !l.starts_with("hal-verify") && !l.trim().is_empty());
                let said = said.map_or_else(String::new, |l| format!(" (`{}`)", l.trim()));
                format!("its reference could not be computed: it {}{said}", loss.how.words())
            }
        });
    };
    let line =
        |from: usize, mark: &str| loss.said[from + mark.len()..].lines().next().unwrap_or_default().trim().to_owned();
    let export = line(began, fault::BEGIN);
    let error = Error::tool(format!("kernel `@{export}` of {place} {}", loss.how.words())).code("kernel-crashed");
    let error = match last(fault::MARK).filter(|&m| m > began) {
        Some(mark) => {
            let numbers: Vec<i64> = line(mark, fault::MARK).split(' ').filter_map(|n| n.parse().ok()).collect();
            place_of(case, &export, &numbers).into_iter().fold(error, Error::note)
        }
        None => error,
    };
    let error = match loss.how {
        How::TooSlow(_) => error.hint("`--executable-timeout=DURATION` sets the limit"),
        _ => error,
    };
    Ok(same(error, &case.alike))
}

/// Where a kernel faulted: binding, offset, size, and the workgroup.
fn place_of(case: &Case, export: &str, numbers: &[i64]) -> Vec<String> {
    let &[binding, offset, size, x, y, z] = numbers else { return Vec::new() };
    let mut notes = Vec::new();
    let kernel = case.variant.exports().into_iter().find(|e| e.name() == export);
    if let (Ok(binding), Some(kernel)) = (usize::try_from(binding), kernel) {
        let interface = Interface::of(kernel.op);
        let names =
            interface.tensor_inputs().into_iter().map(|i| (format!("argument {i}"), interface.tied.contains(&Some(i))));
        let names: Vec<_> =
            names.chain(interface.untied_results().into_iter().map(|r| (format!("result {r}"), true))).collect();
        if let Some((name, written)) = names.get(binding) {
            let inside = (0..size).contains(&offset);
            notes.push(match (inside, written) {
                (true, false) => format!("it writes to byte {offset} of {name}, which it may only read"),
                (true, true) => format!("it faulted at byte {offset} of {name}"),
                _ if offset < 0 => format!("it touches memory {} bytes before {name}", -offset),
                _ => format!("it touches byte {offset} of {name}, which has {size} bytes"),
            });
        }
    }
    notes.push(format!("in workgroup {x}, {y}, {z}"));
    notes
}
