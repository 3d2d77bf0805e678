//! Markdown tables, to be pasted into issues and notes.
use super::table::{COLUMNS, dispatches, time};
use crate::record::Report;

pub(super) fn text(report: &Report) -> String {
    let m = &report.machine;
    let mut text = format!("{}, {} cores, {}; {} threads\n\n", m.cpu, m.cores, m.os, report.threads);
    text += "| function | program | median | MAD | 95 % interval | min | max | runs |\n|:--|:--|--:|--:|--:|--:|--:|--:|\n";
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
    if let Some(comparison) = &report.comparison {
        text += &format!("\n{}\n", comparison.sentence());
    }
    for (program, rows) in dispatches(report) {
        text += &format!("\nDispatches of `{program}`\n\n| {} |\n|{}:--|\n", COLUMNS.join(" | "), "--:|".repeat(7));
        let (sum, rest) = rows.split_last().expect("the sum is always there");
        for [cells @ .., name] in rest {
            text += &format!("| {} | `{name}` |\n", cells.join(" | "));
        }
        text += &format!("| {} |\n", sum.join(" | "));
    }
    text
}
