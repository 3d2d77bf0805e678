//! How `main` reports tools that fail. The test runs itself as the tool.
use clap::Parser;
use halyard_cli::{GlobalArgs, Printer, ToolArgs};
use halyard_diag::{Error, Result};
use std::{
    ffi::OsString,
    process::{Command, ExitCode},
};

#[derive(Parser)]
#[command(name = "hal-mock")]
struct Args {
    /// What to do.
    #[arg(long)]
    act: String,
    #[command(flatten)]
    global: GlobalArgs,
}

impl ToolArgs for Args {
    const EXAMPLES: &'static str = "hal-mock --act=succeed";

    fn global(&self) -> &GlobalArgs {
        &self.global
    }

    /// The tool's command line comes from an environment variable: the real one belongs to the test runner.
    fn prepare(_: Vec<OsString>) -> Vec<OsString> {
        let line = std::env::var("HAL_MOCK").unwrap_or_default();
        std::iter::once("hal-mock").chain(line.split_whitespace()).map(OsString::from).collect()
    }
}

fn run(args: Args, printer: &Printer) -> Result<()> {
    match &*args.act {
        "succeed" => Ok(()),
        "note" => {
            printer.note("all is well");
            Ok(())
        }
        "panic" => panic!("the mock broke"),
        "tool" => Err(Error::tool("`ld.lld` failed with exit code 1").note("it printed nothing")),
        other => Err(Error::input(format!("cannot `{other}`"))),
    }
}

#[test]
fn mock() {
    if std::env::var_os("HAL_MOCK").is_some() {
        end(halyard_cli::main(run));
    }
}

/// Ends the process with a code that cannot be asked for its number.
fn end(code: ExitCode) -> ! {
    let number = (0..=255u8).find(|n| ExitCode::from(*n) == code).expect("an exit code is a byte");
    #[expect(clippy::exit, reason = "this is the tool's main")]
    std::process::exit(number.into())
}

/// Returns the exit code and standard error.
fn call(line: &str) -> (Option<i32>, String) {
    let test = std::env::current_exe().unwrap();
    let mut command = Command::new(test);
    command.args(["--exact", "mock", "--nocapture", "--test-threads=1"]).env("HAL_MOCK", line);
    let output =
        command.env("NO_COLOR", "1").env_remove("CLICOLOR_FORCE").env_remove("RUST_BACKTRACE").output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn kinds_of_failure_choose_the_exit_code() {
    assert_eq!(call("--act=succeed"), (Some(0), String::new()));
    assert_eq!(call("--act=dance"), (Some(1), "error: cannot `dance`\n".into()));
    assert_eq!(
        call("--act=tool"),
        (Some(4), "error: `ld.lld` failed with exit code 1\n = note: it printed nothing\n".into())
    );
    assert_eq!(call("--bad").0, Some(2));
}

#[test]
fn quiet_drops_notes() {
    assert_eq!(call("--act=note").1, "note: all is well\n");
    assert_eq!(call("--act=note -q").1, "");
}

#[test]
fn a_panic_says_what_to_report() {
    let (code, said) = call("--act=panic");
    assert_eq!(code, Some(101));
    assert!(
        said.contains("error: this is a bug in `hal-mock` 0.1.0: the mock broke at common/cli/tests/start.rs:"),
        "{said}"
    );
    assert!(said.contains("hint: please report it with this message and the input"), "{said}");
    assert!(!said.contains("stack backtrace"), "{said}");
}
