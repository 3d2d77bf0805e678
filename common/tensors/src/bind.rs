//! Assigns arguments to the inputs or outputs of a function.
use crate::{Named, TensorArgument, strings};
use halyard_diag::{Error, Result, nearest};
use halyard_runtime::{DType, FunctionInfo, Tensor, TensorSpec};

/// The name that assigns the arrays of an archive in their order.
const IN_ORDER: &str = "*";

/// Loads arguments and assigns each to an input or output: by its name or number if it has one, otherwise to the first
/// that has none yet. Arrays of an archive are assigned by their names, if they have any. `what` is `input` or
/// `output`, `flag` the flag of the arguments. The result is `None` where no argument was given. Fails for unreadable
/// files, unknown names (also in archives), too many arguments, and wrong element types or shapes.
pub fn bind(
    what: &str,
    flag: &str,
    arguments: &[TensorArgument],
    function: &FunctionInfo,
    specs: &[TensorSpec],
) -> Result<Vec<Option<Tensor>>> {
    let mut slots: Vec<Option<Tensor>> = vec![None; specs.len()];
    for argument in arguments {
        let given = format!("{flag}={}", argument.text);
        let place = |e: Error| if e.diagnostics.iter().all(|d| d.origin.is_none()) { e.in_file(&given) } else { e };
        let free = |slots: &[Option<Tensor>]| slots.iter().position(Option::is_none);
        let in_order = argument.name.as_deref() == Some(IN_ORDER);
        let named = argument.name.as_ref().filter(|_| !in_order);
        let too_many = || {
            let takes = format!("`{}` has {}", function.name, count(specs.len(), what));
            Error::usage(format!("too many {what}s: {takes}")).note(describe(what, specs))
        };
        if argument.name.is_none() && !argument.is_file() && free(&slots).is_none() {
            return Err(place(too_many()));
        }
        let asked = match named {
            Some(name) => Some(find(what, name, function, specs).map_err(place)?),
            None => free(&slots),
        };
        let mut tensors = argument.load(asked.map(|i| &specs[i])).map_err(place)?;
        let by_name = match (asked, named) {
            (Some(index), Some(name)) => {
                tensors = pick(tensors, name).map_err(place)?;
                Some(vec![index])
            }
            _ if in_order => None,
            _ => places(what, flag, argument, &tensors, function, specs).map_err(place)?,
        };
        for (i, named) in tensors.into_iter().enumerate() {
            let index = by_name.as_ref().map(|indices| indices[i]).or_else(|| free(&slots));
            let Some(index) = index else {
                return Err(place(too_many()));
            };
            if slots[index].is_some() {
                return Err(place(Error::usage(format!("{} is given twice", title(what, index, specs)))));
            }
            let bytes = strings::bytes_of(specs, index);
            if named.bytes.is_some() && bytes.is_none() {
                return Err(place(wrong_type(what, index, specs, &named.type_text())));
            }
            slots[index] = Some(fit(what, index, specs, named.tensor).map_err(place)?);
            if let (Some(at), Some(bytes)) = (bytes, named.bytes) {
                slots[at] = Some(fit(what, at, specs, bytes).map_err(place)?);
            }
        }
    }
    Ok(slots)
}

