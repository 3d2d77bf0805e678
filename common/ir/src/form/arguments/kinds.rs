//! The types of scalars that `hal.arguments` names.
use halyard_objects::NumberKind;

/// A type that the list names. Errors: it is none; the number cannot be passed so.
pub(super) fn kind(ty: &str, own: NumberKind) -> Result<NumberKind, String> {
    let bits = match ty {
        "i8" | "i16" | "i32" | "i64" => ty[1..].parse().expect("it is a number"),
        "f32" if own == NumberKind::Float(32) => return Ok(own),
        "f64" if own == NumberKind::Float(64) => return Ok(own),
        "f32" | "f64" => return Err(format!("it is an `{}`, and no `{ty}`", own.name())),
        _ => {
            return Err(format!(
                "`{ty}` is no type of a number; there are `i8`, `i16`, `i32`, `i64`, `f32`, `f64` and `words`"
            ));
        }
    };
    match own {
        NumberKind::Integer(_) => Ok(NumberKind::Integer(bits)),
        NumberKind::Float(own) | NumberKind::Bits(own) if own <= bits => Ok(NumberKind::Bits(bits)),
        own => Err(format!("the bits of an `{}` do not fit into an `{ty}`", own.name())),
    }
}
