//! A layered layout: nodes in rows, edges downwards (Sugiyama, Tagawa and Toda, "Methods for visual understanding of
//! hierarchical system structures", 1981).
//!
//! Our own, because crates (`rust-sugiyama`) place nodes but do not route edges past them, and layouts in the page
//! (dagre, elk) take seconds for thousands of nodes. Edges that leave one node share a path, so that a
//! residual connection is one line; rows are ordered by barycentres, and columns are averages of neighbours, kept apart.

/// A node in the layout, by its centre.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Placed {
    pub(crate) x: i32,
    pub(crate) y: i32,
}

/// A layout.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) nodes: Vec<Placed>,
    /// For each node, where its edges pass each of the rows below it; those that end earlier leave the path there.
    pub(crate) paths: Vec<Vec<i32>>,
    pub(crate) width: i32,
    pub(crate) height: i32,
}

/// The size of a node, and the gaps between nodes.
pub(crate) const NODE: (i32, i32) = (168, 40);
/// The distance of rows.
pub(crate) const ROW: i32 = 74;
const GAP: f64 = 24.0;
/// The room of an edge that passes a row.
const PASSAGE: f64 = 14.0;
/// Sweeps that order rows, and that move columns.
const SWEEPS: usize = 8;

/// A place in a row: a node, or an edge that passes.
struct Cell {
    width: f64,
    x: f64,
    above: Vec<usize>,
    below: Vec<usize>,
}

/// Lays out a graph whose edges lead to later nodes.
pub(crate) fn layout(count: usize, edges: &[(usize, usize)]) -> Layout {
    let row = rows(count, edges);
    let mut cells: Vec<Cell> = (0..count).map(|_| Cell::new(f64::from(NODE.0))).collect();
    let depth = row.iter().max().map_or(0, |r| r + 1);
    let mut order: Vec<Vec<usize>> = vec![Vec::new(); depth];
    (0..count).for_each(|n| order[row[n]].push(n));
    // For each node the cells that its edges pass, row by row.
    let mut paths: Vec<Vec<usize>> = vec![Vec::new(); count];
    for &(from, to) in edges {
        let passes = row[to] - row[from] - 1;
        while paths[from].len() < passes {
            let cell = cells.len();
            cells.push(Cell::new(PASSAGE));
            let before = paths[from].last().copied().unwrap_or(from);
            join(&mut cells, before, cell);
            paths[from].push(cell);
            order[row[from] + paths[from].len()].push(cell);
        }
        let before = if passes == 0 { from } else { paths[from][passes - 1] };
        join(&mut cells, before, to);
    }
    arrange(&mut cells, &mut order);
    place(&mut cells, &order);
    straighten(&mut cells, &order, count);
    let left = cells.iter().map(|c| c.x - c.width / 2.0).fold(f64::INFINITY, f64::min);
    let right = cells.iter().map(|c| c.x + c.width / 2.0).fold(f64::NEG_INFINITY, f64::max);
    let x = |cell: usize| (cells[cell].x - left).round() as i32;
    let y = |r: usize| r as i32 * ROW + NODE.1 / 2;
    Layout {
        nodes: (0..count).map(|n| Placed { x: x(n), y: y(row[n]) }).collect(),
        paths: paths.iter().map(|path| path.iter().map(|&c| x(c)).collect()).collect(),
        width: if count == 0 { 0 } else { (right - left).round() as i32 },
        height: if depth == 0 { 0 } else { y(depth - 1) + NODE.1 / 2 },
    }
}

impl Layout {
    /// The points of an edge between its nodes, from above.
    pub(crate) fn route(&self, from: usize, to: usize) -> Vec<Placed> {
        let start = self.nodes[from].y;
        let passes = ((self.nodes[to].y - start) / ROW - 1) as usize;
        let rows = self.paths[from][..passes].iter().enumerate();
        rows.map(|(i, &x)| Placed { x, y: start + (i as i32 + 1) * ROW }).collect()
    }
}

impl Cell {
    fn new(width: f64) -> Self {
        Self { width, x: 0.0, above: Vec::new(), below: Vec::new() }
    }
}

fn join(cells: &mut [Cell], above: usize, below: usize) {
    cells[above].below.push(below);
    cells[below].above.push(above);
}

/// The row of each node: the longest way to it, and just above its first user for what depends on nothing.
fn rows(count: usize, edges: &[(usize, usize)]) -> Vec<usize> {
    let mut row = vec![0; count];
    let mut by_target: Vec<&(usize, usize)> = edges.iter().collect();
    by_target.sort();
    // Edges lead to later nodes: those into a node are all done before those out of it.
    by_target.sort_by_key(|e| e.1);
    let mut depends = vec![false; count];
    for &&(from, to) in &by_target {
        row[to] = row[to].max(row[from] + 1);
        depends[to] = true;
    }
    for n in (0..count).filter(|&n| !depends[n]) {
        if let Some(first) = edges.iter().filter(|e| e.0 == n).map(|e| row[e.1]).min() {
            row[n] = first - 1;
        }
    }
    row
}

