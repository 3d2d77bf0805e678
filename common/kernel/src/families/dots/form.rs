//! Which bodies are sums of products of short numbers, and what each factor is made of.
use super::window::{Slide, Window};
use crate::analysis::access::{NEST, Stride, Sym, Use, Var, stride};
use crate::families::dot_instructions::Short;
use crate::families::forms::window;
use crate::families::raw_bytes::{Raw, argument};
use crate::families::roots::Root;
use crate::graph::{Form, Input, Kind, Node, Symbolic};
use crate::machine::dot_products::Instruction;
use crate::schedule::planner::Planner;
use halyard_ir::{AffineKind, Value};
use std::collections::BTreeSet;

/// A sum of products of this form: loops of the node by what they move.
pub(in crate::families) struct Dots {
    /// What is stored: the sums or something computed from them point by point.
    pub(super) roots: Vec<Root>,
    /// The sums.
    pub(super) y: usize,
    pub(super) node: usize,
    /// The sizes of all loops.
    pub(super) sizes: Vec<i64>,
    /// The loop over images, if their number is not known: the first size of the result. Its size counts as 1.
    pub(super) images: Option<usize>,
    /// Loops that both factors have, and first of all `images`.
    pub(super) batch: Vec<usize>,
    /// Loops of the factor that is broadcast.
    pub(super) down: Vec<usize>,
    /// Loops of the other one; the last one carries the lanes.
    pub(super) across: Vec<usize>,
    /// Loops that are summed up.
    pub(super) sums: Vec<usize>,
    pub(super) rows: Factor,
    pub(super) columns: Factor,
    pub(super) instruction: Instruction,
    /// Where the columns are windows of an image.
    pub(super) window: Option<Window>,
    /// Where the innermost sum runs along lines of the columns that are packed tap by tap: how far apart lanes are there.
    pub(super) tap_step: Option<i64>,
}

/// A factor of the products.
pub(super) struct Factor {
    /// Its value in the body of the node.
    pub(super) value: Value,
    /// Whether neighbours along the innermost sum are neighbours in memory.
    pub(super) along_sum: bool,
    /// Whether all sums together run through memory without gaps.
    pub(super) flat: bool,
    /// What was subtracted from the bytes, where they are multiplied as they are.
    pub(super) raw: Raw,
}

