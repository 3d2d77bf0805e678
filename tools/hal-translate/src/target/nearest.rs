//! Names near a misspelt one.

/// Up to three of the names nearest to `wanted`, nearest first, none that is too different to be meant.
pub(crate) fn nearest<'a>(wanted: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let limit = wanted.chars().count().max(3) / 3 + 1;
    let mut scored: Vec<(usize, &str)> = names
        .into_iter()
        .map(|name| {
            // A name that merely says more (`cortex` for `cortex-a72`) is near, however long.
            let distance = if wanted.len() >= 3 && name.starts_with(wanted) { 1 } else { distance(wanted, name) };
            (distance, name)
        })
        .filter(|&(d, _)| d <= limit)
        .collect();
    scored.sort();
    scored.dedup();
    scored.into_iter().take(3).map(|(_, name)| name).collect()
}

/// "`a`, `b` or `c`".
pub(crate) fn either(names: &[&str]) -> String {
    let quoted: Vec<_> = names.iter().map(|n| format!("`{n}`")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first @ .., last] => format!("{} or {last}", first.join(", ")),
    }
}

/// Levenshtein's distance: insertions, deletions and replacements of characters.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
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
    }

    #[test]
    fn a_beginning_is_near() {
        assert_eq!(nearest("cortex", ["cortex-a510", "a64fx"]), ["cortex-a510"]);
    }

    #[test]
    fn lists_read_well() {
        assert_eq!(either(&["a", "b", "c"]), "`a`, `b` or `c`");
    }
}
