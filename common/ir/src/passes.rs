//! Upstream passes: lists them, and runs pipelines with mlir-opt's switches.
use crate::{
    Op, Session,
    handles::{append, string_ref},
};
use halyard_diag::{Error, Result};
use mlir_sys::*;
use std::{
    fs::File,
    io::{Read, Seek},
    os::fd::{AsRawFd, FromRawFd},
};

/// Options of a pipeline run.
#[derive(Debug, Clone, Copy)]
pub struct PipelineOptions {
    /// Verify the IR after each pass.
    pub verify_each: bool,
    /// Print the IR before each pass, to standard error, as mlir-opt does.
    pub print_before: bool,
    /// Print the IR after each pass, to standard error, as mlir-opt does.
    pub print_after: bool,
}

impl Default for PipelineOptions {
    fn default() -> Self {
        Self { verify_each: true, print_before: false, print_after: false }
    }
}

// The registry of passes has no C API. These are public functions of libMLIR without C++ types beyond `StringRef`,
// which is a pointer and a length passed by value, exactly `MlirStringRef`.
unsafe extern "C" {
    /// `const mlir::PassInfo *mlir::PassInfo::lookup(llvm::StringRef)`
    #[link_name = "_ZN4mlir8PassInfo6lookupEN4llvm9StringRefE"]
    fn pass_info_lookup(name: MlirStringRef) -> *const std::ffi::c_void;
    /// `const mlir::PassPipelineInfo *mlir::PassPipelineInfo::lookup(llvm::StringRef)`
    #[link_name = "_ZN4mlir16PassPipelineInfo6lookupEN4llvm9StringRefE"]
    fn pass_pipeline_info_lookup(name: MlirStringRef) -> *const std::ffi::c_void;
    /// `void mlir::printRegisteredPasses()`, which writes to `llvm::outs()`
    #[link_name = "_ZN4mlir21printRegisteredPassesEv"]
    fn print_registered_passes();
    /// `llvm::raw_fd_ostream &llvm::outs()`
    #[link_name = "_ZN4llvm4outsEv"]
    fn llvm_outs() -> *mut std::ffi::c_void;
    /// `void llvm::raw_ostream::flush_nonempty()`
    #[link_name = "_ZN4llvm11raw_ostream14flush_nonemptyEv"]
    fn flush(stream: *mut std::ffi::c_void);
}

/// Whether upstream has a pass or a pass pipeline of that name.
pub fn is_pass(name: &str) -> bool {
    crate::session::register_passes();
    // SAFETY: the name lives through the calls; the registry is complete and only read.
    unsafe { !pass_info_lookup(string_ref(name)).is_null() || !pass_pipeline_info_lookup(string_ref(name)).is_null() }
}

/// Returns all passes and pass pipelines with their options, as `mlir-opt --list-passes` prints them. Redirects
/// standard output for a moment: no other thread may write to it meanwhile.
pub fn list_passes() -> Result<String> {
    crate::session::register_passes();
    let fail = |e: std::io::Error| Error::io("write", "<memory>", &e);
    let check = |result: i32| if result < 0 { Err(fail(std::io::Error::last_os_error())) } else { Ok(result) };
    // SAFETY: plain system calls on descriptors made here; standard output is put back before anything else writes.
    let mut file = unsafe { File::from_raw_fd(check(libc::memfd_create(c"passes".as_ptr(), libc::MFD_CLOEXEC))?) };
    // SAFETY: as above.
    unsafe {
        let stdout = check(libc::dup(1))?;
        check(libc::dup2(file.as_raw_fd(), 1))?;
        print_registered_passes();
        flush(llvm_outs());
        check(libc::dup2(stdout, 1))?;
        libc::close(stdout);
    }
    let mut text = String::new();
    file.rewind().and_then(|()| file.read_to_string(&mut text)).map_err(fail)?;
    Ok(text)
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
struct Manager(MlirPassManager);

impl Drop for Manager {
    fn drop(&mut self) {
        // SAFETY: made by `Session::manager`, destroyed once.
        unsafe { mlirPassManagerDestroy(self.0) };
    }
}

/// A pipeline that a session keeps, see [`Session::run_pipeline_on`].
pub(crate) struct KnownPipeline {
    manager: Manager,
    text: String,
    verify: bool,
}

impl KnownPipeline {
    /// Sets it up. Errors: MLIR's words.
    pub(crate) fn new(session: &Session, text: &str, verify: bool) -> Result<Self, String> {
        let manager = session.manager(text)?;
        // SAFETY: the manager is live.
        unsafe { mlirPassManagerEnableVerifier(manager.0, verify) };
        Ok(Self { manager, text: text.to_owned(), verify })
    }

    /// Whether it is this one.
    pub(crate) fn is(&self, text: &str, verify: bool) -> bool {
        self.text == text && self.verify == verify
    }

    /// Runs it on an operation of the kind that it is anchored at; false if that failed.
    pub(crate) fn run(&self, op: Op) -> bool {
        // SAFETY: manager and operation are live and of one context.
        unsafe { mlirPassManagerRunOnOp(self.manager.0, op.0) }.value != 0
    }
}

/// A pipeline that is set up once and runs on any number of modules.
pub struct Passes<'s> {
    session: &'s Session,
    manager: Manager,
    text: String,
}

