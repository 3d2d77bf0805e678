//! The available modules and their functions.
use super::{
    HostCall,
    ffi::{self, CHostFunction, CModule, MODULE_ABI},
    signature::Signature,
};
use crate::shared_library::{Role, SharedLibrary};
use halyard_diag::{Error, Result};
use std::{
    ffi::{c_char, c_void},
    fmt,
    path::Path,
    ptr,
    sync::Arc,
};

/// The implementation of a host function. Its error message becomes that of the call.
pub(super) type Function = dyn Fn(&mut HostCall<'_>) -> Result<(), String> + Send + Sync;

/// The symbol of a library's description.
const SYMBOL: &str = "hal_module";
const ROLE: Role = Role { word: "module", code: "bad-module" };

/// Functions that programs may call, see [`crate::LoadOptions`]. Clones share them.
#[derive(Clone, Default)]
pub struct Modules {
    pub(super) list: Vec<Arc<Module>>,
    /// Built-in modules, used where no other module has a function of that name.
    pub(super) builtin: Vec<Arc<Module>>,
}

pub(super) struct Module {
    /// The module's name, such as `vocab`.
    pub(super) name: String,
    /// The origin in messages: `` `vocab.so` ``, `the application`.
    pub(super) shown: String,
    pub(super) version: Option<u32>,
    pub(super) functions: Vec<Entry>,
}

pub(super) struct Entry {
    pub(super) name: String,
    pub(super) signature: Signature,
    pub(super) function: Arc<Function>,
}

/// A module that C described: what keeps its functions callable.
struct Started {
    state: *mut c_void,
    stop: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Unloaded after `stop` has run.
    _library: Option<SharedLibrary>,
}
// SAFETY: the state is the module's own, whose functions are called by several threads, as `module.h` says.
unsafe impl Send for Started {}
// SAFETY: as above.
unsafe impl Sync for Started {}

impl Drop for Started {
    fn drop(&mut self) {
        if let Some(stop) = self.stop {
            // SAFETY: the module gave the function and the state; nothing calls the module any more.
            unsafe { stop(self.state) }
        }
    }
}

impl Modules {
    /// The functions of shared libraries. Errors: what [`Modules::add_library`] says.
    pub fn of_libraries<P: AsRef<Path>>(paths: &[P]) -> Result<Self> {
        let mut modules = Self::default();
        paths.iter().try_for_each(|path| modules.add_library(path.as_ref()))?;
        Ok(modules)
    }

    /// Adds the functions of a shared library. Errors: it cannot be loaded, is no module or one for another version of
    /// the interface, describes itself wrongly, or does not start.
    pub fn add_library(&mut self, path: &Path) -> Result<()> {
        let library = SharedLibrary::load(path, ROLE)?;
        let shown = format!("`{}`", path.display());
        let Some(at) = library.address(SYMBOL) else {
            return Err(Error::input(format!("{shown} is a shared library, but no module: it has no `{SYMBOL}`"))
                .code(ROLE.code)
                .hint(
                    "describe its functions with `HAL_MODULE`, see `halyard/module.h`; what kernels call is a plugin \
                     (`--executable-plugin`)",
                ));
        };
        // SAFETY: the header declares the symbol as a `hal_module_t`.
        unsafe { self.add_described(at as *const CModule, shown, Some(library)) }
    }

    /// Adds the functions that a C application describes. Errors: as for libraries.
    ///
    /// # Safety
    /// The description is as `halyard/module.h` says, and lives as long as programs that use it, as do its functions.
    pub unsafe fn add_table(&mut self, module: *const CModule) -> Result<()> {
        if module.is_null() {
            return Err(Error::usage("the module is NULL"));
        }
        // SAFETY: the caller's promise.
        unsafe { self.add_described(module, "the application".into(), None) }
    }

    /// Adds a function of this process: its name, `module.function`, and its signature as in `halyard/module.h`.
    /// Errors: a malformed name or signature; another function of that name.
    pub fn add(
        &mut self,
        name: &str,
        signature: &str,
        function: impl Fn(&mut HostCall<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<()> {
        let module = module_of(name, signature, Arc::new(function), "the application")?;
        self.push(module)
    }

    /// Adds a built-in function, which is called unless another module has one of that name; messages do not suggest
    /// it.
    pub fn add_builtin(
        &mut self,
        name: &str,
        signature: &str,
        function: impl Fn(&mut HostCall<'_>) -> Result<(), String> + Send + Sync + 'static,
    ) -> Result<()> {
        self.builtin.push(Arc::new(module_of(name, signature, Arc::new(function), "this runtime")?));
        Ok(())
    }

    /// Adds a function in C, like [`Modules::add`].
    ///
    /// # Safety
    /// The function must be as `halyard/module.h` requires, and must live as long as programs that use it, as must its
    /// state.
    pub unsafe fn add_c(
        &mut self,
        name: &str,
        signature: &str,
        function: CHostFunction,
        state: *mut c_void,
    ) -> Result<()> {
        let started = Arc::new(Started { state, stop: None, _library: None });
        let module = module_of(name, signature, from_c(function, &started), "the application")?;
        self.push(module)
    }

    /// Adds a module of one function. Errors: there is one of that name.
    fn push(&mut self, module: Module) -> Result<()> {
        let own = &module.functions[0].name;
        if self.list.iter().any(|m| m.name == module.name && m.functions.iter().any(|e| e.name == *own)) {
            let message = format!("host function `{}.{own}` is there already", module.name);
            return Err(Error::usage(message).code("duplicate-host-function"));
        }
        self.list.push(Arc::new(module));
        Ok(())
    }

    /// # Safety
    /// See [`Modules::add_table`].
    unsafe fn add_described(
        &mut self,
        module: *const CModule,
        shown: String,
        library: Option<SharedLibrary>,
    ) -> Result<()> {
        let bad = |what: String| Error::input(format!("module {shown} {what}")).code(ROLE.code);
        // SAFETY: the version is the first field in all versions.
        let abi = unsafe { module.cast::<u32>().read() };
        if abi != MODULE_ABI {
            return Err(bad(format!("was made for version {abi} of modules, this runtime has version {MODULE_ABI}"))
                .hint("compile it again with the headers of this release"));
        }
        // SAFETY: of this version, so of this type; the caller's promise.
        let module = unsafe { &*module };
        // SAFETY: as above.
        let name = unsafe { ffi::text(module.name) }.filter(|n| is_word(n));
        let name = name.ok_or_else(|| bad("has no name of letters, digits and `_`".into()))?;
        let entries = if module.function_count == 0 || module.functions.is_null() {
            &[]
        } else {
            // SAFETY: as above.
            unsafe { std::slice::from_raw_parts(module.functions, module.function_count) }
        };
        let mut read: Vec<(String, Signature, CHostFunction)> = Vec::new();
        for (i, entry) in entries.iter().enumerate() {
            // SAFETY: as above.
            let (own, signature) = unsafe { (ffi::text(entry.name), ffi::text(entry.signature)) };
            let own = own.filter(|n| is_word(n));
            let own = own.ok_or_else(|| bad(format!("has no name for function {i}: letters, digits and `_`")))?;
            let signature = read_signature(&format!("{name}.{own}"), &signature.unwrap_or_default())
                .map_err(|e| e.note(format!("it is a function of {shown}")))?;
            let function = entry.function.ok_or_else(|| bad(format!("has no address for `{own}`")))?;
            if read.iter().any(|(other, ..)| *other == own) {
                return Err(bad(format!("has two functions `{own}`")));
            }
            read.push((own, signature, function));
        }
        let mut state = ptr::null_mut();
        if let Some(start) = module.start {
            let mut said = [0 as c_char; 512];
            // SAFETY: as above; the message has room for its last zero.
            let status = unsafe { start(&raw mut state, said.as_mut_ptr(), said.len()) };
            if status != 0 {
                said[said.len() - 1] = 0;
                // SAFETY: it ends with zero.
                let why = unsafe { ffi::text(said.as_ptr()) }.filter(|w| !w.is_empty());
                let why = why.unwrap_or_else(|| format!("it returned {status}"));
                return Err(Error::environment(format!("module {shown} does not start: {why}")).code(ROLE.code));
            }
        }
        let started = Arc::new(Started { state, stop: module.stop, _library: library });
        let functions = read
            .into_iter()
            .map(|(name, signature, function)| Entry { name, signature, function: from_c(function, &started) })
            .collect();
        self.list.push(Arc::new(Module { name, shown, version: Some(module.version), functions }));
        Ok(())
    }
}

/// A module of one function, whose name is `module.function`.
fn module_of(name: &str, signature: &str, function: Arc<Function>, shown: &str) -> Result<Module> {
    let Some((module, own)) = name.split_once('.').filter(|(m, f)| is_word(m) && is_word(f)) else {
        return Err(Error::usage(format!("`{name}` is not a name of a host function"))
            .code(ROLE.code)
            .hint("write `module.function`, letters, digits and `_`"));
    };
    let entry = Entry { name: own.to_owned(), signature: read_signature(name, signature)?, function };
    Ok(Module { name: module.to_owned(), shown: shown.to_owned(), version: None, functions: vec![entry] })
}

fn from_c(function: CHostFunction, started: &Arc<Started>) -> Arc<Function> {
    let started = started.clone();
    // SAFETY: who added the function promised that it can be called like this.
    Arc::new(move |call| unsafe { ffi::invoke(function, started.state, call) })
}

fn read_signature(name: &str, text: &str) -> Result<Signature> {
    Signature::parse(text).map_err(|why| {
        Error::input(format!("the signature of host function `{name}` is malformed: {why}"))
            .code(ROLE.code)
            .note(format!("it is `{text}`"))
            .hint("write it like `(tensor<?x8xf32>, i64) -> tensor<?xf32>`")
    })
}

fn is_word(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
}

impl fmt::Debug for Modules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.list.iter().map(|m| &m.shown)).finish()
    }
}
