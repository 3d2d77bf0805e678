//! Where the elements of a result come from, as linear forms over its loops; the plan is made of this.
use crate::Emitter;
use crate::graph::Memory;
use crate::graph::{Extent, Form, Graph, InKernel, Input, Kind, Node, Size, Symbolic, Tensors};
use halyard_ir::{AffineKind, Attr, Op, Value};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// A loop: of the nest (`(NEST, dimension)`) or a reduction (`(node, dimension)`).
pub(crate) type Var = (usize, usize);

/// The first half of the loops of the nest.
pub(crate) const NEST: usize = usize::MAX;

/// An index as a linear form of loops.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Sym {
    /// The coefficient of each loop.
    pub(crate) terms: BTreeMap<Var, i64>,
    /// Loops on which it depends in another way.
    pub(crate) vague: BTreeSet<Var>,
    /// Whether something else is added.
    pub(crate) shifted: bool,
}

impl Sym {
    /// A loop.
    pub(crate) fn var(var: Var) -> Sym {
        Sym { terms: BTreeMap::from([(var, 1)]), ..Sym::default() }
    }

    /// The loop that it is exactly.
    pub(crate) fn exactly(&self) -> Option<Var> {
        let (&var, &by) = self.terms.first_key_value()?;
        (self.terms.len() == 1 && by == 1 && self.vague.is_empty() && !self.shifted).then_some(var)
    }

    /// Whether it is always 0.
    pub(crate) fn is_zero(&self) -> bool {
        *self == Sym::default()
    }

    /// All loops on which it depends.
    pub(crate) fn vars(&self) -> impl Iterator<Item = Var> {
        self.terms.keys().chain(&self.vague).copied()
    }

    fn add(&self, other: &Sym) -> Sym {
        let mut sum = self.clone();
        for (&var, &by) in &other.terms {
            *sum.terms.entry(var).or_default() += by;
        }
        sum.terms.retain(|_, by| *by != 0);
        sum.vague.extend(&other.vague);
        sum.shifted |= other.shifted;
        sum
    }

    fn scale(&self, by: impl Extent) -> Sym {
        match by.known() {
            Some(0) => Sym::default(),
            Some(by) => {
                let mut scaled = self.clone();
                scaled.terms.values_mut().for_each(|c| *c *= by);
                scaled
            }
            None => self.blur(),
        }
    }

    fn shift(&self, by: impl Extent) -> Sym {
        Sym { shifted: self.shifted || by.known() != Some(0), ..self.clone() }
    }

    /// The same dependence, in an unknown way.
    fn blur(&self) -> Sym {
        Sym { terms: BTreeMap::new(), vague: self.vars().collect(), shifted: true }
    }
}

/// A use of a tensor.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Use {
    /// The tensor.
    pub(crate) id: usize,
    /// The index.
    pub(crate) idx: Vec<Sym>,
    /// The reductions around it, outermost first.
    pub(crate) inside: Vec<usize>,
}

impl Use {
    /// Whether it depends on a loop.
    pub(crate) fn depends(&self, var: Var) -> bool {
        self.idx.iter().any(|s| s.terms.contains_key(&var) || s.vague.contains(&var))
    }
}

/// How far apart neighbours along a loop are in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stride {
    /// This many elements.
    Known(i64),
    /// It is not known, or not always the same.
    Unknown,
}

/// The stride of an access along a loop.
pub(crate) fn stride<F: Form>(memory: &Memory<F>, idx: &[Sym], var: Var) -> Stride {
    let mut sum = 0;
    for (sym, stride) in idx.iter().zip(&memory.strides) {
        if sym.vague.contains(&var) {
            return Stride::Unknown;
        }
        let Some(&by) = sym.terms.get(&var) else { continue };
        match stride.known() {
            Some(stride) => sum += by * stride,
            None => return Stride::Unknown,
        }
    }
    Stride::Known(sum)
}

impl Graph {
    /// The tensors and how they come about.
    pub(crate) fn view(&self) -> Tensors<'_, Symbolic> {
        let Self { tensors, nodes, tensor_of, must_materialize, .. } = self;
        Tensors { tensors, nodes, tensor_of, must_materialize }
    }

    /// See [`Tensors::uses`].
    pub(crate) fn uses(&self, root: usize, idx: Vec<Sym>, stop: &BTreeSet<usize>) -> Vec<Use> {
        self.view().uses(root, idx, stop)
    }
}

