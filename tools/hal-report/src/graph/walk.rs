//! Reads the graph from the host commands of a function.
use super::{
    Edge, Graph, Node, NodeKind,
    writers::{Writers, immediate},
};
use halyard_runtime::commands::{Base, Buffer, Function, HostPlace, HostProgram, Inst, OutputSource};

/// The graph of a function. Bodies of loops and both branches of a choice appear once; what a loop hands to its next
/// iteration is no edge.
pub(crate) fn graph(program: &HostProgram, function: &Function) -> Graph {
    let mut walk = Walk {
        program,
        graph: Graph { transients: vec![None; function.transients.len()], ..Graph::default() },
        writers: Writers::default(),
        regions: Vec::new(),
        numbered: 0,
    };
    for (i, spec) in function.info.inputs.iter().enumerate() {
        let label = spec.name.clone().unwrap_or_else(|| format!("input {i}"));
        let node = walk.node(NodeKind::Input, label, None);
        walk.writers.write(&whole(Base::Input(i as u32)), node);
    }
    walk.block(&function.body);
    for (i, (spec, source)) in function.info.outputs.iter().zip(&function.outputs).enumerate() {
        let label = spec.name.clone().unwrap_or_else(|| format!("output {i}"));
        let node = walk.node(NodeKind::Output, label, None);
        let buffer = match source {
            OutputSource::Written => whole(Base::Output(i as u32)),
            OutputSource::Copied { source, .. } => *source,
        };
        walk.read(&buffer, node);
    }
    walk.graph
}

/// All of a buffer.
fn whole(base: Base) -> Buffer {
    use halyard_runtime::commands::Operand::Immediate;
    Buffer { base, offset: Immediate(0), bytes: Immediate(u64::MAX) }
}

struct Walk<'a> {
    program: &'a HostProgram,
    graph: Graph,
    writers: Writers,
    regions: Vec<String>,
    /// Loops and choices so far.
    numbered: usize,
}

impl Walk<'_> {
    fn node(&mut self, kind: NodeKind, label: String, kernel: Option<usize>) -> usize {
        let origin = kernel.map(|k| self.program.kernels[k].identity.origin.clone()).unwrap_or_default();
        self.graph.nodes.push(Node {
            kind,
            label,
            kernel,
            value: String::new(),
            origin,
            regions: self.regions.clone(),
            weights: 0,
        });
        self.graph.nodes.len() - 1
    }

    /// A node uses a transient, if it is one.
    fn uses(&mut self, buffer: &Buffer, node: usize) {
        if let Base::Transient(i) = self.writers.base(buffer) {
            let life = self.graph.transients[i as usize].get_or_insert((node, node));
            life.1 = life.1.max(node);
        }
    }

    fn read(&mut self, buffer: &Buffer, node: usize) {
        self.uses(buffer, node);
        if matches!(self.writers.base(buffer), Base::Constant(_) | Base::Weight(_)) {
            self.graph.nodes[node].weights += immediate(buffer.bytes).unwrap_or(0);
        }
        let bytes = immediate(buffer.bytes).filter(|n| *n != u64::MAX);
        for from in self.writers.of(buffer) {
            // A tensor that a kernel takes twice is one edge.
            let known = self.graph.edges.iter().rev().take_while(|e| e.to == node).any(|e| e.from == from);
            if from != node && !known {
                self.graph.edges.push(Edge { from, to: node, bytes });
            }
        }
    }

    fn write(&mut self, buffer: &Buffer, node: usize) {
        self.uses(buffer, node);
        self.writers.write(buffer, node);
    }

    fn block(&mut self, list: &[Inst]) {
        list.iter().for_each(|inst| self.inst(inst));
    }

    fn region(&mut self, name: String, list: &[Inst]) {
        self.regions.push(name);
        self.block(list);
        self.regions.pop();
    }

    /// What runs again keeps its transients from the first to the last of its nodes.
    fn repeated(&mut self, first: usize) {
        let last = self.graph.nodes.len();
        for life in self.graph.transients.iter_mut().flatten().filter(|life| life.1 >= first && last > first) {
            *life = (life.0.min(first), last - 1);
        }
    }

    fn inst(&mut self, inst: &Inst) {
        match inst {
            Inst::Dispatch { kernel, bindings, values, .. } => {
                let kernel = *kernel as usize;
                let about = &self.program.kernels[kernel];
                let node = self.node(NodeKind::Dispatch, about.export.clone(), Some(kernel));
                let written = about.bindings.iter().position(|w| *w);
                self.graph.nodes[node].value = written.and_then(|i| values.get(i)).cloned().unwrap_or_default();
                let results = bindings.len() - about.results as usize;
                bindings[..results].iter().for_each(|b| self.read(b, node));
                bindings.iter().zip(&about.bindings).filter(|(_, w)| **w).for_each(|(b, _)| self.write(b, node));
            }
            Inst::Copy { source, target } => {
                let node = self.node(NodeKind::Copy, "copy".into(), None);
                self.read(source, node);
                self.write(target, node);
            }
            Inst::Fill { target, .. } => {
                let node = self.node(NodeKind::Copy, "fill".into(), None);
                self.write(target, node);
            }
            Inst::Host { function, inputs, results } => {
                let name = self.program.host_functions[*function as usize].name.clone();
                let node = self.node(NodeKind::Host, name, None);
                inputs.iter().for_each(|i| self.read(&i.buffer, node));
                for result in results {
                    match &result.place {
                        HostPlace::Buffer(buffer) => self.write(buffer, node),
                        HostPlace::Slot(slot) => {
                            self.writers.fresh(*slot);
                            self.write(&whole(Base::Slot(*slot)), node);
                        }
                    }
                }
            }
            Inst::LoadState { slot, state, .. } => {
                let node = self.node(NodeKind::State, format!("load {}", self.state(*state)), None);
                self.writers.fresh(*slot);
                self.write(&whole(Base::Slot(*slot)), node);
            }
            Inst::StoreState { state, source, .. } => {
                let node = self.node(NodeKind::State, format!("store {}", self.state(*state)), None);
                self.read(source, node);
            }
            Inst::Allocate { slot, .. } => self.writers.fresh(*slot),
            Inst::View { slot, source } => self.writers.view(*slot, source),
            Inst::If { then, otherwise, .. } => {
                self.numbered += 1;
                let number = self.numbered;
                self.region(format!("if {number}"), then);
                self.region(format!("else {number}"), otherwise);
            }
            Inst::For { body, .. } => {
                self.numbered += 1;
                let first = self.graph.nodes.len();
                self.region(format!("loop {}", self.numbered), body);
                self.repeated(first);
            }
            Inst::While { before, after, .. } => {
                self.numbered += 1;
                let first = self.graph.nodes.len();
                let name = format!("loop {}", self.numbered);
                self.region(name.clone(), before);
                self.region(name, after);
                self.repeated(first);
            }
            // Scalars, and what neither computes nor copies.
            Inst::Scalar(_)
            | Inst::Own { .. }
            | Inst::Release { .. }
            | Inst::Load { .. }
            | Inst::Store { .. }
            | Inst::Assert { .. } => {}
        }
    }

    fn state(&self, index: u32) -> String {
        self.program.states[index as usize].spec.name.clone().unwrap_or_else(|| format!("state {index}"))
    }
}
