//! Records the files that tools wrote into a folder of executables, so that edits made since can be detected.
//!
//! The record is a file in the folder, [`Written::FILE`], in the form of `b3sum`: a BLAKE3 hash and a name a line.
use halyard_diag::{Error, Result, Source, Span};
use std::{collections::BTreeMap, fs, io, path::Path};

/// The files that were written, by name, with the hash of their contents.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Written(BTreeMap<String, String>);

impl Written {
    /// The file name of the record. It is hidden because mainly tools read it; `b3sum -c` accepts it.
    pub const FILE: &str = ".halyard.b3sum";

    /// Reads the record of a folder; `None` if there is none. Errors: one that cannot be read, or is damaged.
    pub fn of(folder: &Path) -> Result<Option<Self>> {
        let path = folder.join(Self::FILE);
        match fs::read(&path) {
            Ok(bytes) => Self::parse(&String::from_utf8_lossy(&bytes), &path.display().to_string()).map(Some),
            Err(e) if e.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(e) => Err(Error::io("read", &path, &e)),
        }
    }

    /// Reads a record; `file` is what messages call it. Errors: a line that is none of a record.
    pub fn parse(text: &str, file: &str) -> Result<Self> {
        let mut start = 0;
        let mut files = BTreeMap::new();
        for line in text.split_inclusive('\n') {
            let range = start..start + line.trim_end().len();
            start += line.len();
            let hex = |hash: &str| hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
            match line.trim_end().split_once("  ").filter(|(hash, name)| hex(hash) && !name.is_empty()) {
                Some((hash, name)) => files.insert(name.to_owned(), hash.to_owned()),
                None => {
                    return Err(Error::input(
                        "this line of the record is malformed: expected a BLAKE3 hash, two spaces and a name",
                    )
                    .at(Span::new(&Source::new(file, text), range))
                    .code("damaged-record")
                    .hint("remove the record; which files were edited is not known then"));
                }
            };
        }
        Ok(Self(files))
    }

    /// Returns the contents of the record file.
    pub fn text(&self) -> String {
        self.0.iter().map(|(name, hash)| format!("{hash}  {name}\n")).collect()
    }

    /// Adds a file that is written with these contents.
    pub fn add(&mut self, name: &str, contents: &[u8]) {
        self.0.insert(name.to_owned(), blake3::hash(contents).to_hex().to_string());
    }

    /// Returns the names of all files.
    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// Whether a file is as a tool wrote it; false for files that no tool wrote.
    pub fn is_unchanged(&self, name: &str, contents: &[u8]) -> bool {
        self.0.get(name).is_some_and(|hash| **hash == *blake3::hash(contents).to_hex())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_come_back() {
        let mut written = Written::default();
        written.add("e.mlir", b"module");
        written.add("halyard/kernel.h", b"");
        assert_eq!(Written::parse(&written.text(), "r").unwrap(), written);
        assert!(written.is_unchanged("e.mlir", b"module") && written.all().eq(["e.mlir", "halyard/kernel.h"]));
        assert!(!written.is_unchanged("e.mlir", b"module ") && !written.is_unchanged("f.mlir", b"module"));
        for damaged in [format!("{}nonsense\n", written.text()), "12  e.mlir\n".into(), "\n".into()] {
            assert!(Written::parse(&damaged, "r").is_err(), "{damaged}");
        }
    }
}
