//! A view of a program: the outermost module.
use super::{Executable, Export};
use crate::{Attr, Builder, Op, Type, names};
use halyard_diag::{Diagnostic, Error, Result};
use std::{collections::HashMap, fmt};

/// The phase of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Phase {
    /// Functions on tensors; no executables yet.
    Input,
    /// Executables are formed; they hold sources.
    Executables,
    /// Every executable has objects.
    Objects,
}

impl Phase {
    /// Returns the value of `hal.phase`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Executables => "executables",
            Self::Objects => "objects",
        }
    }

    /// The tool that brings a program from the phase before into this one.
    pub fn made_by(self) -> &'static str {
        match self {
            Self::Input => "hal-import --to=input",
            Self::Executables => "hal-import",
            Self::Objects => "hal-translate",
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A program: a view of a module.
#[derive(Debug, Clone, Copy)]
pub struct Program {
    /// The module.
    pub op: Op,
}

impl Program {
    /// Views a module; `None` unless it carries a phase stamp.
    pub fn view(op: Op) -> Option<Self> {
        (op.is("builtin.module") && op.has_attr(names::PHASE)).then_some(Self { op })
    }

    /// Stamps a module as a program in a phase.
    pub fn stamp(op: Op, phase: Phase) -> Self {
        let context = op.context();
        op.set_attr(names::PHASE, Attr::string(context, phase.as_str()));
        op.set_attr(names::VERSION, Attr::integer(Type::integer(context, 32), names::VERSION_NUMBER));
        Self { op }
    }

    /// The phase. Errors: an unknown word, an unknown version.
    pub fn phase(self) -> Result<Phase> {
        let version = self.op.attr(names::VERSION).and_then(Attr::as_int);
        if version != Some(names::VERSION_NUMBER) {
            let found = version.map_or("none".into(), |v| v.to_string());
            return Err(Error::input(format!(
                "the program has version {found} of the exchange form, this tool reads version {}",
                names::VERSION_NUMBER
            ))
            .code("wrong-version")
            .hint("make the program again with tools of one release"));
        }
        let word = self.op.attr(names::PHASE).and_then(Attr::as_string).unwrap_or_default();
        [Phase::Input, Phase::Executables, Phase::Objects].into_iter().find(|p| p.as_str() == word).ok_or_else(|| {
            Error::input(format!("unknown phase `{word}`"))
                .code("wrong-phase")
                .note("known phases are `input`, `executables` and `objects`")
        })
    }

    /// Fails unless the program is in the phase that a tool needs; says which tool is missing or superfluous.
    pub fn expect_phase(self, tool: &str, needs: Phase) -> Result<()> {
        let is = self.phase()?;
        if is == needs {
            return Ok(());
        }
        let error = Error::input(format!("`{tool}` needs a program in phase `{needs}`, this one is in phase `{is}`"))
            .code("wrong-phase");
        Err(if is < needs {
            error.hint(format!("run `{}` before `{tool}`", needs.made_by()))
        } else {
            error.hint(format!("`{tool}` has been run already; leave it out of the pipe"))
        })
    }

    /// Returns the symbol name, or `module`.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_else(|| "module".into())
    }

    fn top(self) -> Vec<Op> {
        self.op.body_ops()
    }

    /// Returns the executables in order.
    pub fn executables(self) -> Vec<Executable> {
        self.top().into_iter().filter_map(Executable::view).collect()
    }

    /// Returns the executable of that name.
    pub fn executable(self, name: &str) -> Option<Executable> {
        self.executables().into_iter().find(|e| e.name() == name)
    }

    /// The executables by their names; looking one up by itself reads all of the program.
    pub fn executables_by_name(self) -> HashMap<String, Executable> {
        self.executables().into_iter().rev().map(|e| (e.name(), e)).collect()
    }

    /// Returns the entries in order.
    pub fn entries(self) -> Vec<ExportDeclaration> {
        self.top().into_iter().filter_map(ExportDeclaration::view).collect()
    }

    /// Returns the declarations of hand-written kernels and functions in order.
    pub fn external_kernels(self) -> Vec<super::ExternalKernel> {
        self.top().into_iter().filter_map(super::ExternalKernel::view).collect()
    }

    /// The declarations of host functions, in order.
    pub fn host_functions(self) -> Vec<super::HostFunctionDeclaration> {
        self.top().into_iter().filter_map(super::HostFunctionDeclaration::view).collect()
    }

    /// The declarations of checks at run time, in order.
    pub fn checks(self) -> Vec<super::Check> {
        self.top().into_iter().filter_map(super::Check::view).collect()
    }

    /// Whether the program trusts indices and divisors that are data, without run-time checks (`hal.bounds`).
    pub fn trusts_data(self) -> bool {
        self.op.attr(names::BOUNDS).and_then(Attr::as_string).is_some_and(|b| b == "trust")
    }

    /// The functions of the host program: those with a body.
    pub fn functions(self) -> Vec<Op> {
        self.top().into_iter().filter(|op| op.is("func.func") && op.body().is_some()).collect()
    }

    /// The public functions of the host program.
    pub fn public_functions(self) -> Vec<Op> {
        self.functions()
            .into_iter()
            .filter(|f| f.attr("sym_visibility").and_then(Attr::as_string).is_none_or(|v| v == "public"))
            .collect()
    }

    /// Returns the globals in order.
    pub fn globals(self) -> Vec<ProgramGlobal> {
        self.top().into_iter().filter(|op| op.is("ml_program.global")).map(|op| ProgramGlobal { op }).collect()
    }

    /// Makes an entry for an export, at the start of the program.
    pub fn add_entry(self, executable: &str, export: Export) -> Op {
        let context = self.op.context();
        let name = export.name();
        let body = self.op.body().expect("a module has a body");
        let mut attrs = vec![
            ("sym_name", Attr::string(context, &name)),
            ("sym_visibility", Attr::string(context, "private")),
            ("function_type", Attr::ty(export.ty())),
            (names::ENTRY, Attr::nested_symbol(context, executable, &name)),
        ];
        let arguments = export.op.attr("arg_attrs").filter(|_| !super::is_lowered(export.op));
        attrs.extend(arguments.map(|a| ("arg_attrs", a)));
        attrs.extend(super::fingerprint::result_attrs(export.op).map(|a| ("res_attrs", a)));
        let op = Builder::create(export.op.loc(), "func.func", &[], &[], &attrs, vec![crate::Region::create()]);
        body.prepend(op)
    }
}

