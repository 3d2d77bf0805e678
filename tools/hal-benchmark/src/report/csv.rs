//! CSV (RFC 4180): a line per result. Times are in seconds.
use crate::record::Report;

const HEADER: &str = "program,name,median,mad,low,high,mean,min,max,runs,outliers,executable,calls,share,workgroups_x,workgroups_y,workgroups_z,flops,bytes,key,origin,roof_seconds,roof_share,roof_limit";

pub(super) fn text(report: &Report) -> String {
    let mut text = format!("{HEADER}\n");
    for m in &report.results {
        let mut cells = vec![quote(&m.program), quote(&m.name)];
        cells.extend([m.median, m.mad, m.interval[0], m.interval[1], m.mean, m.min, m.max].map(|v| format!("{v:e}")));
        cells.extend([m.samples.len().to_string(), m.outliers.to_string()]);
        match &m.dispatch {
            Some(d) => {
                cells.extend([quote(&d.executable), d.calls.to_string(), format!("{:.6}", d.share)]);
                cells.extend(d.workgroups.map(|w| w.to_string()));
                cells.extend([d.flops.map(|f| f.to_string()).unwrap_or_default(), d.bytes.to_string()]);
                cells.extend([d.key.clone(), quote(&d.origin.join(" "))]);
                match &d.roofline {
                    Some(r) => cells.extend([format!("{:e}", r.seconds), format!("{:.6}", r.share), r.limit.clone()]),
                    None => cells.extend(std::iter::repeat_n(String::new(), 3)),
                }
            }
            None => cells.extend(std::iter::repeat_n(String::new(), 13)),
        }
        text += &cells.join(",");
        text.push('\n');
    }
    text
}

/// Quotes the text of a cell.
fn quote(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text.to_owned() }
}
