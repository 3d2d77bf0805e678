use super::*;
use halyard_diag::Error;
use proptest::prelude::*;

fn read(text: &str) -> Result<StageText> {
    stage(&Source::new("--stage", text), 0..text.len())
}

fn file(text: &str) -> FileText {
    match read(text) {
        Ok(StageText::File(file)) => *file,
        other => panic!("{text}: {other:?}"),
    }
}

fn show(elements: &[PipelineElement]) -> String {
    let one = |e: &PipelineElement| match e {
        PipelineElement::Pass { text, .. } => text.clone(),
        PipelineElement::Nested { op, elements, .. } => format!("{op}({})", show(elements)),
    };
    elements.iter().map(one).collect::<Vec<_>>().join(",")
}

fn passes(text: &str) -> String {
    match read(text) {
        Ok(StageText::Passes(elements)) => show(&elements),
        other => panic!("{text}: {other:?}"),
    }
}

/// Returns the first error's message and its column.
fn wrong(text: &str) -> (usize, String) {
    let error: Error = read(text).expect_err(text);
    let first = &error.diagnostics[0];
    let span = first.primary.as_ref().unwrap_or_else(|| panic!("{text}: no place"));
    (span.source.position(span.range.start).1, first.message.clone())
}

#[test]
fn pipelines_have_nesting_and_options() {
    let text = "builtin.module(func.func(a,b{x=1 y={2,3}}),c{s=\"}\"},d)";
    assert_eq!(passes(text), text);
    assert_eq!(passes(" a , func.func ( b ) "), "a,func.func(b)");
    assert_eq!(passes("builtin.module()"), "builtin.module()");
    assert_eq!(passes("pass:a.mlir"), "a.mlir");
    assert_eq!(passes("cse,a.mlir"), "cse,a.mlir");
    assert_eq!(passes("func.func(a.mlir)"), "func.func(a.mlir)");
    assert_eq!(passes(""), "");
    assert_eq!(passes("inline{op-pipelines=func.func(a{b=1},c) x=2}"), "inline{op-pipelines=func.func(a{b=1},c) x=2}");
}

#[test]
fn options_of_passes_become_those_of_mlir() {
    assert_eq!(passes("a{ sizes=[1, 2] \n b }"), "a{sizes=1,2 b}");
    assert_eq!(passes("a{sizes=1,2}"), "a{sizes=1,2}");
    assert_eq!(passes("a {x=1}"), "a{x=1}");
}

#[test]
fn files_are_told_from_passes_by_their_name() {
    assert_eq!(file(" a.mlir ").path.text, "a.mlir");
    let picked = |text: &str| file(text).pick.map(|p| p.text);
    assert_eq!(picked("b/a.mlir[seq=x]"), Some("x".into()));
    assert_eq!(picked("a.mlir[@x]{}"), Some("x".into()));
    assert_eq!(picked("a.mlir[ pattern = x ]"), Some("x".into()));
    assert_eq!(picked("a.mlir[]"), None);
    assert_eq!(file("file:cse").path.text, "cse");
    assert_eq!(file("\"my [dir]/a.mlir\"[x]").path.text, "my [dir]/a.mlir");
    assert_eq!(file("file:'a b'").path.text, "a b");
    assert_eq!(file("my folder/a.py").kind, FileKind::Python);
    assert_eq!(file("a.yml{x}").kind, FileKind::Pipeline);
}

#[test]
fn python_files_have_generators_and_two_groups() {
    let f = file("g.py[gen=f,seq=s]{a=1 b}{c=[1,[2,'x y']]}");
    assert_eq!((f.generator.unwrap().text, f.pick.unwrap().text), ("f".into(), "s".into()));
    assert_eq!(f.options.settings.len(), 2);
    let nested = OptionValue::List(vec![OptionValue::Int(2), OptionValue::String("x y".into())]);
    assert_eq!(f.parameters.settings[0].value, OptionValue::List(vec![OptionValue::Int(1), nested]));
    let f = file("g.py[f,s]{}{x=1}");
    assert_eq!((f.generator.unwrap().text, f.pick.unwrap().text), ("f".into(), "s".into()));
    let f = file("g.py[,s]");
    assert_eq!((f.generator, f.pick.unwrap().text), (None, "s".into()));
    assert_eq!(file("g.py[run=f]{x=1}").whole.unwrap().text, "f");
}

