//! Imports the nodes of a graph, in order.
use super::super::{
    Known, Node, Outcome, Value, dims,
    evaluate::evaluate,
    foreign,
    names::resolve,
    ops,
    problem::{invalid, unsupported},
    proto::{Attribute, NodeProto},
    strings,
};
use super::{Importer, Names, Opsets, domain, words};
use std::collections::HashSet;

impl<'a> Importer<'a> {
    /// Imports nodes in order. `attributes` are those of the function that holds them.
    pub(super) fn nodes(
        &mut self,
        nodes: &[NodeProto],
        needed: &HashSet<&str>,
        opsets: &Opsets,
        attributes: &[Attribute],
        names: &mut Names,
    ) {
        for proto in nodes.iter().filter(|n| n.output.iter().any(|o| needed.contains(o.as_str()))) {
            let op = proto.op_type.clone().unwrap_or_default();
            let domain = domain(proto.domain.as_deref());
            let opset = opsets.get(&domain).copied();
            let results = self.node(proto, &op, &domain, opset, needed, opsets, attributes, names);
            let results = results.unwrap_or_else(|problem| {
                let shown = if domain.is_empty() { format!("`{op}`") } else { format!("`{domain}.{op}`") };
                let version = opset.map_or_else(|| "no opset".into(), |v| format!("opset {v}"));
                self.report.add(format!("{shown} ({version})"), shown_node(proto), problem);
                None
            });
            let mut results = results.map(IntoIterator::into_iter);
            for output in &proto.output {
                let value = results.as_mut().and_then(Iterator::next);
                // Names of functions and graphs inside are not those of the model.
                if let Some(value) = value.as_ref().filter(|_| self.depth == 0 && !output.is_empty()) {
                    self.c.mark_value(value, output);
                }
                if !output.is_empty() {
                    names.insert(output.clone(), value);
                }
            }
        }
    }

