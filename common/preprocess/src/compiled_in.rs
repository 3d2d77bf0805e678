//! The trait that plugins written as Rust crates implement. `common/plugins` lists them.
use halyard_diag::Result;
use halyard_ir::{Op, Session};
use halyard_stages::Variables;

/// A plugin that is compiled in. It has the standing of a folder: a manifest, without files, whose stages may say
/// `call = "NAME"`.
pub trait CompiledIn: Sync {
    /// Does what `call = "NAME"` says with a module, or with an executable as if it were one; it may change it. What people
    /// should know goes to [`Session::say`]. Errors: the function's own.
    fn call(&self, name: &str, session: &Session, module: Op, options: &Variables) -> Result<()>;
}