#[test]
fn stages_have_conditions() {
    let stages = |text: &str| match read(text) {
        Ok(StageText::When(c)) => {
            (c.condition.to_string(), c.stages.into_iter().map(|r| text[r].trim().to_owned()).collect())
        }
        other => panic!("{text}: {other:?}"),
    };
    assert_eq!(stages("when[tosa]:a,b"), ("tosa".into(), vec!["a,b".to_owned()]));
    let list = vec!["a{x=\";\"}".to_owned(), "b.mlir[s]".into(), "when[y]:c".into()];
    assert_eq!(stages(" when[ not  scf.for ]: (a{x=\";\"}; b.mlir[s] ;when[y]:c)"), ("not scf.for".into(), list));
}

fn value(text: &str) -> OptionValue {
    file(&format!("a.py{{x={text}}}")).options.settings.remove(0).value
}

#[test]
fn values_have_types() {
    let s = |text: &str| OptionValue::String(text.into());
    let ints = |v: &[i64]| OptionValue::List(v.iter().copied().map(OptionValue::Int).collect());
    for (text, expected) in [
        ("32", OptionValue::Int(32)),
        ("-1", OptionValue::Int(-1)),
        ("0x20", OptionValue::Int(32)),
        ("0.5", OptionValue::Float(0.5)),
        ("-1e-3", OptionValue::Float(-1e-3)),
        ("true", OptionValue::Bool(true)),
        ("False", OptionValue::Bool(false)),
        ("none", OptionValue::None),
        ("relu", s("relu")),
        ("linalg.matmul", s("linalg.matmul")),
        ("-O3", s("-O3")),
        ("x86-64-v4", s("x86-64-v4")),
        ("1.2.3", s("1.2.3")),
        ("\"32\"", s("32")),
        ("'it is [a] {b}'", s("it is [a] {b}")),
        ("\"say \\\"x\\\" \\\\\"", s("say \"x\" \\")),
        ("\"\"", s("")),
        ("[1, 2]", ints(&[1, 2])),
        ("(1,2)", ints(&[1, 2])),
        ("{1,2}", ints(&[1, 2])),
        ("1,2", ints(&[1, 2])),
        ("[ ]", ints(&[])),
        ("[[1],[]]", OptionValue::List(vec![ints(&[1]), ints(&[])])),
        ("#tile", s("#tile")),
    ] {
        assert_eq!(value(text), expected, "{text}");
        assert_eq!(value(&expected.to_string()), expected, "{text} as {expected}");
    }
    assert_eq!(file("a.py{x}").options.settings[0].value, OptionValue::Bool(true));
}

