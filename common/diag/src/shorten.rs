//! Shortens messages that a program or a tool could make arbitrarily long, by its names or its output.
use crate::Diagnostic;
use std::borrow::Cow;

/// The most characters of a message or hint that are shown.
const MESSAGE: usize = 2000;
/// The most characters of a note that are shown: enough for the last lines that a tool printed.
const NOTE: usize = 20_000;

/// The diagnostic with texts that people can read.
pub(crate) fn shortened(d: &Diagnostic) -> Cow<'_, Diagnostic> {
    let long = |text: &String, most: usize| text.len() > most;
    let any = long(&d.message, MESSAGE)
        || d.labels.iter().any(|l| long(&l.text, MESSAGE))
        || d.notes.iter().any(|n| long(n, NOTE))
        || d.hints.iter().any(|h| long(h, MESSAGE));
    if !any {
        return Cow::Borrowed(d);
    }
    let mut short = d.clone();
    cut(&mut short.message, MESSAGE);
    short.labels.iter_mut().for_each(|l| cut(&mut l.text, MESSAGE));
    short.notes.iter_mut().for_each(|n| cut(n, NOTE));
    short.hints.iter_mut().for_each(|h| cut(h, MESSAGE));
    Cow::Owned(short)
}

fn cut(text: &mut String, most: usize) {
    let Some((end, _)) = text.char_indices().nth(most) else { return };
    let more = text[end..].chars().count();
    text.truncate(end);
    *text += &format!("… ({more} more characters)");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_texts_are_cut_and_say_so() {
        let d = Diagnostic::error("é".repeat(100_000)).note("short").hint("x".repeat(MESSAGE));
        let short = shortened(&d).into_owned();
        assert!(short.message.ends_with("é… (98000 more characters)"), "{}", short.message);
        assert_eq!((&short.notes, &short.hints), (&d.notes, &d.hints));
        assert!(matches!(shortened(&Diagnostic::error("x")), Cow::Borrowed(_)));
    }
}
