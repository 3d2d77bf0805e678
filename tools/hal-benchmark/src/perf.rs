//! `--perf`: counters of the processor and of the kernel (`perf_event_open`).
use crate::{measure::Subject, record::Count};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use perf_event::{
    Builder, Counter,
    events::{Event, Hardware, Software},
};
use std::{fs, io};

/// Counters of this process and of threads that it starts later.
pub(crate) struct Counters(Vec<(&'static str, Counter)>);

impl Counters {
    /// Opens those of the processor; where there are none, a note says why, and those of the kernel are opened. Errors:
    /// the kernel lets this process count nothing.
    pub(crate) fn open(printer: &Printer) -> Result<Self> {
        let processor = [
            ("cycles", Hardware::CPU_CYCLES),
            ("instructions", Hardware::INSTRUCTIONS),
            ("cache references", Hardware::CACHE_REFERENCES),
            ("cache misses", Hardware::CACHE_MISSES),
            ("branch misses", Hardware::BRANCH_MISSES),
        ];
        let (found, why) = all(processor);
        if !found.is_empty() {
            return Ok(Self(found));
        }
        let kernel = [
            ("time on CPUs", Software::TASK_CLOCK),
            ("page faults", Software::PAGE_FAULTS),
            ("context switches", Software::CONTEXT_SWITCHES),
            ("CPU migrations", Software::CPU_MIGRATIONS),
        ];
        let (found, denied) = all(kernel);
        let reason = why.map_or_else(String::new, |e| reason(&e));
        if found.is_empty() {
            let e = denied.map_or(reason, |e| self::reason(&e));
            let error = Error::environment(format!("nothing can be counted: {e}")).code("no-counters");
            return Err(error.hint("an administrator sets `kernel.perf_event_paranoid` to 2 or less (`sysctl`)"));
        }
        printer.note(format!("no counters of the processor: {reason}; those of the kernel are shown"));
        Ok(Self(found))
    }

    /// Counts some calls, and gives the mean of one. Errors: a failed call; a counter that cannot be read.
    pub(crate) fn count(&mut self, function: &str, subject: &mut Subject<'_>, calls: usize) -> Result<Vec<Count>> {
        let failed = |e: io::Error| Error::environment(format!("a counter cannot be used: {e}")).code("no-counters");
        for (_, counter) in &mut self.0 {
            counter.reset().and_then(|()| counter.enable()).map_err(failed)?;
        }
        subject(calls)?;
        for (_, counter) in &mut self.0 {
            counter.disable().map_err(failed)?;
        }
        let one = |(name, counter): &mut (&'static str, Counter)| {
            let per_call = counter.read().map_err(failed)? as f64 / calls as f64;
            Ok(Count { function: function.to_owned(), name, per_call, calls })
        };
        self.0.iter_mut().map(one).collect()
    }
}

/// The counters that can be opened, and why the first one that cannot be could not.
fn all<E: Event + Clone>(
    list: impl IntoIterator<Item = (&'static str, E)>,
) -> (Vec<(&'static str, Counter)>, Option<io::Error>) {
    let (mut found, mut why) = (Vec::new(), None);
    for (name, event) in list {
        match Builder::new(event).inherit(true).build() {
            Ok(counter) => found.push((name, counter)),
            Err(e) => why = why.or(Some(e)),
        }
    }
    (found, why)
}

/// The reason for people: an error number says little.
fn reason(error: &io::Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOENT | libc::EOPNOTSUPP | libc::ENODEV) => {
            "this machine has none, as most virtual machines".to_owned()
        }
        Some(libc::EACCES | libc::EPERM) => {
            let level = fs::read_to_string("/proc/sys/kernel/perf_event_paranoid").unwrap_or_default();
            format!("the kernel does not allow it (`kernel.perf_event_paranoid` is {})", level.trim())
        }
        Some(libc::ENOSYS) => "the kernel has no `perf_event_open`, or a container forbids it".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::reason;
    use std::io;

    #[test]
    fn reasons_are_sentences() {
        let of = |code| reason(&io::Error::from_raw_os_error(code));
        assert!(of(libc::ENOENT).contains("virtual machines"));
        assert!(of(libc::EACCES).contains("`kernel.perf_event_paranoid` is"));
        assert!(of(libc::ENOSYS).contains("`perf_event_open`"));
    }
}