#[test]
fn what_is_malformed_is_told_with_its_column() {
    for (text, column, message) in [
        // Pipelines.
        ("a(", 3, "expected `)` to close `a(`, found the end"),
        ("a)", 2, "expected `,` or the end of the pipeline, found `)`"),
        ("a{", 2, "the options of `a` are not closed with `}`"),
        ("a{x", 2, "the options of `a` are not closed with `}`"),
        ("a{x=", 2, "the options of `a` are not closed with `}`"),
        ("a,,b", 3, "expected the name of a pass, found `,`"),
        ("a b", 3, "expected `,` or the end of the pipeline, found `b`"),
        ("(a)", 1, "expected the name of a pass, found `(`"),
        ("a,", 3, "expected the name of a pass, found the end"),
        ("cse[x=1]", 4, "expected `,` or the end of the pipeline, found `[`"),
        ("a{x=[1}", 7, "expected `]` to close `[`, found `}`"),
        ("a{x=[1", 5, "this `[` is not closed with `]`"),
        ("a{=1}", 3, "expected the name of an option, found `=`"),
        ("a{x=1 x=2}", 7, "option `x` is given twice"),
        ("a{x='1}", 5, "this `'` is not closed"),
        ("ä,b)", 4, "expected `,` or the end of the pipeline, found `)`"),
        // Files.
        ("a.mlir[x", 7, "the brackets of `a.mlir` are not closed with `]`"),
        ("a.mlir[", 7, "the brackets of `a.mlir` are not closed with `]`"),
        ("a.mlir]", 7, "expected `,` or the end of the pipeline, found `]`"),
        ("a.mlir[gen=x]", 8, "unknown key `gen` in the brackets of `a.mlir`"),
        ("a.mlir[x,y]", 10, "`a.mlir` takes no more names in brackets"),
        ("a.mlir[x,seq=y]", 14, "`seq` is given twice"),
        ("a.mlir[seq=]", 12, "expected a name after `=`, found `]`"),
        ("a.mlir[x y]", 10, "expected `,` or `]`, found `y`"),
        ("a.mlir[,]", 8, "expected a name, found `,`"),
        ("a.mlir[x]y", 10, "`y` after `a.mlir` is not understood"),
        ("a.mlir{x=1}{y=1}", 12, "`a.mlir` takes no more braces"),
        ("a.mlir{x=1}}", 12, "`}` after `a.mlir` is not understood"),
        ("a.mlir{tile=8", 7, "the options of `a.mlir` are not closed with `}`"),
        ("a.mlir{tile=}", 13, "expected a value for `tile`, found `}`"),
        ("a.mlir{tile= 8}", 13, "expected a value for `tile`, found ` `"),
        ("a.mlir{it=4=5}", 12, "expected the end of the value, found `=`"),
        ("a.mlir{t=[1, 2}", 15, "expected `]` to close `[`, found `}`"),
        ("a.mlir{t=[1 2]}", 13, "expected `,` or `]`, found `2`"),
        ("a.mlir{t=[1,,2]}", 13, "expected a value, found `,`"),
        ("a.mlir{t=[1,]}", 13, "expected a value, found `]`"),
        ("a.mlir{a=1, b=2}", 11, "nothing follows this `,`"),
        ("a.mlir{a=,1}", 10, "expected a value, found `,`"),
        ("a.mlir{a b,c}", 11, "expected `=` or a blank after `b`, found `,`"),
        ("a.mlir{a=\"x}", 10, "this `\"` is not closed"),
        ("a.mlir{a=\"\\n\"}", 11, "`\\` in quotes stands before a quote or another `\\`"),
        ("a.mlir{a=\"x\"y}", 13, "expected `,` or the end of the value, found `y`"),
        ("a.mlir{a=[1]2}", 13, "expected `,` or the end of the value, found `2`"),
        ("a.mlir{a=99999999999999999999}", 10, "`99999999999999999999` does not fit 64 bits"),
        ("a.py[f,s,t]", 10, "`a.py` takes no more names in brackets"),
        ("a.py[gen=f,gen=g]", 16, "`gen` is given twice"),
        ("a.py[f,]", 8, "expected a name, found `]`"),
        ("a.py[run=f,seq=s]", 10, "`f` is a whole stage: it has neither a generator nor a sequence"),
        ("a.py[run=f]{}{x=1}", 14, "`f` is a whole stage: there is no schedule to give parameters to"),
        ("a.py{}{}{}", 9, "`a.py` takes no more braces"),
        ("a.yaml[x]", 8, "`a.yaml` takes no more names in brackets"),
        ("a.yaml[seq=x]", 8, "unknown key `seq` in the brackets of `a.yaml`"),
        ("a.yaml{x=1}{y=1}", 12, "`a.yaml` takes no more braces"),
        ("file:", 6, "expected the name of a file"),
        ("file:[x]", 6, "expected the name of a file"),
        ("\"a.mlir", 1, "this `\"` is not closed"),
        // Conditions.
        ("when[tosa", 5, "this `[` is not closed with `]`"),
        ("when[]:a", 6, "expected a condition, found the end"),
        ("when[not]:a", 9, "expected a condition, found the end"),
        ("when[a b]:a", 8, "expected the end of the condition, found `b`"),
        ("when[a]b", 8, "expected `:`, found `b`"),
        ("when[a]:", 9, "expected a stage, found the end"),
        ("when[a]:(b;)", 12, "expected a stage, found the end"),
        ("when[a]:(b;c", 9, "this `(` is not closed with `)`"),
        ("when[a]:(b) c", 13, "expected the end of the stage, found `c`"),
        ("when[a]:(b)c", 12, "expected the end of the stage, found `c`"),
        ("when[a]:(b)é", 12, "expected the end of the stage, found `é`"),
        ("when[a]:(b)(c)", 12, "expected the end of the stage, found `(`"),
    ] {
        assert_eq!(wrong(text), (column, message.into()), "{text}");
    }
}

