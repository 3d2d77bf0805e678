//! Warnings about conditions that make measurements unreliable, each with a hint.
use crate::{machine::Machine, record::Measurement};
use halyard_diag::Diagnostic;

/// Warns about the state of the machine before measuring.
pub(crate) fn of_machine(machine: &Machine) -> Vec<Diagnostic> {
    powersave(machine).into_iter().chain(halyard_peaks::busy_machine()).collect()
}

fn powersave(machine: &Machine) -> Option<Diagnostic> {
    if machine.governor.as_deref() == Some("powersave") {
        let warning = Diagnostic::warning("the CPU frequency governor is `powersave`: times may vary");
        return Some(warning.hint("set it with `cpupower frequency-set -g performance`"));
    }
    None
}

/// Warns about unreliable samples of a function. `warmed` means that `--warmup` was given.
pub(crate) fn of_samples(m: &Measurement, warmed: bool, threads: usize, machine: &Machine) -> Option<Diagnostic> {
    let busy = || {
        let load = machine.load.filter(|l| *l > machine.cores as f64 * 0.5);
        load.map(|l| format!("other programs run on this machine (load {l}, {} cores)", machine.cores))
    };
    let first_is_slow =
        m.samples.len() > 1 && halyard_statistics::outliers(&m.samples).first() == Some(&0) && m.samples[0] > m.median;
    if first_is_slow && m.outliers == 1 {
        let warning = Diagnostic::warning(format!("`{}`: the first run was much slower than the others", m.name));
        let hint = if warmed { "give a larger `--warmup`" } else { "give `--warmup=10` or more" };
        return Some(warning.hint(hint));
    }
    let noisy = m.mad > 0.1 * m.median;
    if m.outliers * 20 <= m.samples.len() && !noisy {
        return None;
    }
    let what = if m.outliers == 0 {
        "the times vary by more than 10 %".to_owned()
    } else {
        format!("{} of {} runs are outliers", m.outliers, m.samples.len())
    };
    let mut warning = Diagnostic::warning(format!("`{}`: {what}", m.name));
    warning.notes.extend(busy());
    let fewer = threads >= machine.cores && machine.cores > 1;
    Some(warning.hint(if fewer {
        "leave a core to the system (`--threads`), stop other programs, or measure longer (`--min-time`)"
    } else {
        "stop other programs, or measure longer (`--min-time`)"
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::measure::Samples;

    fn message(samples: &[f64]) -> Option<String> {
        let m = Measurement::new("main", "a.so", Samples { seconds: samples.to_vec(), iterations: 1 });
        let machine = Machine {
            cpu: "x".into(),
            cores: 4,
            arch: "x",
            os: "x".into(),
            kernel: None,
            governor: None,
            load: Some(3.5),
        };
        let d = of_samples(&m, false, 4, &machine)?;
        Some(format!("{} | {} | {}", d.message, d.notes.join(" "), d.hints.join(" ")))
    }

    #[test]
    fn says_what_to_do() {
        assert_eq!(message(&[1.0, 1.01, 1.0, 0.99, 1.0]), None);
        insta::assert_snapshot!(message(&[9.0, 1.01, 1.0, 0.99, 1.0]).unwrap(), @"`main`: the first run was much slower than the others |  | give `--warmup=10` or more");
        insta::assert_snapshot!(message(&[1.0, 1.01, 1.0, 9.0, 9.0, 0.99, 1.0]).unwrap(), @"`main`: 2 of 7 runs are outliers | other programs run on this machine (load 3.5, 4 cores) | leave a core to the system (`--threads`), stop other programs, or measure longer (`--min-time`)");
        insta::assert_snapshot!(message(&[1.0, 1.5, 2.0, 0.7, 1.2]).unwrap(), @"`main`: the times vary by more than 10 % | other programs run on this machine (load 3.5, 4 cores) | leave a core to the system (`--threads`), stop other programs, or measure longer (`--min-time`)");
    }
}
