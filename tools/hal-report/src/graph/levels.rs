//! Levels of detail: the graph with its nodes joined by the scopes of the model that they come from.
use super::{Graph, Node, NodeKind};
use std::collections::BTreeMap;

/// A partition of the nodes into groups of consecutive nodes, so that the graph of the groups has no cycles.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Level {
    /// What the groups are: `every dispatch`, `scopes, depth 2`, `blocks`.
    pub(crate) name: String,
    /// The group of each node.
    pub(crate) group: Vec<usize>,
    /// The name of each group.
    pub(crate) names: Vec<String>,
}

/// The deepest scopes that make a level of their own.
const DEEPEST: usize = 4;

/// The levels, the coarsest first and every node by itself last; those that join nothing are left out.
pub(crate) fn levels(graph: &Graph) -> Vec<Level> {
    let scopes: Vec<Vec<&str>> = graph.nodes.iter().map(|n| scope(place(graph, n))).collect();
    let ends = graph.nodes.iter().filter(|n| is_end(n.kind)).count();
    let mut list: Vec<Level> = Vec::new();
    let mut add = |level: Level| {
        let last = list.last().map_or(0, |l| l.names.len());
        if level.names.len() > last && level.names.len() < graph.nodes.len() {
            list.push(level);
        }
    };
    for depth in 1..=DEEPEST {
        let name = |node: usize| {
            let parts = &scopes[node];
            (!parts.is_empty()).then(|| parts[..depth.min(parts.len())].join("/"))
        };
        let level = by_name(graph, name);
        // One group of everything shows nothing.
        if level.names.len() > ends + 1 {
            add(Level { name: format!("scopes, depth {depth}"), ..level });
        }
    }
    if list.is_empty() {
        let level = blocks(graph);
        if level.names.len() > ends + 1 && level.names.len() < graph.nodes.len() {
            list.push(level);
        }
    }
    let names = graph.nodes.iter().map(|n| n.label.clone()).collect();
    list.push(Level { name: "every dispatch".into(), group: (0..graph.nodes.len()).collect(), names });
    list
}

/// The node of the model that a node of the graph belongs to; empty if unknown.
fn place<'a>(graph: &'a Graph, node: &'a Node) -> &'a str {
    let alone = || graph.nodes.iter().filter(|n| n.kernel == node.kernel).count() == 1;
    match node.origin.first() {
        _ if !node.value.is_empty() => &node.value,
        Some(origin) if alone() => origin,
        _ => "",
    }
}

/// The scopes of a node of the model, without its own name: `/layer1/conv/Conv` is in `layer1` and `conv`.
fn scope(origin: &str) -> Vec<&str> {
    let separator = if origin.contains('/') { '/' } else { '.' };
    let mut parts: Vec<&str> = origin.split(separator).filter(|p| !p.is_empty()).collect();
    parts.pop();
    parts
}

fn is_end(kind: NodeKind) -> bool {
    matches!(kind, NodeKind::Input | NodeKind::Output)
}

/// Joins consecutive nodes of one name. Inputs, outputs and nodes without a name stay by themselves; copies and host calls join what
/// they follow.
fn by_name(graph: &Graph, name: impl Fn(usize) -> Option<String>) -> Level {
    let mut level = Level { name: String::new(), group: Vec::new(), names: Vec::new() };
    let mut current: Option<String> = None;
    for (i, node) in graph.nodes.iter().enumerate() {
        let own = if is_end(node.kind) { None } else { name(i) };
        let joins = match node.kind {
            NodeKind::Dispatch => own.is_some() && own == current,
            NodeKind::Input | NodeKind::Output => false,
            _ => current.is_some(),
        };
        if !joins {
            level.names.push(own.clone().unwrap_or_else(|| node.label.clone()));
            current = own;
        }
        level.group.push(level.names.len() - 1);
    }
    level
}

/// Joins the nodes between those that all later nodes depend on alone: the blocks of a network with residual connections.
fn blocks(graph: &Graph) -> Level {
    let count = graph.nodes.len();
    // The last node that uses what a node made.
    let mut last: BTreeMap<usize, usize> = BTreeMap::new();
    for e in &graph.edges {
        let end = last.entry(e.from).or_insert(e.to);
        *end = e.to.max(*end);
    }
    let mut level = Level { name: "blocks".into(), group: Vec::with_capacity(count), names: Vec::new() };
    let (mut reach, mut open) = (0, false);
    for (i, node) in graph.nodes.iter().enumerate() {
        // Everything before has been used up: this node is all that goes on.
        let alone = reach <= i && !is_end(node.kind);
        if !open || is_end(node.kind) {
            level.names.push(node.label.clone());
        }
        level.group.push(level.names.len() - 1);
        open = !alone && !is_end(node.kind);
        if !is_end(node.kind) || matches!(node.kind, NodeKind::Input) {
            reach = reach.max(last.get(&i).copied().unwrap_or(i));
        }
    }
    for (g, name) in level.names.iter_mut().enumerate() {
        let members = level.group.iter().filter(|x| **x == g).count();
        if members > 1 {
            *name = format!("{name} … {} more", members - 1);
        }
    }
    level
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graph::Edge;

    fn graph(origins: &[&str], edges: &[(usize, usize)]) -> Graph {
        let node = |origin: &&str| Node {
            kind: NodeKind::Dispatch,
            label: format!("k{origin}"),
            kernel: Some(0),
            value: (*origin).to_owned(),
            origin: if origin.is_empty() { vec![] } else { vec![(*origin).to_owned()] },
            regions: vec![],
            weights: 0,
        };
        let edge = |&(from, to): &(usize, usize)| Edge { from, to, bytes: None };
        Graph { nodes: origins.iter().map(node).collect(), edges: edges.iter().map(edge).collect(), transients: vec![] }
    }

    #[test]
    fn scopes_join_what_is_consecutive() {
        let g = graph(&["/a/x/Conv", "/a/y/Conv", "/b/x/Conv", "/a/x/Relu"], &[(0, 1), (1, 2), (2, 3)]);
        let found: Vec<_> = levels(&g).into_iter().map(|l| (l.name, l.group)).collect();
        let expected = [("scopes, depth 1", vec![0, 0, 1, 2]), ("every dispatch", vec![0, 1, 2, 3])];
        assert_eq!(found, expected.map(|(name, group)| (name.to_owned(), group)));
    }

    #[test]
    fn blocks_end_where_one_tensor_goes_on() {
        // 0 goes on through 1 and 2 and past them to 3; 4 follows.
        let g = graph(&["", "", "", "", ""], &[(0, 1), (1, 2), (0, 3), (2, 3), (3, 4)]);
        let found = levels(&g);
        assert_eq!((found[0].name.as_str(), &found[0].group[..]), ("blocks", &[0, 1, 1, 1, 2][..]));
    }
}
