//! Globals whose data are resources: large, and outside of the module.
use super::{Program, ProgramGlobal};
use crate::{Attr, Session, dense_data};

/// Weights of so many bytes at most stay in the module.
const SMALL: usize = 256;

/// The globals whose data are resources of some size, with the names of these and the values.
pub fn large_resources(session: &Session, program: Program) -> Vec<(ProgramGlobal, String, Attr)> {
    let one = |global: ProgramGlobal| {
        let value = global.value().filter(|value| value.is_resource())?;
        let (bytes, _) = dense_data(session, value)?;
        let name = resource_name(&value.to_string()).filter(|_| bytes.len() > SMALL)?;
        Some((global, name, value))
    };
    program.globals().into_iter().filter_map(one).collect()
}

/// The name of a resource as MLIR writes it: `dense_resource<name> : type`, or with a string.
fn resource_name(text: &str) -> Option<String> {
    let rest = text.strip_prefix("dense_resource<")?;
    let Some(quoted) = rest.strip_prefix('"') else { return rest.split_once('>').map(|(name, _)| name.to_owned()) };
    let (mut name, mut bytes) = (Vec::new(), quoted.bytes());
    loop {
        match bytes.next()? {
            b'"' => return String::from_utf8(name).ok(),
            b'\\' => {
                let digits = [bytes.next()?, bytes.next()?];
                name.push(u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok()?);
            }
            byte => name.push(byte),
        }
    }
}

/// Does something while globals have no data, such as write the program without its weights.
pub fn without_data<T>(globals: &[(ProgramGlobal, String, Attr)], work: impl FnOnce() -> T) -> T {
    for (global, ..) in globals {
        let external = Attr::parse(global.op.context(), &format!("#ml_program.extern : {}", global.ty()));
        global.op.set_attr("value", external.expect("a type prints as it parses"));
    }
    let done = work();
    globals.iter().for_each(|(global, _, value)| global.op.set_attr("value", *value));
    done
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_resources() {
        assert_eq!(resource_name("dense_resource<w0> : tensor<4xf32>").as_deref(), Some("w0"));
        assert_eq!(resource_name("dense_resource<\"a\\22b \\5C\"> : tensor<4xf32>").as_deref(), Some("a\"b \\"));
        assert_eq!(resource_name("dense<1.0> : tensor<4xf32>"), None);
    }
}
