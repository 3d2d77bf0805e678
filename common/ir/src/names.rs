//! The attribute names of the exchange form. All other code uses these constants or the views in [`crate::form`].

/// On a program: its phase, see [`crate::form::Phase`].
pub const PHASE: &str = "hal.phase";
/// On a program: the version of the exchange form, an `i32`.
pub const VERSION: &str = "hal.version";
/// The version that this crate writes and reads.
pub const VERSION_NUMBER: i64 = 1;
/// On a program or a model: the plugins that it requests, an array of strings in the syntax of `--plugin`.
pub const PLUGINS: &str = "hal.plugins";
/// On a nested module: marks an executable (unit).
pub const EXECUTABLE: &str = "hal.executable";
/// On a function of an executable or variant: marks an export (unit).
pub const EXPORT: &str = "hal.export";
/// On a private declaration of a program: the export that it calls, a nested symbol reference.
pub const ENTRY: &str = "hal.entry";
/// On a module nested in an executable: marks a variant (unit).
pub const VARIANT: &str = "hal.variant";
/// On a variant: the target, an upstream target attribute such as `#llvm.target`.
pub const TARGET: &str = "hal.target";
/// On a variant: its objects, an array of dictionaries `{format, data, hash}` or `{format, path, hash}`; the hash
/// (BLAKE3, hex digits) is optional.
/// On a declaration: the objects that implement it, see [`crate::form::ExternalKernel`].
pub const OBJECTS: &str = "hal.objects";
/// On an export's declaration in a variant: the function that computes its workgroup count, a flat symbol reference.
/// That function has the constants of the export in order as `index` arguments, and returns x, y and z as `index`.
/// On the declaration of a hand-written kernel: such a function of the input, or three integers (`array<i64: …>`).
pub const WORKGROUPS: &str = "hal.workgroups";
/// On an export's declaration in a variant for a GPU: the threads of a workgroup in x, y and z (`array<i64: …>`).
/// On the declaration of a hand-written kernel: the same, for its GPU objects.
pub const WORKGROUP_SIZE: &str = "hal.workgroup_size";
/// Beside [`WORKGROUP_SIZE`], for CUDA: how much shared memory a workgroup needs beyond what its code declares, in
/// bytes, an `i64`.
pub const SHARED_MEMORY: &str = "hal.shared_memory";
/// On the declaration of a kernel that is given, and on an export's declaration in a variant for a GPU: what its code takes,
/// in order, where that is not the kernel ABI, an array of strings; see [`crate::form::code_arguments`].
pub const ARGUMENTS: &str = "hal.arguments";
/// In the same places: the symbol or entry point of the code, if its name differs, a string.
pub const SYMBOL: &str = "hal.symbol";
/// On a function of a stage file, which is an example to match: the function that replaces matches, a symbol
/// reference.
pub const REPLACED_BY: &str = "hal.replaced_by";
/// On a declaration: a kernel library implements it, found by name when the program is loaded (unit).
pub const IMPORT: &str = "hal.import";
/// On a variant: the functions that its objects import from kernel libraries, an array of strings.
pub const IMPORTS: &str = "hal.imports";
/// The prefix by which objects may call an import: an object that defines the function `k` itself calls the `k` of a
/// plugin as `__hal_plugin_k`.
pub const PLUGIN_PREFIX: &str = "__hal_plugin_";
/// On a private declaration of a program: a module or the embedding application provides it when the program is loaded,
/// under this name, a string `module.function`; see [`crate::form::HostFunctionDeclaration`].
pub const HOST_FUNCTION: &str = "hal.host_function";
/// Beside [`HOST_FUNCTION`]: calls may be left out, repeated and reordered (unit).
pub const PURE: &str = "hal.pure";
/// Beside [`HOST_FUNCTION`]: the version that its module must have, an integer.
pub const MODULE_VERSION: &str = "hal.module_version";
/// On a private declaration of a program: calls of it are checks at run time; the message of one that fails, a string with
/// `{0}`, `{1}`, … for the values that it gets; see [`crate::form::Check`].
pub const CHECK: &str = "hal.check";
/// On a program: how indices and divisors that are data are handled, `"check"` (the default) or `"trust"`.
pub const BOUNDS: &str = "hal.bounds";
/// On an export: the properties of the device that its last arguments hold, which are filled in when the program is
/// loaded, an array of strings; see [`crate::form::load_constants`].
pub const LOAD_CONSTANTS: &str = "hal.load_constants";
/// On a result of an export or entry: the argument (an `i32`) whose buffer it shares.
pub const TIED: &str = "hal.tied";
/// On a result of dynamic shape of an export or entry: for each dynamic dimension, in order, the position of the
/// `index` argument that holds it (`array<i64: …>`).
pub const DIMS: &str = "hal.dims";
/// On an external global: where its data are, a dictionary `{archive, key}`, with `{offset, size}` for a piece of a
/// file that is no safetensors archive of ours.
pub const PARAMETER: &str = "hal.parameter";
/// On an operation with a body, during a pass: an integer that is the same for equal bodies.
pub const BODY: &str = "hal.body";
/// On an export that arrives on buffers or in the LLVM dialect: its interface, a function type on tensors; see
/// [`crate::form::Level`].
pub const INTERFACE: &str = "hal.interface";
/// Beside [`INTERFACE`]: what stands on the results of a function on tensors ([`TIED`], [`DIMS`]), an array of one
/// dictionary a result.
pub const RESULTS: &str = "hal.results";
/// On a variant: the features that its device must have, an array of strings, which a loader checks. For a CPU: the
/// features beyond its architecture's baseline that its code may use, by LLVM's names; if missing, they are derived
/// from the target. For Vulkan: the capabilities of SPIR-V beyond `Shader`. For CUDA: the least chip, such as `sm_80`.
pub const FEATURES: &str = "hal.features";
/// On an export: choices of how its kernel is made, in place of those of `hal-translate`, a dictionary or an array of dictionaries;
/// see [`crate::form::KernelSchedule`].
pub const SCHEDULE: &str = "hal.schedule";
/// On an executable whose source was dropped, or alone in a file: the content key of the source that it had in its program, a
/// string of 16 hex digits; see [`crate::form::content_key`].
pub const KEY: &str = "hal.key";
/// On an executable whose source was dropped or lowered, so that its work cannot be counted: the work of each export
/// in order, an array of dictionaries `{operations, kind, products, bytes}`; see [`crate::form::ExportWork`].
pub const WORK: &str = "hal.work";
/// On an executable: its origin in the model, an array of strings: names of ONNX nodes, or places in MLIR. Like a
/// location, it has no meaning to tools.
pub const ORIGIN: &str = "hal.origin";
/// On a call of an entry: what the model calls the results, an array of one string a result, empty for those without a name;
/// see [`crate::form::call_values`].
pub const VALUES: &str = "hal.values";
/// On a module of a folder's record: the files that were extracted from the executable in it, an array of strings; see
/// [`crate::form::ExtractionRecord`].
pub const FILES: &str = "hal.files";
/// On an export: the interface fingerprint, a string; see [`crate::form::fingerprint`].
pub const FINGERPRINT: &str = "hal.fingerprint";
/// On an argument or result of a host function: its name in the model, a string.
/// On an argument of a transform script's sequence: the name of the parameter, a string.
pub const NAME: &str = "hal.name";
/// On an argument or result of a host function: the names of its sizes, an array of strings as long as its rank; empty for sizes
/// without one. Of arguments, sizes of one name are equal in every call.
pub const DIM_NAMES: &str = "hal.dim_names";
/// On an argument of a transform script's sequence: the default value of the parameter.
pub const DEFAULT: &str = "hal.default";
/// On an argument or result of a host function: its integers are unsigned (unit); MLIR's integers are signless.
pub const UNSIGNED: &str = "hal.unsigned";
/// On an argument or result of a public function: the element type of its bytes if its MLIR type does not state it, a
/// string such as `f8E4M3FN`.
pub const ELEMENT: &str = "hal.element";
/// On an argument of an export: marks a weight, that is, every call passes the value of an immutable global (unit). A
/// variant may accept it in another layout, see [`PACKED`].
pub const WEIGHT: &str = "hal.weight";
/// On an export's declaration in a variant: the arguments that its code takes in other layouts than the model's, an array of
/// dictionaries `{argument, layout}`; see [`crate::form::PackedWeight`].
pub const PACKED: &str = "hal.packed";
/// On a product with quantised weights: its activations may be quantised, too, as the string says (`"i8"`: 8 bits, a scale for each 32 of a
/// row). Who ignores it computes more exactly.
pub const ACTIVATIONS: &str = "hal.activations";
