//! Which values of a function are constant, and which of them are worth computing at import.
use crate::{
    onnx::{SMALL, SMALL_POSITIONS},
    weights::Weight,
};
use halyard_evaluate::{Array, cost, evaluate, type_of};
use halyard_ir::{
    Block, Op, Value, dense_bytes,
    form::{Program, ProgramGlobal},
};
use halyard_runtime::commands::ScalarType;
use std::{
    collections::{BTreeSet, HashMap, HashSet},
    rc::Rc,
};

/// The most elements of one constant that is read to compute others.
const MOST_ELEMENTS: usize = 1 << 24;
/// The elements that are held, at most, to compute a value, and between values.
const MOST_HELD: usize = 1 << 27;
const HELD_BETWEEN: usize = 1 << 25;
/// The most bytes of a value that takes much work, but is made of small constants.
const MOST_BYTES: u64 = 4 << 20;
/// The work for each element of such a value.
const MUCH_WORK: u64 = 16;

/// A constant value.
#[derive(Debug, Clone)]
struct Constant {
    /// The constants of the model that it is made of, by number.
    leaves: Rc<BTreeSet<usize>>,
    /// The work to compute it, and its time.
    work: u64,
    time: u64,
    /// Whether anything was computed on the way.
    computes: bool,
    /// Whether it is, or was made of, a tensor. What is computed of numbers alone is left to passes.
    of_tensors: bool,
    bytes: u64,
}

/// The globals of a program by name, and the numbers of its weights by key.
pub(super) struct Model {
    globals: HashMap<String, ProgramGlobal>,
    weights: HashMap<String, usize>,
}

impl Model {
    /// Notes those of a program.
    pub(super) fn of(program: Program, weights: &[Weight]) -> Self {
        Self {
            globals: program.globals().into_iter().map(|g| (g.name(), g)).collect(),
            weights: weights.iter().enumerate().map(|(number, w)| (w.key.clone(), number)).collect(),
        }
    }
}

/// The constant values of a function.
pub(super) struct Constants<'w> {
    model: &'w Model,
    weights: &'w [Weight],
    /// The operations outside of the bodies of linalg operations, in order.
    order: Vec<Op>,
    known: HashMap<Value, Constant>,
    /// The bytes of each leaf.
    leaves: Vec<u64>,
    computed: &'w mut Computed,
}

/// What has been computed so far.
#[derive(Default)]
pub(super) struct Computed {
    arrays: HashMap<Value, Array>,
    /// The elements of all of them.
    held: usize,
}

impl Computed {
    fn insert(&mut self, value: Value, array: Array) {
        self.held += array.bits().len();
        self.arrays.insert(value, array);
    }
}

impl<'w> Constants<'w> {
    /// Finds them, except for the results of some operations.
    pub(super) fn of(
        function: Op,
        (model, weights): (&'w Model, &'w [Weight]),
        except: &HashSet<Op>,
        computed: &'w mut Computed,
    ) -> Self {
        let mut constants =
            Self { model, weights, order: Vec::new(), known: HashMap::new(), leaves: Vec::new(), computed };
        for block in function.regions().into_iter().flat_map(|r| r.blocks()) {
            constants.walk(block, except);
        }
        constants
    }

    fn walk(&mut self, block: Block, except: &HashSet<Op>) {
        for op in block.ops() {
            if !except.contains(&op) {
                self.learn(op);
            }
            let name = op.name();
            self.order.push(op);
            if !name.starts_with("linalg.") && !name.starts_with("tensor.") {
                for block in op.regions().into_iter().flat_map(|r| r.blocks()) {
                    self.walk(block, except);
                }
            }
        }
    }

