//! Writes GLSL for Vulkan: one compute shader per export.
use super::{Constant, GpuFile, Parameters, parameters, reference::reference, shell, workgroups};
use crate::{
    c::{math, safe},
    expression::language::Language,
};
use halyard_ir::form::{Executable, Export, escape_symbol};
use std::collections::BTreeSet;

/// Extensions for types.
const EXTENSIONS: &[(&[&str], &[&str])] = &[
    (&["int8_t", "uint8_t"], &["GL_EXT_shader_8bit_storage", "GL_EXT_shader_explicit_arithmetic_types_int8"]),
    (&["int16_t", "uint16_t"], &["GL_EXT_shader_16bit_storage", "GL_EXT_shader_explicit_arithmetic_types_int16"]),
    (&["float16_t"], &["GL_EXT_shader_16bit_storage", "GL_EXT_shader_explicit_arithmetic_types_float16"]),
    (&["int64_t", "uint64_t"], &["GL_EXT_shader_explicit_arithmetic_types_int64"]),
];

/// Constants that GLSL lacks.
const SPECIAL: &str = "#define INFINITY uintBitsToFloat(0x7f800000u)\n#define NAN uintBitsToFloat(0x7fc00000u)\n";

/// Returns the type of a constant in the push constants.
fn pushed(constant: &Constant) -> Option<&'static str> {
    Some(match &*constant.ty.to_string() {
        "index" | "i1" | "i8" | "i16" | "i32" => "int",
        "f16" | "bf16" => "uint",
        "f32" => "float",
        "f64" => "double",
        "i64" => "int64_t",
        _ => return None,
    })
}

/// Writes an export as a shader. Errors: why it cannot be one.
pub(crate) fn glsl_file(executable: Executable, export: Export, file: &str) -> Result<GpuFile, String> {
    let parameters = parameters(export);
    let mut text = String::new();
    for (i, buffer) in parameters.buffers.iter().enumerate() {
        let ty = Language::Glsl.stored(buffer.ty.element());
        let ty = ty.ok_or_else(|| format!("there is no type in GLSL for `{}`", buffer.ty.element()))?;
        let access = if buffer.written { "" } else { "readonly " };
        text += &format!(
            "layout(set = 0, binding = {i}, std430) {access}buffer Binding{i} {{ {ty} {}[]; }};  // {}\n",
            buffer.name,
            safe(&buffer.comment)
        );
    }
    text += &constants(&parameters)?;
    for (i, property) in parameters.load_constants.iter().enumerate() {
        let name = property.replace('.', "_");
        text += &format!(
            "layout(constant_id = {i}) const uint {name} = 0;  // {property}, filled in when the program is loaded\n"
        );
    }
    let (body, why) = body(export, &parameters);
    let words: BTreeSet<&str> = [&*text, &*body].iter().flat_map(|t| words(t)).collect();
    let needed = EXTENSIONS.iter().filter(|(types, _)| types.iter().any(|t| words.contains(t)));
    let needed: BTreeSet<&str> = needed.flat_map(|(_, extensions)| extensions.iter().copied()).collect();
    let extensions: String = needed.iter().map(|e| format!("#extension {e} : require\n")).collect();
    let special = if words.contains("INFINITY") || words.contains("NAN") { SPECIAL } else { "" };
    let header = header(executable, export, file, &parameters, why.is_some());
    let text = format!("#version 450\n{extensions}\n{header}{special}layout(local_size_x = 64) in;\n{text}\n{body}");
    Ok(GpuFile { text, empty: why.into_iter().map(|why| (export.name(), why)).collect() })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_ascii_alphanumeric() && c != '_')
}

fn constants(parameters: &Parameters) -> Result<String, String> {
    if parameters.constants.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::from("layout(push_constant, std430) uniform Constants {\n");
    for constant in &parameters.constants {
        let ty = pushed(constant).ok_or_else(|| format!("`{}` cannot be a push constant", constant.ty))?;
        let narrow = matches!(&*constant.ty.to_string(), "f16" | "bf16");
        let note = if narrow { ", its bits in the low half" } else { "" };
        text += &format!("  {ty} {};  // {}{note}\n", constant.name, safe(&constant.comment));
    }
    Ok(text + "};\n")
}

fn header(executable: Executable, export: Export, file: &str, parameters: &Parameters, empty: bool) -> String {
    let name = executable.name();
    let several = executable.interface_exports().len() > 1;
    let place = if several {
        format!("{}/vulkan/{}", escape_symbol(&name), escape_symbol(&export.name()))
    } else {
        escape_symbol(&name)
    };
    let (source, object) = (shell(&format!("{file}.comp")), shell(&format!("{file}.spv")));
    let math = if empty { format!(" It computes:\n *\n{}", math(executable, export)) } else { "\n".into() };
    format!(
        "/* Kernel `{}` of executable `{}`.
 *
 *     glslc --target-env=vulkan1.1 -O {source} -o {object}
 *     hal-substitute PROGRAM {} --workgroups={}={} -o NEW
 *
 * compiles it and puts it back, before hal-link. The shader below is right for any number of workgroups.{math} */
",
        safe(&export.name()),
        safe(&name),
        shell(&format!("{place}={file}.spv")),
        shell(&place),
        workgroups(parameters, 64),
    )
}

/// Functions and `main`; why it is left open, if it is.
fn body(export: Export, parameters: &Parameters) -> (String, Option<String>) {
    let each = |work: &str| {
        format!("for (uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x; i < {work}; i += threads)")
    };
    let (body, helpers, why) = match reference(export, parameters, Language::Glsl, &each) {
        Ok(made) => (made.text, made.helpers, None),
        Err(why) => (parameters.left_open(&each(&parameters.work), &why), BTreeSet::new(), Some(why)),
    };
    let helpers: String = helpers.into_iter().map(|h| format!("{}\n", h.definition(Language::Glsl))).collect();
    let text = format!(
        "{helpers}void main() {{
  const uint threads = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z * gl_WorkGroupSize.x;
  const uint group = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
{body}}}
"
    );
    (text, why)
}
