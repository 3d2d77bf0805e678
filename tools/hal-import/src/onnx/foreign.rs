//! Operators that users implement: a node becomes a call of a function that is declared beside the model.
use super::{
    Context, Dim, Elem, Node, Num, Outcome, Tensor, Value,
    problem::{invalid, unsupported},
    writer::literal,
};

/// A function for the nodes of an operator.
#[derive(Debug, Clone)]
pub struct Foreign {
    /// The operator's domain; `""` is the standard one.
    pub domain: String,
    /// The operator's name.
    pub op: String,
    /// The function's symbol.
    pub symbol: String,
    /// The arguments: the node's inputs in order, and attributes.
    pub arguments: Vec<ForeignArgument>,
    /// The results: the node's outputs in order.
    pub results: Vec<Shaped>,
}

/// A type of the function: a tensor, or a number if there is no shape.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shaped {
    /// The element type in MLIR, such as `f32`, or `index`.
    pub element: String,
    /// Whether integers are unsigned.
    pub unsigned: bool,
    /// The static sizes of a tensor.
    pub shape: Option<Vec<Option<i64>>>,
}

/// An argument of the function.
#[derive(Debug, Clone)]
pub struct ForeignArgument {
    /// Its type.
    pub ty: Shaped,
    /// The attribute of the node that it receives; `None` for an input.
    pub attribute: Option<String>,
    /// The value if a node does not have the attribute.
    pub default: Option<f64>,
}

impl Shaped {
    /// Returns the type in MLIR.
    fn text(&self) -> String {
        match &self.shape {
            Some(shape) => {
                let dims: String = shape.iter().map(|d| d.map_or("?x".into(), |d| format!("{d}x"))).collect();
                format!("tensor<{dims}{}>", self.element)
            }
            None => self.element.clone(),
        }
    }

    fn elem(&self) -> Option<Elem> {
        let elem = match self.element.as_str() {
            "f32" => Elem::F32,
            "f64" => Elem::F64,
            "f16" => Elem::F16,
            "bf16" => Elem::Bf16,
            "i1" => Elem::Bool,
            "i8" => Elem::I8,
            "i16" => Elem::I16,
            "i32" => Elem::I32,
            "i64" => Elem::I64,
            _ => return None,
        };
        Some(match (elem, self.unsigned) {
            (Elem::I8, true) => Elem::U8,
            (Elem::I16, true) => Elem::U16,
            (Elem::I32, true) => Elem::U32,
            (Elem::I64, true) => Elem::U64,
            (elem, _) => elem,
        })
    }

    /// Returns why a value cannot be passed; `None` if it can, possibly with a check of sizes.
    fn refuses(&self, value: &Value) -> Option<String> {
        let shape = self.shape.as_deref()?;
        if self.elem() != Some(value.elem) {
            let sign = if value.elem.is_unsigned() && value.elem != Elem::Bool { "unsigned " } else { "" };
            return Some(format!("takes `{}`, not {sign}`{}`", self.text(), value.ty()));
        }
        let fits = shape.len() == value.rank()
            && shape.iter().zip(&value.shape).all(|(d, own)| d.is_none() || own.get().is_none() || *d == own.get());
        (!fits).then(|| format!("takes `{}`, not `{}`", self.text(), value.ty()))
    }
}

/// Calls the first function that takes what the node has. Errors: there is none.
pub(super) fn call(c: &mut Context<'_>, n: &Node, functions: &[Foreign]) -> Outcome {
    let mut reasons = Vec::new();
    for function in functions {
        match function.refuses(n) {
            None => return function.call(c, n),
            Some(reason) => reasons.push(format!("`@{}` {reason}", function.symbol)),
        }
    }
    unsupported(format!("no function of `--onnx-op` fits: {}", reasons.join("; ")))
}

impl Foreign {
    /// Returns why the function does not fit a node.
    fn refuses(&self, n: &Node) -> Option<String> {
        let inputs: Vec<_> = self.arguments.iter().filter(|a| a.attribute.is_none()).collect();
        // Inputs at the end may be left out.
        let given = n.inputs.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        if inputs.len() != given {
            return Some(format!("takes {} inputs, not {given}", inputs.len()));
        }
        for (i, (argument, value)) in inputs.iter().zip(&n.inputs).enumerate() {
            let Some(value) = value else { return Some(format!("takes input {i}, which is left out")) };
            if value.sequence.is_some() {
                return Some(format!("takes input {i} as a tensor, not as a sequence"));
            }
            if let Some(reason) = argument.ty.refuses(value) {
                return Some(reason);
            }
        }
        if n.outputs.len() > self.results.len() {
            return Some(format!("gives {} results, not {}", self.results.len(), n.outputs.len()));
        }
        self.arguments.iter().find_map(|a| a.attribute.as_ref().and_then(|name| a.missing(n, name)))
    }

