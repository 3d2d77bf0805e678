//! The names of a triple's CPUs and features, and the host's.
use inkwell::targets::{TargetMachine, TargetTriple};
use std::{
    collections::HashMap,
    ffi::{CString, c_char, c_void},
    sync::{Arc, LazyLock, Mutex, Once, PoisonError},
};

type Visit = unsafe extern "C" fn(user: *mut c_void, name: *const c_char, length: usize, on: bool);

unsafe extern "C" {
    fn hal_llvm_initialize();
    fn hal_llvm_cpus(triple: *const c_char, visit: Visit, user: *mut c_void) -> bool;
    fn hal_llvm_cpu_of_alias(alias: *const c_char, visit: Visit, user: *mut c_void);
    fn hal_llvm_object_format(triple: *const c_char, visit: Visit, user: *mut c_void);
    fn hal_llvm_features(
        triple: *const c_char,
        cpu: *const c_char,
        features: *const c_char,
        visit: Visit,
        user: *mut c_void,
    ) -> bool;
}

/// Registers LLVM's targets, once.
pub fn initialize() {
    static ONCE: Once = Once::new();
    // SAFETY: called once; registration is not thread-safe, `Once` is.
    ONCE.call_once(|| unsafe { hal_llvm_initialize() });
}

unsafe extern "C" fn collect(user: *mut c_void, name: *const c_char, length: usize, on: bool) {
    // SAFETY: the callers below pass a vector as user data; LLVM passes `length` readable bytes.
    unsafe {
        let name = std::slice::from_raw_parts(name.cast::<u8>(), length);
        (*user.cast::<Vec<(String, bool)>>()).push((String::from_utf8_lossy(name).into_owned(), on));
    }
}

fn c_string(text: &str) -> CString {
    CString::new(text.replace('\0', "")).expect("zeros are removed")
}

/// The CPU names of a triple, sorted; `None` if LLVM has no code generator for it.
pub(crate) fn cpus(triple: &str) -> Option<Vec<String>> {
    initialize();
    let mut found: Vec<(String, bool)> = Vec::new();
    // SAFETY: the strings are zero-terminated and live; `collect` is given the vector that it expects.
    let known = unsafe { hal_llvm_cpus(c_string(triple).as_ptr(), collect, (&raw mut found).cast()) };
    known.then(|| found.into_iter().map(|(name, _)| name).collect())
}

/// The name of an Arm CPU that has several: `apple-a14` for `apple-m1`; other names are returned as they are.
pub(crate) fn cpu_of_alias(alias: &str) -> String {
    let mut found: Vec<(String, bool)> = Vec::new();
    let alias = c_string(alias);
    // SAFETY: as above; `alias` lives until what was found is copied.
    unsafe { hal_llvm_cpu_of_alias(alias.as_ptr(), collect, (&raw mut found).cast()) };
    found.pop().map(|(name, _)| name).unwrap_or_default()
}

/// The format of a triple's objects, as LLVM calls it: `elf`, `macho`, `coff`, `wasm`.
pub(crate) fn object_format(triple: &str) -> String {
    let mut found: Vec<(String, bool)> = Vec::new();
    // SAFETY: as above.
    unsafe { hal_llvm_object_format(c_string(triple).as_ptr(), collect, (&raw mut found).cast()) };
    found.pop().map(|(name, _)| name).unwrap_or_default()
}

/// The features of a triple, sorted, and whether a CPU with further features (`+a,-b`) has them. The names must be known
/// (see [`cpus`]), otherwise LLVM writes to standard error by itself. Empty if LLVM does not know the triple.
pub(crate) fn features(triple: &str, cpu: &str, extra: &str) -> Arc<[(String, bool)]> {
    /// The answers so far: LLVM takes 0.1 ms for each, and every variant of a program is asked about.
    type Answers = HashMap<[String; 3], Arc<[(String, bool)]>>;
    static KNOWN: LazyLock<Mutex<Answers>> = LazyLock::new(Mutex::default);
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    let question = [triple, cpu, extra].map(str::to_owned);
    known.entry(question).or_insert_with(|| features_of_llvm(triple, cpu, extra).into()).clone()
}

fn features_of_llvm(triple: &str, cpu: &str, extra: &str) -> Vec<(String, bool)> {
    initialize();
    let mut found: Vec<(String, bool)> = Vec::new();
    // SAFETY: as above.
    unsafe {
        hal_llvm_features(
            c_string(triple).as_ptr(),
            c_string(cpu).as_ptr(),
            c_string(extra).as_ptr(),
            collect,
            (&raw mut found).cast(),
        );
    }
    found
}

/// Returns the triple of this machine.
pub(crate) fn host_triple() -> String {
    TargetMachine::get_default_triple().as_str().to_string_lossy().into_owned()
}

/// The CPU of this machine, as LLVM calls it.
pub(crate) fn host_cpu() -> String {
    TargetMachine::get_host_cpu_name().to_string()
}

/// The features that this machine has or lacks: names with `+` or `-`.
pub(crate) fn host_features() -> Vec<String> {
    TargetMachine::get_host_cpu_features().to_string().split(',').filter(|f| !f.is_empty()).map(str::to_owned).collect()
}

/// A triple with all its parts, as LLVM spells it: `aarch64-linux-gnu` becomes `aarch64-unknown-linux-gnu`.
pub fn normalize(triple: &str) -> String {
    TargetMachine::normalize_triple(&TargetTriple::create(&triple.replace('\0', "")))
        .as_str()
        .to_string_lossy()
        .into_owned()
}
