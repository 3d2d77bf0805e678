use super::*;
use crate::grammar::OptionValue;
use halyard_diag::{DiagnosticFormat, render};
use proptest::prelude::*;
use std::ops::Range;

const BUNDLE: &str = r#"description: "für alle"
variables:
  tile: 32
  sizes: [1, [2, x], 'y z']
  name:
pipeline:
  - pass: canonicalize{max-iterations=${tile}}
  - schedule: "a \"b\" é.mlir{x=${name}}"
  - include: |
      other.yaml
  - when: "not tosa"
    pipeline:
      - pass: cse
        when: scf.for
"#;

fn check_item(text: &str, item: &Item) {
    let inside = |r: &Range<usize>| assert!(text.get(r.clone()).is_some(), "{text}");
    match item {
        Item::Stage(e) => {
            inside(&e.at);
            assert!(!e.verbatim || text[e.at.clone()] == e.text, "{text}");
        }
        Item::When { at, items, .. } => {
            inside(at);
            items.iter().for_each(|item| check_item(text, item));
        }
    }
}

/// Reads a pipeline file; an error has its place in the text and can be drawn.
fn check(text: &str) -> bool {
    let source = Source::new("b.yaml", text);
    match read(&source) {
        Ok(file) => {
            file.items.iter().for_each(|item| check_item(text, item));
            true
        }
        Err(e) => {
            assert!(e.diagnostics[0].primary.is_some(), "{text}");
            assert!(!render(&e, DiagnosticFormat::Human, false).is_empty());
            false
        }
    }
}

#[test]
fn mutations_are_read_or_told_with_a_place() {
    assert!(check(BUNDLE));
    let chars: Vec<char> = BUNDLE.chars().collect();
    let mut malformed = 0;
    for i in 0..chars.len() {
        let mut tried = vec![[&chars[..i], &chars[i + 1..]].concat(), chars[..i].to_vec()];
        tried.extend(":-[]{}\"'|>&*!%#\n\té".chars().map(|c| [&chars[..i], &[c], &chars[i..]].concat()));
        malformed += tried.into_iter().filter(|t| !check(&t.iter().collect::<String>())).count();
    }
    assert!(malformed > 200, "{malformed}");
}

fn put(text: &str, value: OptionValue) -> Result<Option<String>> {
    let source = Source::new("b.yaml", text);
    let mut values = Variables::new("variable", "variables: {NAME: …}");
    values.set("v", value);
    let entry = PipelineEntry { kind: EntryKind::Pass, text: text.into(), at: 0..text.len(), verbatim: true };
    values.put_into(&source, &entry)
}

#[test]
fn values_stand_as_they_would_be_written() {
    let text = |t: &str, v: OptionValue| put(t, v).unwrap().unwrap();
    let words = || OptionValue::String("two words".into());
    assert_eq!(text("a{x=${v}}", words()), "a{x=\"two words\"}");
    assert_eq!(text("a{x=[1,${v}]}", words()), "a{x=[1,\"two words\"]}");
    assert_eq!(text("a{x=\"say ${v}\"}", OptionValue::String("\"hi\"".into())), "a{x=\"say \\\"hi\\\"\"}");
    assert_eq!(text("a_${v}.mlir{x_${v}=1}", OptionValue::String("b".into())), "a_b.mlir{x_b=1}");
    assert_eq!(text("${v}", OptionValue::String("cse,canonicalize".into())), "cse,canonicalize");
    assert_eq!(text("a{x=${v}}", OptionValue::List(vec![OptionValue::Int(1), words()])), "a{x=[1,\"two words\"]}");
    let passes = || OptionValue::List(vec![OptionValue::String("cse".into()), OptionValue::String("inline".into())]);
    assert_eq!(text("${v}", passes()), "cse,inline");
    assert_eq!(text("func.func(${v})", passes()), "func.func(cse,inline)");
    assert_eq!(text("a{x=$$v}", words()), "a{x=$v}");
    assert_eq!(put("a{x=1}", words()).unwrap(), None);
    for wrong in ["$v", "${v", "${w}", "a$", "${}", "$ {v}", "${é}"] {
        assert!(put(wrong, words()).is_err(), "{wrong}");
    }
}

proptest! {
    #[test]
    fn any_value_arrives_as_it_is(word in "[ -~]{0,10}") {
        let text = put("a.py{x=${v}}", OptionValue::String(word.clone())).unwrap().unwrap();
        let source = Source::new("x", text.clone());
        let Ok(StageText::File(file)) = grammar::stage(&source, 0..text.len()) else { panic!("{text}") };
        prop_assert_eq!(&file.options.settings[0].value, &OptionValue::String(word));
    }
}

fn line(text: &str, value: OptionValue) -> Result<String> {
    let source = Source::new("p.toml", text);
    let mut values = Variables::new("option", "NAME = …");
    values.set("v", value);
    let entry = PipelineEntry { kind: EntryKind::Pass, text: text.into(), at: 0..text.len(), verbatim: true };
    values.put_into_line(&source, &entry).map(|t| t.unwrap_or_else(|| text.to_owned()))
}

#[test]
fn values_in_lines_of_a_shell_are_words() {
    let words = || OptionValue::String("two 'words' $HOME".into());
    assert_eq!(line("t --v=${v} $HOME $(ls)", words()).unwrap(), r"t --v='two '\''words'\'' $HOME' $HOME $(ls)");
    assert_eq!(
        line("t ${v}", OptionValue::List(vec![OptionValue::Int(1), OptionValue::String("a b".into())])).unwrap(),
        "t 1 'a b'"
    );
    assert_eq!(line("t $$ '$x'", words()).unwrap(), "t $ '$x'");
    for bad in ["t \"${v}\"", "t '${v}'", "t ${w}", "t ${"] {
        assert!(line(bad, words()).is_err(), "{bad}");
    }
}
