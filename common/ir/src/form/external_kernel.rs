//! Declarations of hand-written kernels and functions.
//!
//! ```text
//! func.func private @k(tensor<…>, …) -> tensor<…> attributes {
//!   hal.objects = [{target = #llvm.target<triple = "…", chip = "…">, features = ["+avx2"], objects = [{path = "k.o"}]}],
//!   hal.workgroups = array<i64: 4, 1, 1>}
//! ```
//! `hal.objects` is a list. An entry names the objects for a target: `objects`, or one `path` or `data` in the entry
//! itself. Without `target`, the device is detected from the objects: any CPU of their architecture, or a GPU.
//! Properties of one target only are in its entry: `workgroups`, `workgroup_size`, `shared_memory`, `spec_constants`,
//! `arguments`, `symbol`.
use super::{
    Interface,
    arguments::argument_list,
    device::{device_of_target, known_target_attributes},
    launch::{shared_memory, workgroup_size},
};
use crate::{Attr, Op, names};
use halyard_diag::{Error, Result};

/// A declaration that names its implementation.
#[derive(Debug, Clone, Copy)]
pub struct ExternalKernel {
    /// The `func.func` or `llvm.func` without a body.
    pub op: Op,
}

/// The implementation of a declaration for one target.
#[derive(Debug, Clone)]
pub struct ExternalTarget {
    /// The entry, for messages and for copying unchanged.
    pub attr: Attr,
    /// The target; detected from the objects if absent.
    pub target: Option<Attr>,
    /// Features that it needs beyond the target's, as in `#llvm.target`: `+avx2`.
    pub features: Vec<String>,
    /// The objects.
    pub objects: Vec<ExternalObject>,
    /// The workgroup count, where it is another one than the declaration says.
    pub workgroups: Option<ExternalCount>,
    /// For a GPU: the threads of a workgroup, if stated.
    pub workgroup_size: Option<[u32; 3]>,
    /// For CUDA: the shared memory of a workgroup beyond what the code declares, in bytes.
    pub shared_memory: u64,
    /// For SPIR-V: specialisation constants, by number or name.
    pub spec_constants: Vec<(String, i64)>,
    /// The code's arguments in order; `None` for the kernel ABI.
    pub arguments: Option<Vec<String>>,
    /// The symbol or entry point of the code, where it is called differently.
    pub symbol: Option<String>,
}

/// An object of a declaration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExternalObject {
    /// A file: absolute, relative to the working directory, or joined with a search path; and its hash, if stated.
    Path(String, Option<String>),
    /// The bytes.
    Data(Vec<u8>),
}

impl ExternalKernel {
    /// Views an operation; `None` unless it is a declaration with `hal.objects`, `hal.workgroups` or `hal.import`, in the
    /// program itself or beside an export.
    pub fn view(op: Op) -> Option<Self> {
        let function = op.is("func.func") || op.is("llvm.func");
        let declared = function && op.regions().iter().all(|r| r.first_block().is_none());
        let named = [names::OBJECTS, names::WORKGROUPS, names::IMPORT].iter().any(|n| op.has_attr(n));
        (declared && named && !op.has_attr(names::EXPORT)).then_some(Self { op })
    }

    /// The symbol, by which it is called and found in objects and plugins.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// Whether a kernel library implements it.
    pub fn is_import(self) -> bool {
        self.op.has_attr(names::IMPORT)
    }

    /// Whether it is a kernel, which the host dispatches, rather than a function that kernels call: a kernel has
    /// tensor arguments.
    pub fn is_kernel(self) -> bool {
        self.op.has_attr(names::WORKGROUPS) || {
            let interface = Interface::of(self.op);
            interface.inputs.iter().chain(&interface.results).any(|t| t.is_tensor())
        }
    }

    /// Its implementation for each target. Errors: a malformed `hal.objects`.
    pub fn targets(self) -> Result<Vec<ExternalTarget>> {
        let Some(attr) = self.op.attr(names::OBJECTS) else { return Ok(Vec::new()) };
        let list = attr.as_array().ok_or_else(|| self.bad(format!("is `{attr}`, not a list")))?;
        list.into_iter().map(|entry| self.target(entry)).collect()
    }

    fn wrong(self, what: String) -> Error {
        Error::input(format!("`@{}`: {what}", self.name())).code("bad-declaration")
    }

    fn bad(self, what: impl AsRef<str>) -> Error {
        Error::input(format!("`{}` of `@{}` {}", names::OBJECTS, self.name(), what.as_ref()))
            .code("bad-declaration")
            .hint("write `[{path = \"FILE.o\"}]`, or `[{target = #llvm.target<…>, objects = [{path = \"FILE.o\"}, …]}, …]`")
    }

