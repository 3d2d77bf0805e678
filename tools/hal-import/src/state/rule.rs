//! Rules about states on the command line.

/// Inputs and results that become states.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct StateArgs {
    /// Keep an input as state in the program; a result replaces it after each call: `past=present`, `past.*=present.*`
    /// (repeatable)
    ///
    /// The function loses the input and the result; the program keeps the tensor on its device between calls. PAST and
    /// PRESENT are names or numbers of an input and a result; a `*` in both stands for the same text. States start as
    /// zeros; a dynamic dimension starts with size 0, or N with `,DIM=N`, by name or number. `,keep` returns the
    /// result, too.
    #[arg(long = "state", value_name = "PAST=PRESENT[,keep][,DIM=N]", value_parser = StateRule::parse, help_heading = "Model")]
    pub states: Vec<StateRule>,
}

impl StateArgs {
    /// The equivalent command-line arguments.
    pub fn words(&self) -> Vec<String> {
        self.states.iter().map(|s| format!("--state={}", s.text)).collect()
    }
}

/// The value of one `--state`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateRule {
    /// The text as written.
    pub text: String,
    /// The input, possibly with a `*`.
    pub past: String,
    /// The result, with a `*` if the input has one.
    pub present: String,
    /// Whether the result is still returned.
    pub keep: bool,
    /// The initial sizes of dimensions, by name or number.
    pub sizes: Vec<(String, i64)>,
}

impl StateRule {
    fn parse(text: &str) -> Result<Self, String> {
        let mut parts = text.split(',');
        let names = parts.next().and_then(|p| p.split_once('=')).filter(|(a, b)| !a.is_empty() && !b.is_empty());
        let Some((past, present)) = names else {
            return Err("PAST=PRESENT is expected, an input and the result that replaces it".into());
        };
        let stars = |name: &str| name.matches('*').count();
        if stars(past) > 1 || stars(past) != stars(present) {
            return Err("one `*` on each side, or none, is expected".into());
        }
        let (mut keep, mut sizes) = (false, Vec::new());
        for part in parts {
            match part.rsplit_once('=') {
                None if part == "keep" => keep = true,
                Some((dim, size)) if !dim.is_empty() => match size.parse::<i64>() {
                    Ok(size) if size >= 0 => sizes.push((dim.to_owned(), size)),
                    _ => return Err(format!("`{size}` is no size")),
                },
                _ => return Err(format!("`{part}` is neither `keep` nor DIM=N")),
            }
        }
        Ok(Self { text: text.to_owned(), past: past.to_owned(), present: present.to_owned(), keep, sizes })
    }
}

/// Returns the text that the `*` of a pattern matches in a name; `None` if the name does not match. A pattern without
/// `*` is a name.
pub(super) fn captured<'n>(pattern: &str, name: &'n str) -> Option<&'n str> {
    match pattern.split_once('*') {
        Some((head, tail)) => name.strip_prefix(head)?.strip_suffix(tail),
        None => (pattern == name).then_some(""),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let rule = |t: &str| StateRule::parse(t).map(|r| (r.past, r.present, r.keep, r.sizes));
        assert_eq!(rule("h=h1"), Ok(("h".into(), "h1".into(), false, vec![])));
        assert_eq!(rule("p.*=q.*,keep,batch=1"), Ok(("p.*".into(), "q.*".into(), true, vec![("batch".into(), 1)])));
        for wrong in ["h", "=h", "h=", "p.*=q", "p=q*", "*.*=a*b*", "a=b,", "a=b,kept", "a=b,n=x", "a=b,n=-1", "a=b,=1"]
        {
            assert!(rule(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn patterns() {
        assert_eq!(captured("past.*.key", "past.11.key"), Some("11"));
        assert_eq!(captured("past.*.key", "past.key"), None);
        assert_eq!(captured("*", "x"), Some("x"));
        assert_eq!(captured("x", "x"), Some(""));
        assert_eq!(captured("x", "y"), None);
    }
}
