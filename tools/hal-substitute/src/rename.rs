//! Renames the symbols in a file that was extracted under another name.
use crate::files::Source;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Op, Session,
    form::{Executable, write},
};
use halyard_objects::{FileFormat, inspect, rename};
use halyard_targets::rename_kernels;
use std::{collections::BTreeMap, rc::Rc};

/// The file with other names: pairs of old and new ones. Errors: a kind of file whose symbols cannot be renamed; a damaged one.
pub(crate) fn renamed(session: &Session, file: &Source, names: &[(String, String)]) -> Result<Source> {
    if names.is_empty() {
        return Ok(file.clone());
    }
    let owner = format!("`{}`", file.name);
    let bytes = match file.kind {
        FileFormat::MlirText | FileFormat::Schedule | FileFormat::LlvmText => {
            symbols_in(&String::from_utf8_lossy(&file.bytes), names).into_bytes()
        }
        FileFormat::MlirBytecode => {
            let module = session.parse_beside(&file.bytes, &file.name)?;
            rename_symbols(Op::from(&module), names);
            write(Op::from(&module), true)
        }
        FileFormat::Object => {
            let map: BTreeMap<String, String> = names.iter().cloned().collect();
            rename(inspect(file.bytes.to_vec(), file.name.clone(), owner)?, &map)?.bytes
        }
        other => match rename_kernels(file.bytes.to_vec(), &owner, names)? {
            Some(bytes) => bytes,
            None => {
                let [(old, new), ..] = names else { return Ok(file.clone()) };
                let error = Error::input(format!(
                    "{owner} was extracted from `{old}`, which is `{new}` now, and the symbols of {} cannot be renamed",
                    other.name()
                ));
                return Err(error
                    .code("wrong-executable")
                    .hint("make it again from a source with the new names, or give an object (.o)"));
            }
        },
    };
    Ok(Source { name: file.name.clone(), bytes: Rc::new(bytes), kind: file.kind })
}

fn rename_symbols(module: Op, names: &[(String, String)]) {
    let inside = module.body_ops();
    let executables: Vec<Executable> = std::iter::once(module).chain(inside).filter_map(Executable::view).collect();
    for executable in executables {
        for variant in executable.variants() {
            rename_functions(variant.op, names);
        }
        rename_functions(executable.op, names);
        if let Some((_, new)) = names.iter().find(|(old, _)| *old == executable.name()) {
            executable.op.set_attr("sym_name", halyard_ir::Attr::string(executable.op.context(), new));
        }
    }
}

fn rename_functions(module: Op, names: &[(String, String)]) {
    for op in module.body_ops() {
        let Some(symbol) = op.symbol().filter(|_| !op.is("builtin.module")) else { continue };
        if let Some((_, new)) = names.iter().find(|(old, _)| *old == symbol) {
            op.rename_symbol(new, module);
        }
    }
}

/// A text with other symbols where it says `@old` or `@"old"`.
fn symbols_in(text: &str, names: &[(String, String)]) -> String {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c);
    let plain = |name: &str| !name.is_empty() && name.chars().all(is_part);
    let mut result = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('@') {
        result.push_str(&rest[..=at]);
        rest = &rest[at + 1..];
        let quoted = rest.strip_prefix('"').and_then(|r| r.split_once('"')).map(|(name, _)| name);
        let (name, length) = match quoted {
            Some(name) => (name, name.len() + 2),
            None => {
                let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
                (&rest[..end], end)
            }
        };
        match names.iter().find(|(old, _)| old == name) {
            Some((_, new)) if plain(new) => result.push_str(new),
            Some((_, new)) => result.push_str(&format!("\"{new}\"")),
            None => result.push_str(&rest[..length]),
        }
        rest = &rest[length..];
    }
    result + rest
}

#[cfg(test)]
mod tests {
    use super::symbols_in;

    #[test]
    fn whole_symbols_change_and_nothing_else() {
        let names = [("e_1".to_owned(), "e_2".to_owned()), ("e_1_k".to_owned(), "a b".to_owned())];
        let text = "module @e_1 { func @e_1_k() call @e_1_kk @\"e_1\" // e_1 @é\n hal.entry = @e_1::@e_1_k }";
        assert_eq!(
            symbols_in(text, &names),
            "module @e_2 { func @\"a b\"() call @e_1_kk @e_2 // e_1 @é\n hal.entry = @e_2::@\"a b\" }"
        );
    }
}
