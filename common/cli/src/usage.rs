//! Reports a wrong command line in the format that it asks for.
use crate::{GlobalArgs, MessageFormat, Printer, ToolArgs, exit};
use clap::{
    ValueEnum,
    error::{ContextKind, ContextValue, ErrorKind},
};
use halyard_diag::{Error, nearest};
use std::{error::Error as _, ffi::OsString, path::Path};

/// Flags whose values are libraries that the tool loads.
const LIBRARIES: [&str; 2] = ["--load-pass-plugin", "--load-dialect-plugin"];

/// Reports what the parser refused; gives the exit code.
pub(crate) fn report<A: ToolArgs>(mut error: clap::Error, argv: &[OsString], command: &clap::Command) -> u8 {
    let format = values(argv, "--message-format").last().and_then(|f| MessageFormat::from_str(f, false).ok());
    let global = GlobalArgs { message_format: format.unwrap_or_default(), ..GlobalArgs::default() };
    let printer = Printer::new(&global);
    if let Some(missing) = missing_library(&error, argv) {
        printer.error(&missing);
        return exit::code(missing.kind);
    }
    advise::<A>(&mut error, argv, command);
    let error = in_words(error, command);
    if printer.is_human() {
        let _ = error.print();
    } else {
        printer.error(&diagnostic(&error));
    }
    exit::USAGE
}

/// The values of a flag, in order.
fn values<'a>(argv: &'a [OsString], flag: &str) -> Vec<&'a str> {
    let words: Vec<&str> = argv.iter().map(|w| w.to_str().unwrap_or_default()).take_while(|w| *w != "--").collect();
    let attached = |word: &'a str| word.strip_prefix(flag)?.strip_prefix('=');
    let next = words.iter().skip(1).map(Some).chain([None]);
    words
        .iter()
        .zip(next)
        .filter_map(|(word, next)| if *word == flag { next.copied() } else { attached(word) })
        .collect()
}

/// A library that cannot be read comes before flags that nobody knows: they may be meant for it.
fn missing_library(error: &clap::Error, argv: &[OsString]) -> Option<Error> {
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let libraries = LIBRARIES.iter().flat_map(|flag| values(argv, flag));
    let (path, e) = libraries.map(Path::new).find_map(|path| Some((path, path.metadata().err()?)))?;
    let error = Error::io("read", path, &e).code("bad-plugin");
    Some(error.note(format!("`{unknown}` is not an option of this tool either")))
}

/// Improves on what the parser says about an unknown flag: no advice on files named like flags, but the tool's own.
fn advise<A: ToolArgs>(error: &mut clap::Error, argv: &[OsString], command: &clap::Command) {
    if let Some(tip) = choice(error, command) {
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
    let Some(ContextValue::String(unknown)) = error.get(ContextKind::InvalidArg).cloned() else { return };
    let meant = || A::MEANT.iter().find(|(word, _)| *word == unknown).map(|(_, tip)| (*tip).to_owned());
    if let Some(tip) = one_dash(&unknown, argv).or_else(|| bare_value(&unknown, command)).or_else(meant)
        && error.kind() == ErrorKind::UnknownArgument
    {
        forget_advice(error, command);
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
        return;
    }
    if let Some(ContextValue::String(near)) = error.get(ContextKind::SuggestedArg)
        && nearest(&unknown, [near.as_str()]).is_empty()
    {
        forget_advice(error, command);
    }
    if error.kind() == ErrorKind::UnknownArgument
        && let Some(ours) = A::foreign(&unknown)
    {
        error.remove(ContextKind::Suggested);
        error.remove(ContextKind::SuggestedArg);
        if let Some(ours) = ours {
            error.insert(ContextKind::SuggestedArg, ContextValue::String(ours));
        }
        return;
    }
    if error.kind() != ErrorKind::UnknownArgument || error.get(ContextKind::SuggestedArg).is_some() {
        return;
    }
    error.remove(ContextKind::Suggested);
    if let Some(meant) = A::suggest(&unknown) {
        error.insert(ContextKind::SuggestedArg, ContextValue::String(meant));
    } else if unknown.starts_with("--iree-") {
        let tip = "`hal-compile` accepts flags of `iree-compile`; docs/iree.md lists them";
        error.insert(ContextKind::Suggested, ContextValue::StyledStrs(vec![tip.into()]));
    }
}

/// Takes back the parser's suggestion, and the usage that has it.
fn forget_advice(error: &mut clap::Error, command: &clap::Command) {
    error.remove(ContextKind::Suggested);
    error.remove(ContextKind::SuggestedArg);
    let usage = command.clone().render_usage();
    error.insert(ContextKind::Usage, ContextValue::StyledStr(usage));
}

/// `-canonicalize`, as tools of LLVM accept it, is a row of short flags here.
fn one_dash(unknown: &str, argv: &[OsString]) -> Option<String> {
    let mut words = argv.iter().skip(1).filter_map(|word| word.to_str()).take_while(|word| *word != "--");
    let long = |word: &&str| word.len() > 3 && !word.starts_with("--") && word.starts_with('-');
    let word = words.find(|word| long(word) && word.starts_with(unknown))?;
    Some(format!("flags of more than a letter have two dashes: `-{word}`"))
}

/// A word without a flag: `random:1` in place of `--input=random:1`, `model.so` in place of `-o model.so`.
fn bare_value(unknown: &str, command: &clap::Command) -> Option<String> {
    let has = |flag: &str| command.get_arguments().any(|arg| arg.get_long() == Some(flag));
    if unknown.starts_with('-') {
        return None;
    }
    let is_file = unknown.ends_with(".so") || unknown.ends_with(".mlir");
    match () {
        () if has("input") && !is_file => Some(format!("inputs are given by a flag: `--input={unknown}`")),
        () if has("output") => Some(format!("the output is named by a flag: `-o {unknown}`")),
        () => None,
    }
}

/// The values that a missing argument may have.
fn choice(error: &clap::Error, command: &clap::Command) -> Option<String> {
    let Some(ContextValue::Strings(missing)) = error.get(ContextKind::InvalidArg) else { return None };
    let is_missing = |arg: &&clap::Arg| missing.contains(&arg.to_string());
    let arg =
        command.get_positionals().find(is_missing).filter(|_| error.kind() == ErrorKind::MissingRequiredArgument)?;
    let names: Vec<String> = arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
    (!names.is_empty()).then(|| format!("{arg} is one of {}", names.join(", ")))
}

/// Says what is wrong with a number in place of what Rust's parser says of its text.
fn in_words(error: clap::Error, command: &clap::Command) -> clap::Error {
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.clone()),
        _ => None,
    };
    let (Some(flag), Some(value)) = (text(ContextKind::InvalidArg), text(ContextKind::InvalidValue)) else {
        return error;
    };
    let Some(why) = error.source().and_then(|source| number(&source.to_string(), &value)) else { return error };
    clap::Error::raw(error.kind(), format!("invalid value '{value}' for '{flag}': {why}\n")).with_cmd(command)
}

