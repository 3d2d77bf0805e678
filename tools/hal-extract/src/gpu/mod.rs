//! `--as=glsl` and `--as=cuda`: kernels for GPUs to start from, which compile as they stand.
//!
//! The interface is that of the kernel ABI: buffers, constants, load-time constants. The body is left to the reader; the
//! comments say what it has to compute, and which thread is which.

mod cuda;
mod glsl;

pub(crate) use cuda::cuda_file;
pub(crate) use glsl::glsl_file;

use halyard_ir::{
    Type,
    form::{Executable, Export, Interface, load_constants, print},
};

/// A buffer of a kernel.
struct Buffer {
    name: String,
    ty: Type,
    written: bool,
    /// What it is, for people.
    comment: String,
}

/// A number that a kernel takes.
struct Constant {
    name: String,
    /// `index` for sizes.
    ty: Type,
    comment: String,
}

/// What a kernel takes, with names.
struct Parameters {
    buffers: Vec<Buffer>,
    constants: Vec<Constant>,
    /// Properties of the device.
    load_constants: Vec<String>,
    /// The number of elements of the first buffer that is written, as an expression.
    work: String,
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
    for i in interface.tensor_inputs() {
        let (name, ty) = (format!("in{i}"), interface.inputs[i]);
        let written = interface.tied.contains(&Some(i));
        let shape = sizes(&name, ty);
        let what = if written { "read and written" } else { "read" };
        let comment = format!("{ty}, {what}, row by row");
        if written {
            work.get_or_insert(shape);
        }
        buffers.push(Buffer { name, ty, written, comment });
    }
    for (i, &ty) in interface.results.iter().enumerate() {
        let name = format!("out{i}");
        let shape = sizes(&name, ty);
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
    let work = work.filter(|s| !s.is_empty()).map_or("1".into(), |s| s.join(" * "));
    Parameters { buffers, constants, load_constants: load_constants(export.op), work }
}

/// What an export computes, as lines of a comment.
fn math(executable: Executable, export: Export) -> String {
    let has_body = export.op.regions().first().is_some_and(|r| r.first_block().is_some());
    let text = if has_body {
        print(export.op)
    } else {
        format!("(executable `{}` has no source; its objects alone say what it computes)", executable.name())
    };
    text.lines().map(|l| format!(" *   {}\n", safe(l))).collect()
}

/// Text that does not end a comment.
fn safe(text: &str) -> String {
    text.replace("*/", "* /").replace("/*", "/ *").trim_end().to_owned()
}

/// A word of a shell in a comment.
fn shell(text: &str) -> String {
    halyard_diag::quote(text).replace("*/", "*\\/")
}
