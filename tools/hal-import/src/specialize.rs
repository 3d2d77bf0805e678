//! `--specialize`: adds copies of the program for common sizes to the program for any sizes, and a choice between them
//! in each call.
//!
//! A copy is imported again with its sizes fixed, so that its kernels are those of a static model. All copies share
//! the weights.
use crate::weights::Weight;
use halyard_diag::{Error, Result};
use halyard_ir::{
    Attr, Module, Op, Session, Type,
    form::{Program, ProgramGlobal},
    names,
};
use std::{
    collections::{BTreeSet, HashMap},
    fmt::Write as _,
};

/// A copy of a program for some sizes.
pub(crate) struct Copy<'s> {
    /// The sizes, as the command line says them.
    pub(crate) text: String,
    pub(crate) module: Module<'s>,
    pub(crate) weights: Vec<Weight>,
}

/// Adds copies to a program whose function is `@main`, which becomes a choice by the sizes of its arguments. Fails for
/// a copy whose sizes are those of the program.
pub(crate) fn add(
    session: &Session,
    module: &Module<'_>,
    weights: &mut Vec<Weight>,
    copies: Vec<Copy<'_>>,
) -> Result<()> {
    let program = Program { op: Op::from(module) };
    let body = program.op.body().expect("a module has a body");
    let main = main(program.op);
    let mut taken: BTreeSet<String> = body.ops().iter().filter_map(|op| op.symbol()).collect();
    let mut variants = Vec::new();
    for copy in copies {
        let symbol = fresh(&mut taken, &format!("main_{}", symbol_of(&copy.text)));
        let function = merge(program, weights, &mut taken, &copy, &symbol);
        let ty = function_type(function);
        if ty == function_type(main) {
            return Err(Error::usage(format!(
                "`--specialize={}` changes nothing: the model fixes these sizes itself",
                copy.text
            )));
        }
        variants.push((symbol, ty));
    }
    let general = fresh(&mut taken, "main_any");
    let text = choice(function_type(main), &general, &variants);
    let chooser = session.parse(text.as_bytes(), "--specialize")?;
    let choosing = self::main(Op::from(&chooser));
    for attrs in ["arg_attrs", "res_attrs"] {
        main.attr(attrs).into_iter().for_each(|a| choosing.set_attr(attrs, a));
        main.remove_attr(attrs);
    }
    main.set_attr("sym_name", Attr::string(main.context(), &general));
    main.set_attr("sym_visibility", Attr::string(main.context(), "private"));
    choosing.detach();
    body.append(choosing);
    Ok(())
}

fn main(module: Op) -> Op {
    let ops = module.body_ops();
    ops.into_iter().find(|op| op.symbol().as_deref() == Some("main")).expect("an imported model has a function `main`")
}

fn function_type(function: Op) -> Type {
    function.attr("function_type").and_then(Attr::as_type).expect("a function has a type")
}

/// `batch=1,seq=8` as a part of a symbol.
fn symbol_of(text: &str) -> String {
    text.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect()
}

fn fresh(taken: &mut BTreeSet<String>, wanted: &str) -> String {
    let names = (0..).map(|i| if i == 0 { wanted.to_owned() } else { format!("{wanted}_{i}") });
    let name = names.into_iter().find(|n| !taken.contains(n)).expect("numbers do not end");
    taken.insert(name.clone());
    name
}

/// Moves what a copy consists of into the program; its function is called `symbol` there. Weights that the program has are not
/// taken again.
fn merge(
    program: Program,
    weights: &mut Vec<Weight>,
    taken: &mut BTreeSet<String>,
    copy: &Copy<'_>,
    symbol: &str,
) -> Op {
    let body = program.op.body().expect("a module has a body");
    let own: HashMap<String, ProgramGlobal> =
        program.globals().into_iter().filter_map(|g| Some((g.parameter()?.key, g))).collect();
    let places: HashMap<String, usize> = weights.iter().enumerate().map(|(i, w)| (w.key.clone(), i)).collect();
    let mut keys: BTreeSet<String> = places.keys().cloned().collect();
    let first = body.ops().into_iter().find(|op| op.is("func.func")).expect("a program has a function");
    let (mut symbols, mut moved) = (HashMap::new(), Vec::new());
    let globals: HashMap<String, ProgramGlobal> =
        Program { op: Op::from(&copy.module) }.globals().into_iter().map(|g| (g.name(), g)).collect();
    for op in Op::from(&copy.module).body_ops() {
        let Some(name) = op.symbol() else { continue };
        // Declarations of functions that others define; the program has them as well.
        if op.is("func.func") && op.body().is_none() && !op.has_attr(names::CHECK) && taken.contains(&name) {
            continue;
        }
        let parameter = globals.get(&name).and_then(|g| Some((*g, g.parameter()?)));
        if let Some((global, mut parameter)) = parameter {
            let weight = copy.weights.iter().find(|w| w.key == parameter.key);
            let same = |w: &Weight| {
                let there = places.get(&w.key).map(|&i| &weights[i]);
                there.is_some_and(|t| {
                    (t.dtype, &t.shape) == (w.dtype, &w.shape)
                        && (t.bytes.as_ptr() == w.bytes.as_ptr() || t.bytes == w.bytes)
                })
            };
            if let Some(there) = weight.filter(|w| same(w)).and_then(|_| own.get(&parameter.key)) {
                symbols.insert(name, there.name());
                continue;
            }
            if let Some(weight) = weight.cloned() {
                parameter.key = fresh(&mut keys, &parameter.key);
                global.set_parameter(&parameter);
                weights.push(Weight { key: parameter.key, ..weight });
            }
        }
        let wanted = if name == "main" { symbol.to_owned() } else { fresh(taken, &name) };
        op.set_attr("sym_name", Attr::string(op.context(), &wanted));
        symbols.insert(name, wanted);
        moved.push(op);
    }
    let mut function = None;
    for op in moved {
        op.walk(&mut |inner| {
            for attr in ["global", "callee"] {
                let name = inner.attr(attr).and_then(Attr::leaf_symbol);
                if let Some(new) = name.and_then(|n| symbols.get(&n)) {
                    inner.set_attr(attr, Attr::symbol(inner.context(), new));
                }
            }
        });
        op.detach();
        if op.symbol().as_deref() == Some(symbol) {
            op.set_attr("sym_visibility", Attr::string(op.context(), "private"));
            op.remove_attr("arg_attrs");
            op.remove_attr("res_attrs");
            function = Some(body.append(op));
        } else {
            body.insert_before(first, op);
        }
    }
    function.expect("a copy has a function `main`")
}

