//! Extracts the objects of variants.
use halyard_diag::{Error, Result, may_exist};
use halyard_exec::{Scratch, Tool};
use halyard_ir::form::{Executable, Object, ObjectData, Variant};
use halyard_objects::FileFormat;
use std::path::PathBuf;

/// The bytes of an object. Errors: a file that cannot be read, or whose contents are not those that the program names.
fn bytes(variant: Variant, object: &Object, folders: &[PathBuf]) -> Result<Vec<u8>> {
    match &object.data {
        ObjectData::Embedded(bytes) => Ok(bytes.clone()),
        ObjectData::Path { path, hash } => {
            let candidates = folders.iter().map(|f| f.join(path)).find(|p| may_exist(p));
            let file = candidates.unwrap_or_else(|| path.into());
            let bytes = std::fs::read(&file).map_err(|e| {
                Error::io("read", &file, &e)
                    .note(format!("variant `@{}` names it as its object", variant.name()))
                    .hint("name their folder with `--object-path=FOLDER`")
            })?;
            halyard_cli::depend_on(&file);
            if hash.as_ref().is_some_and(|h| *h != blake3::hash(&bytes).to_hex().as_str()) {
                let message =
                    format!("`{}` is not the object that variant `@{}` was made with", file.display(), variant.name());
                return Err(Error::input(message)
                    .code("bad-object")
                    .note("its contents differ from the hash in the program"));
            }
            Ok(bytes)
        }
    }
}

/// The object of a variant; several, or archives, are joined into one. `None` if it has none. Errors: what reading and
/// joining say.
pub(crate) fn object(executable: Executable, variant: Variant, folders: &[PathBuf]) -> Result<Option<Vec<u8>>> {
    let list = variant.objects()?;
    let mut parts = list.iter().map(|o| bytes(variant, o, folders)).collect::<Result<Vec<_>>>()?;
    let is_object = |b: &[u8]| b.starts_with(b"\x7fELF");
    match parts.as_slice() {
        [] => return Ok(None),
        [one] if is_object(one) => return Ok(parts.pop()),
        _ => {}
    }
    let scratch = Scratch::new("extract")?;
    let mut args = vec!["-r".to_owned(), "--whole-archive".into(), "-o".into(), "all.o".into()];
    for (i, part) in parts.iter().enumerate() {
        let name = format!("{i}.{}", if is_object(part) { "o" } else { "a" });
        scratch.write(&name, part)?;
        args.push(name);
    }
    let linker = Tool::llvm("ld.lld", "lld-22")?;
    linker.call(&args).folder(scratch.path()).run().map_err(|e| {
        e.note(format!("the objects of `{}/{}` could not be joined into one", executable.name(), variant.name()))
    })?;
    let file = scratch.path().join("all.o");
    std::fs::read(&file).map(Some).map_err(|e| Error::io("read", &file, &e))
}

/// The objects of a variant for a GPU, each with the suffix of its file. Errors: what reading them says.
pub(crate) fn device(variant: Variant, folders: &[PathBuf]) -> Result<Vec<(&'static str, Vec<u8>)>> {
    let one = |object: &Object| {
        let suffix = FileFormat::suffix_of(&object.format).ok_or_else(|| {
            let (variant, format) = (variant.name(), &object.format);
            Error::input(format!("variant `@{variant}` has an object of the unknown format `{format}`"))
                .code("bad-object")
        })?;
        Ok((suffix, bytes(variant, object, folders)?))
    };
    variant.objects()?.iter().map(one).collect()
}

/// Code for a GPU as text, where there is one: some formats are text, others are disassembled.
pub(crate) fn readable(suffix: &'static str, bytes: Vec<u8>, variant: &str) -> Result<(&'static str, Vec<u8>)> {
    Ok(match halyard_targets::disassembled(&bytes, &format!("variant `{variant}`"))? {
        Some((suffix, text)) => (suffix, text.into_bytes()),
        None => (suffix, bytes),
    })
}

/// Disassembles an object. Fails if llvm-objdump is missing or fails.
pub(crate) fn disassemble(name: &str, object: &[u8]) -> Result<Vec<u8>> {
    let tool = Tool::llvm("llvm-objdump", "llvm-22").map_err(|e| {
        e.note(format!("`{name}` has no source to generate assembly from, so its object is disassembled"))
    })?;
    let scratch = Scratch::new("extract")?;
    scratch.write("object.o", object)?;
    let done = tool.call(["-d", "-r", "--no-show-raw-insn", "object.o"]).folder(scratch.path()).run()?;
    let mut text =
        format!("# The object of `{name}`, disassembled: it was not made from the source that the program has.\n")
            .into_bytes();
    text.extend_from_slice(&done.stdout);
    Ok(text)
}
