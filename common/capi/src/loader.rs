//! Loaders: how programs are loaded, with kernel libraries and host functions.
use crate::{
    error::{guard, path, text},
    program::CProgram,
};
use halyard_diag::{Error, Result};
use halyard_runtime::{CHostFunction, CModule, DeviceLog, LoadOptions, LoadedProgram};
use std::{
    ffi::{CString, c_char, c_void},
    path::Path,
    ptr,
    sync::Arc,
};

/// `halyard_loader_t`.
#[derive(Debug)]
pub struct CLoader {
    options: LoadOptions,
}

unsafe fn loader<'a>(loader: *mut CLoader) -> Result<&'a mut CLoader> {
    unsafe { loader.as_mut() }.ok_or_else(|| Error::usage("the loader is NULL"))
}

#[unsafe(no_mangle)]
pub extern "C" fn halyard_loader_create() -> *mut CLoader {
    guard(ptr::null_mut(), || Ok(Box::into_raw(Box::new(CLoader { options: options()? }))))
}

/// Returns the default options with which programs are loaded.
pub(crate) fn options() -> Result<LoadOptions> {
    #[cfg_attr(not(feature = "builtins"), allow(unused_mut, reason = "only those change it"))]
    let mut options = LoadOptions::default();
    #[cfg(feature = "builtins")]
    halyard_builtins::add(&mut options.modules)?;
    Ok(options)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_free(loader: *mut CLoader) {
    if !loader.is_null() {
        drop(unsafe { Box::from_raw(loader) });
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_add_plugin(to: *mut CLoader, file: *const c_char) -> i32 {
    guard(-1, || {
        let plugin = unsafe { path(file) }.map(Path::to_owned)?;
        unsafe { loader(to) }?.options.plugins.push(plugin);
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_add_library(to: *mut CLoader, file: *const c_char) -> i32 {
    guard(-1, || unsafe { loader(to)?.options.modules.add_library(path(file)?) }.map(|()| 0))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_add_module(to: *mut CLoader, module: *const CModule) -> i32 {
    guard(-1, || unsafe { loader(to)?.options.modules.add_table(module) }.map(|()| 0))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_add_function(
    to: *mut CLoader,
    name: *const c_char,
    signature: *const c_char,
    function: Option<CHostFunction>,
    state: *mut c_void,
) -> i32 {
    guard(-1, || {
        let function = function.ok_or_else(|| Error::usage("the function is NULL"))?;
        unsafe { loader(to)?.options.modules.add_c(text(name)?, text(signature)?, function, state) }.map(|()| 0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_set_constant(to: *mut CLoader, name: *const c_char, value: i64) -> i32 {
    guard(-1, || {
        let name = unsafe { text(name) }?.to_owned();
        unsafe { loader(to) }?.options.constants.insert(name, value);
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_set_device(to: *mut CLoader, device: *const c_char) -> i32 {
    guard(-1, || {
        let name = unsafe { text(device) }?;
        let device = name.parse().map_err(|why| Error::usage(format!("`{name}` is not a device: {why}")))?;
        unsafe { loader(to) }?.options.device.device = device;
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_set_fallback(to: *mut CLoader, on_cpu: i32) -> i32 {
    guard(-1, || {
        unsafe { loader(to) }?.options.device.fallback = on_cpu != 0;
        Ok(0)
    })
}

/// The application's callback for log messages, with its user data.
struct CLog(unsafe extern "C" fn(*mut c_void, *const c_char), *mut c_void);
unsafe impl Send for CLog {}
unsafe impl Sync for CLog {}

impl CLog {
    fn say(&self, text: &str) {
        let text = CString::new(text.replace('\0', " ")).unwrap_or_default();
        unsafe { (self.0)(self.1, text.as_ptr()) }
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_set_device_log(
    to: *mut CLoader,
    log: Option<unsafe extern "C" fn(*mut c_void, *const c_char)>,
    state: *mut c_void,
) -> i32 {
    guard(-1, || {
        let log = log.map(|log| CLog(log, state));
        unsafe { loader(to) }?.options.device.debug =
            log.map(|log| DeviceLog(Arc::new(move |text: &str| log.say(text))));
        Ok(0)
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_loader_load(from: *const CLoader, file: *const c_char) -> *mut CProgram {
    guard(ptr::null_mut(), || {
        let from = unsafe { from.as_ref() }.ok_or_else(|| Error::usage("the loader is NULL"))?;
        let program = LoadedProgram::load_with(unsafe { path(file) }?, &from.options)?;
        Ok(CProgram::make(program))
    })
}
