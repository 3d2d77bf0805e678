//! `--graph`: the dispatch graph for Graphviz, and as SVG by the layout of the page.
use crate::{
    args::GraphFormat,
    graph::{Graph, NODE, Node, NodeKind, Placed, layout},
};

/// The graph in a format.
pub(crate) fn draw(format: GraphFormat, name: &str, graph: &Graph) -> String {
    match format {
        GraphFormat::Dot => dot(name, graph),
        GraphFormat::Svg => svg(graph),
    }
}

fn dot(name: &str, graph: &Graph) -> String {
    let quoted = |text: &str| format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""));
    let mut text =
        format!("digraph {} {{\n  node [shape=box, style=rounded, fontname=\"sans-serif\"];\n", quoted(name));
    for (i, node) in graph.nodes.iter().enumerate() {
        let shape = match node.kind {
            NodeKind::Input | NodeKind::Output => ", shape=ellipse",
            NodeKind::State => ", shape=cylinder",
            _ => "",
        };
        text += &format!("  n{i} [label={}, tooltip={}{shape}];\n", quoted(&node.label), quoted(&about(node)));
    }
    for e in &graph.edges {
        let label = e.bytes.map(|n| format!(" [label=\"{n}\"]")).unwrap_or_default();
        text += &format!("  n{} -> n{}{label};\n", e.from, e.to);
    }
    text + "}\n"
}

/// The most letters that a node has room for.
const LONGEST: usize = 22;

/// A kernel's name without the executable's: `matmul_16x128x784_f32`.
fn short(label: &str) -> &str {
    let kernel = |rest: &str| Some(rest.trim_start_matches(|c: char| c.is_ascii_digit()).strip_prefix('_')?.len());
    let length = label.split_once("_dispatch_").and_then(|(_, rest)| kernel(rest)).filter(|n| *n > 0);
    length.map_or(label, |n| &label[label.len() - n..])
}

/// What a tooltip says.
fn about(node: &Node) -> String {
    if !node.value.is_empty() {
        format!("{}: {}", node.label, node.value)
    } else if node.origin.is_empty() {
        node.label.clone()
    } else {
        node.origin.join(", ")
    }
}

fn svg(graph: &Graph) -> String {
    let pairs: Vec<(usize, usize)> = graph.edges.iter().map(|e| (e.from, e.to)).collect();
    let found = layout(graph.nodes.len(), &pairs);
    let (w, h) = (found.width + 40, found.height + 40);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{w}\" height=\"{h}\" viewBox=\"-20 -20 {w} {h}\" \
         font-family=\"system-ui, sans-serif\" font-size=\"11\">\n"
    );
    for &(from, to) in &pairs {
        let route = found.route(from, to);
        let (a, b) = (found.nodes[from], found.nodes[to]);
        let start = Placed { y: a.y + NODE.1 / 2, ..a };
        let end = Placed { y: b.y - NODE.1 / 2, ..b };
        let mut path = format!("M{} {}", start.x, start.y);
        let mut before = start;
        for point in route.iter().chain([&end]) {
            let middle = (before.y + point.y) / 2;
            path += &format!("C{} {middle} {} {middle} {} {}", before.x, point.x, point.x, point.y);
            before = *point;
        }
        text += &format!("<path d=\"{path}\" fill=\"none\" stroke=\"#9aa4b2\"/>\n");
    }
    for (node, at) in graph.nodes.iter().zip(&found.nodes) {
        let (x, y) = (at.x - NODE.0 / 2, at.y - NODE.1 / 2);
        let (fill, radius) = match node.kind {
            NodeKind::Input | NodeKind::Output => ("#e8eef9", NODE.1 / 2),
            NodeKind::Dispatch => ("#ffffff", 6),
            _ => ("#f3f4f6", 6),
        };
        let label = short(&node.label);
        let long = label.chars().count() > LONGEST;
        let label: String =
            if long { label.chars().take(LONGEST - 1).chain(['…']).collect() } else { label.to_owned() };
        text += &format!(
            "<g><title>{}</title><rect x=\"{x}\" y=\"{y}\" width=\"{}\" height=\"{}\" rx=\"{radius}\" fill=\"{fill}\" stroke=\"#6b7686\"/>\
             <text x=\"{}\" y=\"{}\" text-anchor=\"middle\">{}</text></g>\n",
            escape(&about(node)),
            NODE.0,
            NODE.1,
            at.x,
            at.y + 4,
            escape(&label)
        );
    }
    text + "</svg>\n"
}

/// Text as it stands in HTML and SVG.
pub(crate) fn escape(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}