    /// Imports a node; `None` where one of its inputs could not be imported.
    #[allow(clippy::too_many_arguments)]
    pub(super) fn node(
        &mut self,
        proto: &NodeProto,
        op: &str,
        domain: &str,
        opset: Option<i64>,
        needed: &HashSet<&str>,
        opsets: &Opsets,
        outer: &[Attribute],
        names: &mut Names,
    ) -> Outcome<Option<Vec<Value>>> {
        let key = (domain.to_owned(), op.to_owned(), proto.overload.clone().unwrap_or_default());
        let function = self.functions.get(&key).copied();
        let lower = ops::find(domain, op);
        let flexible = domain == "ai.onnx.preview" && op == "FlexAttention";
        let control = domain.is_empty() && super::super::control::OPS.contains(&op) || flexible;
        let foreign = self.c.foreign(domain, op);
        if function.is_none() && lower.is_none() && foreign.is_empty() && !control {
            return unsupported(if ops::knows(domain) {
                "the operator has no lowering"
            } else {
                "the domain is not known, and the model does not define the function; `--onnx-op` can give one"
            });
        }
        let name = proto.output.iter().find(|o| !o.is_empty()).cloned().unwrap_or_default();
        self.c.w.at_node(proto.name.as_deref().filter(|n| !n.is_empty()).unwrap_or(&name), op);
        self.c.at_node(op, proto.name.as_deref(), &name);
        let mut inputs = Vec::new();
        for name in &proto.input {
            inputs.push(match name.as_str() {
                "" => None,
                name => match names.get(name) {
                    Some(Some(value)) => {
                        let value = self.c.settle(value).called(name);
                        names.insert(name.to_owned(), Some(value.clone()));
                        Some(value)
                    }
                    Some(None) => return Ok(None),
                    None => return invalid(format!("input `{name}` is made by no node before it")),
                },
            });
        }
        let attributes = proto.attribute.iter().filter_map(|a| resolve(a, outer)).collect();
        let outputs =
            proto.output.iter().map(|o| if needed.contains(o.as_str()) { o.clone() } else { String::new() }).collect();
        if let Some(function) = function.filter(|_| foreign.is_empty()) {
            return self.call(function, proto, &inputs, attributes);
        }
        // onnxruntime knows its own domain, of one version, whether the model imports it or not; tf2onnx leaves it out in subgraphs.
        let opset = opset.or((!foreign.is_empty() || domain == "com.microsoft").then_some(1));
        let Some(opset) = opset else {
            return invalid("the model does not say which version of the operator set it uses");
        };
        if let Some(v) = inputs.iter().flatten().find(|v| !ops::takes(op, v.elem)) {
            let (name, elem) = (v.label.as_deref().unwrap_or_default(), v.elem.shown());
            return invalid(format!(
                "input `{name}` is of type {elem}, which the operator does not take; cast it before"
            ));
        }
        if let Some(v) = inputs.iter().flatten().find(|v| dims::is_too_large(&v.shape)) {
            return invalid(format!("input `{}` is larger than any memory", v.label.as_deref().unwrap_or_default()));
        }
        let declared = proto.output.iter().map(|o| self.declared.get(o).filter(|_| self.depth == 0).cloned()).collect();
        let (asked, read) = Default::default();
        let mut node = Node { op: op.to_owned(), opset, name, inputs, outputs, attributes, declared, asked, read };
        if let Some(v) =
            node.inputs.iter().flatten().find(|v| v.has_words() && (flexible || op == "Scan" || !foreign.is_empty()))
        {
            return Err(strings::unknown_to(&format!("input `{}`", v.label.as_deref().unwrap_or_default())));
        }
        if flexible && foreign.is_empty() {
            return self.flex_attention(&node, opsets, names);
        }
        if control && foreign.is_empty() {
            let results = self.control(&node, opsets, names)?;
            return match node.unknown_attribute() {
                Some(name) => unsupported(format!("attribute `{name}` is not known")),
                None => Ok(results),
            };
        }
        let words = words::carried(&mut self.c, &mut node, domain)?;
        let quantised = if foreign.is_empty() { ops::carried(&mut node, domain) } else { None };
        let computed = (domain.is_empty() && foreign.is_empty()).then(|| evaluate(&node)).flatten();
        let results = if let Some(results) = computed {
            Ok(results)
        } else if foreign.is_empty() {
            node.read.take();
            let evolves = domain == "com.microsoft";
            lower.expect("seen above")(&mut self.c, &node).and_then(|results| {
                match node.unread_input().filter(|_| evolves) {
                    Some(input) => unsupported(format!("input {input} (`{}`) is not known", proto.input[input])),
                    None => Ok(results),
                }
            })
        } else {
            foreign::call(&mut self.c, &node, &foreign)
        };
        // Operands that do not fit are detected when the operation is written.
        let fault = self.c.w.take_fault();
        let mut results = results?;
        if let Some(fault) = fault {
            return invalid(format!("the element types or ranks do not fit: {fault}"));
        }
        if let Some(name) = node.unknown_attribute().filter(|_| foreign.is_empty()) {
            return unsupported(format!("attribute `{name}` is not known"));
        }
        if let Some(of) = &quantised {
            results = ops::widened(&mut self.c, &node, results, of)?;
        }
        if let Some(words) = words {
            words::attach(&words, &mut results)?;
        }
        // Folded constants are called as the model calls them.
        for (value, name) in results.iter_mut().zip(&proto.output) {
            if let Some(Known::Tensor(t)) = &mut value.known
                && t.name.is_none()
            {
                std::rc::Rc::make_mut(t).name = Some(name.clone());
            }
        }
        Ok(Some(results))
    }
}

fn shown_node(proto: &NodeProto) -> String {
    match proto.name.as_deref().filter(|n| !n.is_empty()) {
        Some(name) => format!("`{name}`"),
        None => format!("of output `{}`", proto.output.iter().find(|o| !o.is_empty()).map_or("", |o| o.as_str())),
    }
}
