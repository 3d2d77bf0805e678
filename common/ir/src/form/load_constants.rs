//! Load-time constants: properties of the device that an export takes as its last arguments, each an `index`.
//!
//! ```text
//! func.func @k(%x: tensor<4xf32>, %threads: index) -> tensor<4xf32>
//!     attributes {hal.export, hal.load_constants = ["device.threads"]}
//! ```
//! `user.NAME` is a user-defined constant, set when the program is loaded. Load-time constants are not part of the
//! interface: entries and calls do not have them. The loader supplies them.
use super::Interface;
use crate::{Attr, Op, Type, names};

/// The properties that there are, as the runtime knows them.
pub const PROPERTIES: [&str; 12] = [
    "device.threads",
    "device.cores",
    "device.vector_bytes",
    "device.cache_line_bytes",
    "device.l1_bytes",
    "device.l2_bytes",
    "device.l3_bytes",
    "device.page_bytes",
    "device.workgroup_threads",
    "device.subgroup_threads",
    "device.shared_bytes",
    "device.memory_bytes",
];

/// The load-time constants of an export, in order; empty if it has none.
pub fn load_constants(function: Op) -> Vec<String> {
    let list = function.attr(names::LOAD_CONSTANTS).and_then(Attr::as_array).unwrap_or_default();
    list.into_iter().filter_map(Attr::as_string).collect()
}

/// The value of [`names::LOAD_CONSTANTS`] for some load-time constants.
pub fn load_constants_attr(context: mlir_sys::MlirContext, list: &[String]) -> Attr {
    Attr::array(context, &list.iter().map(|name| Attr::string(context, name)).collect::<Vec<_>>())
}

/// The message for the first unknown property in a list of load-time constants.
pub fn unknown_property(list: &[String]) -> Option<String> {
    let word = |w: &str| !w.is_empty() && w.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_');
    let user = |name: &str| name.strip_prefix("user.").is_some_and(word);
    let name = list.iter().find(|name| !PROPERTIES.contains(&name.as_str()) && !user(name))?;
    let known: Vec<_> = PROPERTIES.iter().map(|p| format!("`{p}`")).collect();
    // All begin alike, which makes nothing similar.
    let plain = |name: &'static str| name.trim_start_matches("device.");
    let near = halyard_diag::nearest(name.trim_start_matches("device."), PROPERTIES.map(plain));
    let near: Vec<String> = near.into_iter().map(|n| format!("device.{n}")).collect();
    let meant =
        if near.is_empty() { String::new() } else { format!(" (did you mean {}?)", halyard_diag::either(&near)) };
    Some(format!(
        "`{name}`{meant} is not a device property; there are {}, and `user.NAME`, a number of your own",
        known.join(", ")
    ))
}

impl Interface {
    /// Returns the parameters of an export's kernel: the interface with the load-time constants as its last inputs.
    pub fn of_kernel(function: Op) -> Self {
        let mut interface = Self::of(function);
        let index = Type::index(function.context());
        interface.inputs.extend(vec![index; load_constants(function).len()]);
        interface
    }
}

/// The type of an export on tensors: the interface with the load-time constants as its last inputs.
pub(super) fn kernel_type(function: Op) -> Type {
    let interface = Interface::of_kernel(function);
    Type::function(function.context(), &interface.inputs, &interface.results)
}

/// The type of a function without the load-time constants, which are its last inputs.
pub(super) fn without_load_constants(function: Op, ty: Type) -> Type {
    let (count, inputs) = (load_constants(function).len(), ty.inputs());
    match inputs.len().checked_sub(count) {
        Some(left) if count > 0 => Type::function(function.context(), &inputs[..left], &ty.results()),
        _ => ty,
    }
}

/// Checks the load-time constants of a function, and that only exports have any.
pub(super) fn verify_load_constants(function: Op, say: &mut dyn FnMut(Op, String)) {
    let Some(attr) = function.attr(names::LOAD_CONSTANTS) else { return };
    let name = function.symbol().unwrap_or_default();
    if !function.has_attr(names::EXPORT) {
        return say(
            function,
            format!(
                "`@{name}` has `{}`, and is no export; who loads the program fills them in, not who calls",
                names::LOAD_CONSTANTS
            ),
        );
    }
    let list = load_constants(function);
    if attr.as_array().is_none_or(|items| items.len() != list.len()) {
        return say(function, format!("`{}` of `@{name}` is `{attr}`, not a list of strings", names::LOAD_CONSTANTS));
    }
    if let Some(wrong) = unknown_property(&list) {
        say(function, format!("`{}` of `@{name}`: {wrong}", names::LOAD_CONSTANTS));
    }
    if super::is_lowered(function) {
        return;
    }
    let inputs = function.attr("function_type").and_then(Attr::as_type).map(|t| t.inputs()).unwrap_or_default();
    let Some(first) = inputs.len().checked_sub(list.len()) else {
        return say(
            function,
            format!("`{}` of `@{name}` names {} arguments, it has {}", names::LOAD_CONSTANTS, list.len(), inputs.len()),
        );
    };
    for (i, (property, ty)) in list.iter().zip(&inputs[first..]).enumerate() {
        if !ty.is_index() {
            say(
                function,
                format!(
                    "argument {} of `@{name}` has type `{ty}`; load-time constant `{property}` is an `index`",
                    first + i
                ),
            );
        }
    }
}
