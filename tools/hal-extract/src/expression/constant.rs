//! Constants: values, and tables of them.
use super::{
    language::Language,
    scalar::{literal, note_narrow},
    text::Text,
};
use halyard_ir::{Op, Type, dense_bytes};

/// A tensor of constants.
#[derive(Debug)]
pub(crate) enum Constant {
    /// All elements have this value.
    Splat(String),
    /// The elements, as a buffer holds them.
    Table(Vec<String>),
}

/// The elements of a tensor of constants. Errors: they cannot be read or written.
pub(crate) fn constant(text: &mut Text, op: Op) -> Result<Constant, String> {
    let language = text.language;
    let value = op.attr("value").ok_or("a constant has no value")?;
    let ty = op.result(0).ty();
    let element = ty.element();
    if let Some(one) = value.splat_value() {
        return Ok(Constant::Splat(literal(language, one, element)?));
    }
    let unreadable = || format!("the elements of a constant of type `{ty}` cannot be read");
    let (bytes, splat) = dense_bytes(value).ok_or_else(unreadable)?;
    let words = bytes.chunks_exact(element.byte_width() as usize);
    let words: Vec<String> =
        words.map(|word| number(language, word, element)).collect::<Option<_>>().ok_or_else(unreadable)?;
    if !splat || words.len() != 1 {
        return Ok(Constant::Table(words));
    }
    Ok(Constant::Splat(match note_narrow(text, element) {
        Some((read, _)) => format!("{read}({})", words[0]),
        None => words[0].clone(),
    }))
}

/// Writes a table and returns its name.
pub(crate) fn table(text: &mut Text, element: Type, words: &[String]) -> Result<String, String> {
    let language = text.language;
    let name = text.fresh("table");
    let ty = language.stored(element).ok_or("a constant has elements that no buffer holds")?;
    // GLSL converts nothing by itself.
    let converted = |w: &String| {
        if language == Language::Glsl && language.computed(element) != Ok(ty) {
            format!("{ty}({w})")
        } else {
            w.clone()
        }
    };
    let words: Vec<String> = words.iter().map(converted).collect();
    let rows: Vec<String> = words.chunks(8).map(|row| row.join(", ")).collect();
    for line in language.table(&name, ty, &rows) {
        text.line(line);
    }
    Ok(name)
}

/// Prints an element of a table.
fn number(language: Language, word: &[u8], ty: Type) -> Option<String> {
    let unsigned = word.iter().rev().fold(0u64, |n, &b| n << 8 | u64::from(b));
    if language.narrow(ty).is_some() {
        return Some(format!("{unsigned:#06x}"));
    }
    Some(match &*ty.to_string() {
        "f32" => language.float(f64::from(f32::from_bits(unsigned as u32)), ty),
        "f64" => language.float(f64::from_bits(unsigned), ty),
        "f16" => language.float(half::f16::from_bits(unsigned as u16).to_f64(), ty),
        _ if language.computed(ty).is_ok() => {
            let shift = 64 - 8 * word.len() as u32;
            language.integer(((unsigned << shift) as i64) >> shift, ty)
        }
        _ => return None,
    })
}
