//! Whether the operations that lead to one compute what an example does.
//!
//! Operations are the same if name, attributes, operands and regions are; types may be more precise than the example's.
//! `tensor.empty`, and operations with `match.operation_name_only`, are the same by name. Operations within a region
//! stand in the same order.
use halyard_ir::{Attr, Op, Region, Type, Value};
use std::collections::HashMap;

/// A function that says what to look for.
#[derive(Debug)]
pub(super) struct Example {
    op: Op,
    root: Op,
}

/// What matched.
#[derive(Debug)]
pub(super) struct Found {
    /// The operation that gives the results.
    pub(super) root: Op,
    /// What stands for the arguments of the example.
    pub(super) inputs: Vec<Value>,
    /// What stands for its results.
    pub(super) results: Vec<Value>,
    /// All operations, the root first.
    pub(super) ops: Vec<Op>,
}

/// The first difference.
#[derive(Debug)]
pub(super) struct Difference {
    /// In words.
    pub(super) why: String,
    /// The operation of the example.
    pub(super) at: Op,
}

/// Only the name of the operation counts, as IREE has it.
const NAME_ONLY: &str = "match.operation_name_only";
/// On an argument: for each dimension, what its size must be divisible by.
const DIVISIBLE: &str = "hal.divisible_by";

impl Example {
    /// Errors, in words that follow "example `@name`": it returns nothing, or what several operations give; an argument
    /// that nothing uses.
    pub(super) fn of(op: Op) -> Result<Self, String> {
        let body = op.body().ok_or("has no body")?;
        let returned = body.terminator().map(Op::operands).unwrap_or_default();
        let first = returned.first().ok_or("returns nothing")?;
        let root = first.def().ok_or("returns an argument")?;
        if returned.iter().any(|v| v.def() != Some(root)) {
            return Err("returns results of several operations; one operation must give all of them".into());
        }
        let example = Self { op, root };
        for (i, argument) in body.args().into_iter().enumerate() {
            if !example.reaches(argument) {
                return Err(format!("has the argument {i}, which its result does not depend on"));
            }
            if let Some(attr) = example.divisors(i)
                && attr.as_i64s().is_none_or(|list| list.len() != argument.ty().rank() || list.iter().any(|&n| n < 1))
            {
                return Err(format!(
                    "has `{DIVISIBLE} = {attr}` on argument {i}; write a positive number for each dimension"
                ));
            }
        }
        Ok(example)
    }

    pub(super) fn op(&self) -> Op {
        self.op
    }

    /// The operation that gives its results.
    pub(super) fn root(&self) -> Op {
        self.root
    }

    pub(super) fn name(&self) -> String {
        self.op.symbol().unwrap_or_default()
    }

    fn divisors(&self, argument: usize) -> Option<Attr> {
        let all = self.op.attr("arg_attrs").and_then(Attr::as_array)?;
        all.get(argument)?.get(DIVISIBLE)
    }

    /// Whether matching comes across a value.
    fn reaches(&self, value: Value) -> bool {
        let (mut queue, mut seen) = (vec![self.root], Vec::new());
        while let Some(op) = queue.pop() {
            if seen.contains(&op) {
                continue;
            }
            seen.push(op);
            if by_name(op) {
                continue;
            }
            let mut used = op.operands();
            op.walk(&mut |inner| used.extend(inner.operands()));
            if used.contains(&value) {
                return true;
            }
            queue.extend(used.into_iter().filter_map(Value::def));
        }
        false
    }

    /// Whether an operation gives what the example returns. Errors: the first difference.
    pub(super) fn matches(&self, op: Op) -> Result<Found, Difference> {
        let mut matching = Matching { example: self, values: HashMap::new(), ops: Vec::new() };
        matching.operation(op, self.root)?;
        let body = self.op.body().expect("as checked");
        let of = |v: Value| matching.values.get(&v).copied();
        let inputs = body.args().into_iter().map(|v| of(v).expect("the result depends on it")).collect();
        let returned = body.terminator().map(Op::operands).unwrap_or_default();
        let results = returned.into_iter().map(|v| of(v).expect("the root gives it")).collect();
        Ok(Found { root: op, inputs, results, ops: matching.ops })
    }
}

