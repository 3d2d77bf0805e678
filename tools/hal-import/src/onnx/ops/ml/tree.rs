//! Tree ensembles.
use super::{
    super::{Entry, matmul::narrowed},
    class::{Labels, above, best},
    forest::{Branch, Child, EQUAL, Forest, UNORDERED, truth},
    linear::{Pair, pair},
    post::{Post, rows},
    walk::{Aggregate, scores},
};
use crate::onnx::{
    Context, Dim, Elem, Node, Num, Outcome, Tensor, Value,
    problem::{invalid, unsupported},
};
use std::collections::HashMap;

pub(super) const OPS: &[Entry] =
    &[("TreeEnsembleClassifier", classifier), ("TreeEnsembleRegressor", regressor), ("TreeEnsemble", ensemble)];

/// Returns the type of comparisons: f64 if rows are f64, otherwise f32.
fn compared(x: &Value) -> Elem {
    if x.elem == Elem::F64 { Elem::F64 } else { Elem::F32 }
}

/// Numbers of an attribute of floats, or of the one that ends in `_as_tensor`; `None` if there are none.
fn numbers(c: &mut Context<'_>, n: &Node, name: &str) -> Outcome<Option<Vec<f64>>> {
    if let Some(list) = n.floats(name).filter(|l| !l.is_empty()) {
        return Ok(Some(list.into_iter().map(f64::from).collect()));
    }
    let tensor = n.tensor(&format!("{name}_as_tensor"), &mut c.loader)?;
    Ok(tensor.filter(|t| t.len() > 0).map(|t| t.numbers().map(Num::float).collect()))
}

/// The trees of the older operators; the attributes about weights begin with `class_` or `target_`.
fn forest(c: &mut Context<'_>, n: &Node, kind: &str, targets: usize) -> Outcome<Forest> {
    let list = |name: &str| n.ints(name).unwrap_or_default();
    let (trees, ids) = (list("nodes_treeids"), list("nodes_nodeids"));
    let (features, yes, no) = (list("nodes_featureids"), list("nodes_truenodeids"), list("nodes_falsenodeids"));
    let missing = list("nodes_missing_value_tracks_true");
    let modes = n.strings("nodes_modes").unwrap_or_default();
    let splits = numbers(c, n, "nodes_values")?.unwrap_or_default();
    // How often nodes are visited says nothing about results.
    n.has("nodes_hitrates");
    n.has("nodes_hitrates_as_tensor");
    let count = modes.len();
    let lengths = [trees.len(), ids.len(), features.len(), yes.len(), no.len(), splits.len()];
    if lengths.iter().any(|l| *l != count) || !(missing.is_empty() || missing.len() == count) {
        return invalid("the lists of nodes are not of one length");
    }
    let mut places = HashMap::new();
    let (mut branches, mut leaves) = (0, 0);
    for i in 0..count {
        let place = if modes[i] == "LEAF" {
            leaves += 1;
            Child::Leaf(leaves - 1)
        } else {
            branches += 1;
            Child::Branch(branches - 1)
        };
        if places.insert((trees[i], ids[i]), place).is_some() {
            return invalid(format!("node {} of tree {} is there twice", ids[i], trees[i]));
        }
    }
    let at = |tree: i64, node: i64| match places.get(&(tree, node)) {
        Some(place) => Ok(*place),
        None => invalid(format!("tree {tree} has no node {node}")),
    };
    let mut result = Forest { branches: Vec::new(), roots: Vec::new(), leaves: vec![Vec::new(); leaves], targets };
    let mut seen = std::collections::HashSet::new();
    for i in 0..count {
        // The first node of a tree is its root.
        if seen.insert(trees[i]) {
            result.roots.push(at(trees[i], ids[i])?);
        }
        if modes[i] != "LEAF" {
            let unordered = if missing.get(i).is_some_and(|m| *m != 0) { UNORDERED } else { 0 };
            result.branches.push(Branch {
                feature: features[i],
                split: splits[i],
                truth: truth(&modes[i])? | unordered,
                yes: at(trees[i], yes[i])?,
                no: at(trees[i], no[i])?,
            });
        }
    }
    let (of_trees, of_nodes) = (list(&format!("{kind}_treeids")), list(&format!("{kind}_nodeids")));
    let of_targets = list(&format!("{kind}_ids"));
    let weights = numbers(c, n, &format!("{kind}_weights"))?.unwrap_or_default();
    if [of_trees.len(), of_nodes.len(), of_targets.len()].iter().any(|l| *l != weights.len()) {
        return invalid("the lists of weights are not of one length");
    }
    for (i, weight) in weights.iter().enumerate() {
        let Ok(target) = usize::try_from(of_targets[i]) else {
            return invalid(format!("a weight is for target {}", of_targets[i]));
        };
        // Weights of inner nodes do not count.
        if let Child::Leaf(leaf) = at(of_trees[i], of_nodes[i])? {
            result.leaves[leaf].push((target, *weight));
        }
    }
    Ok(result)
}

