//! Pass managers: set up from text, and kept for the next time.
use crate::handles::{Op, append, string_ref};
use melior::utility::register_all_passes;
use mlir_sys::*;
use std::{
    cell::RefCell,
    fs::File,
    io::{Read, Seek},
    os::fd::FromRawFd,
    rc::Rc,
    sync::Once,
};

/// Registers upstream's passes, once in a process, when first one is asked for: tools that run none start sooner.
pub(crate) fn register_passes() {
    static PASSES: Once = Once::new();
    PASSES.call_once(register_all_passes);
}

/// Runs something short and catches what it writes to standard error past us. Where that cannot be redirected, it is not
/// caught.
fn stderr_of<T>(run: impl FnOnce() -> T) -> (T, String) {
    // SAFETY: plain system calls on descriptors made here; standard error is put back before anything else happens.
    unsafe {
        let caught = libc::memfd_create(c"stderr".as_ptr(), libc::MFD_CLOEXEC);
        let stderr = libc::fcntl(2, libc::F_DUPFD_CLOEXEC, 3);
        if caught < 0 || stderr < 0 || libc::dup2(caught, 2) < 0 {
            return (run(), String::new());
        }
        let result = run();
        libc::dup2(stderr, 2);
        libc::close(stderr);
        let mut file = File::from_raw_fd(caught);
        let mut text = Vec::new();
        let read = file.rewind().and_then(|()| file.read_to_end(&mut text));
        (result, read.map_or_else(|_| String::new(), |_| String::from_utf8_lossy(&text).into_owned()))
    }
}

/// A pass manager that is destroyed when dropped.
pub(crate) struct PassManager(pub(crate) MlirPassManager);

impl Drop for PassManager {
    fn drop(&mut self) {
        // SAFETY: made by `PassManager::parse`, destroyed once.
        unsafe { mlirPassManagerDestroy(self.0) };
    }
}

impl PassManager {
    /// Makes one of a textual pipeline, e.g. `builtin.module(canonicalize,func.func(cse))`. Errors: MLIR's words.
    pub(crate) fn parse(context: MlirContext, pipeline: &str) -> Result<Self, String> {
        register_passes();
        let anchor = pipeline.split('(').next().unwrap_or("builtin.module").trim();
        let mut said = Vec::<u8>::new();
        // The parser of options tells wrong values on standard error, not to us.
        let ((manager, parsed), aside) = stderr_of(|| {
            // SAFETY: the context is live; `append` is given the vector that it expects.
            unsafe {
                let manager = Self(mlirPassManagerCreateOnOperation(context, string_ref(anchor)));
                let passes = mlirPassManagerGetAsOpPassManager(manager.0);
                let parsed = mlirParsePassPipeline(passes, string_ref(pipeline), Some(append), (&raw mut said).cast());
                (manager, parsed)
            }
        });
        if parsed.value != 0 {
            return Ok(manager);
        }
        Err(format!("{aside}{}", String::from_utf8_lossy(&said)).trim().to_owned())
    }

    /// Runs it on an operation of the kind that it is anchored at; false if that failed.
    pub(crate) fn run(&self, op: Op) -> bool {
        // SAFETY: manager and operation are live and of one context.
        unsafe { mlirPassManagerRunOnOp(self.0, op.0) }.value != 0
    }
}

/// The pipelines that were run in a context: each is set up once, since to parse it and to collect the patterns of its passes
/// takes longer than to run it on a small operation.
#[derive(Default)]
pub(crate) struct KnownPipelines(RefCell<Vec<(String, bool, Rc<PassManager>)>>);

impl KnownPipelines {
    /// The manager of a pipeline that verifies after each pass, or does not. Errors: MLIR's words.
    pub(crate) fn get(&self, context: MlirContext, text: &str, verify: bool) -> Result<Rc<PassManager>, String> {
        let known = self.0.borrow().iter().find(|(t, v, _)| t == text && *v == verify).map(|(.., m)| m.clone());
        if let Some(manager) = known {
            return Ok(manager);
        }
        let manager = Rc::new(PassManager::parse(context, text)?);
        // SAFETY: the manager is live.
        unsafe { mlirPassManagerEnableVerifier(manager.0, verify) };
        self.0.borrow_mut().push((text.to_owned(), verify, manager.clone()));
        Ok(manager)
    }
}
