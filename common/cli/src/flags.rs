//! Renames flags in messages: the driver has the tools' flags under longer names.
use halyard_diag::Diagnostic;

/// The diagnostic with flags by the names that they have here. A flag is a word after a backtick.
pub(crate) fn rename(diagnostic: &Diagnostic, renamed: fn(&str) -> Option<&'static str>) -> Diagnostic {
    let mut d = diagnostic.clone();
    for text in std::iter::once(&mut d.message).chain(&mut d.notes).chain(&mut d.hints) {
        if text.contains("`--") {
            *text = in_text(text, renamed);
        }
    }
    d
}

fn in_text(text: &str, renamed: fn(&str) -> Option<&'static str>) -> String {
    let mut parts = text.split("`--");
    let mut new = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end =
            part.find(|c: char| !(c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-')).unwrap_or(part.len());
        let flag = format!("--{}", &part[..end]);
        // Flags of another tool keep their names: ``(`--overwrite` of `hal-extract`)``.
        let here = if part[end..].starts_with("` of `") { None } else { renamed(&flag) };
        new.push('`');
        new += here.unwrap_or(&flag);
        new += &part[end..];
    }
    new
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_are_renamed_and_words_are_not() {
        let renamed = |flag: &str| (flag == "--from").then_some("--sources-from");
        let is = |text: &str, new: &str| assert_eq!(in_text(text, renamed), new);
        is(
            "`--from=FOLDER` or `--from`, not `--from-here` or --from",
            "`--sources-from=FOLDER` or `--sources-from`, not `--from-here` or --from",
        );
        is("`--from` of `hal-substitute`", "`--from` of `hal-substitute`");
    }
}
