//! The builds of the libraries that this process has loaded.
use object::{
    Endianness,
    elf::{FileHeader64, NT_GNU_BUILD_ID},
    read::elf::NoteIterator,
};
use std::{
    collections::BTreeSet,
    ffi::{CStr, OsStr, c_int, c_void},
    fs,
    os::unix::ffi::OsStrExt,
    path::{Path, PathBuf},
    slice,
};

/// A library as it is in memory: its file may be another one by now, or not be readable.
struct Loaded {
    path: PathBuf,
    build: Option<Vec<u8>>,
}

/// The loaded libraries whose names begin with one of `prefixes`, each with the identifier of its build (the ELF note
/// `NT_GNU_BUILD_ID`), or with its size and time where it has none; a line each.
pub fn library_builds(prefixes: &[&str]) -> String {
    let name = |library: &Loaded| library.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let of_interest = |library: &Loaded| prefixes.iter().any(|prefix| name(library).starts_with(prefix));
    let line = |library: &Loaded| format!("{} {}\n", name(library), build(library));
    loaded().iter().filter(|l| of_interest(l)).map(line).collect::<BTreeSet<String>>().into_iter().collect()
}

fn build(library: &Loaded) -> String {
    match (&library.build, fs::metadata(&library.path)) {
        (Some(id), _) => id.iter().map(|byte| format!("{byte:02x}")).collect(),
        (None, Ok(metadata)) => format!("{} bytes, {:?}", metadata.len(), metadata.modified().ok()),
        // Like no other process, so that nothing is taken for the same.
        (None, Err(_)) => format!("unknown {} {:?}", std::process::id(), std::time::SystemTime::now()),
    }
}

fn loaded() -> Vec<Loaded> {
    let mut found: Vec<Loaded> = Vec::new();
    // SAFETY: the function is called with the list that it takes, before this returns.
    unsafe { libc::dl_iterate_phdr(Some(add), (&raw mut found).cast()) };
    found
}

unsafe extern "C" fn add(info: *mut libc::dl_phdr_info, _: usize, found: *mut c_void) -> c_int {
    // SAFETY: the loader describes a library that stays until this returns; its segments are in memory as they say.
    unsafe {
        let (info, found) = (&*info, &mut *found.cast::<Vec<Loaded>>());
        let path = Path::new(OsStr::from_bytes(CStr::from_ptr(info.dlpi_name).to_bytes())).to_owned();
        let segments = slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into());
        let notes = segments.iter().filter(|s| s.p_type == libc::PT_NOTE).find_map(|s| {
            let start = (info.dlpi_addr + s.p_vaddr) as *const u8;
            build_of(slice::from_raw_parts(start, usize::try_from(s.p_memsz).ok()?), s.p_align)
        });
        found.push(Loaded { path, build: notes });
    }
    0
}

/// The identifier of the build among notes.
fn build_of(notes: &[u8], align: u64) -> Option<Vec<u8>> {
    let mut all = NoteIterator::<FileHeader64<Endianness>>::new(Endianness::default(), align, notes).ok()?;
    while let Ok(Some(note)) = all.next() {
        if note.name() == b"GNU" && note.n_type(Endianness::default()) == NT_GNU_BUILD_ID {
            return Some(note.desc().to_vec());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use object::Object;

    #[test]
    fn libraries_have_builds() {
        let found = super::library_builds(&["libc.so"]);
        let (_, build) = found.trim_end().split_once(' ').unwrap();
        let libc = super::loaded().into_iter().find(|l| l.path.file_name().is_some_and(|n| n == "libc.so.6")).unwrap();
        let file = std::fs::read(libc.path).unwrap();
        let id = object::File::parse(&*file).unwrap().build_id().unwrap().unwrap().to_vec();
        assert_eq!(build, id.iter().map(|byte| format!("{byte:02x}")).collect::<String>());
        assert_eq!(super::library_builds(&["libnothing"]), "");
    }
}
