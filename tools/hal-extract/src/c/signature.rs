//! The C signature of an export, by the kernel ABI.
use crate::expression::{
    index::{Shape, position},
    language::Language,
};
use halyard_ir::{
    Type,
    form::{Export, Interface, load_constants},
};

/// Parameters, and what their values are called in the body.
#[derive(Debug)]
pub(super) struct Signature {
    /// The definition up to the brace.
    pub(super) head: String,
    /// A comment line for each parameter.
    pub(super) comments: Vec<String>,
    /// For each argument of the export, its buffer or scalar.
    pub(super) input_names: Vec<String>,
    pub(super) input_shapes: Vec<Shape>,
    /// For each result, its buffer; a tied result has that of its argument.
    pub(super) result_names: Vec<String>,
    pub(super) tied: Vec<Option<usize>>,
    /// The lines that unpack scalars.
    pub(super) prologue: Vec<String>,
}

/// The signature of an export. Errors: a type that C lacks.
pub(super) fn signature(export: Export) -> Result<Signature, String> {
    let interface = Interface::of_kernel(export.op);
    let load_constants = load_constants(export.op);
    let first_load = interface.inputs.len() - load_constants.len();
    let storage =
        |ty: Type| Language::C.stored(ty.element()).ok_or_else(|| format!("there is no type in C for `{ty}`"));
    let mut s = Signature {
        head: String::new(),
        comments: Vec::new(),
        input_names: Vec::new(),
        input_shapes: Vec::new(),
        result_names: Vec::new(),
        tied: interface.tied.clone(),
        prologue: Vec::new(),
    };
    let (mut buffers, mut constants) = (Vec::new(), Vec::new());
    for (i, &ty) in interface.inputs.iter().enumerate() {
        if !ty.is_tensor() {
            s.input_names.push(format!("s{i}"));
            s.input_shapes.push(Vec::new());
            continue;
        }
        let name = format!("in{i}");
        let written = interface.tied.contains(&Some(i));
        let constant = if written { "" } else { "const " };
        buffers.push(format!("{constant}{} *restrict {name}", storage(ty)?));
        let what = if written { "read and written" } else { "read" };
        s.input_shapes.push(sized(&name, ty, &mut constants));
        s.comments.push(format!("{name}: {ty}, {what}{}", layout(&name, s.input_shapes.last().map_or(&[], |v| v))));
        s.input_names.push(name);
    }
    for (i, &ty) in interface.results.iter().enumerate() {
        let name = format!("out{i}");
        let shape = sized(&name, ty, &mut constants);
        if let Some(argument) = interface.tied[i] {
            s.comments.push(format!("result {i}: {ty}, in the buffer of {}", s.input_names[argument]));
            s.result_names.push(s.input_names[argument].clone());
            continue;
        }
        buffers.push(format!("{} *restrict {name}", storage(ty)?));
        s.comments.push(format!("{name}: {ty}, written{}", layout(&name, &shape)));
        s.result_names.push(name);
    }
    for (i, &ty) in interface.inputs.iter().enumerate().filter(|(_, t)| !t.is_tensor()) {
        let name = s.input_names[i].clone();
        let own = storage(ty)?;
        match i.checked_sub(first_load) {
            Some(n) => s.comments.push(format!("{name}: {}, filled in when the program is loaded", load_constants[n])),
            None => s.comments.push(format!("{name}: {ty}")),
        }
        if own == "int64_t" {
            constants.push(name);
        } else if ty.is_float() {
            constants.push(format!("{name}_bits"));
            if Language::C.narrow(ty).is_some() {
                s.prologue.push(format!("const float {name} = bf16_to_float((uint16_t){name}_bits);"));
            } else {
                s.prologue.push(format!("{own} {name};"));
                s.prologue.push(format!("memcpy(&{name}, &{name}_bits, sizeof {name});"));
            }
        } else {
            constants.push(format!("{name}_bits"));
            s.prologue.push(format!("const {own} {name} = ({own}){name}_bits;"));
        }
    }
    let constants = constants.iter().map(|c| format!("int64_t {c}"));
    let parameters: Vec<String> =
        buffers.iter().cloned().chain(constants).chain(["const hal_workgroup_t *wg".to_owned()]).collect();
    s.head = wrapped(&format!("void {}(", export.name()), &parameters);
    Ok(s)
}

/// The shape of a tensor; dynamic sizes become constants.
fn sized(name: &str, ty: Type, constants: &mut Vec<String>) -> Shape {
    let size = |(d, size): (usize, &Option<i64>)| match size {
        Some(n) => n.to_string(),
        None => {
            let constant = format!("{name}_d{d}");
            constants.push(constant.clone());
            constant
        }
    };
    ty.shape().iter().enumerate().map(size).collect()
}

/// Returns the position of an element: `in0[(i * 3 + j) * 4 + k]`.
fn layout(name: &str, shape: &[String]) -> String {
    let names = ["i", "j", "k", "l", "m", "n"];
    if shape.is_empty() || shape.len() > names.len() {
        return String::new();
    }
    let index: Vec<String> = names[..shape.len()].iter().map(|n| (*n).to_owned()).collect();
    format!("; element [{}] is {name}[{}]", index.join("]["), position(shape, &index))
}

/// Parameters in lines of up to 100 characters.
fn wrapped(start: &str, parameters: &[String]) -> String {
    let one = format!("{start}{})", parameters.join(", "));
    if one.len() <= 100 {
        return one;
    }
    let mut text = format!("{}\n", start.trim_end());
    let mut line = String::from("   ");
    for (i, p) in parameters.iter().enumerate() {
        let end = if i + 1 == parameters.len() { ")" } else { "," };
        if line.len() + p.len() + 2 > 100 && line.trim() != "" {
            text += &format!("{line}\n");
            line = String::from("   ");
        }
        line += &format!(" {p}{end}");
    }
    text + &line
}