impl Emitter<'_> {
    /// The tensors of the kernel.
    pub(crate) fn view(&self) -> Tensors<'_, InKernel> {
        let Self { tensors, nodes, tensor_of, graph, .. } = self;
        Tensors { tensors, nodes, tensor_of, must_materialize: &graph.must_materialize }
    }

    /// See [`Tensors::uses`].
    pub(crate) fn uses(&self, root: usize, idx: Vec<Sym>, stop: &BTreeSet<usize>) -> Vec<Use> {
        self.view().uses(root, idx, stop)
    }
}

impl<F: Form> Tensors<'_, F> {
    /// All uses of tensors when `root` is computed at `idx`: the root first. The sources of tensors in `stop` are left
    /// out: they are computed elsewhere.
    pub(crate) fn uses(&self, root: usize, idx: Vec<Sym>, stop: &BTreeSet<usize>) -> Vec<Use> {
        let mut seen = HashSet::new();
        let mut uses = Vec::new();
        self.visit(Use { id: root, idx, inside: Vec::new() }, stop, &mut seen, &mut uses);
        uses
    }

    fn visit(&self, at: Use, stop: &BTreeSet<usize>, seen: &mut HashSet<Use>, uses: &mut Vec<Use>) {
        if !seen.insert(at.clone()) {
            return;
        }
        uses.push(at.clone());
        if stop.contains(&at.id) && uses.len() > 1 {
            return;
        }
        let go = |id: usize, idx: Vec<Sym>, uses: &mut Vec<Use>, seen: &mut HashSet<Use>| {
            self.visit(Use { id, idx, inside: at.inside.clone() }, stop, seen, uses);
        };
        let tensor = &self.tensors[at.id];
        match &tensor.kind {
            Kind::Memory(_) | Kind::Splat(_) | Kind::Empty | Kind::Elements(_) => {}
            Kind::Result { node, .. } => {
                let n = &self.nodes[*node];
                let domain: Vec<Sym> = (0..n.dims.len())
                    .map(|d| match (n.reduction[d], n.place[d]) {
                        (true, _) if n.dims[d].known() != Some(1) => Sym::var((*node, d)),
                        (false, Some(place)) => at.idx[place].clone(),
                        _ => Sym::default(),
                    })
                    .collect();
                let mut inside = at.inside.clone();
                if n.reduction.contains(&true) {
                    inside.push(*node);
                }
                for (operand, arg) in n.body.args().iter().enumerate() {
                    let tensor = match n.inputs.get(operand) {
                        Some(Input::Scalar(_)) => continue,
                        Some(Input::Tensor(tensor)) => *tensor,
                        None => n.inits[operand - n.inputs.len()],
                    };
                    if arg.has_uses() {
                        let idx = n.maps[operand].iter().map(|e| symbolic(e, &domain)).collect();
                        let inside = if operand < n.inputs.len() { inside.clone() } else { at.inside.clone() };
                        self.visit(Use { id: tensor, idx, inside }, stop, seen, uses);
                    }
                }
                for (op, idx) in extracts(n, &domain) {
                    if let Some(&id) = self.tensor_of.get(&op.operand(0)) {
                        self.visit(Use { id, idx, inside: inside.clone() }, stop, seen, uses);
                    }
                }
            }
            Kind::Pad { src, low, .. } => {
                let idx = at.idx.iter().zip(low).map(|(s, &low)| s.shift(low)).collect();
                go(*src, idx, uses, seen);
            }
            Kind::Slice { src, offsets, strides, kept } => {
                let mut idx: Vec<Sym> = offsets.iter().map(|&o| Sym::default().shift(o)).collect();
                for (sym, &d) in at.idx.iter().zip(kept) {
                    idx[d] = idx[d].add(&sym.scale(strides[d]));
                }
                go(*src, idx, uses, seen);
            }
            Kind::Insert { src, dst, offsets, strides, kept, .. } => {
                go(*dst, at.idx.clone(), uses, seen);
                let idx = kept
                    .iter()
                    .map(
                        |&d| if strides[d].known() == Some(1) { at.idx[d].shift(offsets[d]) } else { at.idx[d].blur() },
                    )
                    .collect();
                go(*src, idx, uses, seen);
            }
            Kind::Concat { srcs, axis } => {
                for (k, &src) in srcs.iter().enumerate() {
                    let mut idx = at.idx.clone();
                    idx[*axis].shifted |= k > 0;
                    go(src, idx, uses, seen);
                }
            }
            Kind::Expand { src, groups } => {
                let join = |group: &Vec<usize>| {
                    group.iter().fold(Sym::default(), |sum, &d| sum.scale(tensor.dims[d]).add(&at.idx[d]))
                };
                go(*src, groups.iter().map(join).collect(), uses, seen);
            }
            Kind::Collapse { src, groups } => {
                let sizes = &self.tensors[*src].dims;
                let mut idx = vec![Sym::default(); sizes.len()];
                for (group, sym) in groups.iter().zip(&at.idx) {
                    let wide: Vec<usize> = group.iter().copied().filter(|&d| sizes[d].known() != Some(1)).collect();
                    for &d in &wide {
                        idx[d] = if wide.len() == 1 { sym.clone() } else { sym.blur() };
                    }
                }
                go(*src, idx, uses, seen);
            }
            Kind::Generate { region } => {
                for op in region.ops() {
                    if let Some(&id) = op.is("tensor.extract").then(|| self.tensor_of.get(&op.operand(0))).flatten() {
                        let all = at.idx.iter().fold(Sym::default(), |all, s| all.add(s)).blur();
                        go(id, vec![all; self.tensors[id].dims.len()], uses, seen);
                    }
                }
            }
        }
    }
}

