//! Makefile fragments, as `-MF` of C compilers.
use std::path::Path;

/// `OUTPUT: INPUT…`, with an empty rule for each input, so that make does not fail when one is gone.
pub(crate) fn text(output: &Path, inputs: &[&Path]) -> String {
    let names: Vec<String> = inputs.iter().map(|p| escape(p)).collect();
    let mut text = format!("{}: {}\n", escape(output), names.join(" "));
    text.extend(names.iter().map(|n| format!("\n{n}:\n")));
    text
}

/// Blanks, `#` and `$` as make reads them.
fn escape(path: &Path) -> String {
    let mut text = String::new();
    for c in path.to_string_lossy().chars() {
        match c {
            ' ' | '#' | '\\' => text.extend(['\\', c]),
            '$' => text.push_str("$$"),
            c => text.push(c),
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules() {
        let text = text(Path::new("m.so"), &[Path::new("a b.onnx")]);
        assert_eq!(text, "m.so: a\\ b.onnx\n\na\\ b.onnx:\n");
    }
}
