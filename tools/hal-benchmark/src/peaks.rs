//! `--peaks`: prints the peaks of the machine.
use crate::BenchmarkArgs;
use halyard_cli::{Printer, write_output};
use halyard_diag::Result;
use halyard_peaks::{MemoryLevel, Peaks};
use std::path::Path;

/// Prints the peaks for one thread and for all, or for those of `--threads`. Errors: a report that cannot be written.
pub(crate) fn show(args: &BenchmarkArgs, printer: &Printer) -> Result<()> {
    let all = std::thread::available_parallelism().map_or(1, usize::from);
    let counts = match args.load.threads {
        0 if all > 1 => vec![1, all],
        0 => vec![1],
        n => vec![n],
    };
    let peaks: Vec<Peaks> = counts.into_iter().map(|n| of(n, args.measure_peaks, printer)).collect();
    if let Some(path) = &args.json {
        let text = serde_json::to_string_pretty(&peaks).expect("numbers and strings serialise") + "\n";
        write_output(path, text.as_bytes())?;
    }
    if args.json.as_deref() != Some(Path::new("-")) {
        printer.stdout(&peaks.iter().map(text).collect::<Vec<_>>().join("\n"))?;
    }
    Ok(())
}

/// Returns the peaks with a number of threads, with a warning if they cannot be stored.
pub(crate) fn of(threads: usize, anew: bool, printer: &Printer) -> Peaks {
    let (peaks, warning) = Peaks::of_this_machine(threads, anew);
    warning.iter().for_each(|w| printer.diagnostic(w));
    if peaks.busy {
        printer.note("other programs ran while the machine's peaks were measured, so they may be too low; they are measured again when the machine is idle");
    }
    peaks
}

fn text(peaks: &Peaks) -> String {
    let threads = if peaks.threads == 1 { "1 thread".to_owned() } else { format!("{} threads", peaks.threads) };
    let mut text = format!("{}, {threads}\n", peaks.machine);
    for a in &peaks.arithmetic {
        text += &format!("  {:<7} {:>9} GFLOP/s  {}\n", a.kind.name(), number(a.operations / 1e9), a.by)
            .replace("GFLOP/s", if a.kind.name() == "i8" { "GOP/s  " } else { "GFLOP/s" });
    }
    for level in &peaks.levels {
        text +=
            format!("  {:<7} {:>9} GB/s     {}", level.name, number(level.bandwidth / 1e9), capacity(level)).trim_end();
        text.push('\n');
    }
    text
}

fn number(value: f64) -> String {
    format!("{value:.1}")
}

/// Prints a capacity as `32 KiB`, `2 MiB`.
fn capacity(level: &MemoryLevel) -> String {
    match level.capacity {
        None => String::new(),
        Some(bytes) if bytes % (1 << 20) == 0 => format!("{} MiB", bytes >> 20),
        Some(bytes) => format!("{} KiB", bytes >> 10),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_peaks::{ArithmeticKind, ArithmeticPeak};

    #[test]
    fn for_people() {
        let arithmetic = |kind, by: &str, operations| ArithmeticPeak { kind, by: by.into(), operations };
        let level = |name: &str, capacity, bandwidth| MemoryLevel { name: name.into(), capacity, bandwidth };
        let peaks = Peaks {
            machine: "A CPU".into(),
            threads: 2,
            arithmetic: vec![
                arithmetic(ArithmeticKind::F32, "avx512f", 236.4e9),
                arithmetic(ArithmeticKind::I8, "avx512vnni", 945.8e9),
            ],
            levels: vec![
                level("L1", Some(64 << 10), 446.6e9),
                level("L2", Some(2 << 20), 226e9),
                level("memory", None, 25e9),
            ],
            busy: false,
        };
        insta::assert_snapshot!(text(&peaks));
    }
}
