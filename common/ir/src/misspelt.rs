//! Names of operations that a misspelt one was perhaps meant to be.
use crate::handles::string_ref;
use mlir_sys::*;

/// What names of operations consist of, behind the dialect.
const LETTERS: &[u8] = b"abcdefghijklmnopqrstuvwxyz0123456789_.";

/// The unknown operation that a message of MLIR is about.
pub(crate) fn unknown(message: &str) -> Option<&str> {
    let rest = ["custom op '", "unregistered operation '"].iter().find_map(|start| message.strip_prefix(start))?;
    let (name, rest) = rest.split_once('\'')?;
    let known = rest.starts_with(" is unknown") || rest.starts_with(" found in dialect");
    (known && name.contains('.')).then_some(name)
}

/// Up to three operations of the same dialect that differ from `name` in one letter. MLIR does not list its
/// operations to C, but says of each name whether there is one.
pub(crate) fn near(context: MlirContext, name: &str) -> Vec<String> {
    // SAFETY: the context is live and the name is passed with its length.
    let exists = |name: &String| unsafe { mlirContextIsRegisteredOperation(context, string_ref(name)) };
    let Some((dialect, own)) = name.split_once('.').filter(|(_, own)| own.is_ascii() && own.len() < 64) else {
        return Vec::new();
    };
    let mut found: Vec<String> = Vec::new();
    for text in edits(own) {
        let whole = format!("{dialect}.{text}");
        if text != own && !found.contains(&whole) && exists(&whole) {
            found.push(whole);
        }
    }
    found.truncate(3);
    found
}

/// All texts that come of one edit: letters exchanged, left out, replaced, added; the likeliest first.
fn edits(text: &str) -> impl Iterator<Item = String> {
    let bytes = text.as_bytes();
    let whole = |parts: [&[u8]; 3]| parts.concat().into_iter().map(char::from).collect::<String>();
    let swapped = (1..bytes.len()).map(move |i| whole([&bytes[..i - 1], &[bytes[i], bytes[i - 1]], &bytes[i + 1..]]));
    let shorter = (0..bytes.len()).map(move |i| whole([&bytes[..i], &[], &bytes[i + 1..]]));
    let other = move |i: usize, skip: usize| {
        LETTERS.iter().map(move |letter| whole([&bytes[..i], &[*letter], &bytes[i + skip..]]))
    };
    let replaced = (0..bytes.len()).rev().flat_map(move |i| other(i, 1));
    let longer = (0..=bytes.len()).rev().flat_map(move |i| other(i, 0));
    swapped.chain(shorter).chain(replaced).chain(longer)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;

    #[test]
    fn messages_name_the_operation() {
        assert_eq!(unknown("custom op 'arith.addd' is unknown"), Some("arith.addd"));
        assert_eq!(unknown("unregistered operation 'a.b' found in dialect ('a') that"), Some("a.b"));
        assert_eq!(unknown("custom op 'words' is unknown"), None);
        assert_eq!(unknown("'arith.addf' op requires two operands"), None);
    }

    #[test]
    fn operations_that_differ_in_one_letter_are_near() {
        let session = Session::new();
        session.load_dialects(&["arith", "func", "math"]);
        assert_eq!(near(session.raw(), "arith.addd"), ["arith.addf", "arith.addi"]);
        assert_eq!(near(session.raw(), "func.retrun"), ["func.return"]);
        assert_eq!(near(session.raw(), "math.expp"), ["math.exp", "math.exp2"]);
        assert_eq!(near(session.raw(), "arith.quantum"), Vec::<String>::new());
    }
}