/// The declaration through which the host program calls an export.
#[derive(Debug, Clone, Copy)]
pub struct ExportDeclaration {
    /// The `func.func`.
    pub op: Op,
}

impl ExportDeclaration {
    /// Views an operation; `None` unless it is an entry.
    pub fn view(op: Op) -> Option<Self> {
        (op.is("func.func") && op.has_attr(names::ENTRY)).then_some(Self { op })
    }

    /// Returns the name that calls use.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// The executable and export that it names. Errors: the attribute is not `@executable::@export`.
    pub fn target(self) -> Result<(String, String)> {
        let parts = self.op.attr(names::ENTRY).and_then(Attr::as_symbol).unwrap_or_default();
        match <[String; 2]>::try_from(parts) {
            Ok([executable, export]) => Ok((executable, export)),
            Err(_) => Err(Diagnostic::error(format!(
                "entry `@{}`: `{}` must name an export, as in `@executable::@export`",
                self.name(),
                names::ENTRY
            ))
            .into()),
        }
    }
}

/// The location of an external global's data.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WeightReference {
    /// The name of the file, relative to the program: a safetensors archive, or one that has the elements in a piece.
    pub archive: String,
    /// The tensor's name in the file.
    pub key: String,
    /// The range of the elements in a file of any format; `None` for a safetensors archive that has them under the
    /// key.
    pub piece: Option<Piece>,
}

