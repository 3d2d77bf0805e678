//! JSON: everything, with all samples. Times are in seconds.
use crate::record::Report;

pub(super) fn text(report: &Report) -> String {
    let mut text = serde_json::to_string_pretty(report).expect("numbers and strings serialise");
    text.push('\n');
    text
}
