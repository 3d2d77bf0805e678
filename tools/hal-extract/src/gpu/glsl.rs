//! GLSL for Vulkan: one compute shader an export.
use super::{Constant, Parameters, math, parameters, safe, shell};
use halyard_ir::{
    Type,
    form::{Executable, Export, escape_symbol},
};
use std::collections::BTreeSet;

/// How buffers hold a type, with the extensions that it takes; `None` for what GLSL has nothing for.
fn stored(ty: Type) -> Option<(&'static str, &'static [&'static str])> {
    const BYTE: &[&str] = &["GL_EXT_shader_8bit_storage", "GL_EXT_shader_explicit_arithmetic_types_int8"];
    const SHORT: &[&str] = &["GL_EXT_shader_16bit_storage", "GL_EXT_shader_explicit_arithmetic_types_int16"];
    const HALF: &[&str] = &["GL_EXT_shader_16bit_storage", "GL_EXT_shader_explicit_arithmetic_types_float16"];
    const LONG: &[&str] = &["GL_EXT_shader_explicit_arithmetic_types_int64"];
    let text = ty.element().to_string();
    Some(match &*text {
        "f32" => ("float", &[]),
        "f64" => ("double", &[]),
        "f16" => ("float16_t", HALF),
        "bf16" => ("uint16_t", SHORT),
        "i1" => ("uint8_t", BYTE),
        "i8" => ("int8_t", BYTE),
        "i16" => ("int16_t", SHORT),
        "i32" => ("int", &[]),
        "i64" | "index" => ("int64_t", LONG),
        f8 if f8.starts_with("f8") => ("uint8_t", BYTE),
        _ => return None,
    })
}

/// How push constants hold a type.
fn pushed(constant: &Constant) -> Option<(&'static str, &'static [&'static str])> {
    Some(match &*constant.ty.to_string() {
        "index" => ("uint", &[]),
        "i1" | "i8" | "i16" | "i32" => ("int", &[]),
        "f16" | "bf16" => ("uint", &[]),
        "f32" => ("float", &[]),
        "f64" => ("double", &[]),
        "i64" => ("int64_t", &["GL_EXT_shader_explicit_arithmetic_types_int64"]),
        _ => return None,
    })
}

/// Writes an export as a shader. Errors: why it cannot be one.
pub(crate) fn glsl_file(executable: Executable, export: Export, file: &str) -> Result<String, String> {
    let parameters = parameters(export);
    let mut extensions = BTreeSet::new();
    let mut text = String::new();
    for (i, buffer) in parameters.buffers.iter().enumerate() {
        let (ty, needs) =
            stored(buffer.ty).ok_or_else(|| format!("there is no type in GLSL for `{}`", buffer.ty.element()))?;
        extensions.extend(needs);
        let access = if buffer.written { "" } else { "readonly " };
        text += &format!(
            "layout(set = 0, binding = {i}, std430) {access}buffer Binding{i} {{ {ty} {}[]; }};  // {}\n",
            buffer.name,
            safe(&buffer.comment)
        );
    }
    text += &constants(&parameters, &mut extensions)?;
    for (i, property) in parameters.load_constants.iter().enumerate() {
        let name = property.replace('.', "_");
        text += &format!(
            "layout(constant_id = {i}) const uint {name} = 0;  // {property}, filled in when the program is loaded\n"
        );
    }
    let extensions: String = extensions.iter().map(|e| format!("#extension {e} : require\n")).collect();
    Ok(format!(
        "#version 450\n{extensions}\n{}layout(local_size_x = 64) in;\n{text}\n{}",
        header(executable, export, file),
        body(&parameters)
    ))
}

fn constants(parameters: &Parameters, extensions: &mut BTreeSet<&'static str>) -> Result<String, String> {
    if parameters.constants.is_empty() {
        return Ok(String::new());
    }
    let mut text = String::from("layout(push_constant, std430) uniform Constants {\n");
    for constant in &parameters.constants {
        let (ty, needs) = pushed(constant).ok_or_else(|| format!("`{}` cannot be a push constant", constant.ty))?;
        extensions.extend(needs);
        let narrow = matches!(&*constant.ty.to_string(), "f16" | "bf16");
        let note = if narrow { ", its bits in the low half" } else { "" };
        text += &format!("  {ty} {};  // {}{note}\n", constant.name, safe(&constant.comment));
    }
    Ok(text + "};\n")
}

fn header(executable: Executable, export: Export, file: &str) -> String {
    let name = executable.name();
    let several = executable.interface_exports().len() > 1;
    let place = if several {
        format!("{}/vulkan/{}", escape_symbol(&name), escape_symbol(&export.name()))
    } else {
        escape_symbol(&name)
    };
    let (source, object) = (shell(&format!("{file}.comp")), shell(&format!("{file}.spv")));
    format!(
        "/* Kernel `{}` of executable `{}`.
 *
 *     glslc --target-env=vulkan1.1 -O {source} -o {object}
 *     hal-substitute PROGRAM {} --workgroups={}=X,Y,Z -o NEW
 *
 * compiles it and puts it back, before hal-link. The shader below is right for any number of workgroups; it computes:
 *
{} */
",
        safe(&export.name()),
        safe(&name),
        shell(&format!("{place}={file}.spv")),
        shell(&place),
        math(executable, export),
    )
}

fn body(parameters: &Parameters) -> String {
    let written = parameters.buffers.iter().find(|b| b.written);
    let name = written.map_or("out0", |b| &b.name);
    let work = &parameters.work;
    format!(
        "void main() {{
  uint threads = gl_NumWorkGroups.x * gl_NumWorkGroups.y * gl_NumWorkGroups.z * gl_WorkGroupSize.x;
  uint group = (gl_WorkGroupID.z * gl_NumWorkGroups.y + gl_WorkGroupID.y) * gl_NumWorkGroups.x + gl_WorkGroupID.x;
  for (uint i = group * gl_WorkGroupSize.x + gl_LocalInvocationID.x; i < {work}; i += threads) {{
    /* Write element i of {name} here: {name}[i] = …; */
  }}
}}
"
    )
}
