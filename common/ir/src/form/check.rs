//! Checks at run time: declarations whose calls fail the program's call unless a condition holds.
//!
//! ```text
//! func.func private @check_0(i1, index, index) attributes {hal.check = "dimension 1 of `a` is {0}, of `b` {1}"}
//! ```
//! The first argument is the condition, the others are values for the message. The host program calls checks; their
//! order does not matter, and a check that needs no result of a dispatch runs before the first dispatch.
use super::{Program, host_function::is_kernel_body};
use crate::{Attr, Builder, Op, Type, Value, names};
use halyard_diag::Template;
use std::collections::{HashMap, HashSet};

/// A declaration of a check.
#[derive(Debug, Clone, Copy)]
pub struct Check {
    /// The `func.func` without a body.
    pub op: Op,
}

impl Check {
    /// Views an operation; `None` unless it is a declaration with `hal.check`.
    pub fn view(op: Op) -> Option<Self> {
        (op.is("func.func") && op.has_attr(names::CHECK) && op.body().is_none()).then_some(Self { op })
    }

    /// The symbol, by which the program calls it.
    pub fn symbol(self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    /// The message of a failed check, see [`Template`].
    pub fn message(self) -> String {
        self.op.attr(names::CHECK).and_then(Attr::as_string).unwrap_or_default()
    }

    /// The types of the condition and the values.
    pub fn inputs(self) -> Vec<Type> {
        self.op.attr("function_type").and_then(Attr::as_type).expect("functions have a type").inputs()
    }

    /// Whether an argument is an unsigned integer (`hal.unsigned`).
    pub fn is_unsigned(self, argument: usize) -> bool {
        let attrs = self.op.attr("arg_attrs").and_then(Attr::as_array).unwrap_or_default();
        attrs.get(argument).is_some_and(|a| a.get(names::UNSIGNED).is_some())
    }
}

/// Adds checks to a program; equal checks share a declaration.
#[derive(Debug)]
pub struct Checks {
    module: Op,
    /// The declarations that exist, by message and types.
    known: HashMap<(String, Vec<Type>), String>,
    symbols: HashSet<String>,
    last: Option<Op>,
    next: usize,
}

impl Checks {
    /// Collects the checks of a module.
    pub fn of(module: Op) -> Self {
        let ops = module.body_ops();
        let symbols = ops.iter().filter_map(|op| op.symbol()).collect();
        let checks: Vec<Check> = ops.into_iter().filter_map(Check::view).collect();
        let last = checks.last().map(|c| c.op);
        let known = checks.iter().rev().map(|c| ((c.message(), c.inputs()), c.symbol())).collect();
        Self { module, known, symbols, last, next: 0 }
    }

    /// Adds a call: unless `condition` holds, the call of the program fails with the message, in which `{0}`, `{1}`, … stand
    /// for the values.
    pub fn call(&mut self, builder: &Builder, condition: Value, message: &str, values: &[Value]) -> Op {
        let operands: Vec<Value> = [condition].iter().chain(values).copied().collect();
        let symbol = self.declare(message, operands.iter().map(|v| v.ty()).collect());
        builder.op("func.call", &operands, &[], &[("callee", Attr::symbol(builder.context(), &symbol))])
    }

