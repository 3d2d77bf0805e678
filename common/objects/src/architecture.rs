//! Names of architectures, as in triples.
use object::{Architecture, Endianness, Object};

/// The name of the architecture of an object, as the first part of a triple: `x86_64`, `aarch64`, `powerpc64le`, ….
pub fn architecture_name<'data>(file: &impl Object<'data>) -> String {
    let little = file.endianness() == Endianness::Little;
    match (file.architecture(), little) {
        (Architecture::X86_64, _) => "x86_64".into(),
        (Architecture::Aarch64, true) => "aarch64".into(),
        (Architecture::Aarch64, false) => "aarch64_be".into(),
        (Architecture::I386, _) => "i386".into(),
        (Architecture::Riscv64, _) => "riscv64".into(),
        (Architecture::Riscv32, _) => "riscv32".into(),
        (Architecture::Arm, true) => "arm".into(),
        (Architecture::PowerPc64, true) => "powerpc64le".into(),
        (Architecture::PowerPc64, false) => "powerpc64".into(),
        (Architecture::S390x, _) => "s390x".into(),
        (Architecture::LoongArch64, _) => "loongarch64".into(),
        (other, _) => format!("{other:?}").to_lowercase(),
    }
}

/// The architecture of a triple by the same names: `amd64-linux` is for `x86_64`.
pub fn architecture_of_triple(triple: &str) -> String {
    let first = triple.split('-').next().unwrap_or_default();
    match first {
        "amd64" | "x86_64h" => "x86_64".into(),
        "arm64" | "arm64e" => "aarch64".into(),
        "i486" | "i586" | "i686" => "i386".into(),
        "ppc64le" => "powerpc64le".into(),
        "ppc64" => "powerpc64".into(),
        arm if arm.starts_with("armv") || arm.starts_with("thumb") => "arm".into(),
        other => other.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn triples_have_one_name_for_an_architecture() {
        let names = ["amd64-linux", "arm64-apple-macos", "i686-linux", "armv7-linux", "x86_64", "ppc64le-linux"];
        let expected = ["x86_64", "aarch64", "i386", "arm", "x86_64", "powerpc64le"];
        assert_eq!(names.map(architecture_of_triple), expected);
    }
}
