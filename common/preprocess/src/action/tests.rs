use super::*;

fn parse(text: &str) -> std::result::Result<String, String> {
    let session = Session::new();
    match Action::parse(&session, &StageArgs::default(), Hook::Executable, text) {
        Ok(Action::Stage(_) | Action::Native(_)) => Ok("stage".into()),
        Ok(Action::Command(c)) => {
            let reads = c.pure.iter().flat_map(|p| &p.reads).map(|f| format!(" {}", f.display()));
            Ok(format!("{} {} {}{}", c.line, c.bytecode, c.empty_is_unchanged, reads.collect::<String>()))
        }
        Err(e) => Err(e.to_string()),
    }
}

#[test]
fn commands_and_stages_are_told_apart() {
    for stage in ["builtin.module(cse)", "  builtin.module (cse)", "stage:cse", "stage: builtin.module(cse)"] {
        assert_eq!(parse(stage).as_deref(), Ok("stage"), "{stage}");
    }
    for command in [
        "builtin.module.sh",
        "builtin.module",
        "tool.py",
        "./a.py --x",
        "cat a.mlir",
        "a.mlir b",
        "cse",
        "f(){ cat; }; f",
        "cmdline",
    ] {
        assert_eq!(parse(command), Ok(format!("{command} false false")));
    }
    for file in ["no.mlir", "no.mlir[seq=a]", "no.py[gen=f]", "no.yaml{a=1}", "no.yml", "no/x.mlir[a]{t = 1}"] {
        assert!(is_stage(file), "{file}");
        assert!(parse(file).is_err(), "{file}");
    }
}

#[test]
fn commands_say_what_they_want() {
    assert_eq!(parse("cmd:builtin.module(cse)"), Ok("builtin.module(cse) false false".into()));
    assert_eq!(parse(" cmd[bytecode, empty-is-unchanged]:t -x"), Ok("t -x true true".into()));
    assert_eq!(parse("cmd[text]:t"), Err("unknown option `text` in `cmd[text]:`".into()));
    assert_eq!(parse("cmd[pure, reads=a, reads=b/c]:t"), Ok("t false false a b/c".into()));
    assert_eq!(parse("cmd[reads=a]:t"), Err("`reads` has no effect in `cmd[reads=a]:`".into()));
    assert!(parse("cmd[pure]:t $HOME").unwrap_err().contains("`$`"));
}

#[test]
fn nothing_and_nonsense_are_refused() {
    for text in [
        "",
        " \n",
        "cmd:",
        "cmd: ",
        "cmd[]:",
        "stage:",
        "func.func(cse)",
        "any(cse)",
        "builtin.module(cse",
        "stage:nonsense",
    ] {
        assert!(parse(text).is_err(), "{text}");
    }
    let session = Session::new();
    assert!(Action::parse(&session, &StageArgs::default(), Hook::Object, "builtin.module(cse)").is_err());
}
