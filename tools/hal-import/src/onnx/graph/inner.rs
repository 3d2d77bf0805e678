//! Graphs inside the graph: functions of the model, inlined, and branches of control flow.
use super::{Importer, Names, Opsets, opsets};
use crate::onnx::{
    Outcome, Value,
    names::{declared_ranks, needed, needed_for},
    problem::invalid,
    proto::{Attribute, Function, Graph, NodeProto},
};

/// Nodes call functions, which hold nodes; a model that nests deeper is wrong.
const DEEPEST: usize = 64;

impl<'a> Importer<'a> {
    /// Inlines a function of the model.
    pub(super) fn call(
        &mut self,
        function: &Function,
        proto: &NodeProto,
        inputs: &[Option<Value>],
        mut attributes: Vec<Attribute>,
    ) -> Outcome<Option<Vec<Value>>> {
        self.deeper()?;
        for default in &function.attribute_proto {
            if !attributes.iter().any(|a| a.name == default.name) {
                attributes.push(default.clone());
            }
        }
        let mut names = Names::new();
        let mut inputs = inputs.iter();
        for name in &function.input {
            if let Some(value) = inputs.next().cloned().flatten() {
                names.insert(name.clone(), Some(value));
            }
        }
        let wanted = function.output.iter().zip(&proto.output).filter(|(_, o)| !o.is_empty()).map(|(f, _)| f.as_str());
        let needed = needed_for(&function.node, wanted);
        // A parameter that the caller left out is as an empty name for the nodes that use it.
        let nodes: Vec<_> = function
            .node
            .iter()
            .map(|n| {
                let mut n = n.clone();
                for i in n.input.iter_mut().filter(|i| function.input.contains(i) && !names.contains_key(*i)) {
                    i.clear();
                }
                n
            })
            .collect();
        let ranks = std::mem::take(&mut self.ranks);
        let outer = std::mem::replace(&mut self.attributes, attributes.clone());
        self.nodes(&nodes, &needed, &opsets(&function.opset_import), &attributes, &mut names);
        (self.ranks, self.attributes) = (ranks, outer);
        self.depth -= 1;
        let results: Option<Vec<_>> =
            function.output.iter().take(proto.output.len()).map(|o| names.get(o).cloned().flatten()).collect();
        Ok(results)
    }

    fn deeper(&mut self) -> Outcome<()> {
        if self.depth >= DEEPEST {
            return invalid("functions or graphs are nested too deeply; a function may not call itself");
        }
        self.depth += 1;
        Ok(())
    }

    /// Imports a graph of an attribute, which sees the names around it. The results are `None` where something in it
    /// could not be imported.
    pub(crate) fn subgraph(
        &mut self,
        graph: &Graph,
        inputs: Vec<Value>,
        opsets: &Opsets,
        outer: &Names,
    ) -> Outcome<Option<Vec<Value>>> {
        self.deeper()?;
        let mut names = outer.clone();
        for (info, value) in graph.input.iter().zip(inputs) {
            names.insert(info.name().to_owned(), Some(value));
        }
        let needed = needed(graph);
        let (ranks, here) = (self.ranks.clone(), self.c.here());
        self.ranks.extend(declared_ranks(graph));
        self.initialisers(graph, &needed, &mut names);
        let attributes = self.attributes.clone();
        self.nodes(&graph.node, &needed, opsets, &attributes, &mut names);
        self.ranks = ranks;
        self.c.back(here);
        self.depth -= 1;
        let mut results = Vec::new();
        for output in &graph.output {
            match names.get(output.name()) {
                Some(Some(value)) => results.push(value.clone()),
                Some(None) => return Ok(None),
                None => return invalid(format!("output `{}` of a graph is made by no node", output.name())),
            }
        }
        Ok(Some(results))
    }
}
