//! Kernels of decision trees: each row walks down each tree; the weights of the leaves are combined into its scores.
use super::{
    super::pool::{highest, lowest},
    forest::{Child, Forest},
    step::{Walk, held},
};
use crate::onnx::{
    Body, Context, Dim, Elem, Iter, Num, Order, Outcome, Scalar, Tensor, Value,
    context::require::{Rule, shown},
    generic::map,
};

/// How the weights of trees are combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Aggregate {
    Average,
    Sum,
    Min,
    Max,
}

impl Aggregate {
    /// Returns the neutral element.
    fn start(self, elem: Elem) -> Num {
        match self {
            Self::Average | Self::Sum => Num::F(0.0),
            Self::Min => highest(elem),
            Self::Max => lowest(elem),
        }
    }

    fn combine(self, b: &mut Body<'_>, sum: &Scalar, weight: &Scalar) -> Scalar {
        match self {
            Self::Average | Self::Sum => b.add(sum, weight),
            Self::Min => b.min(sum, weight),
            Self::Max => b.max(sum, weight),
        }
    }
}

/// The scores of rows: `[rows, targets]`.
pub(super) fn scores(
    c: &mut Context<'_>,
    name: &str,
    forest: &Forest,
    rows: &Value,
    aggregate: Aggregate,
) -> Outcome<Value> {
    let depth = forest.check()?;
    let elem = rows.elem;
    let wanted = Dim::fixed(forest.width());
    let text = format!("dimension 1 of {} is {{0}}, but trees ask for {{1}} features", shown(rows));
    c.require(Rule::AtLeast(rows.shape[1].clone(), wanted.clone()), &text, &[&rows.shape[1], &wanted])?;
    let mut rows = c.settle(rows);
    if forest.width() == 0 {
        // Trees that are leaves ask for nothing.
        rows = c.filled(elem, &[rows.shape[0].clone(), Dim::fixed(1)], Num::F(0.0));
    } else if rows.shape[1].get().is_none() {
        let shape = [rows.shape[0].clone(), wanted];
        rows = c.slice(&rows, &vec![Dim::fixed(0); 2], &shape, &[1; 2]);
    }
    let (nodes, splits) = forest.arrays(name, elem);
    let walk = Walk {
        rows: (c.ssa(&rows), rows.ty()),
        nodes: (c.ssa(&nodes), nodes.ty()),
        splits: splits.map(|s| (c.ssa(&s), s.ty())),
        last: (nodes.shape[0].get().unwrap_or(1) - 1, rows.shape[1].get().unwrap_or(1) - 1),
        depth: depth as i64,
        truth: forest.truth(),
        elem,
    };
    let count = rows.shape[0].clone();
    let scores = match grouped(forest) {
        Some(groups) => by_target(c, name, forest, &walk, &count, &groups, aggregate)?,
        None => by_leaf(c, name, forest, &walk, &count, aggregate)?,
    };
    let trees = forest.roots.len().max(1) as f64;
    let start = aggregate.start(elem);
    Ok(match aggregate {
        Aggregate::Sum => scores,
        Aggregate::Average => c.elementwise(&[scores], elem, |b, v| {
            let trees = b.like(&v[0], trees);
            b.div(&v[0], &trees)
        })?,
        // A target without a weight has the score 0.
        Aggregate::Min | Aggregate::Max => c.elementwise(&[scores], elem, |b, v| {
            let (start, zero) = (b.number(elem, start), b.like(&v[0], 0.0));
            let none = b.compare(Order::Eq, &v[0], &start);
            b.select(&none, &zero, &v[0])
        })?,
    })
}

/// Trees by target, where each has one and few places would stay empty.
fn grouped(forest: &Forest) -> Option<Vec<Vec<Child>>> {
    let targets = forest.one_target_each()?;
    let mut groups = vec![Vec::new(); forest.targets];
    for (root, target) in forest.roots.iter().zip(targets) {
        groups[target].push(*root);
    }
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0).max(1);
    (longest * groups.len() <= 2 * forest.roots.len() + 16).then_some(groups)
}

/// Each tree has one target: one kernel walks and sums.
fn by_target(
    c: &mut Context<'_>,
    name: &str,
    forest: &Forest,
    walk: &Walk,
    count: &Dim,
    groups: &[Vec<Child>],
    aggregate: Aggregate,
) -> Outcome<Value> {
    let (elem, start) = (walk.elem, aggregate.start(walk.elem));
    // Shorter groups are filled up with a leaf that changes nothing.
    let idle = Child::Leaf(forest.leaves.len());
    let longest = groups.iter().map(Vec::len).max().unwrap_or(0).max(1);
    let roots: Vec<_> =
        groups.iter().flat_map(|g| g.iter().copied().chain(std::iter::repeat(idle)).take(longest)).collect();
    let roots = Tensor::from_ints(Elem::I32, &Forest::codes(&roots)).reshaped(vec![groups.len(), longest]);
    let roots = Value::constant(roots.named(Some(format!("{name}_roots"))));
    let weights = forest.leaves.iter().map(|l| l.first().map_or(start, |(_, w)| Num::F(*w))).chain([start]);
    let weights = Tensor::from_numbers(elem, vec![forest.leaves.len() + 1], weights);
    let weights = Value::constant(weights.named(Some(format!("{name}_weights"))));
    let (list, ty, last) = (c.ssa(&weights), weights.ty(), forest.leaves.len() as i64);
    let out = c.filled(elem, &[count.clone(), Dim::fixed(groups.len() as i64)], start);
    let iters = [Iter::Parallel, Iter::Parallel, Iter::Reduction];
    Ok(c.generic(&iters, &[(&roots, map(&[1, 2]))], &[(&out, map(&[0, 1]))], |b, v| {
        let row = b.position(0);
        let leaf = walk.leaf(b, &v[0], &row, last);
        let weight = b.extract(&list, &ty, elem, &[leaf]);
        vec![aggregate.combine(b, &v[1], &weight)]
    })
    .remove(0))
}

