//! Mathematical functions that SPIR-V lacks: those on `f64`, and a few on other floats; in plain loops, where speed
//! does not matter, also all functions that Vulkan allows to be inaccurate.
//!
//! `functions.mlir` has them in double precision, made from the C source of CUDA's functions, which states their
//! accuracy. Functions that are called are copied into the kernel's module.
use halyard_diag::Result;
use halyard_ir::{Attr, Builder, Module, Op, Session, Type, Value};
use halyard_kernel::EXACT_ON_GPUS;
use std::collections::BTreeSet;

/// The library: `device.c` of the runtime in MLIR.
const SOURCE: &str = include_str!("functions.mlir");
/// The prefix of its functions.
const PREFIX: &str = "hal_";
/// Functions of `math` that GLSL.std.450 has for no type.
const MISSING: &[&str] = &["atan2", "cbrt", "erf", "erfc"];

/// The library, and what was called of it.
pub(super) struct Functions<'s> {
    session: &'s Session,
    exact: bool,
    library: Option<Module<'s>>,
    called: BTreeSet<String>,
}

impl<'s> Functions<'s> {
    /// Makes the replacement. With `exact`, SPIR-V's own functions are not used.
    pub(super) fn new(session: &'s Session, exact: bool) -> Self {
        Self { session, exact, library: None, called: BTreeSet::new() }
    }

    /// Replaces an operation on scalars by a call; `None` if SPIR-V supports it, or if it is another operation.
    pub(super) fn call(&mut self, at: &Builder, op: Op) -> Result<Option<Value>> {
        let (ty, name) = (op.result(0).ty(), op.name());
        let function = match name.strip_prefix("math.") {
            _ if !ty.is_float() => return Ok(None),
            _ if name == "arith.remf" => "fmod",
            Some("powf") => "pow",
            Some("fpowi") => "powi",
            Some(function) if !EXACT_ON_GPUS.contains(&&*name) => function,
            _ => return Ok(None),
        };
        if ty.bits() < 64 && !self.exact && !MISSING.contains(&function) {
            return Ok(None);
        }
        let symbol = format!("{PREFIX}{function}");
        if self.find(&symbol)?.is_none() {
            return Ok(None);
        }
        let context = at.context();
        let (double, int) = (Type::f64(context), Type::integer(context, 32));
        let operands: Vec<Value> = op
            .operands()
            .into_iter()
            .map(|v| match v.ty().is_float() {
                true => converted(at, v, double, ["arith.extf", "arith.extf"]),
                false => converted(at, v, int, ["arith.extsi", "arith.trunci"]),
            })
            .collect();
        let callee = Attr::symbol(context, &symbol);
        self.called.insert(symbol);
        let y = at.value("func.call", &operands, double, &[("callee", callee)]);
        Ok(Some(converted(at, y, ty, ["arith.extf", "arith.truncf"])))
    }

    /// Returns a function of the library.
    fn find(&mut self, symbol: &str) -> Result<Option<Op>> {
        if self.library.is_none() {
            self.library = Some(self.session.parse_beside(SOURCE.as_bytes(), "functions.mlir")?);
        }
        let library = self.library.as_ref().map(Op::from).and_then(Op::body);
        let ops = library.map(|b| b.ops()).unwrap_or_default();
        Ok(ops.into_iter().find(|f| f.symbol().as_deref() == Some(symbol)))
    }

    /// Adds the called functions to a module, with their callees.
    pub(super) fn provide(mut self, module: Op) -> Result<()> {
        let body = module.body().expect("a module has a body");
        let mut done = BTreeSet::new();
        while let Some(symbol) = self.called.pop_first() {
            if !done.insert(symbol.clone()) {
                continue;
            }
            let function = self.find(&symbol)?.expect("the library is complete").duplicate();
            function.walk(&mut |op| {
                self.called.extend(op.callee().filter(|_| op.is("func.call")));
            });
            body.append(function);
        }
        Ok(())
    }
}

/// A number in a wider or narrower type of its kind.
fn converted(at: &Builder, x: Value, to: Type, [wider, narrower]: [&str; 2]) -> Value {
    match x.ty().bits().cmp(&to.bits()) {
        std::cmp::Ordering::Less => at.value(wider, &[x], to, &[]),
        std::cmp::Ordering::Equal => x,
        std::cmp::Ordering::Greater => at.value(narrower, &[x], to, &[]),
    }
}
