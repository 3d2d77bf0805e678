//! The functions of the compiled-in plugins; `common/manifest/src/compiled_in.rs` has the list.
use halyard_preprocess::CompiledIn;

macro_rules! functions {
    ($($folder:literal $plugin:ident)*) => {
        /// The functions of the plugin of a name.
        pub(crate) fn code(name: &str) -> Option<&'static dyn CompiledIn> {
            $(if name == $folder {
                return Some(&$plugin::PLUGIN);
            })*
            None
        }
    };
}

halyard_manifest::compiled_in!(functions);
