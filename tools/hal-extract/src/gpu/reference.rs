//! Writes a reference body: loops over the elements of the results, divided among all threads.
use super::{Parameters, element::Elements};
use crate::expression::{
    Scope,
    helper::Helper,
    index::{atom, count},
    language::Language,
    scalar::{as_stored, note_narrow, scalar},
    text::Text,
};
use halyard_ir::{
    Type, Value,
    form::{Export, Interface},
};
use std::collections::BTreeSet;

/// A body, and the functions that it needs.
pub(super) struct Reference {
    pub(super) text: String,
    pub(super) helpers: BTreeSet<Helper>,
}

/// The text of an export's body. `each` is the head of a loop over elements `i` that all threads share. Errors: why there
/// is none.
pub(super) fn reference(
    export: Export,
    parameters: &Parameters,
    language: Language,
    each: &dyn Fn(&str) -> String,
) -> Result<Reference, String> {
    let blocks = export.op.regions().first().map(|r| r.blocks()).unwrap_or_default();
    let [block] = blocks.as_slice() else {
        return Err(if blocks.is_empty() { "it has no source" } else { "it has several blocks" }.into());
    };
    let args = block.args();
    let end = block.terminator().ok_or("it has no return")?;
    let on_tensors = args.iter().map(|a| a.ty()).eq(Interface::of_kernel(export.op).inputs);
    if !on_tensors || end.operand_count() != parameters.results.len() {
        return Err("it is lowered already, no longer a function on tensors".into());
    }
    let mut elements = Elements::new(Text::new(language));
    for (i, &arg) in args.iter().enumerate() {
        if let Some(place) = parameters.inputs.get(i).cloned().flatten() {
            let result = parameters.tied.iter().position(|t| *t == Some(i));
            elements.argument(arg, place, result);
        } else {
            let name = number(&mut elements.text, parameters, i, arg.ty())?;
            elements.bind(arg, name);
        }
    }
    let returned = end.operands();
    for op in block.ops() {
        let number = op.result_count() == 1 && !op.result(0).ty().is_tensor();
        if op != end && number && op.regions().is_empty() {
            scalar(&mut elements, op)?;
        }
    }
    let mut next = 0;
    while next < returned.len() {
        // Results of one shape are computed together.
        let shape = parameters.results[next].shape.clone();
        let last = (next..returned.len()).take_while(|&r| parameters.results[r].shape == shape).last().unwrap_or(next);
        results(&mut elements, parameters, &returned, next..last + 1, each)?;
        next = last + 1;
    }
    let (text, helpers) = elements.text.finish();
    Ok(Reference { text, helpers })
}

/// Returns a scalar argument, in the type of its arithmetic.
fn number(text: &mut Text, parameters: &Parameters, argument: usize, ty: Type) -> Result<String, String> {
    let language = text.language;
    if let Some(n) = argument.checked_sub(parameters.inputs.len()) {
        let property = parameters.load_constants.get(n).ok_or("it takes a number that the kernel does not get")?;
        return Ok(language.cast(language.computed(ty)?, &property.replace('.', "_")));
    }
    let name = format!("s{argument}");
    if let Some((read, _)) = note_narrow(text, ty) {
        return Ok(format!("{read}({name})"));
    }
    Ok(match (language, &*ty.to_string()) {
        // Push constants are words of 32 bits; a narrow float is the low half of one.
        (Language::Glsl, "f16") => format!("float16_t(unpackHalf2x16({name}).x)"),
        (Language::Glsl, "i1" | "i8" | "i16") => language.cast(language.computed(ty)?, &name),
        _ => name,
    })
}

/// Writes a loop over the elements of some results.
fn results(
    elements: &mut Elements,
    parameters: &Parameters,
    returned: &[Value],
    which: std::ops::Range<usize>,
    each: &dyn Fn(&str) -> String,
) -> Result<(), String> {
    let shape = &parameters.results[which.start].shape;
    elements.open(&each(&count(shape)), &["i"]);
    let language = elements.text.language;
    let flat = if language == Language::Glsl { "int(i)" } else { "i" };
    let mut index = Vec::new();
    for (d, size) in shape.iter().enumerate() {
        if size == "1" {
            index.push("0".to_owned());
            continue;
        }
        let inner = count(&shape[d + 1..]);
        let mut position = if inner == "1" { flat.to_owned() } else { format!("{flat} / {}", atom(&inner)) };
        if shape[..d].iter().any(|s| s != "1") {
            position = format!("{position} % {}", atom(size));
        }
        let name = format!("i{d}");
        elements.text.line(format!("const {} {name} = {position};", language.index()));
        elements.defined(&name);
        index.push(name);
    }
    elements.own = Some((which.clone(), index.clone()));
    let mut values = Vec::new();
    for result in which.clone() {
        values.push(elements.element(returned[result], &index)?);
    }
    for (result, value) in which.clone().zip(values) {
        let value = as_stored(&mut elements.text, &value, returned[result].ty().element());
        elements.text.line(format!("{}[i] = {value};", parameters.results[result].name));
    }
    elements.close();
    Ok(())
}