/// Adds a number for each column, or one for all.
fn based(c: &mut Context<'_>, n: &Node, scores: &Value, base: &[f64]) -> Outcome<Value> {
    if base.iter().all(|v| *v == 0.0) {
        return Ok(scores.clone());
    }
    let list = Tensor::from_numbers(scores.elem, vec![base.len()], base.iter().map(|v| Num::F(*v)));
    let list = Value::constant(list.named(Some(format!("{}_base", n.name))));
    c.elementwise(&[scores.clone(), list], scores.elem, |b, v| b.add(&v[0], &v[1]))
}

/// Targets of a forest: each has a list of trees.
const MOST_TARGETS: usize = 1 << 16;

fn targets(n: &Node) -> Outcome<usize> {
    match usize::try_from(n.int("n_targets", 1)) {
        Ok(count) if count <= MOST_TARGETS => Ok(count.max(1)),
        Ok(count) => unsupported(format!("`n_targets` is {count}, more than {MOST_TARGETS}")),
        Err(_) => invalid(format!("`n_targets` is {}", n.int("n_targets", 1))),
    }
}

fn regressor(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let targets = targets(n)?;
    let aggregate = match &*n.string("aggregate_function", "SUM") {
        "AVERAGE" => Aggregate::Average,
        "SUM" => Aggregate::Sum,
        "MIN" => Aggregate::Min,
        "MAX" => Aggregate::Max,
        other => return invalid(format!("`aggregate_function` is `{other}`")),
    };
    let post = Post::from_name(&n.string("post_transform", "NONE"))?;
    let forest = forest(c, n, "target", targets)?;
    let base = numbers(c, n, "base_values")?.unwrap_or_default();
    if !base.is_empty() && base.len() != targets {
        return invalid(format!("there are {} base values for {targets} targets", base.len()));
    }
    let x = rows(c, &x, compared(&x))?;
    let sums = scores(c, &n.name, &forest, &x, aggregate)?;
    let sums = based(c, n, &sums, &base)?;
    let result = post.apply(c, &sums)?;
    Ok(vec![narrowed(c, &result, Elem::F32)?])
}

/// Imports a classifier. Of two classes, often only one has weights; the specification does not cover that case, so
/// this follows onnxruntime.
fn classifier(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let labels = Labels::of(n, "classlabels_int64s")?;
    let post = Post::from_name(&n.string("post_transform", "NONE"))?;
    let mut forest = forest(c, n, "class", labels.len())?;
    let base = numbers(c, n, "base_values")?.unwrap_or_default();
    let count = labels.len();
    if !base.is_empty() && base.len() != count && (base.len() != 1 || count > 2) {
        return invalid(format!("there are {} base values for {count} classes", base.len()));
    }
    let x = rows(c, &x, compared(&x))?;
    let mut classes = forest.leaves.iter().flatten().map(|(class, _)| *class);
    let first = classes.next().unwrap_or(0);
    let single = classes.all(|class| class == first);
    let positive = forest.leaves.iter().flatten().all(|(_, weight)| *weight >= 0.0);
    if count > 2 || (count == 2 && !single) {
        let sums = scores(c, &n.name, &forest, &x, Aggregate::Sum)?;
        let base = if base.len() == count { base } else { [&base[..], &vec![0.0; count - base.len()]].concat() };
        let sums = based(c, n, &sums, &base)?;
        let sums = narrowed(c, &sums, Elem::F32)?;
        let best = best(c, &sums)?;
        return Ok(vec![labels.at(c, &best)?, post.apply(c, &sums)?]);
    }
    // One column of scores.
    for (class, _) in forest.leaves.iter_mut().flatten() {
        *class = 0;
    }
    forest.targets = 1;
    let own = if base.len() == 2 { base[first] } else { base.first().copied().unwrap_or(0.0) };
    let sums = scores(c, &n.name, &forest, &x, Aggregate::Sum)?;
    // One base value is that of the first class.
    let sums = based(c, n, &sums, &[if base.len() == 1 && first == 1 { 0.0 } else { own }])?;
    let sums = narrowed(c, &sums, Elem::F32)?;
    let flags = above(c, &sums, if positive && count == 2 { 0.5 } else { 0.0 })?;
    let chosen = if n.wants(0) { labels.choose(c, &flags)? } else { flags };
    if count == 1 {
        return Ok(vec![chosen, if post == Post::Probit { post.apply(c, &sums)? } else { sums }]);
    }
    let scores = if first == 1 || base.len() == 2 {
        // The other class has its base value, and else 0.
        let rest = if base.len() == 2 && first == 1 { base[0] } else { 0.0 };
        let shape = [sums.shape[0].clone(), Dim::fixed(1)];
        let rest = c.filled(Elem::F32, &shape, Num::F(rest));
        let both = if first == 1 { [rest, sums] } else { [sums, rest] };
        let both = c.concat(&both, 1)?;
        post.apply(c, &both)?
    } else if post == Post::Logistic {
        pair(c, &sums, Pair::Logistic)?
    } else {
        let both = pair(c, &sums, if positive { Pair::Complement } else { Pair::Opposite })?;
        if post == Post::Probit { post.apply(c, &both)? } else { both }
    };
    Ok(vec![chosen, scores])
}

