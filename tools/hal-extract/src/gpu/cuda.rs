//! CUDA C++: one file an executable.
use super::{Parameters, math, parameters, safe, shell};
use halyard_ir::{
    Type,
    form::{Executable, Export, escape_symbol},
};

const START: &str = "#ifndef __CUDACC__  /* clang without the headers of CUDA */
#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __launch_bounds__(n) __attribute__((launch_bounds(n)))
#include <__clang_cuda_builtin_vars.h>
#define __syncthreads() __nvvm_bar_sync(0)
#endif
";

/// How a type is held; narrow floats as their bits. `None` for what kernels cannot take.
fn stored(ty: Type) -> Option<&'static str> {
    Some(match &*ty.element().to_string() {
        "f32" => "float",
        "f64" => "double",
        "f16" | "bf16" => "unsigned short",
        "i1" => "unsigned char",
        "i8" => "signed char",
        "i16" => "short",
        "i32" => "int",
        "i64" | "index" => "long long",
        f8 if f8.starts_with("f8") => "unsigned char",
        _ => return None,
    })
}

/// Writes an executable as CUDA C++; second are the exports that cannot be written, with why.
pub(crate) fn cuda_file(executable: Executable) -> (String, Vec<(String, String)>) {
    let name = executable.name();
    let file = escape_symbol(&name);
    let (source, object) = (shell(&format!("{file}.cu")), shell(&format!("{file}.ptx")));
    let mut text = format!(
        "/* Executable `{}`.
 *
 *     nvcc -ptx -arch=sm_80 {source} -o {object}
 *     clang-22 -x cuda --cuda-device-only -nocudainc -nocudalib --cuda-gpu-arch=sm_80 --cuda-feature=+ptx70 -O3 \\
 *         -S {source} -o {object}
 *
 * compiles it, one as the other, and
 *
 *     hal-substitute PROGRAM {} --workgroups={file}=X,Y,Z --workgroup-size={file}=128 -o NEW
 *
 * puts it back into the program that it came from, before hal-link. The kernels below are right for any number of blocks
 * of one dimension.
 */
{START}",
        safe(&name),
        shell(&format!("{file}={file}.ptx")),
    );
    let mut failed = Vec::new();
    for export in executable.interface_exports() {
        match kernel(executable, export) {
            Ok(kernel) => text += &kernel,
            Err(why) => {
                text += &format!("\n/* `{}` cannot be written in CUDA: {} */\n", safe(&export.name()), safe(&why));
                failed.push((export.name(), why));
            }
        }
    }
    (text, failed)
}

fn kernel(executable: Executable, export: Export) -> Result<String, String> {
    let name = export.name();
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    if !name.chars().all(word) || name.starts_with(|c: char| c.is_ascii_digit()) {
        return Err("its name is not an identifier of C++".into());
    }
    let Parameters { buffers, constants, load_constants, work } = parameters(export);
    let (mut words, mut comments, mut prologue) = (Vec::new(), String::new(), String::new());
    for buffer in &buffers {
        let ty = stored(buffer.ty).ok_or_else(|| format!("there is no type in CUDA for `{}`", buffer.ty.element()))?;
        words.push(format!("{}{ty} *{}", if buffer.written { "" } else { "const " }, buffer.name));
        comments += &format!(" *   {}: {}\n", buffer.name, safe(&buffer.comment));
    }
    for constant in &constants {
        let ty = stored(constant.ty).ok_or_else(|| format!("`{}` cannot be a constant", constant.ty))?;
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
    for property in &load_constants {
        let own = property.replace('.', "_");
        comments += &format!(" *   {own}: {property}, filled in when the program is loaded\n");
        words.push(format!("long long {own}"));
    }
    let written = buffers.iter().find(|b| b.written).map_or("out0", |b| &b.name);
    Ok(format!(
        "
/* {}
{comments} *
 * It computes:
 *
{} */
extern \"C\" __global__ void {name}(
    {}) {{
{prologue}  const long long threads = (long long)gridDim.x * blockDim.x;
  for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < {work}; i += threads) {{
    /* Write element i of {written} here: {written}[i] = …; */
  }}
}}
",
        safe(&name),
        math(executable, export),
        words.join(",\n    "),
    ))
}