impl Planner<'_> {
    /// Recognises the form, and picks the instruction.
    pub(in crate::families) fn dotted(&self, roots: &[usize]) -> Option<Dots> {
        let y =
            (0..self.graph.tensors.len()).find(|&t| self.graph.node_of(t).is_some_and(|n| products(n).is_some()))?;
        let Kind::Result { node, .. } = self.graph.tensors[y].kind else { return None };
        let rank = self.graph.tensors[y].dims.len();
        let roots = self.roots_that_follow(roots, y)?;
        // Along the last dimension of what is stored, lanes are neighbours in memory; an image that is copied once for all taps is worth more.
        let stored = roots.first()?.innermost()?;
        let plain = self.dotted_along(rank - 1, (y, node));
        let best = match plain {
            Some(d) if stored == rank - 1 || d.window.is_some() => Some(d),
            plain => self.dotted_along(stored, (y, node)).or(plain),
        };
        best.map(|d| Dots { roots, ..d })
    }

    /// The form with lanes along a dimension of the sums; results are still to be given.
    fn dotted_along(&self, lanes_dim: usize, (y, node): (usize, usize)) -> Option<Dots> {
        let n = &self.graph.nodes[node];
        let images = (0..n.dims.len()).find(|&d| n.dims[d].known().is_none() && n.place[d] == Some(0));
        let size = |d: usize| if images == Some(d) { Some(1) } else { n.dims[d].known() };
        let sizes: Vec<i64> = (0..n.dims.len()).map(size).collect::<Option<_>>()?;
        let lanes_loop = (0..sizes.len()).find(|&d| !n.reduction[d] && n.place[d] == Some(lanes_dim))?;
        let (left, right) = products(n)?;
        let (l, r) = (self.loops_of(n, left)?, self.loops_of(n, right)?);
        if images == Some(lanes_loop) {
            return None;
        }
        let (rows, columns, of_rows, of_columns) = match (l.contains(&lanes_loop), r.contains(&lanes_loop)) {
            (false, true) => (left, right, l, r),
            (true, false) => (right, left, r, l),
            _ => return None,
        };
        let mut d = Dots {
            roots: Vec::new(),
            y,
            node,
            batch: Vec::new(),
            down: Vec::new(),
            across: Vec::new(),
            sums: n.reductions(),
            rows: self.short_factor(n, rows),
            columns: self.short_factor(n, columns),
            sizes,
            images,
            instruction: Instruction::Words,
            window: None,
            tap_step: None,
        };
        for at in (0..d.sizes.len()).filter(|&at| !n.reduction[at] && d.sizes[at] != 1) {
            match (of_rows.contains(&at), of_columns.contains(&at)) {
                (true, true) => d.batch.push(at),
                (true, false) => d.down.push(at),
                (false, true) => d.across.push(at),
                (false, false) => return None,
            }
        }
        d.batch.splice(..0, images);
        d.across.retain(|&at| at != lanes_loop);
        d.across.push(lanes_loop);
        let summed = d.sums.iter().all(|at| of_rows.contains(at) && of_columns.contains(at) || d.sizes[*at] == 1);
        d.sums.retain(|&at| d.sizes[at] != 1);
        let least = &self.target.cpu.short_products;
        let long = d.product(&d.sums) >= least.packed_steps
            && d.product(&d.down) >= least.packed_rows
            && d.sizes[lanes_loop] >= least.packed_columns;
        if !summed || !long {
            return None;
        }
        d.instruction = self.instruction(n, &d)?;
        d.window = Window::of(n, &mut d);
        self.strides_of(&mut d, lanes_loop);
        d.tap_step = self.tap_step(n, &d);
        Some(d)
    }

    fn short_factor(&self, node: &Node<Symbolic>, value: Value) -> Factor {
        Factor { value, along_sum: false, flat: false, raw: self.raw(node, value).unwrap_or_default() }
    }

    /// The best instruction that gives the exact sums.
    fn instruction(&self, node: &Node<Symbolic>, d: &Dots) -> Option<Instruction> {
        let has = self.target.dots;
        let elem = self.graph.tensors[d.y].elem;
        if elem.is_float() {
            let both = |from: &[&str]| [d.rows.value, d.columns.value].iter().all(|&v| is_short(v, from));
            if elem.bits() != 32 {
                return None;
            }
            if has.halves && both(&["bf16"]) {
                return Some(Instruction::Halves);
            }
            return (self.target.fma && both(&["bf16", "f16"])).then_some(Instruction::Wide);
        }
        let factors = [d.rows.value, d.columns.value];
        if elem.bits() != 32 || !elem.is_integer() {
            return None;
        }
        if let Some(bytes) = has.bytes.filter(|_| factors.iter().all(|&v| self.raw(node, v).is_some())) {
            return Some(bytes);
        }
        let words = i64::from(i16::MIN)..=i64::from(i16::MAX);
        let fits = |v: &Value| {
            self.interval(node, *v).is_some_and(|(low, high)| words.contains(&low) && words.contains(&high))
        };
        has.words.filter(|_| factors.iter().all(fits))
    }

    /// The loops that move a value of the body; `None` if it depends on something else.
    fn loops_of(&self, node: &Node<Symbolic>, value: Value) -> Option<BTreeSet<usize>> {
        let mut loops = BTreeSet::new();
        for operand in arguments(node, value)? {
            if matches!(node.inputs.get(operand)?, Input::Tensor(_)) {
                node.maps[operand].iter().for_each(|e| dims_of(e, &mut loops));
            }
        }
        Some(loops)
    }

    /// How the factors lie in memory.
    fn strides_of(&self, d: &mut Dots, lanes_loop: usize) {
        let node = &self.graph.nodes[d.node];
        let place = |at: usize| (NEST, node.place[at].expect("a parallel loop"));
        let idx: Vec<Sym> = (0..self.graph.tensors[d.y].dims.len()).map(|at| Sym::var((NEST, at))).collect();
        let uses = self.graph.uses(d.y, idx, &BTreeSet::new());
        let of_columns = |u: &Use| u.depends(place(lanes_loop));
        // Sums in the order in which the rows lie in memory, if that is known; windows have an order of their own.
        if d.window.is_none() {
            self.order_sums(d, &uses, place(lanes_loop));
        }
        let Some(&last) = d.sums.last() else { return };
        let leaf = |u: &&Use| !u.inside.is_empty() && d.sums.iter().any(|&s| u.depends((d.node, s)));
        for columns in [false, true] {
            let mine: Vec<&Use> = uses.iter().filter(leaf).filter(|u| of_columns(u) == columns).collect();
            let memories: Vec<_> = mine
                .iter()
                .filter_map(|u| match &self.graph.tensors[u.id].kind {
                    Kind::Memory(memory) => Some((memory, *u)),
                    _ => None,
                })
                .collect();
            let step = |at: usize| memories.iter().map(|(m, u)| stride(m, &u.idx, (d.node, at))).collect::<Vec<_>>();
            let one = |at: usize, by: i64| !memories.is_empty() && step(at).iter().all(|s| *s == Stride::Known(by));
            let lanes = |at: usize| memories.iter().any(|(m, u)| stride(m, &u.idx, place(at)) == Stride::Known(1));
            let plain = mine.iter().all(|u| match &self.graph.tensors[u.id].kind {
                Kind::Memory(_) => true,
                Kind::Result { node, .. } => !self.graph.nodes[*node].reduction.contains(&true),
                _ => false,
            });
            let mut gap = 1;
            let mut flat = plain;
            for &at in d.sums.iter().rev() {
                flat &= one(at, gap);
                gap *= d.sizes[at];
            }
            let along = one(last, 1) && !(columns && lanes(lanes_loop));
            let factor = if columns { &mut d.columns } else { &mut d.rows };
            (factor.along_sum, factor.flat) = (along, flat);
        }
    }

    /// The steps between lanes along lines of taps, if columns are packed tap by tap.
    fn tap_step(&self, node: &Node<Symbolic>, d: &Dots) -> Option<i64> {
        let (&tap, &lanes) = (d.sums.last()?, d.across.last()?);
        let operand = only_tensor(node, d.columns.value)?;
        let (step, 1) = window(node.maps[operand].last()?, lanes, tap)? else { return None };
        let packs = self.target.loads_taps(d.sizes[tap], step);
        let fits = packs && d.short() == Short::Byte && d.rows.along_sum && d.window.is_none();
        fits.then_some(step)
    }

    /// Sorts the sums by how far apart their steps are in the rows, the farthest first.
    fn order_sums(&self, d: &mut Dots, uses: &[Use], lanes: Var) {
        let summed = |u: &&Use| d.sums.iter().any(|&s| u.depends((d.node, s)));
        let mut rows = uses.iter().filter(|u| !u.depends(lanes)).filter(summed);
        let memory = rows.find_map(|u| match &self.graph.tensors[u.id].kind {
            Kind::Memory(memory) => Some((memory, u)),
            _ => None,
        });
        let Some((memory, u)) = memory else { return };
        let far = |s: &usize| match stride(memory, &u.idx, (d.node, *s)) {
            Stride::Known(far) => Some(far),
            Stride::Unknown => None,
        };
        if d.sums.iter().all(|s| far(s).is_some()) {
            d.sums.sort_by_key(|s| std::cmp::Reverse(far(s)));
        }
    }
}

