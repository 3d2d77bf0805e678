//! Finds the name nearest to a misspelt one, for "did you mean".

/// Up to three of the names nearest to `wanted`, nearest first, none that is too different to be meant.
pub fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = wanted.chars().count().max(3) / 3 + 1;
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| {
            // A name that merely says more (`cortex` for `cortex-a72`) is near, however long.
            let distance =
                if wanted.len() >= 3 && name.starts_with(wanted) { 1 } else { strsim::osa_distance(wanted, name) };
            (distance, name)
        })
        .filter(|&(d, _)| d <= limit)
        .collect();
    scored.sort_unstable();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// Joins names as "`a`, `b` or `c`".
pub fn either<T: AsRef<str>>(names: &[T]) -> String {
    let quoted: Vec<_> = names.iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// "`a`, `b`, `c`", cut off after a few: "… and 12 more".
pub fn few<T: AsRef<str>>(names: &[T]) -> String {
    const MOST: usize = 8;
    // One more would take as much room as saying that there is one.
    let shown = if names.len() <= MOST + 1 { names.len() } else { MOST };
    let quoted: Vec<_> = names[..shown].iter().map(|n| format!("`{}`", n.as_ref())).collect();
    match names.len() - shown {
        0 => quoted.join(", "),
        more => format!("{} and {more} more", quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_first_and_far_ones_not_at_all() {
        let names = ["znver1", "znver4", "znver5", "haswell", "x86-64-v4"];
        assert_eq!(nearest("znver6", names), ["znver1", "znver4", "znver5"]);
        assert_eq!(nearest("hasswell", names), ["haswell"]);
        assert_eq!(nearest("quantum", names), Vec::<&str>::new());
        assert_eq!(nearest("vectorize", ["canonicalize", "cse", "inline"]), Vec::<&str>::new());
    }

    #[test]
    fn a_beginning_is_near() {
        assert_eq!(nearest("cortex", ["cortex-a510", "a64fx"]), ["cortex-a510"]);
    }

    #[test]
    fn swapped_letters_are_one_mistake() {
        assert_eq!(nearest("cs", ["sc", "zzz"]), ["sc"]);
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
        assert_eq!(few(&["a", "b"]), "`a`, `b`");
        assert_eq!(few(&["a"; 9]).matches("`a`").count(), 9);
        assert!(few(&["a"; 10]).ends_with("`a` and 2 more"));
    }
}
