//! Destinations of outputs.
use crate::{bind, npy, npz, safetensors, strings};
use halyard_cli::write_output;
use halyard_diag::{Error, Result};
use halyard_runtime::{FunctionInfo, Tensor};
use std::{ffi::OsStr, path::PathBuf, str::FromStr};

/// The value of `--output=`: `[NAME=][@]FILE`.
#[derive(Debug, Clone, PartialEq)]
pub struct Destination {
    /// The output that goes there; without one, outputs are taken in order, and an archive takes all of them.
    name: Option<String>,
    path: PathBuf,
    kind: Kind,
}

/// The outputs, by number, that go to each file, and those that are printed.
pub type Plan<'d> = (Vec<(&'d Destination, Vec<usize>)>, Vec<usize>);

#[derive(Debug, Clone, Copy, PartialEq)]
enum Kind {
    Print,
    /// Written nowhere.
    Nothing,
    Npy,
    Npz,
    Safetensors,
    Raw,
}

impl FromStr for Destination {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        // With a slash in it, it is a name only if `@` says that the file comes after it.
        let is_name = |head: &str, tail: &str| !head.contains('/') || tail.starts_with('@') || tail == "-";
        let named =
            text.split_once('=').filter(|(head, tail)| !head.is_empty() && !head.contains('@') && is_name(head, tail));
        let (name, path) = named.map_or((None, text), |(name, path)| (Some(name.to_owned()), path));
        let path = PathBuf::from(path.strip_prefix('@').unwrap_or(path));
        let kind = match path.extension().and_then(OsStr::to_str) {
            _ if path == *"-" => Kind::Print,
            _ if path == *"/dev/null" => Kind::Nothing,
            Some("npy") => Kind::Npy,
            Some("npz") => Kind::Npz,
            Some("safetensors") => Kind::Safetensors,
            Some("bin" | "raw") => Kind::Raw,
            _ => return Err("a file's name must end in .npy, .npz, .safetensors, .bin or .raw".into()),
        };
        Ok(Self { name, path, kind })
    }
}

impl Destination {
    /// Determines which outputs of a function go where, and which are printed, before the function runs. `what` is
    /// `output` or `state`, `flag` the flag of the destinations. Without a destination, all outputs are printed. Fails
    /// for unknown names, more files than outputs, and two destinations that are the same file.
    pub fn plan<'d>(what: &str, flag: &str, destinations: &'d [Self], function: &FunctionInfo) -> Result<Plan<'d>> {
        let specs = &function.outputs;
        // Strings are one output with their bytes.
        let all: Vec<usize> = (0..specs.len()).filter(|&i| !strings::is_bytes(specs, i)).collect();
        if destinations.is_empty() {
            return Ok((Vec::new(), all));
        }
        let (mut files, mut printed, mut next) = (Vec::new(), Vec::new(), 0);
        for d in destinations {
            let of_all =
                d.name.is_none() && matches!(d.kind, Kind::Print | Kind::Nothing | Kind::Npz | Kind::Safetensors);
            let indices = if of_all {
                all.clone()
            } else if let Some(name) = &d.name {
                vec![bind::find(what, name, function, specs)?]
            } else {
                next += 1;
                if next > all.len() {
                    let has = bind::count(all.len(), what);
                    return Err(Error::usage(format!("too many `{flag}`s: `{}` has {has}", function.name)));
                }
                vec![all[next - 1]]
            };
            if d.kind == Kind::Print {
                printed.extend(indices);
            } else if files.iter().any(|(other, _): &(&Self, _)| other.path == d.path) {
                return Err(Error::usage(format!("`{}` is given twice as `{flag}`", d.path.display())));
            } else {
                files.push((d, indices));
            }
        }
        Ok((files, printed))
    }
}

/// Writes outputs as planned. Errors: a file that cannot be written.
pub fn write(destination: &Destination, indices: &[usize], function: &FunctionInfo, outputs: &[Tensor]) -> Result<()> {
    let name = |i: usize| function.outputs[i].name.clone().unwrap_or_else(|| format!("output_{i}"));
    let strings =
        |i: usize| strings::bytes_of(&function.outputs, i).map(|bytes| strings::texts(&outputs[i], &outputs[bytes]));
    let array = |i: usize| -> Result<Vec<u8>> {
        Ok(match strings(i) {
            Some(texts) => npy::write_strings(outputs[i].shape(), &texts?),
            None => npy::write(&outputs[i]),
        })
    };
    let first = indices.first().copied().unwrap_or_default();
    let holds_none = matches!(destination.kind, Kind::Safetensors | Kind::Raw);
    if let Some(i) = indices.iter().find(|&&i| holds_none && strings(i).is_some()) {
        let message = format!("output {i} `{}` holds strings, which only .npy and .npz files can hold", name(*i));
        return Err(Error::usage(message).in_file(destination.path.display().to_string()));
    }
    let bytes = match destination.kind {
        Kind::Nothing => return Ok(()),
        Kind::Npz => npz::write(&indices.iter().map(|&i| Ok((name(i), array(i)?))).collect::<Result<Vec<_>>>()?)?,
        Kind::Safetensors => safetensors::write(&indices.iter().map(|&i| (name(i), &outputs[i])).collect::<Vec<_>>())?,
        Kind::Npy => array(first)?,
        Kind::Raw | Kind::Print => outputs[first].bytes().to_vec(),
    };
    write_output(&destination.path, &bytes)
}

#[cfg(test)]
mod tests;