    fn call(&self, c: &mut Context<'_>, n: &Node) -> Outcome {
        let mut inputs = n.inputs.iter().flatten();
        let (mut names, mut types) = (Vec::new(), Vec::new());
        for argument in &self.arguments {
            let text = argument.ty.text();
            names.push(match &argument.attribute {
                Some(name) => argument.constant(c, n, name)?,
                None => {
                    let value = inputs.next().expect("as many inputs as arguments for them").clone();
                    let shape = argument.ty.shape.as_deref().unwrap_or_default();
                    for (i, size) in shape.iter().enumerate() {
                        if let Some(size) = size {
                            c.require_size((&value, i), &Dim::fixed(*size), &format!("as `@{}` takes", self.symbol))?;
                        }
                    }
                    let (ssa, own) = (c.ssa(&value), value.ty());
                    if own == text { ssa } else { c.w.value(format!("tensor.cast {ssa} : {own} to {text}")) }
                }
            });
            types.push(text);
        }
        let results: Vec<_> = self.results.iter().map(Shaped::text).collect();
        let (types, results) = (types.join(", "), results.join(", "));
        c.declare(&self.symbol, &format!("  func.func private @{}({types}) -> ({results})", self.symbol));
        let call = format!("func.call @{}({}) : ({types}) -> ({results})", self.symbol, names.join(", "));
        let ssas = c.w.values(self.results.len(), &call);
        self.results.iter().zip(ssas).enumerate().map(|(i, (ty, ssa))| result_value(c, n, i, ty, ssa)).collect()
    }
}

impl ForeignArgument {
    /// Returns why a node lacks the value of the argument.
    fn missing(&self, n: &Node, name: &str) -> Option<String> {
        let Some(shape) = &self.ty.shape else {
            return (!n.has(name) && self.default.is_none()).then(|| format!("needs attribute `{name}`"));
        };
        let count = n.ints(name).map_or(0, |l| l.len()).max(n.floats(name).map_or(0, |l| l.len()));
        let wanted = shape.first().copied().flatten();
        (count == 0 || wanted.is_some_and(|w| w != count as i64))
            .then(|| format!("takes attribute `{name}` as `{}`, which the node does not have", self.ty.text()))
    }

    /// Returns the attribute as a constant.
    fn constant(&self, c: &mut Context<'_>, n: &Node, name: &str) -> Outcome<String> {
        let index = self.ty.element == "index";
        let elem = if index { Elem::I64 } else { self.ty.elem().expect("looked at as it was read") };
        if self.ty.shape.is_some() {
            let ints = n.ints(name).unwrap_or_default().into_iter().map(|v| Num::I(v.into()));
            let floats = n.floats(name).unwrap_or_default().into_iter().map(|v| Num::F(v.into()));
            let numbers: Vec<_> = ints.chain(floats).collect();
            let list = Value::constant(Tensor::from_numbers(elem, vec![numbers.len()], numbers));
            let (ssa, own, text) = (c.ssa(&list), list.ty(), self.ty.text());
            return Ok(if own == text { ssa } else { c.w.value(format!("tensor.cast {ssa} : {own} to {text}")) });
        }
        let number = match (n.number(name), self.default) {
            (Some(number), _) => number,
            (None, Some(default)) if !n.has(name) => Num::F(default),
            _ => return invalid(format!("attribute `{name}` is no number")),
        };
        if index {
            return Ok(c.index(&Dim::fixed(number.int() as i64)));
        }
        let text = literal(elem, number);
        Ok(c.w.value(if elem == Elem::Bool {
            format!("arith.constant {text}")
        } else {
            format!("arith.constant {text} : {}", elem.mlir())
        }))
    }
}

/// A result of a call: its sizes are what the function says, then what the model says, which is checked, else what comes.
fn result_value(c: &mut Context<'_>, n: &Node, i: usize, ty: &Shaped, ssa: String) -> Outcome<Value> {
    let (Some(elem), Some(shape)) = (ty.elem(), &ty.shape) else { return invalid("a result is no tensor") };
    let text = ty.text();
    let sizes = shape
        .iter()
        .enumerate()
        .map(|(d, size)| match size {
            Some(size) => Dim::fixed(*size),
            None => {
                let at = c.index(&Dim::fixed(d as i64));
                let size = c.w.value(format!("tensor.dim {ssa}, {at} : {text}"));
                c.fresh_symbol(size)
            }
        })
        .collect::<Vec<_>>();
    let value = Value::new(ssa, elem, sizes);
    let Some(declared) = n.declared.get(i).cloned().flatten() else { return Ok(value) };
    if declared.len() != value.rank() {
        return invalid(format!("the function gives `{text}`, the model declares a result of rank {}", declared.len()));
    }
    let value = value.called(&n.outputs[i]);
    for (d, size) in declared.iter().enumerate() {
        if let Some(size) = size {
            c.require_size((&value, d), &Dim::fixed(*size), "as the model declares")?;
        }
    }
    let dims: Vec<_> =
        value.shape.iter().zip(declared).map(|(own, size)| size.map_or_else(|| own.clone(), Dim::fixed)).collect();
    Ok(c.cast(&value, &dims))
}
