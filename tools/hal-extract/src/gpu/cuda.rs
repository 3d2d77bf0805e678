//! Writes CUDA C++: one file per executable.
use super::{
    GpuFile, Parameters, SourceLanguage, parameters,
    reference::{Reference, reference},
    shell, workgroups,
};
use crate::{
    c::{math, safe},
    expression::{helper::Helper, language::Language},
};
use halyard_ir::form::{Executable, Export, escape_symbol};
use std::collections::BTreeSet;

const START: &str = "#ifndef __CUDACC__  /* clang without the headers of CUDA */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#include <__clang_cuda_builtin_vars.h>
#define __syncthreads() __nvvm_bar_sync(0)
#include \"halyard/device.h\"  /* expf and the like */
#else
#include <math.h>
#endif
";

/// The language CUDA C++.
pub(super) const LANGUAGE: SourceLanguage =
    SourceLanguage { name: "CUDA", suffix: "cu", file: cuda_file, beside: &halyard_runtime::DEVICE_FUNCTIONS };

/// Writes an executable as CUDA C++.
fn cuda_file(executable: Executable) -> GpuFile {
    let name = executable.name();
    let file = escape_symbol(&name);
    let (source, object) = (shell(&format!("{file}.cu")), shell(&format!("{file}.ptx")));
    let (mut kernels, mut helpers, mut empty) = (String::new(), BTreeSet::new(), Vec::new());
    let mut blocks = String::from("X,Y,Z");
    for export in executable.interface_exports() {
        let parameters = parameters(export);
        blocks = workgroups(&parameters, 128);
        match kernel(executable, export, &parameters) {
            Ok(kernel) => {
                kernels += &kernel.text;
                helpers.extend(kernel.helpers);
                empty.extend(kernel.empty.map(|why| (export.name(), why)));
            }
            Err(why) => {
                kernels += &format!("\n/* `{}` cannot be written in CUDA: {} */\n", safe(&export.name()), safe(&why));
                empty.push((export.name(), why));
            }
        }
    }
    if executable.interface_exports().len() > 1 {
        blocks = "X,Y,Z".into();
    }
    let helpers: String = helpers.into_iter().map(|h| format!("\n{}", h.definition(Language::Cuda))).collect();
    let text = format!(
        "/* Executable `{}`.
 *
 *     nvcc -ptx -arch=sm_80 {source} -o {object}
 *     clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O3 \\
 *         -I. -S {source} -o {object}
 *
 * compiles it, one as the other, and
 *
 *     hal-substitute PROGRAM {} --workgroups={file}={blocks} --workgroup-size={file}=128 -o NEW
 *
 * puts it back into the program that it came from, before hal-link. The kernels below are right for any number of blocks
 * of one dimension.
 */
{START}{helpers}",
        safe(&name),
        shell(&format!("{file}={file}.ptx")),
    );
    GpuFile { text: text + &kernels, empty }
}

/// A kernel, and why its body is empty if it is.
struct Kernel {
    text: String,
    helpers: BTreeSet<Helper>,
    empty: Option<String>,
}

fn kernel(executable: Executable, export: Export, parameters: &Parameters) -> Result<Kernel, String> {
    let name = export.name();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("its name is not an identifier of C++".into());
    }
    let Parameters { buffers, constants, load_constants, work, .. } = parameters;
    let (mut words, mut comments, mut prologue) = (Vec::new(), String::new(), String::new());
    for buffer in buffers {
        let ty = Language::Cuda.stored(buffer.ty.element());
        let ty = ty.ok_or_else(|| format!("there is no type in CUDA for `{}`", buffer.ty.element()))?;
        words.push(format!("{}{ty} *{}", if buffer.written { "" } else { "const " }, buffer.name));
        comments += &format!(" *   {}: {}\n", buffer.name, safe(&buffer.comment));
    }
    for constant in constants {
        let ty = Language::Cuda.stored(constant.ty);
        let ty = ty.ok_or_else(|| format!("`{}` cannot be a constant", constant.ty))?;
        comments += &format!(" *   {}: {}\n", constant.name, safe(&constant.comment));
        if ty == "long long" {
            words.push(format!("long long {}", constant.name));
            continue;
        }
        words.push(format!("long long {}_bits", constant.name));
        let (own, bits) = (&constant.name, format!("{}_bits", constant.name));
        prologue += &match ty {
            "float" => format!("  const float {own} = __builtin_bit_cast(float, (int){bits});\n"),
            "double" => format!("  const double {own} = __builtin_bit_cast(double, {bits});\n"),
            _ => format!("  const {ty} {own} = ({ty}){bits};\n"),
        };
    }
    for property in load_constants {
        let own = property.replace('.', "_");
        comments += &format!(" *   {own}: {property}, filled in when the program is loaded\n");
        words.push(format!("long long {own}"));
    }
    let each = |work: &str| {
        format!("for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < {work}; i += threads)")
    };
    let (body, helpers, empty) = match reference(export, parameters, Language::Cuda, &each) {
        Ok(Reference { text, helpers }) => (text, helpers, None),
        Err(why) => {
            let body = parameters.left_open(&each(work), &why);
            (body, BTreeSet::new(), Some(why))
        }
    };
    let math =
        if empty.is_some() { format!(" *\n * It computes:\n *\n{}", math(executable, export)) } else { String::new() };
    let text = format!(
        "
/* {}
{comments}{math} */
extern \"C\" __global__ void {name}(
    {}) {{
{prologue}  const long long threads = (long long)gridDim.x * blockDim.x;
{body}}}
",
        safe(&name),
        words.join(",\n    "),
    );
    Ok(Kernel { text, helpers, empty })
}
