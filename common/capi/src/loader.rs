//! Loaders: programs with plugins and host functions.
use crate::{
    error::{guard, path, text},
    program::CProgram,
};
use halyard_diag::{Error, Result};
use halyard_runtime::{CHostFunction, CModule, LoadOptions, Program};
use std::{
    ffi::{c_char, c_void},
    path::Path,
    ptr,
};

/// `halyard_loader_t`.
#[derive(Debug, Default)]
pub struct CLoader {
    options: LoadOptions,
}

unsafe fn loader<'a>(loader: *mut CLoader) -> Result<&'a mut CLoader> {
    unsafe { loader.as_mut() }.ok_or_else(|| Error::usage("the loader is NULL"))
}

#[unsafe(no_mangle)]
pub extern "C" fn halyard_loader_create() -> *mut CLoader {
    Box::into_raw(Box::default())
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
pub unsafe extern "C" fn halyard_loader_load(from: *const CLoader, file: *const c_char) -> *mut CProgram {
    guard(ptr::null_mut(), || {
        let from = unsafe { from.as_ref() }.ok_or_else(|| Error::usage("the loader is NULL"))?;
        let program = Program::load_with(unsafe { path(file) }?, &from.options)?;
        Ok(CProgram::make(program))
    })
}
