//! Replaces inputs by loads, and results by stores.
use super::{
    StateRule,
    pairs::{Pair, Port, pairs, ports},
};
use halyard_diag::{Error, Result};
use halyard_ir::{Attr, Builder, Op, Session, Type, form::Program, names};
use std::collections::BTreeSet;

/// The inputs and results that a function loses, by number.
#[derive(Default)]
struct Dropped {
    inputs: BTreeSet<usize>,
    results: BTreeSet<usize>,
}

/// Makes states of a program in phase `input`. Errors: what [`pairs`] says; an input and a result of different types; a
/// function that others call.
pub(crate) fn apply(session: &Session, program: Program, rules: &[StateRule]) -> Result<()> {
    let functions = program.public_functions();
    let mut dropped: Vec<(Op, Dropped)> = functions.iter().map(|f| (*f, Dropped::default())).collect();
    let pairs = pairs(&functions, rules)?;
    check_sizes(&pairs)?;
    for pair in pairs {
        let ty = pair.past[0].ty;
        check(session, &pair)?;
        let symbol = add_global(session, program, &pair, initial_type(session, &pair)?)?;
        for (function, dropped) in &mut dropped {
            let here = |list: &[Port]| list.iter().find(|p| p.function == *function).copied();
            if let Some(present) = here(&pair.present) {
                store(*function, present.index, ty, symbol);
                if !pair.rule.keep {
                    dropped.results.insert(present.index);
                }
            }
            if let Some(past) = here(&pair.past) {
                load(*function, past.index, ty, symbol);
                dropped.inputs.insert(past.index);
            }
        }
    }
    for (function, dropped) in dropped {
        if !dropped.inputs.is_empty() || !dropped.results.is_empty() {
            check_callers(session, program, function)?;
            shrink(function, &dropped);
        }
    }
    Ok(())
}

/// Fails unless every input and result of a state has its type, up to sizes that only a run knows.
fn check(session: &Session, pair: &Pair<'_>) -> Result<()> {
    let state = pair.past[0];
    let fail = |port: Port, message: String| {
        let error = Error::input(message).code("state-type").note(format!("`--state={}`", pair.rule.text));
        error.at(session.span(port.function))
    };
    if !state.ty.is_ranked_tensor() {
        return Err(fail(state, format!("input `{}` is `{}`, and states are tensors", pair.name, state.ty))
            .hint("make it a tensor of rank 0"));
    }
    let others = pair.past[1..]
        .iter()
        .map(|p| (*p, format!("input `{}` of function `@{}`", pair.name, p.function.symbol().unwrap_or_default())));
    let results = pair.present.iter().map(|p| (*p, format!("result `{}`", pair.result)));
    for (port, what) in others.chain(results) {
        let kind = |p: Port| (p.attr(names::UNSIGNED).is_some(), p.attr(names::ELEMENT).and_then(Attr::as_string));
        if !port.ty.is_ranked_tensor()
            || port.ty.rank() != state.ty.rank()
            || port.ty.element() != state.ty.element()
            || kind(port) != kind(state)
        {
            return Err(fail(port, format!("state `{}` is `{}`, {what} is `{}`", pair.name, state.ty, port.ty))
                .hint("what replaces a state has its element type and rank"));
        }
        let sizes = state.ty.shape().into_iter().zip(port.ty.shape()).enumerate();
        if let Some((axis, (Some(a), Some(b)))) =
            sizes.filter(|(_, (a, b))| a.is_some() && b.is_some()).find(|(_, (a, b))| a != b)
        {
            return Err(fail(port, format!("dimension {axis} of state `{}` is {a}, of {what} {b}", pair.name))
                .hint("a state that grows needs a size that is not fixed: `?` in MLIR, a name in ONNX"));
        }
    }
    Ok(())
}

/// The dimensions of a state that a name or a number means.
fn axes(port: Port, dim: &str) -> Vec<usize> {
    let names = port.attr(names::DIM_NAMES).and_then(Attr::as_array).unwrap_or_default();
    let named: Vec<usize> = (0..names.len()).filter(|&i| names[i].as_string().as_deref() == Some(dim)).collect();
    match dim.parse::<usize>() {
        Ok(axis) if named.is_empty() && axis < port.ty.rank() => vec![axis],
        _ => named,
    }
}

