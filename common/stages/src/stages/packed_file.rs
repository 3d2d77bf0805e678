//! A file that a stage needs to run elsewhere.

/// A file of a stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackedFile {
    /// What the stage calls it: a path below a folder of their own.
    pub name: String,
    /// Its name in messages.
    pub shown: String,
    /// Its contents.
    pub bytes: Vec<u8>,
}
