//! Columns of dispatches, and units, for all tables.
use crate::record::{Measurement, Report};

/// The number of columns.
pub(super) const COUNT: usize = 10;
/// The column of the kernel's name, and that of what it comes from.
pub(super) const NAME: usize = 8;
pub(super) const FROM: usize = 9;
/// The titles of the columns; all but the last two are right-aligned. The last is empty where the model names nothing.
pub(super) const COLUMNS: [&str; COUNT] =
    ["share", "total", "calls", "time", "GFLOP/s", "GB/s", "roofline", "workgroups", "executable", "from"];

/// The dispatches of each program, as cells, with the sum at the end; empty if none were measured.
pub(super) fn dispatches(report: &Report) -> Vec<(String, Vec<[String; COUNT]>)> {
    let mut tables: Vec<(String, Vec<&Measurement>)> = Vec::new();
    for m in report.results.iter().filter(|m| m.dispatch.is_some()) {
        match tables.iter_mut().find(|(program, _)| *program == m.program) {
            Some((_, list)) => list.push(m),
            None => tables.push((m.program.clone(), vec![m])),
        }
    }
    tables.into_iter().map(|(program, list)| (program, rows(&list))).collect()
}

fn rows(list: &[&Measurement]) -> Vec<[String; COUNT]> {
    let mut rows = Vec::new();
    let (mut sum, mut count) = (0.0, 0);
    for m in list {
        let Some(d) = &m.dispatch else { continue };
        let total = m.median * d.calls as f64;
        sum += total;
        count += d.calls;
        let rate = |v: Option<f64>| v.map_or("-".into(), |v| format!("{v:.1}"));
        let [x, y, z] = d.workgroups;
        let name = name(m);
        rows.push([
            format!("{:.1} %", d.share * 100.0),
            time(total),
            d.calls.to_string(),
            time(m.median),
            rate(m.gflops()),
            rate(m.gigabytes()),
            d.roofline.as_ref().map_or("-".into(), |r| format!("{} {}", percent(r.share), r.limit)),
            format!("{x}x{y}x{z}"),
            name,
            origin(&d.origin),
        ]);
    }
    let none = String::new;
    rows.push([
        "100.0 %".into(),
        time(sum),
        count.to_string(),
        none(),
        none(),
        none(),
        none(),
        none(),
        "all".into(),
        none(),
    ]);
    rows
}

/// The kernel, with the constants of the call.
pub(super) fn name(m: &Measurement) -> String {
    let constants: Vec<_> = m.dispatch.iter().flat_map(|d| &d.constants).map(i64::to_string).collect();
    if constants.is_empty() { m.name.clone() } else { format!("{} ({})", m.name, constants.join(", ")) }
}

/// Prints a fraction as `7.5 %`, `83 %`.
pub(super) fn percent(part: f64) -> String {
    if part < 0.1 { format!("{:.1} %", part * 100.0) } else { format!("{:.0} %", part * 100.0) }
}

/// The first of the nodes that a dispatch comes from, its end where it is long, and the number of the others.
fn origin(names: &[String]) -> String {
    const WIDTH: usize = 32;
    let Some(first) = names.first() else { return String::new() };
    let length = first.chars().count();
    // Names differ at their ends.
    let start = first.char_indices().nth(length.saturating_sub(WIDTH - 1)).map_or(0, |(at, _)| at);
    let shown = if length > WIDTH { format!("…{}", &first[start..]) } else { first.clone() };
    match names.last().and_then(|last| last.strip_prefix("… ")?.strip_suffix(" more")?.parse::<usize>().ok()) {
        Some(more) => format!("{shown} +{}", names.len() - 2 + more),
        None if names.len() > 1 => format!("{shown} +{}", names.len() - 1),
        None => shown,
    }
}

/// A time in the unit that fits, with four digits.
pub(super) fn time(seconds: f64) -> String {
    let (value, unit) = match seconds {
        0.0 => return "0 s".into(),
        s if s >= 1.0 => (s, "s"),
        s if s >= 1e-3 => (s * 1e3, "ms"),
        s if s >= 1e-6 => (s * 1e6, "µs"),
        s => (s * 1e9, "ns"),
    };
    let digits = if value >= 100.0 {
        1
    } else if value >= 10.0 {
        2
    } else {
        3
    };
    format!("{value:.digits$} {unit}")
}
