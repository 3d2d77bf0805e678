use super::*;

/// Checks a text against errors at (line, message); returns the problems.
fn problems(text: &str, said: &[(usize, &str)]) -> Vec<String> {
    let source = Source::new("x.mlir", text);
    let said: Vec<_> =
        said.iter().map(|&(line, m)| Diagnostic::error(m).at(Span::token(&source, line, 1).unwrap())).collect();
    match Expectations::parse(&source).and_then(|e| e.check(&said)) {
        Ok(()) => Vec::new(),
        Err(e) => e.diagnostics.into_iter().map(|d| d.message).collect(),
    }
}

#[test]
fn places() {
    assert!(problems("a // expected-error {{bad}}\n", &[(1, "very bad")]).is_empty());
    assert!(problems("// expected-error@+1 {{bad}}\na\n", &[(2, "bad")]).is_empty());
    assert!(problems("a\n// expected-error@-1 {{bad}}\n", &[(1, "bad")]).is_empty());
    assert!(problems("a\n// expected-error@1 {{bad}}\n", &[(1, "bad")]).is_empty());
    // Two comments for one line, both above and below it.
    assert!(
        problems("// expected-error@below {{one}}\n// expected-error@below {{two}}\na\n", &[(3, "two"), (3, "one")])
            .is_empty()
    );
    assert!(
        problems("a\n// expected-error@above {{one}}\n// expected-error@above {{two}}\n", &[(1, "one"), (1, "two")])
            .is_empty()
    );
}

#[test]
fn expressions() {
    let text = "a // expected-error-re {{got {{[0-9]+}} of (x)}}\n";
    assert!(problems(text, &[(1, "got 17 of (x)")]).is_empty());
    assert_eq!(problems(text, &[(1, "got none of (x)")]).len(), 2);
    assert_eq!(problems("a // expected-error-re {{got {{[}}}}\n", &[]).len(), 1);
}

#[test]
fn reports_what_is_missing_and_what_is_too_much() {
    assert_eq!(problems("a\n", &[(1, "bad")]), ["unexpected error: bad"]);
    assert_eq!(problems("a // expected-error {{bad}}\n", &[]), ["expected error \"bad\" was not produced"]);
    assert_eq!(problems("a // expected-warning {{bad}}\n", &[(1, "bad")]).len(), 2);
    // One comment, one message.
    assert_eq!(problems("a // expected-error {{bad}}\n", &[(1, "bad"), (1, "bad")]), ["unexpected error: bad"]);
}

#[test]
fn messages_without_place() {
    let source = Source::new("x.mlir", "// expected-error@unknown {{lost}}\n");
    let said = [Diagnostic::error("lost somewhere")];
    assert!(Expectations::parse(&source).unwrap().check(&said).is_ok());
}