/// Orders each row by the mean place of neighbours, downwards and upwards in turn.
fn arrange(cells: &mut [Cell], order: &mut [Vec<usize>]) {
    let number = |cells: &mut [Cell], list: &[usize]| {
        list.iter().enumerate().for_each(|(i, &c)| cells[c].x = i as f64);
    };
    order.iter().for_each(|list| number(cells, list));
    for sweep in 0..SWEEPS {
        let down = sweep % 2 == 0;
        for step in 0..order.len() {
            let r = if down { step } else { order.len() - 1 - step };
            let mut keyed: Vec<(f64, usize)> = order[r]
                .iter()
                .map(|&c| (mean(cells, if down { &cells[c].above } else { &cells[c].below }).unwrap_or(cells[c].x), c))
                .collect();
            keyed.sort_by(|a, b| a.0.total_cmp(&b.0));
            order[r] = keyed.into_iter().map(|k| k.1).collect();
            number(cells, &order[r]);
        }
    }
}

fn mean(cells: &[Cell], list: &[usize]) -> Option<f64> {
    (!list.is_empty()).then(|| list.iter().map(|&c| cells[c].x).sum::<f64>() / list.len() as f64)
}

/// Moves cells to the mean of their neighbours, as far as their row has room.
fn place(cells: &mut [Cell], order: &[Vec<usize>]) {
    for list in order {
        let mut x = 0.0;
        for &c in list {
            cells[c].x = x + cells[c].width / 2.0;
            x += cells[c].width + GAP;
        }
        let middle = (x - GAP) / 2.0;
        list.iter().for_each(|&c| cells[c].x -= middle);
    }
    for sweep in 0..2 * SWEEPS {
        let down = sweep % 2 == 0;
        for step in 0..order.len() {
            let list = &order[if down { step } else { order.len() - 1 - step }];
            let wish: Vec<f64> = list
                .iter()
                .map(|&c| mean(cells, if down { &cells[c].above } else { &cells[c].below }).unwrap_or(cells[c].x))
                .collect();
            let apart = |i: usize| (cells[list[i]].width + cells[list[i + 1]].width) / 2.0 + GAP;
            let (mut right, mut left) = (wish.clone(), wish);
            for i in 1..list.len() {
                right[i] = right[i].max(right[i - 1] + apart(i - 1));
            }
            for i in (1..list.len()).rev() {
                left[i - 1] = left[i - 1].min(left[i] - apart(i - 1));
            }
            // Both keep cells apart, and so does their mean.
            let at: Vec<f64> = right.iter().zip(&left).map(|(a, b)| f64::midpoint(*a, *b)).collect();
            list.iter().zip(at).for_each(|(&c, x)| cells[c].x = x);
        }
    }
}

/// Moves whole rows so that the graph leads straight down: means of neighbours drift to the side of residual connections, by about
/// as much in each row (the slope of the line of least squares through the middles of rows).
fn straighten(cells: &mut [Cell], order: &[Vec<usize>], count: usize) {
    let middle = |(r, list): (usize, &Vec<usize>)| {
        let nodes: Vec<f64> = list.iter().filter(|&&c| c < count).map(|&c| cells[c].x).collect();
        (!nodes.is_empty()).then(|| (r as f64, nodes.iter().sum::<f64>() / nodes.len() as f64))
    };
    let points: Vec<(f64, f64)> = order.iter().enumerate().filter_map(middle).collect();
    let n = points.len().max(1) as f64;
    let (r, x) = points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0 / n, sum.1 + p.1 / n));
    let (above, below) =
        points.iter().fold((0.0, 0.0), |sum, p| (sum.0 + (p.0 - r) * (p.1 - x), sum.1 + (p.0 - r) * (p.0 - r)));
    let slope = if below > 0.0 { above / below } else { 0.0 };
    for (row, list) in order.iter().enumerate() {
        list.iter().for_each(|&c| cells[c].x -= slope * row as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_chain_is_a_column() {
        let found = layout(3, &[(0, 1), (1, 2)]);
        assert!(found.nodes.iter().all(|n| n.x == NODE.0 / 2));
        assert_eq!((found.width, found.paths[0].len()), (NODE.0, 0));
    }

    proptest! {
        #[test]
        fn nothing_overlaps_and_edges_lead_down(pairs in prop::collection::btree_set((0usize..30, 0usize..30), 0..60)) {
            let edges: Vec<_> = pairs.into_iter().filter(|(a, b)| a < b).collect();
            let found = layout(30, &edges);
            for (i, a) in found.nodes.iter().enumerate() {
                for b in &found.nodes[..i] {
                    prop_assert!(a.y != b.y || (a.x - b.x).abs() >= NODE.0, "{a:?} {b:?}");
                }
            }
            for &(from, to) in &edges {
                let route = found.route(from, to);
                let mut y = found.nodes[from].y;
                for point in route.iter().chain([&found.nodes[to]]) {
                    prop_assert!(point.y == y + ROW);
                    // No edge runs through a node.
                    let through = |n: &Placed| n.y == point.y && (n.x - point.x).abs() < NODE.0 / 2;
                    prop_assert!(point == &found.nodes[to] || !found.nodes.iter().any(through));
                    y = point.y;
                }
            }
            prop_assert_eq!(layout(30, &edges), found);
        }
    }
}
