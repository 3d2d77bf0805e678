//! The stages that come with us: the folder `library`, inside the binary.
use include_dir::{Dir, include_dir};

static LIBRARY: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/library");

/// What stands in a file of the library.
pub(super) fn read(name: &str) -> Option<&'static [u8]> {
    LIBRARY.get_file(name).map(include_dir::File::contents)
}

/// The names of all files, sorted.
pub(super) fn names() -> Vec<&'static str> {
    let mut names: Vec<_> = LIBRARY.files().filter_map(|f| f.path().to_str()).collect();
    names.sort_unstable();
    names
}
