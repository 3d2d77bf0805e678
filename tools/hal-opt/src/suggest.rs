//! "Did you mean".

/// The pass whose name is nearest to a misspelt one, if any is near.
pub(crate) fn nearest_pass(word: &str) -> Option<String> {
    let known = halyard_ir::list_passes().unwrap_or_default();
    let names =
        known.lines().filter_map(|l| l.trim_start().strip_prefix("--")).filter_map(|l| l.split([' ', '=']).next());
    // The list holds the options of passes, too.
    let passes: Vec<_> = names.filter(|n| halyard_ir::is_pass(n)).collect();
    nearest(word, passes.into_iter()).map(str::to_owned)
}

/// The known name that is nearest to a misspelt one, if any is near.
fn nearest<'n>(word: &str, names: impl Iterator<Item = &'n str>) -> Option<&'n str> {
    let limit = (word.chars().count() / 3).max(1);
    names.map(|name| (distance(word, name), name)).filter(|&(d, _)| d <= limit).min().map(|(_, name)| name)
}

/// Levenshtein's edit distance, row by row.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, &y) in b.iter().enumerate() {
            let substitute = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = substitute.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_near_names_only() {
        let names = ["canonicalize", "cse", "inline"];
        assert_eq!(nearest("canonicalise", names.into_iter()), Some("canonicalize"));
        assert_eq!(nearest("cze", names.into_iter()), Some("cse"));
        assert_eq!(nearest("vectorize", names.into_iter()), None);
    }

    #[test]
    fn counts_edits() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
    }
}
