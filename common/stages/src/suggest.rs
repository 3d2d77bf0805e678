//! "Did you mean", for passes.

/// The pass whose name is nearest to a misspelt one, if any is near.
pub fn nearest_pass(word: &str) -> Option<String> {
    let known = halyard_ir::list_passes().unwrap_or_default();
    let names =
        known.lines().filter_map(|l| l.trim_start().strip_prefix("--")).filter_map(|l| l.split([' ', '=']).next());
    // The list holds the options of passes, too.
    let passes = names.filter(|n| halyard_ir::is_pass(n));
    halyard_diag::nearest(word, passes).first().map(|name| (*name).to_owned())
}