/// Leaves have weights for several targets: a table with a row for each leaf.
fn by_leaf(
    c: &mut Context<'_>,
    name: &str,
    forest: &Forest,
    walk: &Walk,
    count: &Dim,
    aggregate: Aggregate,
) -> Outcome<Value> {
    let (elem, start) = (walk.elem, aggregate.start(walk.elem));
    let (leaves, targets) = (forest.leaves.len().max(1), forest.targets);
    if leaves.saturating_mul(targets) > 1 << 28 {
        return crate::onnx::problem::unsupported(format!("{leaves} leaves have weights for {targets} targets"));
    }
    let mut table = vec![start; leaves * targets];
    let sums = matches!(aggregate, Aggregate::Sum | Aggregate::Average);
    for (leaf, weights) in forest.leaves.iter().enumerate() {
        for (target, weight) in weights {
            let entry = &mut table[leaf * targets + target];
            let had = entry.float();
            *entry = Num::F(match aggregate {
                _ if sums => had + weight,
                Aggregate::Min => had.min(*weight),
                _ => had.max(*weight),
            });
        }
    }
    let table = Tensor::from_numbers(elem, vec![leaves, targets], table);
    let table = Value::constant(table.named(Some(format!("{name}_weights"))));
    let roots = Tensor::from_ints(Elem::I32, &Forest::codes(&forest.roots));
    let roots = Value::constant(roots.named(Some(format!("{name}_roots"))));
    let last = leaves as i64 - 1;
    if targets <= FEW {
        few(c, walk, count, &roots, &table, aggregate)
    } else {
        many(c, walk, count, &roots, &table, last, aggregate)
    }
}

/// The most sums that one kernel keeps at once.
const FEW: usize = 16;

/// A walk adds to the sums of all targets; each target has a separate list.
fn few(
    c: &mut Context<'_>,
    walk: &Walk,
    count: &Dim,
    roots: &Value,
    table: &Value,
    aggregate: Aggregate,
) -> Outcome<Value> {
    let (elem, start) = (walk.elem, aggregate.start(walk.elem));
    let [leaves, targets] = [0, 1].map(|i| table.shape[i].get().unwrap_or(1));
    let (list, ty) = (c.ssa(table), table.ty());
    let outs: Vec<_> = (0..targets).map(|_| c.filled(elem, std::slice::from_ref(count), start)).collect();
    let outs: Vec<_> = outs.iter().map(|v| (v, map(&[0]))).collect();
    let sums = c.generic(&[Iter::Parallel, Iter::Reduction], &[(roots, map(&[1]))], &outs, |b, v| {
        let row = b.position(0);
        let leaf = walk.leaf(b, &v[0], &row, leaves - 1);
        (0..targets)
            .map(|target| {
                let at = b.index_constant(target);
                let weight = b.extract(&list, &ty, elem, &[leaf.clone(), at]);
                aggregate.combine(b, &v[1 + target as usize], &weight)
            })
            .collect()
    });
    let column = |c: &mut Context<'_>, v: &Value| c.reshape(v, &[count.clone(), Dim::fixed(1)]);
    let columns = sums.iter().map(|v| column(c, v)).collect::<Outcome<Vec<_>>>()?;
    c.concat(&columns, 1)
}

/// One kernel finds leaves, another one sums the rows of the table.
fn many(
    c: &mut Context<'_>,
    walk: &Walk,
    count: &Dim,
    roots: &Value,
    table: &Value,
    last: i64,
    aggregate: Aggregate,
) -> Outcome<Value> {
    let (elem, start) = (walk.elem, aggregate.start(walk.elem));
    let found = c.empty(Elem::I32, &[count.clone(), roots.shape[0].clone()]);
    let found = c
        .generic(&[Iter::Parallel; 2], &[(roots, map(&[1]))], &[(&found, map(&[0, 1]))], |b, v| {
            let row = b.position(0);
            let leaf = walk.leaf(b, &v[0], &row, last);
            vec![b.cast(&leaf, Elem::I32)]
        })
        .remove(0);
    let (list, ty) = (c.ssa(table), table.ty());
    let out = c.filled(elem, &[count.clone(), table.shape[1].clone()], start);
    // Targets come last: rows of the table are read in order.
    let iters = [Iter::Parallel, Iter::Reduction, Iter::Parallel];
    Ok(c.generic(&iters, &[(&found, map(&[0, 1]))], &[(&out, map(&[0, 2]))], |b, v| {
        let at = held(b, &v[0], last);
        let target = b.position(2);
        let weight = b.extract(&list, &ty, elem, &[at, target]);
        vec![aggregate.combine(b, &v[1], &weight)]
    })
    .remove(0))
}