impl Dots {
    /// Whether there is nothing to do several times, but for images of an unknown number.
    pub(super) fn has_no_batch(&self) -> bool {
        self.batch.len() == usize::from(self.images.is_some())
    }

    /// How many steps some loops have together.
    pub(super) fn product(&self, loops: &[usize]) -> i64 {
        loops.iter().map(|&d| self.sizes[d]).product()
    }

    /// The groups of a sum.
    pub(super) fn groups(&self) -> i64 {
        match (self.tap_step, self.sums.split_last()) {
            (Some(_), Some((_, outer))) => self.product(outer) * self.groups_of_line(),
            _ => (self.product(&self.sums) + self.short().group() - 1) / self.short().group(),
        }
    }

    /// The groups of a line of taps, of which the last one may not be whole.
    pub(super) fn groups_of_line(&self) -> i64 {
        let group = self.short().group();
        self.sums.last().map_or(1, |&tap| (self.sizes[tap] + group - 1) / group)
    }

    /// The short numbers that are multiplied.
    pub(super) fn short(&self) -> Short {
        self.instruction.short()
    }
}

/// The two factors, if a node only adds products to what it starts from.
fn products(node: &Node<Symbolic>) -> Option<(Value, Value)> {
    if !node.reduction.contains(&true) || node.results.len() != 1 {
        return None;
    }
    let sum = *node.body.args().get(node.inputs.len())?;
    let add = node.body.terminator()?.operand(0).def().filter(|o| o.is("arith.addi") || o.is("arith.addf"))?;
    let product = match (add.operand(0) == sum, add.operand(1) == sum) {
        (true, false) => add.operand(1),
        (false, true) => add.operand(0),
        _ => return None,
    };
    let multiply = if add.is("arith.addi") { "arith.muli" } else { "arith.mulf" };
    let product = product.def().filter(|o| o.is(multiply) && o.block() == add.block())?;
    (sum.uses().len() == 1).then(|| (product.operand(0), product.operand(1)))
}

