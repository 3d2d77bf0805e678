//! Shims for CPU code whose arguments or name differ from the kernel ABI: a few lines in the LLVM dialect that have
//! the kernel ABI and call the code. `hal-translate` compiles them.
use super::files::{self, Code};
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Op, Session,
    form::{self, ExternalKernel, Interface},
    names,
};
use halyard_objects::{CodeArgument, CodeFactor, CodeNumber, Half, NumberKind};
use std::fmt::Write;

/// The list that is the kernel ABI, for code that only has another name.
pub(super) fn kernel_abi_list(interface: &Interface) -> Vec<String> {
    let scalars = interface.scalar_inputs().into_iter().map(|i| format!("arg{i} : i64"));
    let front = ["buffers".to_owned(), "sizes : i64".to_owned()].into_iter();
    front.chain(scalars).chain(["workgroup".to_owned()]).collect()
}

/// The declaration of the code with its objects, and the export that calls it, in no block.
pub(super) fn make(
    session: &Session,
    given: ExternalKernel,
    export: &str,
    (symbol, arguments): (&str, &[CodeArgument]),
    (target, code): (Attr, &Code),
) -> Result<Vec<Op>> {
    let context = session.raw();
    session.load_dialects(&["llvm"]);
    let text = text(given.op, export, symbol, arguments);
    let module = session.parse_beside(text.as_bytes(), "hal.arguments")?;
    let ops: Vec<Op> = Op::from(&module).body().expect("modules have a body").ops();
    let ops: Vec<Op> = ops.into_iter().map(Op::duplicate).collect();
    let [declared, kernel] = ops.as_slice() else {
        return Err(Error::input(format!("the call of `{symbol}` cannot be written")));
    };
    let objects = files::embed(session, &format!("{}_{symbol}", given.name()), code);
    let entry = [("target", target), ("objects", form::object_list(context, &objects))];
    declared.set_attr(names::OBJECTS, Attr::array(context, &[Attr::dict(context, &entry)]));
    form::adopt_interface(*kernel, given.op);
    Ok(ops)
}

fn text(given: Op, export: &str, symbol: &str, arguments: &[CodeArgument]) -> String {
    let interface = Interface::of(given);
    let bindings = interface.tensor_inputs().len() + interface.untied_results().len();
    let mut parameters: Vec<String> = (0..bindings).map(|i| format!("%b{i}: !llvm.ptr")).collect();
    parameters.extend((0..interface.constant_count()).map(|i| format!("%c{i}: i64")));
    parameters.push("%wg: !llvm.ptr".into());
    let mut body = Body::default();
    let (mut values, mut types) = (Vec::new(), Vec::new());
    for argument in arguments {
        let (value, ty) = match argument {
            CodeArgument::Buffer { binding, .. } => (format!("%b{binding}"), "!llvm.ptr".to_owned()),
            CodeArgument::Workgroup => ("%wg".to_owned(), "!llvm.ptr".to_owned()),
            CodeArgument::Number(number) => (body.number(number), number.kind.name()),
        };
        // The C calling conventions want integers below the width of a register extended.
        let extended = matches!(&*ty, "i8" | "i16" | "i32");
        types.push(if extended { format!("{ty} {{llvm.signext}}") } else { ty });
        values.push(value);
    }
    let types = types.join(", ");
    let name = |text: &str| Attr::symbol(given.context(), text).to_string();
    let (symbol, export) = (name(symbol), name(export));
    format!(
        "llvm.func {symbol}({types})\nllvm.func {export}({}) attributes {{hal.export}} {{\n{}  llvm.call {symbol}({}) : ({types}) -> ()\n  llvm.return\n{}}}\n",
        parameters.join(", "),
        body.text,
        values.join(", "),
        if body.checks { "^wrong:\n  \"llvm.intr.trap\"() : () -> ()\n  llvm.unreachable\n" } else { "" }
    )
}

/// The operations before the call.
#[derive(Default)]
struct Body {
    text: String,
    values: usize,
    checks: bool,
}

impl Body {
    fn value(&mut self, operation: &str) -> String {
        let name = format!("%v{}", self.values);
        self.values += 1;
        let _ = writeln!(self.text, "  {name} = {operation}");
        name
    }

    /// Emits a trap unless a condition holds: code must not receive a value that does not fit.
    fn check(&mut self, condition: &str) {
        let next = self.values;
        let _ = writeln!(self.text, "  llvm.cond_br {condition}, ^go{next}, ^wrong\n^go{next}:");
        self.checks = true;
    }

    fn number(&mut self, number: &CodeNumber) -> String {
        let mut value = None;
        if number.factor != 1 || number.of.is_empty() {
            value = Some(self.value(&format!("llvm.mlir.constant({} : i64) : i64", number.factor)));
        }
        for factor in &number.of {
            let one = match factor {
                CodeFactor::Constant(i) => format!("%c{i}"),
                CodeFactor::WorkgroupId(axis) => self.field(*axis),
                CodeFactor::WorkgroupCount(axis) => self.field(3 + axis),
            };
            value = Some(match value {
                None => one,
                Some(before) => self.value(&format!("llvm.mul {before}, {one} : i64")),
            });
        }
        let mut value = value.expect("a product has a factor");
        if number.half == Some(Half::High) {
            let half = self.value("llvm.mlir.constant(32 : i64) : i64");
            value = self.value(&format!("llvm.lshr {value}, {half} : i64"));
        }
        match number.kind {
            NumberKind::Integer(64) | NumberKind::Bits(64) => value,
            NumberKind::Float(64) => self.value(&format!("llvm.bitcast {value} : i64 to f64")),
            NumberKind::Float(_) => {
                let bits = self.value(&format!("llvm.trunc {value} : i64 to i32"));
                self.value(&format!("llvm.bitcast {bits} : i32 to f32"))
            }
            NumberKind::Bits(bits) => self.value(&format!("llvm.trunc {value} : i64 to i{bits}")),
            NumberKind::Integer(bits) => {
                let narrow = self.value(&format!("llvm.trunc {value} : i64 to i{bits}"));
                if !number.of.is_empty() {
                    let wide = self.value(&format!("llvm.sext {narrow} : i{bits} to i64"));
                    let same = self.value(&format!("llvm.icmp \"eq\" {wide}, {value} : i64"));
                    self.check(&same);
                }
                narrow
            }
        }
    }

    /// Loads one of the first six fields of `hal_workgroup_t`: `id[3]`, `count[3]`, of 32 bits each.
    fn field(&mut self, number: usize) -> String {
        let place = self.value(&format!("llvm.getelementptr %wg[{number}] : (!llvm.ptr) -> !llvm.ptr, i32"));
        let narrow = self.value(&format!("llvm.load {place} : !llvm.ptr -> i32"));
        self.value(&format!("llvm.zext {narrow} : i32 to i64"))
    }
}
