//! Tensors on the command line.
use crate::{Named, TensorType, fill, literal, read};
use halyard_diag::{Error, ErrorKind, Result};
use halyard_runtime::TensorSpec;
use std::{path::PathBuf, str::FromStr};

/// The syntax, for `--help`.
pub const SYNTAX: &str = "\
Tensors: [NAME=][TYPE=]VALUE
  TYPE   2x3xf32; a scalar is f32. There are f32 f64 f16 bf16 i1 i8 u8 i16 u16
         i32 u32 i64 u64. Not needed where the function says the whole type.
  VALUE  @FILE        .npy, .npz, .safetensors; raw bytes after a TYPE
         random:SEED  uniform in [-1, 1), integers in [0, 10), the same on
                      every machine; random:SEED:LOW:HIGH for another range
         iota         0, 1, 2, ...
         1,2,3        numbers, or [[1,2],[3,4]]; one fills the tensor
  NAME   the name or number of an input; without one they are taken in order.
         Arrays of an archive go by their names, which must be those of inputs;
         without names (numpy's arr_0), and with `*` for NAME, in order.
  Arrays of strings are read from .npy and .npz files, of type <U or |S.
  bf16 in a .npy file is read from uint16 or two-byte void, written as void.";

/// A tensor as given on the command line; see [`SYNTAX`].
#[derive(Debug, Clone, PartialEq)]
pub struct TensorArgument {
    /// The input or output that it is meant for.
    pub name: Option<String>,
    /// The text as written.
    pub text: String,
    ty: Option<TensorType>,
    value: Value,
}

#[derive(Debug, Clone, PartialEq)]
enum Value {
    File(PathBuf),
    Random { seed: u64, range: Option<fill::Range> },
    Iota,
    Numbers(String),
}

impl FromStr for TensorArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let whole = text.to_owned();
        let mut rest = text;
        let (mut name, mut ty) = (None, None);
        while let Some((head, tail)) = rest.split_once('=').filter(|(head, tail)| is_name(head, tail)) {
            if let Some(parsed) = TensorType::parse(head) {
                ty = Some(parsed);
                rest = tail;
                break;
            }
            if name.is_some() || head.is_empty() {
                return Err(format!("`{head}` is not a tensor type such as `2x3xf32`"));
            }
            name = Some(head.to_owned());
            rest = tail;
        }
        Ok(Self { name, value: value(rest, ty.is_some())?, ty, text: whole })
    }
}

/// Whether the text before `=` is a name or a type. File names may contain `=`, too: only text before an `@` can be a
/// name. So `dir/a=b.npy`, without `@`, is a file; `dir/a=@b.npy` and `dir/a=iota` have a name with a slash, as
/// training tools write them.
fn is_name(head: &str, tail: &str) -> bool {
    let is_type = |text: &str| text.split_once('=').is_some_and(|(ty, _)| TensorType::parse(ty).is_some());
    let is_bare_file = |text: &str| !text.starts_with('@') && matches!(value(text, is_type(text)), Ok(Value::File(_)));
    !head.contains('@') && !(head.contains('/') && is_bare_file(tail))
}

fn value(text: &str, typed: bool) -> Result<Value, String> {
    if let Some(path) = text.strip_prefix('@') {
        return if path.is_empty() {
            Err("there is no file name after `@`".into())
        } else {
            Ok(Value::File(path.into()))
        };
    }
    if text == "random" {
        return Err("`random` needs a seed, as in `random:1`; a file of that name is `./random`".into());
    }
    if let Some(parameters) = text.strip_prefix("random:") {
        return random(parameters).ok_or_else(|| format!("`{text}` is not `random:SEED` or `random:SEED:LOW:HIGH`"))?;
    }
    if text == "iota" {
        return Ok(Value::Iota);
    }
    let is_number = |w: &str| {
        w.parse::<f64>().is_ok() || w.trim_start_matches('-').starts_with("0x") || w == "true" || w == "false"
    };
    let mut words = text.split([',', ' ', '[', ']']).filter(|w| !w.is_empty());
    if typed || words.all(is_number) {
        return Ok(Value::Numbers(text.into()));
    }
    if TensorType::parse(text).is_some() {
        return Err(format!("a type needs a value, as in `{text}=0` or `{text}=random:1`"));
    }
    Ok(Value::File(text.into()))
}

fn random(parameters: &str) -> Option<Result<Value, String>> {
    let parts: Vec<&str> = parameters.split(':').collect();
    let seed = parts[0].parse().ok()?;
    let range = match parts[1..] {
        [] => None,
        [low, high] => match fill::Range::new(low.parse().ok()?, high.parse().ok()?) {
            Ok(range) => Some(range),
            Err(e) => return Some(Err(e.to_string())),
        },
        _ => return None,
    };
    Some(Ok(Value::Random { seed, range }))
}

impl TensorArgument {
    /// Random numbers for an input, of the type that the function says.
    pub fn random(input: usize, seed: u64) -> Self {
        let name = Some(input.to_string());
        Self { name, text: format!("{input}=random:{seed}"), ty: None, value: Value::Random { seed, range: None } }
    }

    /// Whether it is read from a file, which may be an archive.
    pub(crate) fn is_file(&self) -> bool {
        matches!(self.value, Value::File(_))
    }

    /// Makes or reads the tensors: one, or those of an archive. `spec` is what they are meant for. Errors: an
    /// unreadable file, values that do not fit the type, no type where one is needed.
    pub(crate) fn load(&self, spec: Option<&TensorSpec>) -> Result<Vec<Named>> {
        if let Value::File(path) = &self.value {
            let ty = self.ty.clone().or_else(|| TensorType::of_spec(spec?).filter(|_| is_raw(path)));
            return read(path, ty.as_ref()).map_err(|e| match self.text.split_once('=') {
                Some((head, _)) if head.contains('/') && !head.contains('@') && e.kind == ErrorKind::Environment => {
                    e.hint("write `NAME=@FILE` where NAME holds a slash")
                }
                // A word such as `ones` or `zeros` is no value.
                None if e.kind == ErrorKind::Environment && self.text.bytes().all(|b| b.is_ascii_alphabetic()) => {
                    e.hint("a number fills a tensor, as in `2x3xf32=1`; `random:1` and `iota` are values, too")
                }
                _ => e,
            });
        }
        let Some(ty) = self.ty.clone().or_else(|| TensorType::of_spec(spec?)) else {
            let wanted = spec.map_or_else(|| "unknown".into(), |s| format!("`{}`", s.type_text()));
            return Err(Error::usage(format!("`{}` needs a type before its value", self.text))
                .note(format!("the type of the function's argument is {wanted}"))
                .hint(match spec {
                    Some(spec) => {
                        format!("write it in front, as in `{}={}`", spec.type_text().replace('?', "1"), self.text)
                    }
                    None => "write it in front, as in `2x3xf32=…`".into(),
                }));
        };
        let tensor = match &self.value {
            Value::Random { seed, range: None } => fill::random(&ty, *seed),
            Value::Random { seed, range: Some(range) } => fill::random_in(&ty, *seed, *range),
            Value::Iota => fill::iota(&ty),
            Value::Numbers(text) => literal::parse(&ty, text),
            Value::File(_) => unreachable!("returned above"),
        }?;
        Ok(vec![Named { name: None, tensor, bytes: None }])
    }
}

/// Files of raw bytes can be read without a written type if the function says it; their suffix must say that they are
/// raw, lest a damaged `.npy` be taken for numbers.
fn is_raw(path: &std::path::Path) -> bool {
    path.extension().is_some_and(|e| e == "bin" || e == "raw")
}

#[cfg(test)]
mod tests;