    /// Notes the results of an operation, if they are constant.
    fn learn(&mut self, op: Op) {
        if let Some(bytes) = self.leaf(op) {
            let leaves = Rc::new(BTreeSet::from([self.leaves.len()]));
            self.leaves.push(bytes);
            let of_tensors = op.result(0).ty().is_tensor();
            self.known.insert(op.result(0), Constant { leaves, work: 0, time: 0, computes: false, of_tensors, bytes });
            return;
        }
        let Some((cost, used)) = self.operands(op).and_then(|used| Some((cost(op)?, used))) else { return };
        let of_tensors = op.results().iter().any(|r| r.ty().is_tensor());
        let (work, time, computes) = (cost.work, cost.time, cost.computes);
        let mut all = Constant { leaves: Rc::default(), work, time, computes, of_tensors, bytes: 0 };
        for value in used {
            let Some(one) = self.known.get(&value) else { return };
            all.work = all.work.saturating_add(one.work);
            all.time = all.time.saturating_add(one.time);
            all.computes |= one.computes;
            all.of_tensors |= one.of_tensors;
            if all.leaves.is_empty() {
                all.leaves = one.leaves.clone();
            } else if !Rc::ptr_eq(&all.leaves, &one.leaves) {
                Rc::make_mut(&mut all.leaves).extend(&*one.leaves);
            }
        }
        for result in op.results() {
            let bytes = bytes_of(result).unwrap_or(u64::MAX);
            self.known.insert(result, Constant { bytes, ..all.clone() });
        }
    }

    /// The values that an operation needs, those that its body takes from outside among them; `None` if one is no constant.
    fn operands(&self, op: Op) -> Option<Vec<Value>> {
        let mut used = op.operands();
        if used.iter().any(|v| !self.known.contains_key(v)) {
            return None;
        }
        let inside = |v: Value| match (v.def(), v.argument_block()) {
            (Some(def), _) => def.is_inside(op) && def != op,
            (None, Some(block)) => block.parent().is_some_and(|parent| parent.is_inside(op)),
            (None, None) => false,
        };
        for region in op.regions() {
            for block in region.blocks() {
                for inner in block.ops() {
                    if !inner.regions().is_empty() {
                        return None;
                    }
                    used.extend(inner.operands().into_iter().filter(|v| !inside(*v)));
                }
            }
        }
        used.iter().all(|v| self.known.contains_key(v)).then_some(used)
    }

    /// The bytes of a constant of the model.
    fn leaf(&self, op: Op) -> Option<u64> {
        let (_, shape) = type_of(op.results().first()?.ty())?;
        let bytes = bytes_of(op.result(0))?;
        let elements: usize = shape.iter().product();
        if op.is("arith.constant") {
            return op.attr("value").is_some().then_some(bytes);
        }
        if !op.is("ml_program.global_load_const") {
            return None;
        }
        let global = self.global(op)?;
        let there = global.value().is_some() || self.weight(global).is_some();
        (there && elements <= MOST_ELEMENTS).then_some(bytes)
    }

    fn global(&self, load: Op) -> Option<ProgramGlobal> {
        let name = load.attr("global")?.leaf_symbol()?;
        self.model.globals.get(&name).copied().filter(|g| !g.is_mutable())
    }

