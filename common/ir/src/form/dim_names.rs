//! Names of sizes on arguments and results of host functions.
use super::Program;
use crate::{Attr, Op, names};

/// Reports lists of names whose length differs from the rank, or that are not lists of strings.
pub(super) fn verify_dim_names(program: Program, say: &mut dyn FnMut(Op, String)) {
    for function in program.functions() {
        let Some(ty) = function.attr("function_type").and_then(Attr::as_type) else { continue };
        for (types, attrs, what) in [(ty.inputs(), "arg_attrs", "argument"), (ty.results(), "res_attrs", "result")] {
            let attrs = function.attr(attrs).and_then(Attr::as_array).unwrap_or_default();
            for (i, ty) in types.iter().enumerate() {
                let Some(names) = attrs.get(i).and_then(|d| d.get(names::DIM_NAMES)) else { continue };
                let rank = if ty.is_tensor() { ty.shape().len() } else { 0 };
                let fits = names
                    .as_array()
                    .is_some_and(|list| list.len() == rank && list.iter().all(|n| n.as_string().is_some()));
                if !fits {
                    say(
                        function,
                        format!(
                            "`{}` of {what} {i} is no list of {rank} strings, one for each dimension",
                            names::DIM_NAMES
                        ),
                    );
                }
            }
        }
    }
}
