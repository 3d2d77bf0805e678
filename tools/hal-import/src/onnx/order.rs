//! Sorts nodes into the order that the specification requires: each after those that compute its inputs. onnxruntime
//! does not require it, and tools ignore it: its converter to float16 appends casts at the end of a graph.
use super::{
    names::inside,
    proto::{Graph, Model, NodeProto},
};
use std::collections::{HashMap, HashSet};

/// Sorts the nodes of all graphs and functions; nodes of a cycle stay unchanged.
pub(crate) fn sort(model: &mut Model) {
    if let Some(graph) = &mut model.graph {
        sort_nodes(&mut graph.node);
    }
    model.functions.iter_mut().for_each(|f| sort_nodes(&mut f.node));
}

fn sort_nodes(nodes: &mut Vec<NodeProto>) {
    for node in nodes.iter_mut() {
        node.attribute.iter_mut().filter_map(|a| a.g.as_mut()).for_each(|g: &mut Graph| sort_nodes(&mut g.node));
    }
    if let Some(order) = order(&sources(nodes)) {
        let mut left: Vec<_> = nodes.drain(..).map(Some).collect();
        nodes.extend(order.into_iter().filter_map(|i| left[i].take()));
    }
}

/// Returns for each node those that compute its inputs.
fn sources(nodes: &[NodeProto]) -> Vec<Vec<usize>> {
    let mut makers = HashMap::new();
    for (i, node) in nodes.iter().enumerate() {
        for output in node.output.iter().filter(|o| !o.is_empty()) {
            makers.entry(output.as_str()).or_insert(i);
        }
    }
    let of = |node: &NodeProto| {
        let mut names: HashSet<&str> = node.input.iter().map(String::as_str).collect();
        node.attribute.iter().filter_map(|a| a.g.as_ref()).for_each(|g| inside(g, &mut names));
        let mut found: Vec<_> = names.into_iter().filter_map(|name| makers.get(name).copied()).collect();
        found.sort_unstable();
        found
    };
    nodes.iter().map(of).collect()
}

/// Returns an order in which each node follows its sources, with few other changes; `None` if they are in order, or on
/// a cycle.
fn order(sources: &[Vec<usize>]) -> Option<Vec<usize>> {
    if sources.iter().enumerate().all(|(i, list)| list.iter().all(|s| *s < i)) {
        return None;
    }
    let mut order = Vec::with_capacity(sources.len());
    let mut done = vec![false; sources.len()];
    let mut begun = vec![false; sources.len()];
    for first in 0..sources.len() {
        let mut way = vec![first];
        while let Some(&node) = way.last() {
            if done[node] {
                way.pop();
                continue;
            }
            begun[node] = true;
            match sources[node].iter().find(|s| !done[**s]) {
                Some(&before) if begun[before] => return None,
                Some(&before) => way.push(before),
                None => {
                    done[node] = true;
                    order.push(node);
                    way.pop();
                }
            }
        }
    }
    Some(order)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_come_first() {
        assert_eq!(order(&[vec![], vec![0], vec![0, 1]]), None);
        assert_eq!(order(&[vec![3], vec![0], vec![], vec![2]]), Some(vec![2, 3, 0, 1]));
        assert_eq!(order(&[vec![1], vec![0]]), None);
        assert_eq!(order(&[vec![0]]), None);
    }
}
