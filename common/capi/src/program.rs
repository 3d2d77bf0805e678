//! Programs and their signatures.
use crate::error::{guard, list, path, to_write};
use halyard_diag::{Error, Result};
use halyard_runtime::{DType, LoadOptions, LoadedProgram, TensorSpec};
use std::{
    ffi::{CString, c_char},
    path::Path,
    ptr,
};

/// `halyard_program_t`: a program with its signatures as C reads them.
#[derive(Debug)]
pub struct CProgram {
    pub(crate) program: LoadedProgram,
    functions: Vec<Signature>,
    states: Vec<Spec>,
}

#[derive(Debug)]
struct Signature {
    name: CString,
    inputs: Vec<Spec>,
    outputs: Vec<Spec>,
}

#[derive(Debug)]
struct Spec {
    name: Option<CString>,
    dtype: u32,
    shape: Vec<i64>,
}

/// `halyard_spec_t`.
#[repr(C)]
#[derive(Debug)]
pub struct CSpec {
    name: *const c_char,
    dtype: u32,
    rank: usize,
    shape: *const i64,
}

fn spec(spec: &TensorSpec) -> Spec {
    Spec {
        name: spec.name.clone().and_then(|n| CString::new(n).ok()),
        dtype: DType::ALL.iter().position(|&d| d == spec.dtype).unwrap_or(0) as u32,
        shape: spec.shape.iter().map(|d| d.map_or(-1, |d| d as i64)).collect(),
    }
}

impl CProgram {
    /// Moves a program to the heap and returns the pointer for C, which must free it.
    pub(crate) fn make(program: LoadedProgram) -> *mut Self {
        let functions = program
            .functions()
            .iter()
            .map(|f| Signature {
                name: CString::new(f.name.clone()).unwrap_or_default(),
                inputs: f.inputs.iter().map(spec).collect(),
                outputs: f.outputs.iter().map(spec).collect(),
            })
            .collect();
        let states = program.states().map(spec).collect();
        Box::into_raw(Box::new(Self { program, functions, states }))
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_load(file: *const c_char) -> *mut CProgram {
    unsafe { halyard_program_load_with_plugins(file, ptr::null(), 0) }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_load_with_plugins(
    file: *const c_char,
    plugins: *const *const c_char,
    count: usize,
) -> *mut CProgram {
    guard(ptr::null_mut(), || {
        let plugins = unsafe { list(plugins, count, || "the plugins") }?;
        let plugins = plugins.iter().map(|&p| unsafe { path(p) }.map(Path::to_owned)).collect::<Result<Vec<_>>>()?;
        let options = LoadOptions { plugins, ..crate::loader::options()? };
        Ok(CProgram::make(LoadedProgram::load_with(unsafe { path(file) }?, &options)?))
    })
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_free(program: *mut CProgram) {
    if !program.is_null() {
        drop(unsafe { Box::from_raw(program) });
    }
}

unsafe fn function<'a>(program: *const CProgram, index: usize) -> Result<&'a Signature> {
    let program = unsafe { program.as_ref() }.ok_or_else(|| Error::usage("the program is NULL"))?;
    program
        .functions
        .get(index)
        .ok_or_else(|| Error::usage(format!("there is no function {index}, there are {}", program.functions.len())))
}

fn give(specs: &[Spec], index: usize, to: *mut CSpec) -> Result<i32> {
    let to = unsafe { to_write(to, "the spec") }?;
    let found = specs
        .get(index)
        .ok_or_else(|| Error::usage(format!("there is no tensor {index}, there are {}", specs.len())))?;
    let name = found.name.as_ref().map_or(ptr::null(), |n| n.as_ptr());
    unsafe { to.write(CSpec { name, dtype: found.dtype, rank: found.shape.len(), shape: found.shape.as_ptr() }) };
    Ok(0)
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_function_count(program: *const CProgram) -> usize {
    unsafe { program.as_ref() }.map_or(0, |p| p.functions.len())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_function_name(program: *const CProgram, index: usize) -> *const c_char {
    guard(ptr::null(), || Ok(unsafe { function(program, index) }?.name.as_ptr()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_input_count(program: *const CProgram, index: usize) -> usize {
    guard(0, || Ok(unsafe { function(program, index) }?.inputs.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_output_count(program: *const CProgram, index: usize) -> usize {
    guard(0, || Ok(unsafe { function(program, index) }?.outputs.len()))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_input(
    program: *const CProgram,
    index: usize,
    input: usize,
    to: *mut CSpec,
) -> i32 {
    guard(-1, || give(&unsafe { function(program, index) }?.inputs, input, to))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_output(
    program: *const CProgram,
    index: usize,
    output: usize,
    to: *mut CSpec,
) -> i32 {
    guard(-1, || give(&unsafe { function(program, index) }?.outputs, output, to))
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_state_count(program: *const CProgram) -> usize {
    unsafe { program.as_ref() }.map_or(0, |p| p.states.len())
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn halyard_program_state(program: *const CProgram, state: usize, to: *mut CSpec) -> i32 {
    guard(-1, || {
        let program = unsafe { program.as_ref() }.ok_or_else(|| Error::usage("the program is NULL"))?;
        give(&program.states, state, to)
    })
}
