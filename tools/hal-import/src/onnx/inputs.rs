//! Inputs that the command line describes where the model leaves them open.
use super::Elem;
use halyard_diag::{Error, Result, nearest};
use halyard_runtime::{DType, FunctionInfo, TensorSpec};
use halyard_tensors::{TensorArgument, WantedWeight, WeightFiles, bind};
use std::{collections::BTreeMap, str::FromStr};

/// The sizes of a tensor; `None` is known only when the program runs.
pub type Sizes = Vec<Option<i64>>;

/// The value of `--input-shape`: `NAME=SHAPE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InputShape {
    /// The input's name.
    pub name: String,
    /// Its shape, or the length of a sequence.
    pub given: GivenShape,
    /// The text as written.
    pub text: String,
}

/// The description of an input.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GivenShape {
    /// An optional that holds nothing: `none`.
    Nothing,
    /// A tensor: `2x?`, or `scalar`. Of a sequence, a number is its length.
    One(Sizes),
    /// A sequence by its elements: `[2x?,scalar]`.
    Many(Vec<Sizes>),
}

impl FromStr for InputShape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let Some((name, shape)) = text.rsplit_once('=').filter(|(name, _)| !name.is_empty()) else {
            return Err("it is not `NAME=SHAPE`, as in `x=2x?`".into());
        };
        let given = match shape {
            "none" => GivenShape::Nothing,
            _ => match shape.strip_prefix('[').map(|rest| rest.strip_suffix(']').ok_or(rest)) {
                None => GivenShape::One(sizes(shape)?),
                Some(Ok("")) => GivenShape::Many(Vec::new()),
                Some(Ok(list)) => GivenShape::Many(list.split(',').map(|s| sizes(s.trim())).collect::<Result<_, _>>()?),
                Some(Err(rest)) => return Err(format!("`[{rest}` has no `]`")),
            },
        };
        Ok(Self { name: name.into(), given, text: text.into() })
    }
}

fn sizes(text: &str) -> Result<Sizes, String> {
    if text == "scalar" {
        return Ok(Vec::new());
    }
    let size = |part: &str| match part {
        "?" => Ok(None),
        _ => match part.parse() {
            Ok(n) if n >= 0 && part.bytes().all(|b| b.is_ascii_digit()) => Ok(Some(n)),
            _ => Err(format!("`{text}` is not a shape such as `2x?`, `scalar`, `[2x3,4]` or `none`")),
        },
    };
    text.split('x').map(size).collect()
}

/// The shapes by input. Errors: an input that the model does not have, or one twice.
pub(super) fn shapes<'g>(
    given: &[InputShape],
    inputs: impl Iterator<Item = &'g str>,
) -> Result<BTreeMap<String, GivenShape>> {
    let known: Vec<_> = inputs.collect();
    let mut shapes = BTreeMap::new();
    for shape in given {
        if !known.contains(&shape.name.as_str()) {
            let error = Error::usage(format!("the model has no input `{}`", shape.name))
                .in_file(format!("--input-shape={}", shape.text));
            return Err(match nearest(&shape.name, known.iter().copied()).first() {
                Some(near) => error.hint(format!("did you mean `{near}`?")),
                None => error,
            });
        }
        if shapes.insert(shape.name.clone(), shape.given.clone()).is_some() {
            return Err(Error::usage(format!("`--input-shape` names the input `{}` twice", shape.name)));
        }
    }
    Ok(shapes)
}

/// An input as tools that take values know it.
pub(super) fn spec(name: &str, elem: Elem, shape: Vec<Option<usize>>) -> TensorSpec {
    let dtype = match elem {
        Elem::F32 => DType::F32,
        Elem::F64 => DType::F64,
        Elem::F16 => DType::F16,
        Elem::Bf16 => DType::Bf16,
        Elem::Bool => DType::I1,
        Elem::I16 => DType::I16,
        Elem::I32 => DType::I32,
        Elem::I64 => DType::I64,
        Elem::U8 => DType::U8,
        Elem::U16 => DType::U16,
        Elem::U32 => DType::U32,
        Elem::U64 => DType::U64,
        _ => DType::I8,
    };
    TensorSpec {
        name: Some(name.into()),
        dtype,
        shape,
        dim_names: Vec::new(),
        element: elem.narrow_name().map(str::to_owned),
    }
}

/// Adds the inputs whose names weights files have. Errors: weights that do not fit.
pub(super) fn weights(
    files: &WeightFiles,
    model: &str,
    inputs: impl Iterator<Item = (TensorSpec, Elem)>,
    values: &mut BTreeMap<String, super::Tensor>,
) -> Result<()> {
    for (spec, elem) in inputs {
        let name = spec.name.unwrap_or_default();
        if values.contains_key(&name) {
            continue;
        }
        let taken = files
            .take(&name, &WantedWeight { dtype: elem.dtype(), shape: spec.shape })
            .map_err(|e| e.note(format!("it is an input of `{model}`")))?;
        let tensor = super::Tensor::from_bytes(elem, taken.shape, taken.bytes).expect("files give what was wanted");
        values.insert(name.clone(), tensor.named(Some(name)));
    }
    Ok(())
}

/// The inputs that are constants, by name. Errors: those of [`bind`].
pub(super) fn values(
    given: &[TensorArgument],
    model: &str,
    specs: Vec<(TensorSpec, Elem)>,
) -> Result<BTreeMap<String, super::Tensor>> {
    if given.is_empty() {
        return Ok(BTreeMap::new());
    }
    let (specs, elems): (Vec<_>, Vec<_>) = specs.into_iter().unzip();
    let function = FunctionInfo { name: model.into(), inputs: specs.clone(), outputs: Vec::new() };
    let tensors = bind("input", "--input-value", given, &function, &specs)?;
    let mut values = BTreeMap::new();
    for ((spec, elem), tensor) in specs.into_iter().zip(elems).zip(tensors) {
        let (Some(name), Some(tensor)) = (spec.name, tensor) else { continue };
        let bytes = tensor.bytes().to_vec();
        let value =
            super::Tensor::from_bytes(elem, tensor.shape().to_vec(), bytes.into()).expect("it was made for this type");
        values.insert(name, value);
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_are_read() {
        let read = |text: &str| text.parse::<InputShape>().map(|s| (s.name, s.given));
        assert_eq!(read("x=2x?"), Ok(("x".into(), GivenShape::One(vec![Some(2), None]))));
        assert_eq!(read("a=b=scalar"), Ok(("a=b".into(), GivenShape::One(vec![]))));
        assert_eq!(read("s=[]"), Ok(("s".into(), GivenShape::Many(vec![]))));
        assert_eq!(read("s=[3, scalar]"), Ok(("s".into(), GivenShape::Many(vec![vec![Some(3)], vec![]]))));
        assert_eq!(read("o=none"), Ok(("o".into(), GivenShape::Nothing)));
        for wrong in ["x", "=2", "x=", "x=2xf32", "x=-1", "x=[2", "x=+3"] {
            assert!(read(wrong).is_err(), "{wrong}");
        }
    }
}