/// An index of `tensor.extract` that is no computed number.
pub(crate) enum PlainIndex {
    /// A loop of the operation.
    Loop(usize),
    Constant(i64),
}

/// Recognises such an index.
pub(crate) fn plain_index(value: Value) -> Option<PlainIndex> {
    let op = value.def()?;
    match op.name().as_str() {
        "linalg.index" => op.attr("dim").and_then(Attr::as_int).map(|d| PlainIndex::Loop(d as usize)),
        "arith.constant" => op.attr("value").and_then(Attr::as_int).map(PlainIndex::Constant),
        _ => None,
    }
}

/// Where the body of a node reads with `tensor.extract`, op by op: the indices. What is computed depends, in an unknown way, on
/// all that it is computed from.
fn extracts<F: Form>(node: &Node<F>, domain: &[Sym]) -> Vec<(Op, Vec<Sym>)> {
    let ops = node.body.ops();
    if !ops.iter().any(|op| op.is("tensor.extract")) {
        return Vec::new();
    }
    // Blurred before they are added: terms that cancel out would hide a dependence.
    let join = |all: Sym, s: &Sym| all.add(&s.blur());
    let any = domain.iter().fold(Sym::default(), join);
    let argument = |at: usize| match node.maps.get(at).filter(|_| at < node.inputs.len()) {
        Some(map) => map.iter().fold(Sym::default(), |all, e| join(all, &symbolic(e, domain))),
        // A result so far: any loop may have made it.
        None => any.clone(),
    };
    let mut of: HashMap<Value, Sym> =
        node.body.args().into_iter().enumerate().map(|(at, arg)| (arg, argument(at))).collect();
    let mut found = Vec::new();
    for op in ops {
        let index = |v: &Value| match plain_index(*v) {
            Some(PlainIndex::Loop(d)) => domain[d].clone(),
            Some(PlainIndex::Constant(c)) => symbolic(&AffineKind::Constant(c), domain),
            // Values from outside of the body are the same everywhere.
            None => of.get(v).cloned().unwrap_or(Sym { shifted: true, ..Sym::default() }),
        };
        let indices: Vec<Sym> = op.operands().iter().map(index).collect();
        let made = indices.iter().fold(Sym::default(), join);
        if op.is("tensor.extract") {
            found.push((op, indices[1..].to_vec()));
        }
        of.extend(op.results().into_iter().map(|result| (result, made.clone())));
    }
    found
}

/// Whether a body asks for its own indices.
pub(crate) fn asks_index(body: halyard_ir::Block) -> BTreeSet<usize> {
    body.ops()
        .into_iter()
        .filter(|o| o.is("linalg.index"))
        .filter_map(|o| Some(o.attr("dim").and_then(Attr::as_int)? as usize))
        .collect()
}

pub(crate) fn symbolic(expr: &AffineKind, domain: &[Sym]) -> Sym {
    match expr {
        AffineKind::Dim(d) => domain[*d].clone(),
        AffineKind::Constant(c) => Sym { shifted: *c != 0, ..Sym::default() },
        AffineKind::Symbol(_) => Sym { shifted: true, ..Sym::default() },
        AffineKind::Add(a, b) => symbolic(a, domain).add(&symbolic(b, domain)),
        AffineKind::Mul(a, b) => match (&**a, &**b) {
            (AffineKind::Constant(c), e) | (e, AffineKind::Constant(c)) => {
                symbolic(e, domain).scale(Size::constant(*c))
            }
            _ => symbolic(a, domain).add(&symbolic(b, domain)).blur(),
        },
        AffineKind::Mod(a, b) | AffineKind::FloorDiv(a, b) | AffineKind::CeilDiv(a, b) => {
            symbolic(a, domain).add(&symbolic(b, domain)).blur()
        }
    }
}