fn by_name(example: Op) -> bool {
    example.is("tensor.empty") || example.has_attr(NAME_ONLY)
}

struct Matching<'a> {
    example: &'a Example,
    values: HashMap<Value, Value>,
    ops: Vec<Op>,
}

type Check = Result<(), Difference>;

fn fail(at: Op, why: String) -> Check {
    Err(Difference { why, at })
}

impl Matching<'_> {
    fn operation(&mut self, op: Op, like: Op) -> Check {
        if op.name() != like.name() {
            return fail(like, format!("`{}` stands where the example has `{}`", op.name(), like.name()));
        }
        self.results(op, like)?;
        if !self.ops.contains(&op) {
            self.ops.push(op);
        }
        if by_name(like) {
            return Ok(());
        }
        self.attributes(op, like)?;
        let (are, want) = (op.operands(), like.operands());
        if are.len() != want.len() {
            return fail(like, format!("`{}` has {} operands, the example's has {}", op.name(), are.len(), want.len()));
        }
        // Bodies first: they tell generic operations apart.
        self.regions(op.regions(), like.regions(), like)?;
        are.into_iter().zip(want).enumerate().try_for_each(|(i, (is, want))| self.value(is, want, like, i))
    }

    fn results(&mut self, op: Op, like: Op) -> Check {
        let (are, want) = (op.results(), like.results());
        if are.len() != want.len() {
            return fail(like, format!("`{}` has {} results, the example's has {}", op.name(), are.len(), want.len()));
        }
        for (is, want) in are.into_iter().zip(want) {
            if !is_like(is, want) {
                return fail(
                    like,
                    format!("the result of `{}` is a `{}`, the example's a `{}`", op.name(), is.ty(), want.ty()),
                );
            }
            self.values.insert(want, is);
        }
        Ok(())
    }

    fn attributes(&mut self, op: Op, like: Op) -> Check {
        let (own, said) = (like.discardable_attrs(), like.attrs());
        for (name, want) in said.iter().filter(|(name, _)| name != NAME_ONLY && !name.starts_with("hal.")) {
            match op.attr(name) {
                Some(is) if is == *want => {}
                Some(is) => {
                    return fail(
                        like,
                        format!("`{name}` of `{}` is `{}`, the example's is `{}`", op.name(), short(is), short(*want)),
                    );
                }
                None => {
                    return fail(like, format!("`{}` has no `{name}`, the example's is `{}`", op.name(), short(*want)));
                }
            }
        }
        // What a program says besides of an operation does not change what that computes.
        let besides = op.discardable_attrs();
        let inherent = op.attrs().into_iter().filter(|(name, _)| !besides.iter().any(|(n, _)| n == name));
        let known = |name: &str| said.iter().any(|(n, _)| n == name) && !own.iter().any(|(n, _)| n == name);
        match inherent.into_iter().find(|(name, _)| !known(name)) {
            Some((name, is)) => {
                fail(like, format!("`{}` has `{name} = {}`, the example's has not", op.name(), short(is)))
            }
            None => Ok(()),
        }
    }

    fn value(&mut self, is: Value, want: Value, user: Op, operand: usize) -> Check {
        if self.values.get(&want) == Some(&is) {
            return Ok(());
        }
        let body = self.example.op.body().expect("as checked");
        if let Some(i) = body.args().iter().position(|a| *a == want) {
            if self.values.contains_key(&want) {
                return fail(
                    user,
                    format!("operand {operand} is another value than argument {i} of the example is elsewhere"),
                );
            }
            if !is_like(is, want) {
                return fail(
                    user,
                    format!("operand {operand} is a `{}`, argument {i} of the example a `{}`", is.ty(), want.ty()),
                );
            }
            self.divisible(is, i, user)?;
            self.values.insert(want, is);
            return Ok(());
        }
        // The same computation may stand twice.
        let (op, like) = match (is.def(), want.def()) {
            (Some(op), Some(like)) => (op, like),
            (None, Some(like)) => {
                return fail(
                    user,
                    format!("operand {operand} is an argument, and in the example what `{}` gives", like.name()),
                );
            }
            _ => return fail(user, format!("operand {operand} is another value than in the example")),
        };
        if is.index() != want.index() {
            return fail(
                user,
                format!("operand {operand} is result {} of `{}`, not {}", is.index(), op.name(), want.index()),
            );
        }
        self.operation(op, like)
    }

    fn divisible(&self, is: Value, argument: usize, user: Op) -> Check {
        let Some(list) = self.example.divisors(argument).and_then(Attr::as_i64s) else { return Ok(()) };
        for (d, (size, by)) in is.ty().shape().into_iter().zip(list).enumerate().filter(|(_, (_, by))| *by > 1) {
            if size.is_none_or(|size| size % by != 0) {
                return fail(
                    user,
                    format!(
                        "dimension {d} of argument {argument}, a `{}`, is not known to be divisible by {by}",
                        is.ty()
                    ),
                );
            }
        }
        Ok(())
    }

    fn regions(&mut self, are: Vec<Region>, want: Vec<Region>, like: Op) -> Check {
        for (is, want) in are.into_iter().zip(want) {
            let (is, want) = (is.blocks(), want.blocks());
            if is.len() != want.len() {
                return fail(like, "its body has other blocks than the example's".into());
            }
            for (is, want) in is.into_iter().zip(want) {
                let (args, like_args) = (is.args(), want.args());
                if args.len() != like_args.len() || args.iter().zip(&like_args).any(|(a, b)| !is_like(*a, *b)) {
                    return fail(like, "its body takes other values than the example's".into());
                }
                self.values.extend(like_args.into_iter().zip(args));
                let (ops, like_ops) = (is.ops(), want.ops());
                for (op, want) in ops.iter().zip(&like_ops) {
                    self.inside(*op, *want)?;
                }
                if ops.len() != like_ops.len() {
                    let text = format!("its body has {} operations, the example's {}", ops.len(), like_ops.len());
                    return fail(like, text);
                }
            }
        }
        Ok(())
    }

    /// An operation in a region, which goes with what it is in.
    fn inside(&mut self, op: Op, like: Op) -> Check {
        let before = self.ops.len();
        self.operation(op, like)?;
        // What it takes from outside stays in the list.
        let place = (before..self.ops.len()).find(|&i| self.ops[i] == op);
        place.map(|i| self.ops.remove(i));
        Ok(())
    }
}

/// Whether `tensor.cast` makes the one of the other.
pub(super) fn castable(a: Type, b: Type) -> bool {
    if a == b {
        return true;
    }
    let tensors = a.is_ranked_tensor() && b.is_ranked_tensor();
    let size = |(a, b): (Option<i64>, Option<i64>)| a.is_none() || b.is_none() || a == b;
    tensors && a.element() == b.element() && a.rank() == b.rank() && a.shape().into_iter().zip(b.shape()).all(size)
}

/// Whether a value is one that an example allows for: of its type, or of one that says more.
fn is_like(is: Value, want: Value) -> bool {
    let (is, want) = (is.ty(), want.ty());
    let more = |(is, want): (Option<i64>, Option<i64>)| want.is_none() || is == want;
    castable(is, want) && (is == want || is.shape().into_iter().zip(want.shape()).all(more))
}

/// An attribute as messages show it.
fn short(attr: Attr) -> String {
    let text = attr.to_string();
    match text.char_indices().nth(60) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
