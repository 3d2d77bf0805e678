//! Dynamic sizes of inputs, set on the command line.
use halyard_diag::{Error, Result, nearest};
use halyard_programs::SizeArgument;
use halyard_runtime::{FunctionInfo, Tensor, TensorSpec};
use std::collections::BTreeMap;

/// The shapes of the inputs that are not given: sizes of the program, sizes that given inputs of the same name have, and those of
/// the command line. `None` for inputs that are given. Errors: a size that nobody says, or that is for no input.
pub(crate) fn shapes(
    sizes: &[SizeArgument],
    function: &FunctionInfo,
    given: &[Option<Tensor>],
) -> Result<Vec<Option<Vec<usize>>>> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    for (spec, tensor) in function.inputs.iter().zip(given) {
        for (name, size) in spec.dim_names.iter().zip(tensor.iter().flat_map(|t| t.shape())) {
            known.entry(name).or_insert(*size);
        }
    }
    let mut used = vec![false; sizes.len()];
    let mut shapes = Vec::new();
    let mut missing: Vec<String> = Vec::new();
    for (i, spec) in function.inputs.iter().enumerate() {
        let mut size_of = |d: usize| -> Option<usize> {
            let place = sizes.iter().rposition(|s| is_for(&s.name, i, d, spec));
            if let Some(place) = place {
                for (s, used) in sizes.iter().zip(&mut used) {
                    *used |= is_for(&s.name, i, d, spec);
                }
                return Some(sizes[place].size);
            }
            spec.dim_names.get(d).filter(|n| !n.is_empty()).and_then(|name| known.get(&**name).copied())
        };
        if given[i].is_some() {
            shapes.push(None);
            continue;
        }
        let shape: Vec<Option<usize>> =
            spec.shape.iter().enumerate().map(|(d, fixed)| fixed.or_else(|| size_of(d))).collect();
        missing.extend(
            (0..shape.len())
                .filter(|&d| shape[d].is_none())
                .map(|d| names(i, d, spec).first().cloned().unwrap_or_default()),
        );
        shapes.push(shape.into_iter().collect());
    }
    if !missing.is_empty() {
        missing.dedup();
        let flags: Vec<String> = missing.iter().take(4).map(|name| format!("`--dim={name}=SIZE`")).collect();
        return Err(Error::usage(format!(
            "`{}` takes inputs of any size, and nothing says how large: `{}`",
            function.name,
            missing.join("`, `")
        ))
        .code("missing-size")
        .note(inputs(function))
        .hint(format!(
            "give {} (a size is called as in the model, or INPUT.AXIS), or the inputs themselves (`--input`)",
            flags.join(" ")
        )));
    }
    if let Some(idle) = used.iter().position(|used| !used) {
        return Err(idle_size(&sizes[idle], function));
    }
    Ok(shapes)
}

/// Returns the names that a size of an input may have: its name in the model, or the dimension of the input by name or
/// number.
fn names(input: usize, dim: usize, spec: &TensorSpec) -> Vec<String> {
    SizeArgument::names(input, dim, spec.dim_names.get(dim).map(String::as_str), spec.name.as_deref())
}

fn is_for(name: &str, input: usize, dim: usize, spec: &TensorSpec) -> bool {
    names(input, dim, spec).iter().any(|n| n == name)
}

fn idle_size(size: &SizeArgument, function: &FunctionInfo) -> Error {
    let open = |spec: &TensorSpec| (0..spec.shape.len()).filter(|&d| spec.shape[d].is_none()).collect::<Vec<_>>();
    let known: Vec<String> = function
        .inputs
        .iter()
        .enumerate()
        .flat_map(|(i, spec)| open(spec).into_iter().flat_map(move |d| names(i, d, spec)))
        .collect();
    let error = Error::usage(format!("`{size}` is for no input of `{}` that is made here", function.name))
        .note(inputs(function));
    match nearest(&size.name, known.iter().map(String::as_str)).first() {
        Some(near) if *near != size.name => error.hint(format!("did you mean `{near}`?")),
        _ => error.hint("it names a size of an input that is not given and whose type leaves it open"),
    }
}

/// ``input 0 `x`: ?x64xf32 [batch]``, one a line.
fn inputs(function: &FunctionInfo) -> String {
    let line = |(i, spec): (usize, &TensorSpec)| {
        let name = spec.name.as_ref().map_or(String::new(), |name| format!(" `{name}`"));
        format!("input {i}{name}: {} {}", spec.type_text(), spec.dim_names_text()).trim_end().to_owned()
    };
    function.inputs.iter().enumerate().map(line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use halyard_runtime::DType;

    fn function() -> FunctionInfo {
        let spec = |name: &str, shape: &[Option<usize>], dims: &[&str]| TensorSpec {
            name: Some(name.into()),
            dtype: DType::F32,
            shape: shape.into(),
            dim_names: dims.iter().map(|d| (*d).to_owned()).collect(),
            element: None,
        };
        let inputs = vec![spec("x", &[None, Some(4)], &["batch", ""]), spec("y", &[None, None], &["batch", ""])];
        FunctionInfo { name: "main".into(), inputs, outputs: Vec::new() }
    }

    fn ask(sizes: &[&str], given: Option<Tensor>) -> Result<Vec<Option<Vec<usize>>>, String> {
        let sizes: Vec<SizeArgument> = sizes.iter().map(|s| s.parse().unwrap()).collect();
        shapes(&sizes, &function(), &[given, None]).map_err(|e| {
            let d = &e.diagnostics[0];
            format!("{} | {} | {}", d.message, d.notes.join(" ").replace('\n', "; "), d.hints.join(" "))
        })
    }

    #[test]
    fn sizes_come_from_names_and_numbers() {
        assert_eq!(ask(&["batch=2", "y.1=7"], None), Ok(vec![Some(vec![2, 4]), Some(vec![2, 7])]));
        assert_eq!(ask(&["0.0=2", "1.0=3", "1.1=7"], None), Ok(vec![Some(vec![2, 4]), Some(vec![3, 7])]));
    }

    #[test]
    fn what_is_missing_or_idle_is_named() {
        insta::assert_snapshot!(ask(&[], None).unwrap_err());
        insta::assert_snapshot!(ask(&["batch=2", "y.1=7", "bach=3"], None).unwrap_err());
        insta::assert_snapshot!(ask(&["batch=2", "y.1=7", "x.1=3"], None).unwrap_err());
        assert_eq!("batch".parse::<SizeArgument>(), Err("write NAME=SIZE".into()));
        assert_eq!("batch=-1".parse::<SizeArgument>(), Err("`-1` is no size, a whole number".into()));
    }
}
