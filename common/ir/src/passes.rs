//! Upstream passes: lists them, and runs pipelines with mlir-opt's switches.
use crate::{
    Op, Session,
    handles::string_ref,
    pass_manager::{PassManager, register_passes},
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
    register_passes();
    // SAFETY: the name lives through the calls; the registry is complete and only read.
    unsafe { !pass_info_lookup(string_ref(name)).is_null() || !pass_pipeline_info_lookup(string_ref(name)).is_null() }
}

/// Returns all passes and pass pipelines with their options, as `mlir-opt --list-passes` prints them. Redirects
/// standard output for a moment: no other thread may write to it meanwhile.
pub fn list_passes() -> Result<String> {
    register_passes();
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

/// A pipeline that is set up once and runs on any number of modules.
pub struct Passes<'s> {
    session: &'s Session,
    manager: PassManager,
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
        let manager = PassManager::parse(self.raw(), pipeline)?;
        // SAFETY: the manager is live.
        unsafe { mlirPassManagerEnableVerifier(manager.0, verify_each) };
        Ok(Passes { session: self, manager, text: pipeline.to_owned() })
    }

    /// Checks that MLIR can build a pipeline, e.g. `builtin.module(canonicalize,func.func(cse))`. Errors: MLIR's words.
    pub fn check_pipeline(&self, pipeline: &str) -> Result<(), String> {
        PassManager::parse(self.raw(), pipeline).map(drop)
    }

    /// Runs a pipeline that is anchored at the kind of operation that it is given.
    pub fn run_pipeline_with(&self, op: Op, pipeline: &str, options: PipelineOptions) -> Result<()> {
        let manager = PassManager::parse(self.raw(), pipeline)
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
}
