//! `--as=glsl` and `--as=cuda`: writes GPU kernels that compile unedited, as a starting point.
//!
//! The interface is that of the kernel ABI: buffers, constants, load-time constants. The body is a reference: a thread
//! computes elements of the result from the operands, one by one, with the expressions of [`element`]. If that is
//! impossible, the body is empty, and comments describe the computation and the numbering of threads.

mod cuda;
mod element;
mod glsl;
mod moves;
mod nest;
mod reference;

pub(crate) use glsl::glsl_file;

use crate::{args::ExtractKind, c::safe, expression::index::count};
use halyard_ir::{
    Type,
    form::{Executable, Export, Interface, load_constants},
};

/// A language with one file for all exports of an executable.
pub(crate) struct SourceLanguage {
    /// The language's name in messages.
    pub(crate) name: &'static str,
    /// The suffix of files.
    pub(crate) suffix: &'static str,
    /// Writes the file of an executable.
    pub(crate) file: fn(Executable) -> GpuFile,
    /// Included files: names and texts.
    pub(crate) beside: &'static [(&'static str, &'static str)],
}

/// The languages, each with what `--as` calls it.
pub(crate) const LANGUAGES: [(ExtractKind, SourceLanguage); 1] = [(ExtractKind::Cuda, cuda::LANGUAGE)];

/// A file, and the exports that it has nothing or no reference for, with why.
pub(crate) struct GpuFile {
    pub(crate) text: String,
    pub(crate) empty: Vec<(String, String)>,
}

/// A buffer of a kernel.
struct Buffer {
    name: String,
    ty: Type,
    written: bool,
    /// The description in a comment.
    comment: String,
}

/// A scalar argument of a kernel.
struct Constant {
    name: String,
    /// `index` for sizes.
    ty: Type,
    comment: String,
}

/// The buffer of an argument or a result.
#[derive(Debug, Clone)]
struct Place {
    name: String,
    shape: Vec<String>,
}

/// The named parameters of a kernel.
struct Parameters {
    buffers: Vec<Buffer>,
    constants: Vec<Constant>,
    /// The load-time constants.
    load_constants: Vec<String>,
    /// The number of elements of the first buffer that is written, as an expression.
    work: String,
    /// The places from which tensor arguments are read; then those to which results are written.
    inputs: Vec<Option<Place>>,
    results: Vec<Place>,
    tied: Vec<Option<usize>>,
}

impl Parameters {
    /// Returns an empty body for the user to complete.
    fn left_open(&self, each: &str, why: &str) -> String {
        let written = self.buffers.iter().find(|b| b.written).map_or("out0", |b| &b.name);
        format!(
            "  /* There is no reference for it: {}. */
  {each} {{
    /* Write element i of {written} here: {written}[i] = …; */
  }}
",
            safe(why)
        )
    }
}

fn parameters(export: Export) -> Parameters {
    let interface = Interface::of(export.op);
    let index = Type::index(export.op.context());
    let (mut buffers, mut constants) = (Vec::new(), Vec::new());
    let mut size_names = Vec::new();
    let mut sizes = |name: &str, ty: Type| -> Vec<String> {
        let one = |(d, size): (usize, &Option<i64>)| match size {
            Some(n) => n.to_string(),
            None => {
                let constant = format!("{name}_d{d}");
                let comment = format!("size {d} of {name}");
                size_names.push(Constant { name: constant.clone(), ty: index, comment });
                constant
            }
        };
        ty.shape().iter().enumerate().map(one).collect()
    };
    let mut work = None;
    let mut inputs = vec![None; interface.inputs.len()];
    let mut results = Vec::new();
    for i in interface.tensor_inputs() {
        let (name, ty) = (format!("in{i}"), interface.inputs[i]);
        let written = interface.tied.contains(&Some(i));
        let shape = sizes(&name, ty);
        let what = if written { "read and written" } else { "read" };
        let comment = format!("{ty}, {what}, row by row");
        inputs[i] = Some(Place { name: name.clone(), shape: shape.clone() });
        if written {
            work.get_or_insert(shape);
        }
        buffers.push(Buffer { name, ty, written, comment });
    }
    for (i, &ty) in interface.results.iter().enumerate() {
        let name = format!("out{i}");
        let shape = sizes(&name, ty);
        let own = interface.tied[i].map_or_else(|| name.clone(), |argument| format!("in{argument}"));
        results.push(Place { name: own, shape: shape.clone() });
        if interface.tied[i].is_none() {
            work.get_or_insert(shape);
            buffers.push(Buffer { name, ty, written: true, comment: format!("{ty}, written, row by row") });
        }
    }
    constants.extend(size_names);
    for i in interface.scalar_inputs() {
        let ty = interface.inputs[i];
        constants.push(Constant { name: format!("s{i}"), ty, comment: format!("argument {i}, `{ty}`") });
    }
    let work = work.map_or("1".into(), |s| count(&s));
    let tied = interface.tied;
    Parameters { buffers, constants, load_constants: load_constants(export.op), work, inputs, results, tied }
}

/// Returns a workgroup count that gives each element of the largest result its own thread, if it is static and devices
/// support it.
fn workgroups(parameters: &Parameters, threads: usize) -> String {
    let sizes = parameters.results.iter().map(|r| count(&r.shape).parse::<usize>());
    match sizes.collect::<Result<Vec<_>, _>>() {
        Ok(sizes) => sizes.iter().max().unwrap_or(&1).div_ceil(threads).clamp(1, 65535).to_string(),
        Err(_) => "X,Y,Z".into(),
    }
}

/// Quotes a word of a shell in a comment.
fn shell(text: &str) -> String {
    halyard_diag::quote(text).replace("*/", "*\\/")
}