    fn declare(&mut self, message: &str, types: Vec<Type>) -> String {
        let key = (message.to_owned(), types);
        if let Some(symbol) = self.known.get(&key) {
            return symbol.clone();
        }
        let symbol = loop {
            let symbol = format!("check_{}", self.next);
            self.next += 1;
            if self.symbols.insert(symbol.clone()) {
                break symbol;
            }
        };
        let context = self.module.context();
        let attrs = [
            ("sym_name", Attr::string(context, &symbol)),
            ("function_type", Attr::ty(Type::function(context, &key.1, &[]))),
            ("sym_visibility", Attr::string(context, "private")),
            (names::CHECK, Attr::string(context, message)),
        ];
        let op = Builder::create(self.module.loc(), "func.func", &[], &[], &attrs, vec![crate::Region::create()]);
        self.module.body().expect("a module has a body").prepend(op);
        if let Some(last) = self.last {
            op.move_after(last);
        }
        self.last = Some(op);
        self.known.insert(key, symbol.clone());
        symbol
    }
}

/// Verifies the declarations of checks, and their calls.
pub(super) fn verify_checks(program: Program, say: &mut dyn FnMut(Op, String)) {
    let top = program.op.body_ops();
    for &op in top.iter().filter(|op| op.is("func.func") && op.has_attr(names::CHECK)) {
        match Check::view(op) {
            Some(check) => verify_declaration(check, say),
            None => say(
                op,
                format!(
                    "function `@{}` has a body and `{}`, which is for declarations",
                    op.symbol().unwrap_or_default(),
                    names::CHECK
                ),
            ),
        }
    }
    let known: HashSet<String> = program.checks().into_iter().map(Check::symbol).collect();
    if known.is_empty() {
        return;
    }
    for function in program.functions() {
        function.walk(&mut |op| {
            let callee = op.callee().filter(|_| op.is("func.call"));
            let Some(name) = callee.filter(|name| known.contains(name)) else { return };
            if let Some(holder) = std::iter::successors(op.parent(), |op| op.parent()).find(|op| is_kernel_body(*op)) {
                say(op, format!("check `@{name}` is called inside of `{}`, which runs on a device; only the host program can call it", holder.name()));
            }
        });
    }
}

fn verify_declaration(check: Check, say: &mut dyn FnMut(Op, String)) {
    let (op, symbol) = (check.op, check.symbol());
    let others = [names::HOST_FUNCTION, names::OBJECTS, names::WORKGROUPS, names::IMPORT, names::ENTRY];
    if let Some(other) = others.into_iter().find(|n| op.has_attr(n)) {
        say(op, format!("`@{symbol}` has `{}` and `{other}`; it is either or", names::CHECK));
    }
    let inputs = check.inputs();
    if !inputs.first().is_some_and(|t| t.is_integer() && t.bits() == 1) {
        say(op, format!("check `@{symbol}` does not take its condition, an `i1`, as its first argument"));
    }
    for (i, ty) in inputs.iter().enumerate().skip(1) {
        let float = matches!(&*ty.to_string(), "f16" | "bf16" | "f32" | "f64");
        let integer = ty.is_index() || ty.is_integer() && (1..=64).contains(&ty.bits());
        if !(float || integer) {
            say(
                op,
                format!(
                    "argument {i} of check `@{symbol}` has type `{ty}`; a message takes `index`, integers of up to 64 bits and floats"
                ),
            );
        }
    }
    if !op.attr("function_type").and_then(Attr::as_type).is_none_or(|t| t.results().is_empty()) {
        say(op, format!("check `@{symbol}` has results; it either returns nothing or fails"));
    }
    match op.attr(names::CHECK).and_then(Attr::as_string) {
        None => {
            say(op, format!("`{}` of `@{symbol}` is no string; it is the message of a check that fails", names::CHECK))
        }
        Some(message) if message.is_empty() => {
            say(op, format!("`{}` of `@{symbol}` is empty; it is the message of a check that fails", names::CHECK))
        }
        Some(message) => match Template::parse(&message) {
            Err(why) => say(op, format!("`{}` of `@{symbol}`: {why}", names::CHECK)),
            Ok(template) => {
                let (needs, has) = (template.values(), inputs.len().saturating_sub(1));
                if needs > has {
                    say(
                        op,
                        format!(
                            "`{}` of `@{symbol}` has `{{{}}}`, but the check gets {has} values",
                            names::CHECK,
                            needs - 1
                        ),
                    );
                }
            }
        },
    }
}

/// Verifies the value of `hal.bounds`.
pub(super) fn verify_bounds(program: Program, say: &mut dyn FnMut(Op, String)) {
    if let Some(given) = program.op.attr(names::BOUNDS)
        && !matches!(given.as_string().as_deref(), Some("check" | "trust"))
    {
        say(program.op, format!("`{}` of the program is `{given}`; it is `\"check\"` or `\"trust\"`", names::BOUNDS));
    }
}
