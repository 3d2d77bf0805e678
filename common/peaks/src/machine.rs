//! Properties of this machine.
use halyard_diag::Diagnostic;
use std::fs;

/// A warning, if other programs run on this machine: what is measured then varies.
pub fn busy_machine() -> Option<Diagnostic> {
    busy(machine_load()?, cores())
}

fn busy(load: f64, cores: usize) -> Option<Diagnostic> {
    (load > cores as f64 * 0.5).then(|| {
        Diagnostic::warning(format!("other programs run on this machine (load {load}, {cores} cores): times will vary"))
            .code("busy-machine")
            .hint("stop them, or leave cores to them (`--threads`)")
    })
}

/// Processes that wanted to run, on average over the last minute; `None` where the system does not say.
pub(crate) fn machine_load() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

/// Returns the processor's model name, or the architecture.
pub(crate) fn processor() -> String {
    let text = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let value = text.lines().filter_map(|l| l.split_once(':')).find(|(key, _)| key.trim() == "model name");
    value.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.trim().to_owned())
}

/// The name of the machine: a home folder may be shared by several of one kind.
pub(crate) fn host() -> String {
    fs::read_to_string("/proc/sys/kernel/hostname").map(|name| name.trim().to_owned()).unwrap_or_default()
}

/// The number of logical processors that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// Whether other programs load the machine so much that measurements on these threads are unreliable.
pub(crate) fn is_busy(threads: usize) -> bool {
    machine_load().is_some_and(|load| load + threads as f64 > cores() as f64 + 0.5)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_the_cores_may_be_busy() {
        assert_eq!(busy(2.0, 4), None);
        let warning = busy(2.5, 4).unwrap();
        assert_eq!(warning.message, "other programs run on this machine (load 2.5, 4 cores): times will vary");
    }
}