impl Passes<'_> {
    /// Runs it on an operation of the kind that it is anchored at. Errors: what MLIR said.
    pub fn run(&self, op: Op) -> Result<()> {
        // SAFETY: manager and operation are live and of one context.
        match unsafe { mlirPassManagerRunOnOp(self.manager.0, op.0) }.value {
            0 => Err(self.session.error(&format!("the pass pipeline `{}` failed", self.text))),
            _ => Ok(()),
        }
    }
}

impl Session {
    /// Sets a pipeline up, e.g. `builtin.module(canonicalize,func.func(cse))`. Errors: MLIR's words.
    pub fn passes(&self, pipeline: &str, verify_each: bool) -> Result<Passes<'_>, String> {
        let manager = self.manager(pipeline)?;
        // SAFETY: the manager is live.
        unsafe { mlirPassManagerEnableVerifier(manager.0, verify_each) };
        Ok(Passes { session: self, manager, text: pipeline.to_owned() })
    }

    /// Checks that MLIR can build a pipeline, e.g. `builtin.module(canonicalize,func.func(cse))`. Errors: MLIR's words.
    pub fn check_pipeline(&self, pipeline: &str) -> Result<(), String> {
        self.manager(pipeline).map(drop)
    }

    /// Runs a pipeline that is anchored at the kind of operation that it is given.
    pub fn run_pipeline_with(&self, op: Op, pipeline: &str, options: PipelineOptions) -> Result<()> {
        let manager = self
            .manager(pipeline)
            .map_err(|said| Error::usage(format!("the pass pipeline `{pipeline}` is not valid")).note(said))?;
        // SAFETY: manager, flags and operation are live and of one context; the empty path prints to standard error.
        let result = unsafe {
            mlirPassManagerEnableVerifier(manager.0, options.verify_each);
            if options.print_before || options.print_after {
                let flags = mlirOpPrintingFlagsCreate();
                mlirPassManagerEnableIRPrinting(
                    manager.0,
                    options.print_before,
                    options.print_after,
                    false,
                    false,
                    false,
                    flags,
                    string_ref(""),
                );
                mlirOpPrintingFlagsDestroy(flags);
            }
            mlirPassManagerRunOnOp(manager.0, op.0)
        };
        if result.value == 0 { Err(self.error(&format!("the pass pipeline `{pipeline}` failed"))) } else { Ok(()) }
    }

    fn manager(&self, pipeline: &str) -> Result<Manager, String> {
        crate::session::register_passes();
        let anchor = pipeline.split('(').next().unwrap_or("builtin.module").trim();
        let mut said = Vec::<u8>::new();
        // The parser of options tells wrong values on standard error, not to us.
        let ((manager, parsed), aside) = stderr_of(|| {
            // SAFETY: the context is live; `append` is given the vector that it expects.
            unsafe {
                let manager = Manager(mlirPassManagerCreateOnOperation(self.raw(), string_ref(anchor)));
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
}
