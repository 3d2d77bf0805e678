//! Manifests that are read, and errors in those that are not.
use crate::manifest::Manifest;
use halyard_diag::{DiagnosticFormat, Source, render};

const WHOLE: &str = r#"name = "acme"
description = "All keys"
version = "1.2"
safe = true

[options]
level = 2
mode = { default = "fast", values = ["fast", "exact"], help = "how" }
check = { type = "bool", default = false }
limit = { type = "string" }

[[stages]]
at = "global"
if = "check"
pass = "canonicalize{max-iterations=${level}}"

[[stages]]
at = "object"
command = "tool ${mode} ${folder}/x"
empty-is-unchanged = true
timeout = "${limit}"

[[targets]]
name = "acme"
command = "gen"
workgroups = [4, 2]
"#;

/// Reads a manifest; an error has its place in the text and can be drawn.
fn check(text: &str) -> bool {
    match Manifest::read(Source::new("plugin.toml", text), Some("folder".into())) {
        Ok(_) => true,
        Err(e) => {
            assert!(e.diagnostics[0].primary.is_some(), "{text}");
            assert!(!render(&e, DiagnosticFormat::Human, false).is_empty());
            false
        }
    }
}

#[test]
fn mutations_are_read_or_told_with_a_place() {
    assert!(check(WHOLE));
    let chars: Vec<char> = WHOLE.chars().collect();
    let mut malformed = 0;
    for i in 0..chars.len() {
        let mut tried = vec![[&chars[..i], &chars[i + 1..]].concat(), chars[..i].to_vec()];
        tried.extend("=[]{}\"'#.$\n\té".chars().map(|c| [&chars[..i], &[c], &chars[i..]].concat()));
        malformed += tried.into_iter().filter(|t| !check(&t.iter().collect::<String>())).count();
    }
    assert!(malformed > 500, "{malformed}");
}