/// The operator of version 5: lists of branches and of leaves, as tensors.
fn ensemble(c: &mut Context<'_>, n: &Node) -> Outcome {
    let x = n.input(0)?.clone();
    let targets = targets(n)?;
    let aggregate = match n.int("aggregate_function", 1) {
        0 => Aggregate::Average,
        1 => Aggregate::Sum,
        2 => Aggregate::Min,
        3 => Aggregate::Max,
        other => return invalid(format!("`aggregate_function` is {other}")),
    };
    let post = Post::from_number(n.int("post_transform", 0))?;
    n.has("nodes_hitrates");
    let mut tensor = |name: &str| -> Outcome<Vec<f64>> {
        Ok(n.tensor(name, &mut c.loader)?.map_or(Vec::new(), |t| t.numbers().map(Num::float).collect()))
    };
    let (splits, modes) = (tensor("nodes_splits")?, tensor("nodes_modes")?);
    let (weights, members) = (tensor("leaf_weights")?, tensor("membership_values")?);
    let list = |name: &str| n.ints(name).unwrap_or_default();
    let (features, yes, no) = (list("nodes_featureids"), list("nodes_truenodeids"), list("nodes_falsenodeids"));
    let (yes_leaf, no_leaf) = (list("nodes_trueleafs"), list("nodes_falseleafs"));
    let (missing, ids) = (list("nodes_missing_value_tracks_true"), list("leaf_targetids"));
    let count = modes.len();
    let lengths = [splits.len(), features.len(), yes.len(), no.len(), yes_leaf.len(), no_leaf.len()];
    if lengths.iter().any(|l| *l != count) || !(missing.is_empty() || missing.len() == count) {
        return invalid("the lists of nodes are not of one length");
    }
    if ids.len() != weights.len() {
        return invalid("the lists of leaves are not of one length");
    }
    let child = |at: i64, leaf: i64| match usize::try_from(at) {
        Ok(at) => Ok(if leaf != 0 { Child::Leaf(at) } else { Child::Branch(at) }),
        Err(_) => invalid(format!("a branch leads to node {at}")),
    };
    let mut branches = Vec::with_capacity(count);
    let mut chains = Vec::new();
    let mut sets = members.split(|v| v.is_nan());
    for i in 0..count {
        let unordered = if missing.get(i).is_some_and(|m| *m != 0) { UNORDERED } else { 0 };
        let names = ["BRANCH_LEQ", "BRANCH_LT", "BRANCH_GTE", "BRANCH_GT", "BRANCH_EQ", "BRANCH_NEQ"];
        let (yes, no) = (child(yes[i], yes_leaf[i])?, child(no[i], no_leaf[i])?);
        let mut branch = Branch { feature: features[i], split: splits[i], truth: EQUAL | unordered, yes, no };
        match modes[i] as usize {
            6 => {
                // A set is a chain of branches that ask for one member each; nothing is equal to NaN.
                let Some(set) = sets.next() else {
                    return invalid("`membership_values` has fewer sets than nodes need");
                };
                branch.split = set.first().copied().unwrap_or(f64::NAN);
                chains.push((i, set.get(1..).unwrap_or_default().to_vec()));
            }
            mode if mode < 6 => branch.truth = truth(names[mode])? | unordered,
            mode => return invalid(format!("a node is of mode {mode}")),
        }
        branches.push(branch);
    }
    for (i, rest) in chains {
        let mut at = i;
        for member in rest {
            let next = Branch { split: member, ..branches[at] };
            branches[at].no = Child::Branch(branches.len());
            at = branches.len();
            branches.push(next);
        }
    }
    let roots = list("tree_roots").into_iter().map(|r| child(r, 0)).collect::<Outcome<Vec<_>>>()?;
    let leaf = |(id, weight): (&i64, &f64)| match usize::try_from(*id) {
        Ok(id) => Ok(vec![(id, *weight)]),
        Err(_) => invalid(format!("a leaf is for target {id}")),
    };
    let leaves = ids.iter().zip(&weights).map(leaf).collect::<Outcome<Vec<_>>>()?;
    let forest = Forest { branches, roots, leaves, targets };
    let elem = x.elem;
    let x = rows(c, &x, compared(&x))?;
    let sums = scores(c, &n.name, &forest, &x, aggregate)?;
    let result = post.apply(c, &sums)?;
    Ok(vec![narrowed(c, &result, elem)?])
}
