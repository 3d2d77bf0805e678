//! For a terminal, in the shape of hyperfine's report.
use super::table::{COLUMNS, dispatches, time};
use crate::record::Report;

/// The text.
pub(crate) fn text(report: &Report) -> String {
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
    let dispatches_compared: Vec<_> = report.comparisons.iter().filter(|c| c.executable.is_some()).collect();
    if let Some(first) = dispatches_compared.first() {
        text += &format!("speed-up of `{}` over `{}`, by dispatch\n", first.b, first.a);
        for c in &dispatches_compared {
            let [low, high] = c.interval;
            let told = if low > 1.0 || high < 1.0 { "" } else { "  no difference can be told" };
            text += &format!("  {:>7.3}  ({low:.3} … {high:.3})  {}{told}\n", c.speedup, c.name);
        }
        text.push('\n');
    }
    for (program, rows) in dispatches(report) {
        text += &format!("dispatches of {program}\n");
        text += &table(&rows);
        text.push('\n');
    }
    text.truncate(text.trim_end().len());
    text + "\n"
}

fn runs(samples: usize, iterations: usize) -> String {
    if iterations == 1 { samples.to_string() } else { format!("{samples} × {iterations}") }
}

/// Cells in columns; the sum below a line.
fn table(rows: &[[String; 9]]) -> String {
    let title = COLUMNS.map(str::to_owned);
    let width = |i: usize| rows.iter().chain([&title]).map(|r| r[i].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..7).map(width).collect();
    let with_origins = rows.iter().any(|r| !r[8].is_empty());
    let names = if with_origins { width(7) } else { 0 };
    let line = |cells: &[String; 9]| {
        let columns: String = cells.iter().zip(&widths).map(|(c, w)| format!("  {c:>w$}")).collect();
        let origin = if with_origins { &*cells[8] } else { "" };
        let text = format!("{columns}  {:names$}  {origin}", cells[7]);
        format!("{}\n", text.trim_end())
    };
    let (sum, rest) = rows.split_last().expect("the sum is always there");
    let rule = format!(
        "  {}\n",
        "-".repeat(
            widths.iter().sum::<usize>() + 2 * widths.len() + width(7) + if with_origins { 2 + width(8) } else { 0 }
        )
    );
    line(&title) + &rest.iter().map(line).collect::<String>() + &rule + &line(sum)
}
