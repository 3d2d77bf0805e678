//! Tests that each diagnostic code is in the registry, and that `docs/errors.md` is generated from it.
//! `INSTA_UPDATE=always` rewrites the document.
use halyard_diag::CODES;
use halyard_testing::{files, root, text};
use regex_lite::Regex;
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write,
    path::Path,
};

const DOCUMENT: &str = "docs/errors.md";

/// Files of the tools and their libraries, without tests.
fn sources() -> impl Iterator<Item = String> {
    let tests = |p: &Path| p.components().any(|c| c.as_os_str() == "tests") || p.ends_with("tests.rs");
    let ours = |p: &Path| p.starts_with("common") || p.starts_with("tools");
    let rust = move |p: &Path| p.extension().is_some_and(|e| e == "rs") && ours(p) && !tests(p);
    files().into_iter().filter(move |p| rust(p) && !p.ends_with("codes.rs")).filter_map(|p| text(&p))
}

/// The first message of each code that the tests show whole: `error[CODE]: MESSAGE`, without patterns.
fn examples() -> BTreeMap<String, String> {
    let shown = Regex::new(r"((?:error|warning|note)\[([a-z0-9-]+)\]: [^\n]+)").expect("a pattern");
    let pattern = Regex::new(r"\{\{.*?\}\}").expect("a pattern");
    let mut examples = BTreeMap::new();
    for path in files() {
        let is_test = path.starts_with("tests") || path.extension().is_some_and(|e| e == "snap");
        let Some(text) = text(&path).filter(|_| is_test) else { continue };
        for found in shown.captures_iter(&text) {
            // A FileCheck pattern may match anything.
            let message = pattern.replace_all(found[1].trim_end(), "…");
            let partial = ["{{", "[[", "{}", "\\", "|", "', ", "\", "].iter().any(|p| message.contains(p));
            if !partial && message.len() < 160 && message.ends_with(|c: char| c.is_alphanumeric() || "`)".contains(c)) {
                examples.entry(found[2].to_owned()).or_insert_with(|| message.into_owned());
            }
        }
    }
    examples
}

#[test]
fn codes_are_registered() {
    let registered: BTreeSet<&str> = CODES.iter().map(|(code, _)| *code).collect();
    assert!(CODES.is_sorted(), "common/diag/src/codes.rs is sorted by code");
    let literal = Regex::new(r#"["\[]([a-z0-9]+(?:-[a-z0-9]+)*)["\]]"#).expect("a pattern");
    let set = Regex::new(r#"\.code\(\s*"([a-z0-9-]+)"\s*\)"#).expect("a pattern");
    let (mut used, mut mentioned) = (BTreeSet::new(), BTreeSet::new());
    for source in sources() {
        // Unit tests are at the end of a file.
        let source = source.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        used.extend(set.captures_iter(source).map(|c| c[1].to_owned()));
        mentioned.extend(literal.captures_iter(source).map(|c| c[1].to_owned()));
    }
    let missing: Vec<_> = used.iter().filter(|c| !registered.contains(c.as_str())).collect();
    assert!(missing.is_empty(), "not in common/diag/src/codes.rs: {missing:?}");
    let unused: Vec<_> = registered.iter().filter(|c| !mentioned.contains(**c)).collect();
    assert!(unused.is_empty(), "in common/diag/src/codes.rs, and nowhere else: {unused:?}");
}

#[test]
fn the_document_is_up_to_date() {
    let mut document = String::from(
        "# Error codes\n\nDiagnostics have stable codes, `error[CODE]: …`; with `--message-format=json`, the field `code`. Scripts may rely on codes; \
         messages may change.\nThis file is generated from `common/diag/src/codes.rs` and the messages that tests expect.\n\n| code | meaning | example |\n|---|---|---|\n",
    );
    let examples = examples();
    for (code, meaning) in CODES {
        let example = examples.get(*code).map(|e| format!("`` {e} ``")).unwrap_or_default();
        writeln!(document, "| `{code}` | {} | {example} |", meaning.replace('|', "\\|")).expect("a string takes all");
    }
    let path = root().join(DOCUMENT);
    if std::env::var("INSTA_UPDATE").is_ok_and(|v| v == "always") {
        std::fs::write(&path, &document).expect("the document can be written");
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(written == document, "{DOCUMENT} is out of date; `INSTA_UPDATE=always cargo nextest run` writes it");
}
