//! The dialects of a session.
use crate::{Session, handles::string_ref};
use mlir_sys::*;

impl Session {
    /// Loads dialects by name, e.g. `bufferization`. Parsing loads what the text uses; code that builds other operations
    /// must load their dialects first, or MLIR takes them for unregistered ones.
    pub fn load_dialects(&self, names: &[&str]) {
        for name in names {
            // SAFETY: the context is live and the name is passed with its length.
            let dialect = unsafe { mlirContextGetOrLoadDialect(self.raw(), string_ref(name)) };
            assert!(!dialect.ptr.is_null(), "dialect `{name}` is not registered");
        }
    }

    /// Whether a dialect of that name is registered; if so, loads it.
    pub fn has_dialect(&self, name: &str) -> bool {
        // SAFETY: the context is live and the name is passed with its length.
        !unsafe { mlirContextGetOrLoadDialect(self.raw(), string_ref(name)) }.ptr.is_null()
    }

    /// Whether a loaded dialect has an operation of that name.
    pub fn has_operation(&self, name: &str) -> bool {
        // SAFETY: as above.
        unsafe { mlirContextIsRegisteredOperation(self.raw(), string_ref(name)) }
    }

    /// Accepts operations of dialects that are not registered, as mlir-opt's `--allow-unregistered-dialect`.
    pub fn allow_unregistered_dialects(&self, allow: bool) {
        self.context.set_allow_unregistered_dialects(allow);
    }
}
