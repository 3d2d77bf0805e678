//! The plugins that are compiled in. To add one, write a crate that implements [`CompiledIn`], make it a dependency of this
//! one, and add it here.
use halyard_preprocess::CompiledIn;

/// All of them.
pub(crate) const COMPILED_IN: &[&dyn CompiledIn] = &[&halyard_budget::Budget];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::manifest::Manifest;
    use halyard_diag::Source;

    #[test]
    fn their_manifests_are_sound() {
        for plugin in COMPILED_IN {
            let manifest = Manifest::read(Source::new("plugin.toml", plugin.manifest()), None);
            assert!(manifest.is_ok(), "{:?}", manifest.err());
        }
    }
}