/// Fails if a rule says the size of a dimension that none of its states has.
fn check_sizes(pairs: &[Pair<'_>]) -> Result<()> {
    for pair in pairs {
        for (dim, _) in &pair.rule.sizes {
            let mut alike = pairs.iter().filter(|p| p.rule == pair.rule);
            if alike.all(|p| axes(p.past[0], dim).is_empty()) {
                return Err(Error::usage(format!("state `{}` has no dimension `{dim}`", pair.name))
                    .code("state-size")
                    .note(format!("`--state={}`; it is `{}`", pair.rule.text, pair.past[0].ty))
                    .hint("say its number, counting from 0"));
            }
        }
    }
    Ok(())
}

/// The type of the initial value: sizes that are not known are 0, or as the rule says.
fn initial_type(session: &Session, pair: &Pair<'_>) -> Result<Type> {
    let port = pair.past[0];
    let shape = port.ty.shape();
    let mut initial: Vec<Option<i64>> = shape.iter().map(|d| d.or(Some(0))).collect();
    for (dim, size) in &pair.rule.sizes {
        for axis in axes(port, dim) {
            if shape[axis].is_some_and(|fixed| fixed != *size) {
                let error = Error::usage(format!(
                    "dimension `{dim}` of state `{}` cannot start as {size}: it is fixed",
                    pair.name
                ))
                .code("state-size")
                .note(format!("it is `{}`", port.ty));
                return Err(error.at(session.span(port.function)));
            }
            initial[axis] = Some(*size);
        }
    }
    Ok(Type::tensor(&initial, port.ty.element()))
}

/// Declares the global. Gives the reference to it.
fn add_global(session: &Session, program: Program, pair: &Pair<'_>, initial: Type) -> Result<Attr> {
    let (port, body) = (pair.past[0], program.op.body().expect("a module has a body"));
    let context = program.op.context();
    let taken: BTreeSet<String> = body.ops().into_iter().filter_map(|op| op.symbol()).collect();
    let plain: String =
        pair.name.chars().map(|c| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '_' }).collect();
    let mut symbol =
        if plain.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') { plain } else { format!("state_{plain}") };
    while taken.contains(&symbol) {
        symbol.push('_');
    }
    let zero = match initial.element() {
        e if e.is_float() => "0.0",
        e if e.is_integer() && e.bits() == 1 => "false",
        _ => "0",
    };
    let Some(value) = Attr::parse(context, &format!("dense<{zero}> : {initial}")) else {
        return Err(session.error(&format!("state `{}` of type `{}` cannot be made", pair.name, port.ty)));
    };
    let mut attrs = vec![
        ("sym_name", Attr::string(context, &symbol)),
        ("type", Attr::ty(port.ty)),
        ("is_mutable", Attr::unit(context)),
        ("value", value),
        ("sym_visibility", Attr::string(context, "private")),
        (names::NAME, Attr::string(context, &pair.name)),
    ];
    attrs.extend(
        [names::UNSIGNED, names::ELEMENT, names::DIM_NAMES]
            .into_iter()
            .filter_map(|name| Some((name, port.attr(name)?))),
    );
    let op = Builder::create(port.function.loc(), "ml_program.global", &[], &[], &attrs, Vec::new());
    // Globals in the order of the rules, before functions.
    match body.ops().into_iter().find(|other| !other.is("ml_program.global")) {
        Some(first) => body.insert_before(first, op),
        None => body.append(op),
    };
    Ok(Attr::symbol(context, &symbol))
}

fn load(function: Op, input: usize, ty: Type, symbol: Attr) {
    let block = function.body().expect("a public function has a body");
    // Loads in the order of the rules; each function ends with a return.
    let first = block
        .ops()
        .into_iter()
        .find(|op| !op.is("ml_program.global_load"))
        .expect("a block of a function has a terminator");
    let value = Builder::before(first).value("ml_program.global_load", &[], ty, &[("global", symbol)]);
    block.args()[input].replace_all_uses(value);
}

fn store(function: Op, result: usize, ty: Type, symbol: Attr) {
    for end in returns(function) {
        let at = Builder::before(end);
        let mut value = end.operand(result);
        if value.ty() != ty {
            value = at.value("tensor.cast", &[value], ty, &[]);
        }
        at.op("ml_program.global_store", &[value], &[], &[("global", symbol)]);
    }
}

fn returns(function: Op) -> Vec<Op> {
    let ends = function.region(0).blocks().into_iter().filter_map(|b| b.terminator());
    ends.filter(|end| end.is("func.return")).collect()
}

/// Fails if a function of the program calls this one.
fn check_callers(session: &Session, program: Program, function: Op) -> Result<()> {
    let name = function.symbol().unwrap_or_default();
    let mut caller = None;
    program.op.walk(&mut |op| {
        if op.is("func.call") && op.callee().as_ref() == Some(&name) {
            caller = Some(op);
        }
    });
    let Some(caller) = caller else { return Ok(()) };
    let error = Error::input(format!(
        "function `@{name}` is called by another one, so that its inputs and results cannot become states"
    ))
    .code("unsupported");
    Err(error.at(session.span(caller))
    .hint("keep one of them: `--function=NAME`; or write `ml_program.global_load` and `ml_program.global_store` into the model"))
}

/// Removes inputs and results from a signature.
fn shrink(function: Op, dropped: &Dropped) {
    let context = function.context();
    for end in returns(function) {
        let left: Vec<_> = end
            .operands()
            .into_iter()
            .enumerate()
            .filter(|(i, _)| !dropped.results.contains(i))
            .map(|(_, v)| v)
            .collect();
        end.set_operands(&left);
    }
    let block = function.body().expect("a public function has a body");
    let mut types = Vec::new();
    for (inputs, dropped, attrs) in [(true, &dropped.inputs, "arg_attrs"), (false, &dropped.results, "res_attrs")] {
        let left: Vec<Port> = ports(function, inputs).into_iter().filter(|p| !dropped.contains(&p.index)).collect();
        types.push(left.iter().map(|p| p.ty).collect::<Vec<Type>>());
        if function.has_attr(attrs) {
            let list: Vec<Attr> = left.iter().map(|p| p.attrs.unwrap_or_else(|| Attr::dict(context, &[]))).collect();
            function.set_attr(attrs, Attr::array(context, &list));
        }
    }
    dropped.inputs.iter().rev().for_each(|&i| block.erase_arg(i));
    function.set_attr("function_type", Attr::ty(Type::function(context, &types[0], &types[1])));
}
