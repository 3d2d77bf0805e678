//! Markdown tables, to be pasted into issues and notes.
use super::table::{COLUMNS, dispatches, time};
use crate::record::{Report, of_dispatches};

pub(super) fn text(report: &Report) -> String {
    let m = &report.machine;
    let mut text = format!("{}, {} cores, {}; {}\n\n", m.cpu, m.cores, m.os, super::on(report));
    text +=
        "| function | program | median | MAD | 95 % interval | min | max | runs |\n|:--|:--|--:|--:|--:|--:|--:|--:|\n";
    for m in report.results.iter().filter(|m| m.dispatch.is_none()) {
        let [low, high] = m.interval.map(time);
        let row = [
            format!("`{}`", m.name),
            format!("`{}`", m.program),
            time(m.median),
            time(m.mad),
            format!("{low} … {high}"),
            time(m.min),
            time(m.max),
            m.samples.len().to_string(),
        ];
        text += &format!("| {} |\n", row.join(" | "));
    }
    for comparison in report.comparisons.iter().filter(|c| c.executable.is_none()) {
        text += &format!("\n{}: {}\n", comparison.name, comparison.sentence());
    }
    for compared in of_dispatches(report) {
        text += &format!(
            "\nSpeed-up of `{}` over `{}`\n\n| speed-up | 95 % interval | executable |\n|--:|--:|:--|\n",
            compared[0].b, compared[0].a
        );
        for c in &compared {
            text += &format!("| {:.3} | {:.3} … {:.3} | `{}` |\n", c.speedup, c.interval[0], c.interval[1], c.name);
        }
        if let Some(interval) = compared[0].noise {
            text += &format!("\n{}\n", super::terminal::noise(interval));
        }
    }
    for (program, rows) in dispatches(report) {
        text += &format!("\nDispatches of `{program}`\n\n| {} |\n|{}:--|:--|\n", COLUMNS.join(" | "), "--:|".repeat(8));
        let (sum, rest) = rows.split_last().expect("the sum is always there");
        for [cells @ .., name, origin] in rest {
            let origin = if origin.is_empty() { String::new() } else { format!("`{origin}`") };
            text += &format!("| {} | `{name}` | {origin} |\n", cells.join(" | "));
        }
        text += &format!("| {} |\n", sum.join(" | "));
    }
    text
}
