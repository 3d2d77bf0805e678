//! What there is to call: modules and their functions.
use super::{
    HostCall,
    ffi::{self, CHostFunction, CModule, MODULE_ABI},
    signature::Signature,
};
use crate::{
    schedule::HostFunction,
    shared_library::{Role, SharedLibrary},
};
use halyard_diag::{Error, Result, nearest};
use std::{
    ffi::{c_char, c_void},
    fmt,
    path::Path,
    ptr,
    sync::Arc,
};

/// What a host function does. The message of an error becomes that of the call.
type Function = dyn Fn(&mut HostCall<'_>) -> Result<(), String> + Send + Sync;

/// The symbol of a library's description.
const SYMBOL: &str = "hal_module";
const ROLE: Role = Role { word: "module", code: "bad-module" };

/// Functions that programs may call, see [`crate::LoadOptions`]. Clones share them.
#[derive(Clone, Default)]
pub struct Modules {
    list: Vec<Arc<Module>>,
}

struct Module {
    /// `vocab`.
    name: String,
    /// What messages call it: `` `vocab.so` ``, `the application`.
    shown: String,
    version: Option<u32>,
    functions: Vec<Entry>,
}

struct Entry {
    name: String,
    signature: Signature,
    function: Arc<Function>,
}

/// A host function of a program, found.
#[derive(Clone)]
pub(crate) struct Bound {
    /// What messages call its module.
    pub(crate) module: String,
    pub(super) function: Arc<Function>,
}

/// A module that C described: what keeps its functions callable.
struct Started {
    state: *mut c_void,
    stop: Option<unsafe extern "C" fn(*mut c_void)>,
    /// Unloaded after `stop`.
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
                .hint("describe its functions with `HAL_MODULE`, see `halyard/module.h`; libraries of functions that kernels call go to `--executable-plugin`"));
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
        self.add_shared(name, signature, Arc::new(function))
    }

    /// The same for a function in C.
    ///
    /// # Safety
    /// The function is as `halyard/module.h` says, and lives as long as programs that use it, as does its state.
    pub unsafe fn add_c(
        &mut self,
        name: &str,
        signature: &str,
        function: CHostFunction,
        state: *mut c_void,
    ) -> Result<()> {
        let started = Arc::new(Started { state, stop: None, _library: None });
        self.add_shared(name, signature, from_c(function, &started))
    }

    fn add_shared(&mut self, name: &str, signature: &str, function: Arc<Function>) -> Result<()> {
        let Some((module, own)) = name.split_once('.').filter(|(m, f)| is_word(m) && is_word(f)) else {
            return Err(Error::usage(format!("`{name}` is no name of a host function"))
                .code(ROLE.code)
                .hint("write `module.function`, letters, digits and `_`"));
        };
        if self.list.iter().any(|m| m.name == module && m.functions.iter().any(|e| e.name == own)) {
            return Err(
                Error::usage(format!("host function `{name}` is there already")).code("duplicate-host-function")
            );
        }
        let entry = Entry { name: own.to_owned(), signature: read_signature(name, signature)?, function };
        self.list.push(Arc::new(Module {
            name: module.to_owned(),
            shown: "the application".into(),
            version: None,
            functions: vec![entry],
        }));
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

    /// Finds the host functions of a program; also gives the modules of libraries that it has no use for. Errors:
    /// functions that are missing, in two modules, of another version or signature: all of them, with who calls them.
    pub(crate) fn bind(&self, functions: &[HostFunction]) -> Result<(Vec<Bound>, Vec<String>)> {
        let mut bound = Vec::new();
        let mut problems: Vec<Error> = Vec::new();
        let mut used = vec![false; self.list.len()];
        for called in functions {
            match self.find(called, &mut used) {
                Ok(found) => bound.push(found),
                Err(e) => problems.push(e),
            }
        }
        let Some(mut first) = problems.pop() else {
            let idle = self.list.iter().zip(used).filter(|(m, used)| !used && m.version.is_some());
            return Ok((bound, idle.map(|(m, _)| m.shown.clone()).collect()));
        };
        for e in problems.into_iter().rev() {
            first.kind = first.kind.min(e.kind);
            first.diagnostics.splice(0..0, e.diagnostics);
        }
        Err(first)
    }

    fn find(&self, called: &HostFunction, used: &mut [bool]) -> Result<Bound> {
        let name = &called.name;
        let (module, own) = name.split_once('.').unwrap_or((name, ""));
        let having = |m: &Module| m.name == module && m.functions.iter().any(|e| e.name == own);
        let found: Vec<usize> = (0..self.list.len()).filter(|&i| having(&self.list[i])).collect();
        let by = |error: Error| {
            let callers: Vec<_> = called.called_by.iter().map(|f| format!("`@{f}`")).collect();
            error.note(format!("{} of the program calls `{name}` as `{}`", callers.join(", "), called.signature()))
        };
        let index = match *found {
            [one] => one,
            [] => return Err(by(self.missing(called, module))),
            [first, second, ..] => {
                let (first, second) = (&self.list[first].shown, &self.list[second].shown);
                let message = format!("host function `{name}` is in two modules: {first} and {second}");
                return Err(by(Error::input(message).code("duplicate-host-function")).hint("load one of them"));
            }
        };
        used[index] = true;
        let module = &self.list[index];
        if let (Some(wants), Some(is)) = (called.version, module.version)
            && wants != is
        {
            let message = format!(
                "the program wants version {wants} of module `{}`, {} is version {is}",
                module.name, module.shown
            );
            return Err(by(Error::input(message).code("wrong-module-version")));
        }
        let entry = module.functions.iter().find(|e| e.name == own).expect("just found");
        if let Some(difference) = entry.signature.differs(called) {
            let message = format!("host function `{name}` has another signature than the program expects");
            return Err(by(Error::input(message).code("host-signature"))
                .note(format!("{} has it as `{}`", module.shown, entry.signature))
                .note(difference));
        }
        Ok(Bound { module: module.shown.clone(), function: entry.function.clone() })
    }

    fn missing(&self, called: &HostFunction, module: &str) -> Error {
        let name = &called.name;
        let same: Vec<&Arc<Module>> = self.list.iter().filter(|m| m.name == module).collect();
        let whence = match &same[..] {
            [] if self.list.is_empty() => "and no module is given".into(),
            [] => format!("and no module `{module}` is given"),
            [one] => format!("which {} does not have", one.shown),
            _ => format!("which no module `{module}` has"),
        };
        let mut error = Error::environment(format!("the program needs host function `{name}`, {whence}"))
            .code("missing-host-function");
        let all: Vec<String> =
            self.list.iter().flat_map(|m| m.functions.iter().map(|e| format!("{}.{}", m.name, e.name))).collect();
        let near: Vec<_> =
            nearest(name, all.iter().map(String::as_str)).into_iter().map(|n| format!("`{n}`")).collect();
        if !near.is_empty() {
            error = error.note(format!("there is {}", near.join(", ")));
        } else if !all.is_empty() {
            let all: Vec<_> = all.iter().take(20).map(|n| format!("`{n}`")).collect();
            error = error.note(format!("there is {}", all.join(", ")));
        }
        error.hint("name the library that has it: `--module=FILE.so`")
    }
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

impl fmt::Debug for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a function of {}", self.module)
    }
}
