//! The builds of the libraries that this process has loaded.
use memmap2::Mmap;
use object::Object;
use std::{collections::BTreeSet, fs};

/// The loaded libraries whose names begin with one of `prefixes`, each with the identifier of its build (the ELF note
/// `NT_GNU_BUILD_ID`), or with its size and time where it has none; a line each.
pub fn library_builds(prefixes: &[&str]) -> String {
    let maps = fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let paths: BTreeSet<&str> =
        maps.lines().filter_map(|line| line.split_once('/').map(|(before, _)| &line[before.len()..])).collect();
    let of_interest = |path: &&&str| {
        let name = path.rsplit('/').next().unwrap_or_default();
        prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    let line = |path: &&str| format!("{} {}\n", path.rsplit('/').next().unwrap_or_default(), build(path));
    paths.iter().filter(of_interest).map(line).collect::<BTreeSet<String>>().into_iter().collect()
}

fn build(path: &str) -> String {
    let Ok(file) = fs::File::open(path) else { return "unknown".into() };
    // SAFETY: the file is a loaded library; changing it would end this process anyway.
    let mapped = unsafe { Mmap::map(&file) };
    let id = mapped.ok().and_then(|bytes| Some(object::File::parse(&*bytes).ok()?.build_id().ok()??.to_vec()));
    match (id, file.metadata()) {
        (Some(id), _) => id.iter().map(|byte| format!("{byte:02x}")).collect(),
        (None, Ok(metadata)) => format!("{} bytes, {:?}", metadata.len(), metadata.modified().ok()),
        (None, Err(_)) => "unknown".into(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn libraries_have_builds() {
        let found = super::library_builds(&["libc.so", "libc-"]);
        assert!(found.starts_with("libc") && found.ends_with('\n'), "{found:?}");
        assert_eq!(super::library_builds(&["libnothing"]), "");
    }
}