/// Mutates valid stages by one or two characters (removed, doubled or inserted): none crashes the parser, and far more
/// than 200 are malformed and reported with a place in the text.
#[test]
fn mutations_are_read_or_told_with_a_place() {
    let valid = [
        "builtin.module(func.func(canonicalize{max-iterations=1 top-down=true},cse))",
        "one-shot-bufferize{bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map}",
        "schedule.mlir[seq=tile]{tile=32 sizes=[8, [1, 2]] name=\"a b\"}",
        "generator.py[gen=make,seq=main]{op=linalg.fill flag n=(1,2)}{tile=8 x=2}",
        "\"my dir/s.mlir\"[@tile]{a='}' b=\"\\\"\"}",
        "pipeline.yaml{target=x86 sizes={1,2,3}}",
        "when[not scf.forall]:(a.mlir[x]{y=';'}; cse,inline)",
    ];
    let mut malformed = std::collections::BTreeSet::new();
    for text in valid {
        read(text).unwrap();
        let chars: Vec<char> = text.chars().collect();
        let mut tried = Vec::new();
        for i in 0..=chars.len() {
            // At the end there is nothing to take out.
            let next = chars.len().min(i + 1);
            tried.push([&chars[..i], &chars[next..]].concat());
            tried.push(chars[..i].to_vec());
            for c in "[](){}\"',= \\é".chars() {
                tried.push([&chars[..i], &[c], &chars[i..]].concat());
                tried.push([&chars[..i], &[c], &chars[next..]].concat());
            }
        }
        for mutated in tried {
            let text: String = mutated.into_iter().collect();
            let Err(error) = read(&text) else { continue };
            assert_eq!(error.kind, halyard_diag::ErrorKind::Usage, "{text}");
            let first = &error.diagnostics[0];
            assert!(first.code.is_some() && first.primary.is_some(), "{text}: {first:?}");
            assert!(!halyard_diag::render(&error, halyard_diag::DiagnosticFormat::Human, false).is_empty());
            malformed.insert(text);
        }
    }
    assert!(malformed.len() > 200, "{}", malformed.len());
}

proptest! {
    #[test]
    fn any_text_is_read_or_told(text in "(a\\.mlir|a\\.py|x|b\\.yaml|when\\[a\\]:\\()?[\\[\\](){}\"',= \\\\a1é.-]{0,30}") {
        if let Err(error) = read(&text) {
            prop_assert!(error.diagnostics[0].primary.is_some());
        }
    }

    #[test]
    fn values_are_written_as_they_are_read(text in "[ -~]{0,12}", number in any::<f64>(), int in any::<i64>()) {
        prop_assume!(number.is_finite());
        let all = OptionValue::List(vec![OptionValue::String(text), OptionValue::Float(number), OptionValue::Int(int), OptionValue::None]);
        prop_assert_eq!(value(&all.to_string()), all);
    }
}
