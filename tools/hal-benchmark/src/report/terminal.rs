//! The report for a terminal, similar to hyperfine's.
use super::{
    fit::fit,
    table::{COLUMNS, COUNT, NAME, dispatches, name, percent, time},
};
use crate::{
    limits::below,
    record::{Report, of_dispatches},
};

/// The text, with tables no wider than `width` as far as that can be. `below` asks for the dispatches below that part of their
/// roofline.
pub(crate) fn text(report: &Report, width: Option<usize>, below: Option<f64>) -> String {
    let mut text = String::new();
    let on = super::on(report);
    for m in report.results.iter().filter(|m| m.dispatch.is_none()) {
        text += &format!("{} ({}), {on}\n", m.name, m.program);
        let [low, high] = m.interval.map(time);
        text += &format!(
            "  Time  (median ± MAD):  {:>10} ± {:<10}  95 % interval {low} … {high}\n",
            time(m.median),
            time(m.mad)
        );
        text += &format!(
            "  Range (min … max):     {:>10} … {:<10}  {} runs\n\n",
            time(m.min),
            time(m.max),
            runs(m.samples.len(), m.iterations)
        );
    }
    text += &counters(report);
    for line in &report.agreement {
        text += &format!("{line}\n");
    }
    let functions: Vec<_> = report.comparisons.iter().filter(|c| c.executable.is_none()).collect();
    for comparison in &functions {
        // One function needs no name.
        let name = if functions.len() > 1 { format!("{}: ", comparison.name) } else { String::new() };
        text += &format!("{name}{}\n", comparison.sentence());
    }
    if !text.ends_with("\n\n") && !text.is_empty() {
        text.push('\n');
    }
    for compared in of_dispatches(report) {
        text += &format!("speed-up of `{}` over `{}`, by dispatch\n", compared[0].b, compared[0].a);
        for c in &compared {
            let [low, high] = c.interval;
            let told = match c.differs() {
                true => "",
                false if c.same_code => "  the same code",
                false => "  no difference can be told",
            };
            text += &format!("  {:>7.3}  ({low:.3} … {high:.3})  {}{told}\n", c.speedup, c.name);
        }
        if let Some(interval) = compared[0].noise {
            text += &format!("{}\n", noise(interval));
        }
        text.push('\n');
    }
    for (program, rows) in dispatches(report) {
        text += &format!("dispatches of {program}\n");
        text += &table(&fit(rows, width));
        text.push('\n');
    }
    if let Some(share) = below {
        text += &far_from_roof(report, share);
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

/// What was counted, a line a counter, and instructions per cycle.
fn counters(report: &Report) -> String {
    let Some(first) = report.counters.first() else { return String::new() };
    let mut text = format!("counts of a call, mean of {}\n", first.calls);
    for c in &report.counters {
        let value = if c.name == "time on CPUs" { time(c.per_call / 1e9) } else { format!("{:.0}", c.per_call) };
        text += &format!("  {:<18} {value:>16}\n", c.name);
    }
    let of = |name: &str| report.counters.iter().find(|c| c.name == name).map(|c| c.per_call);
    if let (Some(cycles), Some(instructions)) = (of("cycles"), of("instructions"))
        && cycles > 0.0
    {
        text += &format!("  {:<18} {:>16.2}\n", "per cycle", instructions / cycles);
    }
    text + "\n"
}

fn runs(samples: usize, iterations: usize) -> String {
    if iterations == 1 { samples.to_string() } else { format!("{samples} × {iterations}") }
}

/// Describes the noise: the difference of identical kernels.
pub(super) fn noise([low, high]: [f64; 2]) -> String {
    format!(
        "kernels of the same code are {low:.3} … {high:.3} times as fast as each other in this run: what is not outside of that is no difference"
    )
}

/// The dispatches below a part of their roofline, where most is to be gained first.
fn far_from_roof(report: &Report, share: f64) -> String {
    let (far, all) = below(report, share);
    let percent = percent(share);
    if all == 0 {
        return "no dispatch has a roofline: peaks are measured for CPUs\n".into();
    }
    if far.is_empty() {
        return format!("none of {all} dispatches is below {percent} of its roofline\n");
    }
    let several = report.results.iter().any(|m| m.program != far[0].measurement.program);
    let mut text = format!(
        "{} of {all} dispatches are below {percent} of their roofline, those with most to gain first\n",
        far.len()
    );
    for f in far {
        let of = if several { format!(" of {}", f.measurement.program) } else { String::new() };
        let [takes, bound] = f.seconds.map(time);
        let limit = format!("{} of {}", super::table::percent(f.share), f.limit);
        text += &format!("  {limit:<16}  {takes:>9} of a call, at best {bound:>9}  {}{of}\n", name(f.measurement));
    }
    text
}

/// Cells in columns; the sum below a line.
fn table(rows: &[[String; COUNT]]) -> String {
    let title = COLUMNS.map(str::to_owned);
    let width = |i: usize| rows.iter().chain([&title]).map(|r| r[i].chars().count()).max().unwrap_or(0);
    // A column in which nothing stands was left out to make room, or says nothing.
    let shown: Vec<usize> = (0..COUNT).filter(|&i| rows.iter().any(|r| !r[i].is_empty())).collect();
    let line = |cells: &[String; COUNT]| {
        let cell = |&i: &usize| {
            let (text, width) = (&cells[i], width(i));
            if i < NAME { format!("  {text:>width$}") } else { format!("  {text:<width$}") }
        };
        format!("{}\n", shown.iter().map(cell).collect::<String>().trim_end())
    };
    let (sum, rest) = rows.split_last().expect("the sum is always there");
    let rule = format!("  {}\n", "-".repeat(shown.iter().map(|&i| width(i) + 2).sum::<usize>() - 2));
    line(&title) + &rest.iter().map(line).collect::<String>() + &rule + &line(sum)
}