/// The inputs on which a value of the body depends.
pub(super) fn arguments<F: Form>(node: &Node<F>, value: Value) -> Option<BTreeSet<usize>> {
    let mut found = BTreeSet::new();
    let mut left = vec![value];
    while let Some(value) = left.pop() {
        match value.def().filter(|op| op.block() == Some(node.body)) {
            Some(op) if op.is_of("arith") => left.extend(op.operands()),
            Some(_) => return None,
            None => {
                if let Some(at) = argument(node, value) {
                    found.insert(at);
                }
            }
        }
    }
    found.iter().all(|&at| at < node.inputs.len()).then_some(found)
}

/// The input on which a value of the body depends, if no other one is a tensor.
fn only_tensor(node: &Node<Symbolic>, value: Value) -> Option<usize> {
    let mut tensors = arguments(node, value)?.into_iter().filter(|&at| matches!(node.inputs[at], Input::Tensor(_)));
    let (operand, None) = (tensors.next()?, tensors.next()) else { return None };
    Some(operand)
}

/// Whether a value of a body is a float of one of these types made wider.
fn is_short(value: Value, from: &[&str]) -> bool {
    let ty = value.def().filter(|op| op.is("arith.extf")).map(|op| op.operand(0).ty().to_string());
    ty.is_some_and(|ty| from.contains(&&*ty))
}

fn dims_of(expr: &AffineKind, found: &mut BTreeSet<usize>) {
    match expr {
        AffineKind::Dim(d) => _ = found.insert(*d),
        AffineKind::Constant(_) | AffineKind::Symbol(_) => {}
        AffineKind::Add(a, b)
        | AffineKind::Mul(a, b)
        | AffineKind::Mod(a, b)
        | AffineKind::FloorDiv(a, b)
        | AffineKind::CeilDiv(a, b) => {
            dims_of(a, found);
            dims_of(b, found);
        }
    }
}

impl Window {
    /// The window of a sum of products, if it has one that moves along the lanes; `d.sums` is brought into the order in
    /// which it is read then: taps, then channels. Loops over images are taken for loops that both factors have.
    pub(super) fn of(node: &Node<Symbolic>, d: &mut Dots) -> Option<Self> {
        let &[ref images @ .., out, lanes] = &d.across[..] else { return None };
        let operand = only_tensor(node, d.columns.value)?;
        let map = &node.maps[operand];
        let slide = |out: usize| {
            let taps = node.reductions();
            taps.into_iter().find_map(|tap| {
                let (step, dilation) = map.iter().find_map(|e| window(e, out, tap))?;
                Some(Slide { out, tap, step, dilation })
            })
        };
        let (rows, columns) = (slide(out)?, slide(lanes)?);
        let taps = [rows.tap, columns.tap];
        let mut channels = d.sums.iter().copied().filter(|at| !taps.contains(at));
        let (channels, None) = (channels.next()?, channels.next()) else { return None };
        let within = |e: &AffineKind| images.iter().any(|image| *e == AffineKind::Dim(*image));
        let fits = images.len() == map.iter().filter(|e| within(e)).count()
            && !d.short().is_float()
            && rows.tap != columns.tap
            && columns.step == 1
            && (rows.step == 1 || rows.dilation == 1)
            && map.contains(&AffineKind::Dim(channels))
            && d.sizes[channels] % d.short().group() == 0
            && d.product(&taps) > 1;
        if !fits {
            return None;
        }
        d.batch.extend(images.to_vec());
        d.across = vec![out, lanes];
        d.sums = [rows.tap, columns.tap, channels].into_iter().filter(|&at| d.sizes[at] != 1).collect();
        Some(Self { channels, rows, columns })
    }
}
