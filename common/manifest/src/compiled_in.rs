//! The list of compiled-in plugins. To add one, write a crate with a `PLUGIN` that implements
//! `halyard_preprocess::CompiledIn`, and a manifest, `src/plugin.toml`; put it below `common`, make it a dependency of
//! `halyard-plugins`, and add it to this list.

/// The list: calls a macro with the folder and the crate of each.
#[macro_export]
macro_rules! compiled_in {
    ($each:ident) => {
        $each! { "budget" halyard_budget }
    };
}

macro_rules! manifests {
    ($($folder:literal $plugin:ident)*) => {
        /// The manifests of all. Tools that read no programs see these only, and load no MLIR.
        pub(crate) const MANIFESTS: &[&str] =
            &[$(include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/../", $folder, "/src/plugin.toml"))),*];
    };
}

compiled_in!(manifests);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Manifest;
    use halyard_diag::Source;

    #[test]
    fn their_manifests_are_sound() {
        for text in MANIFESTS {
            let manifest = Manifest::read(Source::new("plugin.toml", *text), None);
            assert!(manifest.is_ok(), "{:?}", manifest.err());
        }
    }
}
