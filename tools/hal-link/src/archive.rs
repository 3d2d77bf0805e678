//! Static archives in GNU's form (ar(5)): one file for the linker instead of one for each kernel, which file systems make one by one.
use crate::objects::LinkObject;
use std::io::{self, Write};

/// Writes objects in order, under the names of their files; without the table of symbols, which `--whole-archive` does not need.
pub(crate) fn write(to: &mut impl Write, objects: &[LinkObject]) -> io::Result<()> {
    to.write_all(b"!<arch>\n")?;
    let names: String = objects.iter().map(|o| format!("{}/\n", o.file)).collect();
    member(to, "//", names.as_bytes())?;
    let mut at = 0;
    for object in objects {
        member(to, &format!("/{at}"), &object.bytes)?;
        at += object.file.len() + 2;
    }
    Ok(())
}

/// A member begins at an even place.
fn member(to: &mut impl Write, name: &str, bytes: &[u8]) -> io::Result<()> {
    // Name, time, owner, group, mode, size.
    writeln!(to, "{name:<16}{:<12}{:<6}{:<6}{:<8}{:<10}`", 0, 0, 0, 644, bytes.len())?;
    to.write_all(bytes)?;
    if bytes.len() % 2 == 1 { to.write_all(b"\n") } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use object::{Architecture, BinaryFormat, Endianness, read::archive::ArchiveFile};

    #[test]
    fn archives_hold_their_objects_in_order() {
        let object = object::write::Object::new(BinaryFormat::Elf, Architecture::X86_64, Endianness::Little);
        let bytes = object.write().unwrap();
        let named = |name: &str| crate::objects::inspect(bytes.clone(), name.into(), "it".into()).unwrap();
        let mut odd = named("0.odd.o");
        odd.bytes = b"odd".to_vec();
        let objects = [named("0.a_name_that_is_longer_than_sixteen_letters.cpu.0.o"), odd, named("b.o")];
        let mut archive = Vec::new();
        write(&mut archive, &objects).unwrap();
        let read = ArchiveFile::parse(&*archive).unwrap();
        for (member, object) in read.members().zip(&objects) {
            let member = member.unwrap();
            assert_eq!((member.name(), member.data(&*archive).unwrap()), (object.file.as_bytes(), &*object.bytes));
        }
        assert_eq!(read.members().count(), 3);
    }
}