fn number(said: &str, value: &str) -> Option<String> {
    if let Some((_, range)) = said.split_once(" is not in ") {
        let (low, high) = range.split_once("..=")?;
        let open = high.parse::<u64>().is_ok_and(|high| high >= u64::from(u32::MAX));
        return Some(if open { format!("it must be at least {low}") } else { format!("it must be {low} to {high}") });
    }
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let words = match said {
        "invalid digit found in string" if value.strip_prefix('-').is_some_and(digits) => "it must not be negative",
        "invalid digit found in string" => "it is not a whole number",
        "cannot parse integer from empty string" | "cannot parse float from empty string" => "there is no number",
        "number would be zero for non-zero type" => "it must be at least 1",
        "number too large to fit in target type" => "it is too large",
        "invalid float literal" => "it is not a number",
        _ => return None,
    };
    Some(words.to_owned())
}

/// What the parser says, as one message with hints.
fn diagnostic(error: &clap::Error) -> Error {
    let text = error.render().to_string();
    let mut parts = text.split("\n\n").map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "));
    let first = parts.next().unwrap_or_default();
    let message = first.strip_prefix("error: ").unwrap_or(&first);
    parts.fold(Error::usage(message), |error, part| match part.split_once(": ") {
        Some(("tip", hint)) => error.hint(hint),
        Some(("Usage", usage)) => error.note(format!("usage: {usage}")),
        _ => error,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_have_values_beside_or_behind_them() {
        let argv: Vec<OsString> = ["hal", "--f=a", "--f", "b", "--ff=c", "--f=", "--", "--f=d"].map(Into::into).into();
        assert_eq!(values(&argv, "--f"), ["a", "b", ""]);
    }

    #[test]
    fn ranges_are_words() {
        let said = |text: &str| number(text, "9").unwrap();
        assert_eq!(said("4 is not in 0..=3"), "it must be 0 to 3");
        assert_eq!(said("0 is not in 1..=4294967295"), "it must be at least 1");
    }

    #[test]
    fn one_dash_is_not_enough_for_words() {
        let argv: Vec<OsString> = ["hal", "m.mlir", "-canonicalize"].map(Into::into).into();
        assert_eq!(one_dash("-c", &argv).unwrap(), "flags of more than a letter have two dashes: `--canonicalize`");
        assert_eq!(one_dash("--canonicalise", &argv), None);
    }

    #[test]
    fn words_without_flags_are_values() {
        let command = clap::Command::new("hal").arg(clap::Arg::new("output").long("output"));
        assert_eq!(bare_value("a.so", &command).unwrap(), "the output is named by a flag: `-o a.so`");
        assert_eq!(bare_value("--a", &command), None);
        let command = command.arg(clap::Arg::new("input").long("input"));
        assert_eq!(bare_value("random:1", &command).unwrap(), "inputs are given by a flag: `--input=random:1`");
    }

    #[test]
    fn numbers_are_refused_in_words() {
        let said = |value: &str| number(&value.parse::<u8>().unwrap_err().to_string(), value);
        assert_eq!(said("-1").as_deref(), Some("it must not be negative"));
        assert_eq!(said("two").as_deref(), Some("it is not a whole number"));
        assert_eq!(said("").as_deref(), Some("there is no number"));
        assert_eq!(said("256").as_deref(), Some("it is too large"));
        let none = "0".parse::<std::num::NonZeroU8>().unwrap_err().to_string();
        assert_eq!(number(&none, "0").as_deref(), Some("it must be at least 1"));
        assert_eq!(number(&"x".parse::<f32>().unwrap_err().to_string(), "x").as_deref(), Some("it is not a number"));
    }
}
