//! The exchange form: programs, executables, exports, entries, variants.
//!
//! The views read IR; they hold handles and nothing else, so that the IR stays the only truth. [`verify`] is what every
//! tool calls at its boundary.

mod abi;
mod arguments;
mod check;
mod content_key;
mod count;
mod device;
mod dim_names;
mod executable;
mod external_kernel;
mod external_verify;
mod extracted;
mod files;
mod fingerprint;
mod host;
mod host_function;
mod launch;
mod load;
mod load_constants;
mod lowered;
mod origin;
mod packed;
mod program;
mod replace;
mod schedule;
mod select;
mod standalone;
mod target;
mod values;
mod variant;
mod verify;
mod work;
mod written;

pub use abi::{declared_abi, kernel_abi};
pub use arguments::{argument_list, code_arguments, written_arguments};
pub use check::{Check, Checks};
pub use content_key::{content_key, drop_source, is_content_key};
pub use count::count_function;
pub use device::{device_of_target, known_target_attributes};
pub use executable::{Executable, Export};
pub use external_kernel::{ExternalCount, ExternalKernel, ExternalObject, ExternalTarget};
pub use extracted::ExtractionRecord;
pub use files::{escape_symbol, file_name, unescape_symbol};
pub use fingerprint::{Interface, fingerprint};
pub use host_function::HostFunctionDeclaration;
pub use launch::Launch;
pub use load::{load_program, print, print_short, write};
pub use load_constants::{PROPERTIES, load_constants, load_constants_attr, unknown_property};
pub use lowered::{Level, Signature, adopt_interface, is_lowered};
pub use origin::ExecutableOrigin;
pub use packed::{PackedWeight, calls_of_entries, weight_of};
pub use program::{ExportDeclaration, Phase, Piece, Program, ProgramGlobal, WeightReference};
pub use replace::{check_replacement, replace};
pub use schedule::{FAMILIES, KEYS, KernelSchedule, NestSchedule, ScheduleFile, ScheduleSetting, SettingKind};
pub use select::ExecutableSelector;
pub use standalone::{single_executable, write_standalone};
pub use target::TargetParts;
pub use values::{call_values, named_values, note_value, set_call_values};
pub use variant::{Object, ObjectData, Variant, VariantSpec, object_list};
pub use verify::{verify, verify_alone};
pub use work::{ExportWork, SizeSum};
pub use written::Written;