    fn weight(&self, global: ProgramGlobal) -> Option<&'w Weight> {
        let parameter = global.parameter().filter(|p| p.archive.is_empty() && p.piece.is_none())?;
        self.model.weights.get(&parameter.key).map(|number| &self.weights[*number])
    }

    /// All operations whose results are constant, in order.
    pub(super) fn ops(&self) -> Vec<Op> {
        let constant = |op: &Op| op.results().first().is_some_and(|r| self.known.contains_key(r));
        self.order.iter().copied().filter(constant).collect()
    }

    /// The values to compute, which the run needs and which are worth storing, within a budget of time; and the time that they take.
    pub(super) fn chosen(&self, budget: u64) -> (Vec<Value>, u64) {
        let place: HashMap<Op, usize> = self.order.iter().enumerate().map(|(i, op)| (*op, i)).collect();
        let outermost =
            |op: Op| std::iter::successors(Some(op), |op| op.parent()).find_map(|op| place.get(&op).copied());
        let mut at_run: Vec<bool> = vec![true; self.order.len()];
        let mut chosen = Vec::new();
        let mut spent = 0;
        for (at, op) in self.order.iter().enumerate().rev() {
            let results = op.results();
            if results.is_empty() || !results.iter().all(|r| self.known.contains_key(r)) {
                continue;
            }
            let needed = |v: &Value| v.uses().into_iter().any(|(user, _)| outermost(user).is_none_or(|i| at_run[i]));
            let needed: Vec<Value> = results.into_iter().filter(needed).collect();
            let time = needed.first().map_or(0, |v| self.known[v].time);
            let keep = !needed.is_empty() && time <= budget - spent && needed.iter().all(|v| self.is_worthwhile(*v));
            at_run[at] = !needed.is_empty() && !keep;
            if keep {
                spent += time;
                chosen.extend(needed);
            }
        }
        chosen.reverse();
        (chosen, spent)
    }

    fn is_worthwhile(&self, value: Value) -> bool {
        let constant = &self.known[&value];
        let Some((ty, shape)) = type_of(value.ty()) else { return false };
        if !constant.computes || !constant.of_tensors {
            return false;
        }
        let small = if matches!(ty, ScalarType::Int(_)) { SMALL_POSITIONS } else { SMALL };
        let elements = shape.iter().product::<usize>() as u64;
        let made_of: u64 = constant.leaves.iter().map(|leaf| self.leaves[*leaf]).sum();
        let much = constant.work >= MUCH_WORK.saturating_mul(elements) && constant.bytes <= MOST_BYTES;
        elements <= small as u64 || constant.bytes <= made_of.saturating_mul(2) || much
    }

    /// The elements of a value. Errors: the operation that cannot be computed.
    pub(super) fn evaluate(&mut self, value: Value) -> Result<Array, Op> {
        if self.computed.held > HELD_BETWEEN {
            *self.computed = Computed::default();
        }
        // Chains of constants are long: no recursion.
        let mut open = vec![value.def().expect("constants are results")];
        while let Some(op) = open.last().copied() {
            if op.results().iter().all(|r| self.computed.arrays.contains_key(r)) {
                open.pop();
                continue;
            }
            if self.leaf(op).is_some() {
                let array = self.read(op).ok_or(op)?;
                self.computed.insert(op.result(0), array);
                continue;
            }
            let used = self.operands(op).ok_or(op)?;
            let missing: Vec<Op> =
                used.iter().filter(|v| !self.computed.arrays.contains_key(v)).filter_map(|v| v.def()).collect();
            if !missing.is_empty() {
                open.extend(missing);
                continue;
            }
            if self.computed.held > MOST_HELD {
                return Err(op);
            }
            let arrays = evaluate(op, &mut |v| self.computed.arrays.get(&v).cloned()).ok_or(op)?;
            op.results().into_iter().zip(arrays).for_each(|(value, array)| self.computed.insert(value, array));
        }
        self.computed.arrays.get(&value).cloned().ok_or_else(|| value.def().expect("constants are results"))
    }

    fn read(&self, op: Op) -> Option<Array> {
        let (ty, shape) = type_of(op.result(0).ty())?;
        if let Some(value) = op.attr("value") {
            if !op.result(0).ty().is_tensor() {
                return Some(Array::splat(ty, &[], halyard_scalars::scalar_bits(value)?));
            }
            let (bytes, splat) = dense_bytes(value)?;
            return Array::from_bytes(ty, &shape, &bytes, splat);
        }
        let global = self.global(op)?;
        match (global.value(), self.weight(global)) {
            (Some(value), _) => {
                let (bytes, splat) = dense_bytes(value)?;
                Array::from_bytes(ty, &shape, &bytes, splat)
            }
            (None, Some(weight)) => Array::from_bytes(ty, &shape, &weight.bytes, false),
            (None, None) => None,
        }
    }
}

/// The bytes of a value of known size.
fn bytes_of(value: Value) -> Option<u64> {
    let (ty, shape) = type_of(value.ty())?;
    shape.iter().try_fold(ty.size() as u64, |n, size| n.checked_mul(*size as u64))
}