/// The inputs or outputs of a function, as people write them: ``input 0 `x`: 1x?xf32``, one a line.
pub fn describe(what: &str, specs: &[TensorSpec]) -> String {
    let line = |(i, s): (usize, &TensorSpec)| format!("{}: {}", title(what, i, specs), s.type_text());
    specs.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

/// ``input 0 `x` ``, or `input 0` if it has no name.
pub(crate) fn title(what: &str, index: usize, specs: &[TensorSpec]) -> String {
    match specs.get(index).and_then(|s| s.name.as_deref()) {
        Some(name) => format!("{what} {index} `{name}`"),
        None => format!("{what} {index}"),
    }
}

/// `1 input`, `2 inputs`, `no inputs`.
pub(crate) fn count(n: usize, what: &str) -> String {
    match n {
        0 => format!("no {what}s"),
        1 => format!("1 {what}"),
        n => format!("{n} {what}s"),
    }
}

/// A name or, where no input has it, a number.
fn position(name: &str, specs: &[TensorSpec]) -> Option<usize> {
    let named = specs.iter().position(|s| s.name.as_deref() == Some(name));
    named.or_else(|| name.parse().ok().filter(|&i| i < specs.len()))
}

pub(crate) fn find(what: &str, name: &str, function: &FunctionInfo, specs: &[TensorSpec]) -> Result<usize> {
    position(name, specs).ok_or_else(|| {
        let known = if specs.is_empty() { format!("it has no {what}s") } else { describe(what, specs) };
        if let Some(problem) = half_a_type(name) {
            return Error::usage(problem).note(known);
        }
        let error = Error::usage(format!("`{}` has no {what} `{name}`", function.name)).note(known);
        match nearest(name, specs.iter().filter_map(|s| s.name.as_deref())).first() {
            Some(near) => error.hint(format!("did you mean `{near}`?")),
            None => error,
        }
    })
}

/// Returns the error in a name that was meant as a type: `2x64`, `2x64xfloat32`.
fn half_a_type(name: &str) -> Option<String> {
    let mut words = name.split('x').peekable();
    let mut dims = 0;
    while words.next_if(|w| !w.is_empty() && w.bytes().all(|b| b.is_ascii_digit())).is_some() {
        dims += 1;
    }
    let element = words.collect::<Vec<_>>().join("x");
    match (dims, &*element) {
        (0, _) | (1, "") => None,
        (_, "") => Some(format!("`{name}` has no element type: write `{name}xf32` or another one")),
        _ => {
            let all: Vec<String> = DType::ALL.iter().map(ToString::to_string).collect();
            Some(format!("`{element}` of `{name}` is not an element type; there are {}", all.join(" ")))
        }
    }
}

/// Returns where the arrays of an archive belong, by their names; `None` if their names are only numbers. Fails for
/// unknown names.
fn places(
    what: &str,
    flag: &str,
    argument: &TensorArgument,
    tensors: &[Named],
    function: &FunctionInfo,
    specs: &[TensorSpec],
) -> Result<Option<Vec<usize>>> {
    let names: Vec<&str> = tensors.iter().filter_map(|t| t.name.as_deref()).collect();
    if names.iter().all(|name| is_number(name) && position(name, specs).is_none()) {
        return Ok(None);
    }
    let unknown: Vec<&str> = names.iter().copied().filter(|name| position(name, specs).is_none()).collect();
    let Some(first) = unknown.first() else {
        return Ok(names.iter().map(|name| position(name, specs)).collect());
    };
    let known: Vec<&str> = specs.iter().filter_map(|s| s.name.as_deref()).collect();
    if known.is_empty() && names.len() == 1 {
        return Ok(None);
    }
    let list = |names: &[&str]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
    let name = &function.name;
    let error = if known.is_empty() {
        Error::input(format!("the archive has names, {}, and the {what}s of `{name}` have none", list(&names)))
    } else {
        Error::input(format!("`{name}` has no {what} {}, which the archive has", list(&unknown)))
            .note(format!("the archive has {}", list(&names)))
    };
    let error = error.code("unknown-name").note(describe(what, specs));
    let error = match nearest(first, known.iter().copied()).first() {
        Some(near) => error.hint(format!("did you mean `{near}` by `{first}`? then rename it in the archive")),
        None => error,
    };
    let file = argument.text.strip_prefix('@').unwrap_or(&argument.text);
    let order = halyard_diag::quote(&format!("{flag}={IN_ORDER}=@{file}")).to_owned();
    Err(error.hint(format!("`{order}` binds the arrays in order, whatever their names")))
}

/// Whether a tool generated the name from a number: `arr_0` of numpy, `output_0` of Halyard.
fn is_number(name: &str) -> bool {
    let number = name.strip_prefix("arr_").or_else(|| name.strip_prefix("output_")).unwrap_or(name);
    !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit())
}

/// The one tensor of a file, or the one of that name in an archive.
fn pick(mut tensors: Vec<Named>, name: &str) -> Result<Vec<Named>> {
    if tensors.len() != 1 {
        let names: Vec<_> = tensors.iter().filter_map(|n| n.name.clone()).map(|n| format!("`{n}`")).collect();
        tensors.retain(|n| n.name.as_deref() == Some(name));
        if tensors.is_empty() {
            return Err(
                Error::input(format!("the archive has no array `{name}`")).note(format!("it has {}", names.join(", ")))
            );
        }
    }
    Ok(tensors)
}

/// Checks type and shape. 16-bit integers pass as the bits of bf16, which numpy does not have.
fn fit(what: &str, index: usize, specs: &[TensorSpec], tensor: Tensor) -> Result<Tensor> {
    let spec = &specs[index];
    let bits = spec.dtype == DType::Bf16 && matches!(tensor.dtype(), DType::I16 | DType::U16);
    let tensor = if bits { tensor.with_dtype(DType::Bf16) } else { tensor };
    if spec.accepts(tensor.dtype(), tensor.shape()) {
        return Ok(tensor.with_dtype(spec.dtype));
    }
    Err(wrong_type(what, index, specs, &tensor.type_text()))
}

fn wrong_type(what: &str, index: usize, specs: &[TensorSpec], found: &str) -> Error {
    let wanted = specs[index].type_text();
    let message = format!("{} is `{wanted}`, this is `{found}`", title(what, index, specs));
    let error = Error::input(message).code("wrong-type");
    // The shape is right: numpy computes in f64 and i64 unless it is asked for something else.
    let shape = |text: &str| text.rsplit_once('x').map_or(String::new(), |(shape, _)| shape.to_owned());
    match numpy(specs[index].dtype).filter(|_| shape(&wanted) == shape(found)) {
        Some(name) => error.hint(format!("convert it: `x.astype(\"{name}\")` in numpy")),
        None => error,
    }
}

/// What numpy calls a type, where it has it.
fn numpy(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::F16 => "float16",
        DType::F32 => "float32",
        DType::F64 => "float64",
        DType::I1 => "bool",
        DType::I8 => "int8",
        DType::I16 => "int16",
        DType::I32 => "int32",
        DType::I64 => "int64",
        DType::U8 => "uint8",
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