/// A range of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Piece {
    /// The offset in bytes.
    pub offset: u64,
    /// The size of the whole file in bytes.
    pub size: u64,
}

/// A global of the program.
#[derive(Debug, Clone, Copy)]
pub struct ProgramGlobal {
    /// The `ml_program.global`.
    pub op: Op,
}

impl ProgramGlobal {
    /// Makes a private external global in no block; [`ProgramGlobal::set_parameter`] or [`ProgramGlobal::set_value`] must follow.
    pub fn create(loc: crate::Loc, name: &str, ty: Type) -> Self {
        // SAFETY: the location is live.
        let context = unsafe { mlir_sys::mlirLocationGetContext(loc) };
        let external = Attr::parse(context, &format!("#ml_program.extern : {ty}")).expect("a type prints as it parses");
        let attrs = [
            ("sym_name", Attr::string(context, name)),
            ("type", Attr::ty(ty)),
            ("value", external),
            ("sym_visibility", Attr::string(context, "private")),
        ];
        Self { op: Builder::create(loc, "ml_program.global", &[], &[], &attrs, Vec::new()) }
    }
    /// Returns the symbol name.
    pub fn name(self) -> String {
        self.op.symbol().unwrap_or_default()
    }
    /// Its public name: `hal.name`, else the symbol.
    pub fn public_name(self) -> String {
        self.op.attr(names::NAME).and_then(Attr::as_string).unwrap_or_else(|| self.name())
    }
    /// Returns the type.
    pub fn ty(self) -> Type {
        self.op.attr("type").and_then(Attr::as_type).expect("ml_program.global has a type")
    }
    /// Whether the host program may store into it.
    pub fn is_mutable(self) -> bool {
        self.op.has_attr("is_mutable")
    }
    /// The value, if the program contains it (dense or resource); `None` if it is external or absent.
    pub fn value(self) -> Option<Attr> {
        self.op.attr("value").filter(|v| v.is_elements())
    }
    /// Whether its value is `#ml_program.extern`.
    pub fn is_external(self) -> bool {
        self.op.attr("value").is_some_and(|v| !v.is_elements())
    }
    /// Returns the location of an external global's data.
    pub fn parameter(self) -> Option<WeightReference> {
        let dict = self.op.attr(names::PARAMETER)?;
        let number = |name: &str| dict.get(name).and_then(Attr::as_int).and_then(|n| u64::try_from(n).ok());
        let piece = number("offset").zip(number("size")).map(|(offset, size)| Piece { offset, size });
        Some(WeightReference { archive: dict.get("archive")?.as_string()?, key: dict.get("key")?.as_string()?, piece })
    }
    /// Makes the global hold its data, a dense or resource attribute of its type.
    pub fn set_value(self, value: Attr) {
        self.op.remove_attr(names::PARAMETER);
        self.op.set_attr("value", value);
    }
    /// Makes the data external.
    pub fn set_external(self, parameter: &WeightReference) {
        let external = Attr::parse(self.op.context(), &format!("#ml_program.extern : {}", self.ty()));
        self.op.set_attr("value", external.expect("a type prints as it parses"));
        self.set_parameter(parameter);
    }
    /// Sets the location of an external global's data.
    pub fn set_parameter(self, parameter: &WeightReference) {
        let context = self.op.context();
        let mut items = vec![
            ("archive", Attr::string(context, &parameter.archive)),
            ("key", Attr::string(context, &parameter.key)),
        ];
        if let Some(piece) = parameter.piece {
            let number = |n: u64| Attr::integer(Type::integer(context, 64), n as i64);
            items.extend([("offset", number(piece.offset)), ("size", number(piece.size))]);
        }
        self.op.set_attr(names::PARAMETER, Attr::dict(context, &items));
    }
}