/// The text of a function that calls the first variant whose argument sizes are those of the call, else `general`.
fn choice(ty: Type, general: &str, variants: &[(String, Type)]) -> String {
    let (inputs, results) = (ty.inputs(), ty.results());
    let list = |types: &[Type]| types.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ");
    let names = |stem: &str, n: usize| (0..n).map(|i| format!("%{stem}{i}")).collect::<Vec<_>>().join(", ");
    let of_results = list(&results);
    let mut declarations = format!("  func.func private @{general}({}) -> ({of_results})\n", list(&inputs));
    let arguments: Vec<_> = inputs.iter().enumerate().map(|(i, t)| format!("%a{i}: {t}")).collect();
    let mut text = format!("  func.func @main({}) -> ({of_results}) {{\n", arguments.join(", "));
    // The results of a call, with a separate name for each branch.
    let bound = |name: &str| match results.len() {
        0 => String::new(),
        1 => format!("%{name} = "),
        n => format!("%{name}:{n} = "),
    };
    let used = |name: &str| match results.len() {
        1 => format!("%{name}"),
        n => (0..n).map(|i| format!("%{name}#{i}")).collect::<Vec<_>>().join(", "),
    };
    let yielded = |values: &str| {
        if results.is_empty() { "scf.yield".into() } else { format!("scf.yield {values} : {of_results}") }
    };
    for (v, (symbol, own)) in variants.iter().enumerate() {
        let (own_inputs, own_results) = (own.inputs(), own.results());
        let _ =
            writeln!(declarations, "  func.func private @{symbol}({}) -> ({})", list(&own_inputs), list(&own_results));
        let _ = writeln!(text, "    %yes{v}_0 = arith.constant true");
        let mut tests = 0;
        for (i, (any, fixed)) in inputs.iter().zip(&own_inputs).enumerate() {
            for (axis, (any_size, size)) in any.shape().into_iter().zip(fixed.shape()).enumerate() {
                let (None, Some(size)) = (any_size, size) else { continue };
                let at = format!("{v}_{i}_{axis}");
                let _ = writeln!(
                    text,
                    "    %axis{at} = arith.constant {axis} : index\n    %is{at} = tensor.dim %a{i}, %axis{at} : {any}"
                );
                let _ = writeln!(
                    text,
                    "    %size{at} = arith.constant {size} : index\n    %eq{at} = arith.cmpi eq, %is{at}, %size{at} : index"
                );
                let _ = writeln!(text, "    %yes{v}_{} = arith.andi %yes{v}_{tests}, %eq{at} : i1", tests + 1);
                tests += 1;
            }
        }
        let _ = writeln!(text, "    {}scf.if %yes{v}_{tests} -> ({of_results}) {{", bound(&format!("r{v}_")));
        for (i, (any, fixed)) in inputs.iter().zip(&own_inputs).enumerate() {
            let _ = writeln!(text, "    %c{v}_{i} = tensor.cast %a{i} : {any} to {fixed}");
        }
        let call = format!(
            "func.call @{symbol}({}) : ({}) -> ({})",
            names(&format!("c{v}_"), inputs.len()),
            list(&own_inputs),
            list(&own_results)
        );
        let _ = writeln!(text, "    {}{call}", bound(&format!("s{v}_")));
        let values = used(&format!("s{v}_"));
        for (i, (value, (any, fixed))) in values.split(", ").zip(results.iter().zip(&own_results)).enumerate() {
            let _ = writeln!(text, "    %t{v}_{i} = tensor.cast {value} : {fixed} to {any}");
        }
        let _ = writeln!(text, "    {}\n    }} else {{", yielded(&names(&format!("t{v}_"), results.len())));
    }
    let _ = writeln!(
        text,
        "    {}func.call @{general}({}) : ({}) -> ({of_results})",
        bound("general"),
        names("a", inputs.len()),
        list(&inputs)
    );
    let _ = writeln!(text, "    {}", yielded(&used("general")));
    for v in (0..variants.len()).rev() {
        let values = if v == 0 && results.is_empty() {
            "    return".into()
        } else if v == 0 {
            format!("    return {} : {of_results}", used("r0_"))
        } else {
            format!("    {}", yielded(&used(&format!("r{v}_"))))
        };
        let _ = writeln!(text, "    }}\n{values}");
    }
    format!("module {{\n{declarations}{text}  }}\n}}\n")
}
