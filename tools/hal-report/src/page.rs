//! The HTML file: a frame, the style and script of the page, and the data.
use crate::{
    data::{Data, Texts},
    drawing::escape,
};
use base64::{Engine, engine::general_purpose::STANDARD};
use flate2::{Compression, write::GzEncoder};
use std::io::Write;

/// Made from `page/src` by `page/build`.
const SCRIPT: &str = include_str!("../page/dist/report.js");
const STYLE: &str = include_str!("../page/dist/report.css");

/// The whole file.
pub(crate) fn html(data: &Data, texts: &Texts) -> String {
    let title = escape(&data.programs.join(" against "));
    // JSON in a script element must neither end it nor begin a comment, whatever names are in it.
    let json = serde_json::to_string(data).expect("numbers and strings serialise").replace('<', "\\u003c");
    let details: String = texts
        .iter()
        .map(|(name, text)| {
            format!("<script type=\"text/plain\" data-text=\"{}\">{}</script>\n", escape(name), packed(text))
        })
        .collect();
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} · Halyard report</title>\n\
         <style>{STYLE}</style>\n</head>\n<body>\n<div id=\"app\"><noscript>This report needs JavaScript.</noscript></div>\n\
         <script type=\"application/json\" id=\"data\">{json}</script>\n{details}<script>{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// Compressed, as text: browsers unpack gzip. The same text gives the same bytes, as the header has no time.
pub(crate) fn packed(text: &str) -> String {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(text.as_bytes()).expect("memory can be written");
    STANDARD.encode(encoder.finish().expect("memory can be written"))
}