    fn target(self, entry: Attr) -> Result<ExternalTarget> {
        let items = entry.as_dict().ok_or_else(|| self.bad(format!("holds `{entry}`, which is no dictionary")))?;
        let mut target = ExternalTarget {
            attr: entry,
            target: None,
            features: Vec::new(),
            objects: Vec::new(),
            workgroups: None,
            workgroup_size: self
                .op
                .attr(names::WORKGROUP_SIZE)
                .map(workgroup_size)
                .transpose()
                .map_err(|e| self.wrong(e))?,
            shared_memory: self
                .op
                .attr(names::SHARED_MEMORY)
                .map_or(Ok(0), shared_memory)
                .map_err(|e| self.wrong(e))?,
            spec_constants: Vec::new(),
            arguments: self.op.attr(names::ARGUMENTS).map(argument_list).transpose().map_err(|e| self.wrong(e))?,
            symbol: self.op.attr(names::SYMBOL).map(|s| self.symbol(s)).transpose()?,
        };
        for (key, value) in items {
            match &*key {
                "target" if device_of_target(value).is_some() => target.target = Some(value),
                "target" => {
                    let known = known_target_attributes("and");
                    return Err(self.bad(format!("names the target `{value}`; {known} are known")));
                }
                "workgroups" => target.workgroups = Some(self.parse_count(value)?),
                "workgroup_size" => target.workgroup_size = Some(workgroup_size(value).map_err(|e| self.wrong(e))?),
                "shared_memory" => target.shared_memory = shared_memory(value).map_err(|e| self.wrong(e))?,
                "spec_constants" => {
                    let items =
                        value.as_dict().ok_or_else(|| self.bad("has `spec_constants` that are no dictionary"))?;
                    for (name, value) in items {
                        let number = value.as_int().ok_or_else(|| {
                            self.bad(format!(
                                "sets the specialisation constant `{name}` to `{value}`, which is no integer"
                            ))
                        })?;
                        target.spec_constants.push((name, number));
                    }
                }
                "arguments" => target.arguments = Some(argument_list(value).map_err(|e| self.wrong(e))?),
                "symbol" => target.symbol = Some(self.symbol(value)?),
                "features" => {
                    let list =
                        value.as_array().and_then(|l| l.into_iter().map(Attr::as_string).collect::<Option<Vec<_>>>());
                    let list = list.ok_or_else(|| self.bad("has `features` that are not a list of strings"))?;
                    target.features =
                        list.into_iter().map(|f| if f.starts_with(['+', '-']) { f } else { format!("+{f}") }).collect();
                }
                "objects" => {
                    let list = value.as_array().ok_or_else(|| self.bad("has `objects` that are not a list"))?;
                    for object in list {
                        target.objects.push(self.object(object)?);
                    }
                }
                "path" | "data" => target.objects.push(self.object(entry)?),
                "hash" | "format" => {}
                _ => return Err(self.bad(format!("has an unknown key `{key}`"))),
            }
        }
        if target.objects.is_empty() {
            return Err(self.bad("names no object for a target"));
        }
        Ok(target)
    }

    fn symbol(self, attr: Attr) -> Result<String> {
        let text = attr.as_string().filter(|s| !s.is_empty());
        text.ok_or_else(|| {
            self.wrong(format!("`{}` is `{attr}`, not the name of a function as a string", names::SYMBOL))
        })
    }

    fn object(self, dict: Attr) -> Result<ExternalObject> {
        let path = dict
            .get("path")
            .map(|p| p.as_string().ok_or_else(|| self.bad("has a `path` that is no string")))
            .transpose()?;
        let data = dict
            .get("data")
            .map(|d| bytes(d).ok_or_else(|| self.bad("has `data` that are not of type `tensor<Nxi8>`")))
            .transpose()?;
        match (path, data) {
            (Some(path), None) => Ok(ExternalObject::Path(path, dict.get("hash").and_then(Attr::as_string))),
            (None, Some(data)) => Ok(ExternalObject::Data(data)),
            (Some(_), Some(_)) => Err(self.bad("names an object twice: by `path` and by `data`")),
            (None, None) => Err(self.bad("names an object without `path` or `data`")),
        }
    }
}

/// The workgroup count of a hand-written kernel.
#[derive(Debug, Clone)]
pub enum ExternalCount {
    /// A constant: x, y and z.
    Constant([i64; 3]),
    /// A function of the program that computes it from the constants of the kernel.
    Function(String),
}

impl ExternalKernel {
    /// The workgroup count. Errors: none, or of another form.
    pub fn count(self) -> Result<ExternalCount> {
        let Some(attr) = self.op.attr(names::WORKGROUPS) else {
            return Err(Error::input(format!(
                "kernel `@{}` has no workgroup count (`{}`)",
                self.name(),
                names::WORKGROUPS
            ))
            .code("no-workgroups")
            .hint(format!("one workgroup that does all the work is `{} = array<i64: 1, 1, 1>`", names::WORKGROUPS)));
        };
        self.parse_count(attr)
    }

    fn parse_count(self, attr: Attr) -> Result<ExternalCount> {
        let bad = |what: String| {
            Error::input(format!("`{}` of `@{}` {what}", names::WORKGROUPS, self.name()))
                .code("bad-declaration")
                .hint("write `array<i64: x, y, z>`, or the name of a function from the constants of the kernel to x, y and z, as `index`")
        };
        if let Some(mut parts) = attr.as_symbol() {
            return match (parts.pop(), parts.is_empty()) {
                (Some(name), true) => Ok(ExternalCount::Function(name)),
                _ => Err(bad(format!("is `{attr}`, which is no function of the program"))),
            };
        }
        let counts = attr.as_i64s().ok_or_else(|| bad(format!("is `{attr}`")))?;
        if counts.is_empty() || counts.len() > 3 || counts.iter().any(|c| !(1..=i64::from(u32::MAX)).contains(c)) {
            return Err(bad(format!("is `{attr}`; it takes one to three positive numbers")));
        }
        let at = |i: usize| counts.get(i).copied().unwrap_or(1);
        Ok(ExternalCount::Constant([at(0), at(1), at(2)]))
    }
}

fn bytes(attr: Attr) -> Option<Vec<u8>> {
    let (bytes, splat) = crate::dense_bytes(attr)?;
    let ty = attr.value_type();
    if ty.element().bits() != 8 || ty.rank() != 1 {
        return None;
    }
    let count = ty.element_count()? as usize;
    Some(if splat { vec![bytes[0]; count] } else { bytes })
}
