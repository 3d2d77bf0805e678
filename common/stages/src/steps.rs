//! Steps: what the default pipelines of import and translation do in Rust. They have names and options as passes have, and
//! stand in pipeline files between passes; the tool whose pipeline it is runs them.
mod vulkan;

use crate::grammar::{Group, OptionValue};
use halyard_diag::{Error, Result, Source, Span, nearest};
use halyard_ir::Op;
use std::{ops::Range, sync::Arc};

/// A default pipeline, which `--pipeline=NAME=FILE` replaces.
#[derive(Debug, PartialEq, Eq)]
pub struct PipelineSpec {
    /// Its name; the built-in pipeline file is `NAME.yaml`.
    pub name: &'static str,
    /// The kind of device that runs it.
    pub tool: &'static str,
    /// The steps that it knows.
    pub steps: &'static [StepInfo],
    /// The conditions that it knows beside dialects and operations: names and when they hold.
    pub conditions: &'static [(&'static str, &'static str)],
}

/// A step's name, description and options.
#[derive(Debug, PartialEq, Eq)]
pub struct StepInfo {
    /// Its name.
    pub name: &'static str,
    /// What the step does, in one line.
    pub does: &'static str,
    /// The options that it takes, all numbers or booleans: names and what they are.
    pub options: &'static [StepOption],
}

/// An option of a step.
#[derive(Debug, PartialEq, Eq)]
pub struct StepOption {
    /// Its name.
    pub name: &'static str,
    /// Whether it is `true` or `false`; else it is a number above zero.
    pub is_bool: bool,
    /// What it is for, and what it is where it is not given.
    pub does: &'static str,
}

/// A step of a pipeline file with its options.
#[derive(Debug)]
pub struct Step {
    /// Which one.
    pub info: &'static StepInfo,
    /// Whose.
    pub place: &'static PipelineSpec,
    options: Vec<(&'static str, OptionValue)>,
    text: String,
    /// Where it stands.
    pub span: Span,
}

/// Runs the steps of a default pipeline and evaluates its conditions.
pub trait StepRunner {
    /// Runs a step of its [`PipelineSpec`] on a module. Errors: what goes wrong.
    fn step(&mut self, step: &Step, module: Op) -> Result<()>;

    /// Whether a condition of its [`PipelineSpec`] holds.
    fn holds(&self, condition: &str, module: Op) -> bool;

    /// A stage is about to run.
    fn before(&mut self, module: Op) {
        let _ = module;
    }
}

const fn step(name: &'static str, does: &'static str) -> StepInfo {
    StepInfo { name, does, options: &[] }
}

const fn number(name: &'static str, does: &'static str) -> StepOption {
    StepOption { name, is_bool: false, does }
}

/// The default pipelines.
pub static PIPELINE_SPECS: &[PipelineSpec] = &[
    PipelineSpec {
        name: "import",
        tool: "hal-import",
        steps: &[
            step("hal-check-model", "Reject unsupported operations and types, all at once"),
            step("hal-mark-unsigned", "Mark unsigned arguments and results; reject arithmetic on unsigned integers"),
            step("hal-check-lowered", "Reject operations that the previous lowerings did not convert"),
        ],
        conditions: &[],
    },
    PipelineSpec {
        name: "dispatch",
        tool: "hal-import",
        steps: &[
            step(
                "hal-mark-bodies",
                "Mark equal bodies of operations for `cse`, which is slow on many operations that differ in their bodies only",
            ),
            step("hal-unmark-bodies", "Remove these marks"),
            step("hal-watch-changes", "Note the program, for the condition `changed`"),
            step(
                "hal-check-sizes",
                "Turn the assumptions of operations about sizes into run-time checks; reject sizes that can never fit",
            ),
            step(
                "hal-write-out-elements",
                "Write operations as linalg that upstream would fold to a constant of dynamic size",
            ),
            step("hal-fill-splats", "Make `tensor.splat` a fill, which can be part of an executable"),
            step("hal-find-concats", "Turn insertions that fill a tensor piece by piece into one `tensor.concat`"),
            step(
                "hal-narrow-before-concats",
                "Narrow numbers before they are concatenated, so that narrow numbers are moved",
            ),
            step(
                "hal-drop-unit-multipliers",
                "Turn depthwise convolutions with multiplier 1 into ones without a multiplier",
            ),
            step(
                "hal-see-whole-windows-as-products",
                "Turn convolutions whose window is the whole input into products with a matrix",
            ),
            step("hal-share-factors", "Turn products with repeated matrices into larger products with the matrices"),
            step("hal-see-rows-as-images", "Turn convolutions along one dimension into those of images of one row"),
            step(
                "hal-see-volumes-as-images",
                "Turn convolutions of volumes into those of images, where these are faster",
            ),
            step("hal-widen-after-reshapes", "Widen numbers after reshapes, so that reshapes move narrow ones"),
            step("hal-pad-after-reshapes", "Move padding after reshapes that split no padded dimension"),
            step(
                "hal-sink-reshapes",
                "Move reshapes after the elementwise operations that follow a convolution or contraction",
            ),
            step("hal-inline-splats", "Replace reads of splat constants by the value"),
            step("hal-read-through-unit-dims", "Fold reshapes that add or drop unit dimensions into their readers"),
            step("hal-widen-for-each-reader", "Give each of several readers of widened numbers a widening of its own"),
            step("hal-guard-data", "Clamp index data into tensors; check indices and divisors at the end"),
            step("hal-sum-in-parts", "Split reductions of whole tensors among workgroups"),
        ],
        conditions: &[("changed", "something was done to the program since hal-watch-changes")],
    },
    PipelineSpec {
        name: "cpu",
        tool: "hal-translate",
        steps: &[
            StepInfo {
                name: "hal-tile-and-vectorize",
                does: "Generate a kernel from an export on tensors: workgroups, tiles, vectors, fusion; skip unsupported exports",
                options: &[
                    number("vector-bits", "the width of vectors in bits: 128, 256 or 512 [default: the target's]"),
                    number("registers", "how many vector registers to fill [default: the target's]"),
                    number("l1", "the size of the first-level data cache in bytes [default: the target's]"),
                    number("l2", "the size of the second-level cache in bytes [default: the target's]"),
                    StepOption {
                        name: "pack-weights",
                        is_bool: true,
                        does: "take the weights of convolutions packed where that is faster [default: true]",
                    },
                ],
            },
            step("hal-inline-calls", "Inline the functions that an export calls; reject undefined ones"),
            step("hal-decompose", "Decompose softmax, pack, unpack, concat, gather and scatter"),
            step("hal-separate-empties", "Give each user of an empty tensor its own copy"),
            step("hal-lower-tile-calls", "Convert calls of external functions from tensors to memrefs"),
            step(
                "hal-kernel-signature",
                "Give an export on tensors, memrefs or pointers the kernel signature, with one workgroup",
            ),
            step("hal-copies-to-linalg", "Turn copies of non-contiguous memory into linalg operations"),
            step("hal-scratch-on-stack", "Keep up to 64 KiB of a workgroup's own memory on the stack"),
            step(
                "hal-map-threads",
                "On GPUs, give each thread its iteration of an `scf.forall` that is mapped to threads",
            ),
            StepInfo {
                name: "hal-fast-math",
                does: "Allow fused multiply-add; with `fast`, also reordering and approximation",
                options: &[StepOption {
                    name: "fast",
                    is_bool: true,
                    does: "as --fast-math [default: whether that is given]",
                }],
            },
            step("hal-lower-calls", "Give external functions and their calls a C signature"),
            step("hal-lower-reductions", "Reduce vectors along their last dimensions row by row"),
            step(
                "hal-lower-floats",
                "Lower arithmetic on narrow floats, and rounding divisions, to what the target supports",
            ),
        ],
        conditions: &[
            ("tensors", "the export is on tensors"),
            ("tiled", "hal-tile-and-vectorize made a kernel of the export"),
            ("wrapped", "hal-kernel-signature gave the export its signature"),
        ],
    },
    vulkan::PIPELINE,
];

/// The step of a name, and whose it is. Several pipelines may have one of that name: that of `here` comes first.
pub(crate) fn find(
    name: &str,
    here: Option<&'static PipelineSpec>,
) -> Option<(&'static PipelineSpec, &'static StepInfo)> {
    here.into_iter().chain(PIPELINE_SPECS).find_map(|place| Some((place, place.steps.iter().find(|s| s.name == name)?)))
}

/// The step nearest to a misspelt one.
pub(crate) fn near(name: &str) -> Option<&'static str> {
    let names = PIPELINE_SPECS.iter().flat_map(|p| p.steps).map(|s| s.name);
    nearest(name, names).first().copied()
}

impl Step {
    /// Checks the options. Errors: unknown ones, values of another kind.
    pub(crate) fn new(
        (place, info): (&'static PipelineSpec, &'static StepInfo),
        source: &Arc<Source>,
        at: Range<usize>,
        group: Group,
        text: String,
    ) -> Result<Self> {
        let mut options = Vec::new();
        for setting in group.settings {
            let Some(known) = info.options.iter().find(|o| o.name == setting.name) else {
                let error = Error::usage(format!("step `{}` has no option `{}`", info.name, setting.name));
                let error = error.code("unknown-name").at(Span::new(source, setting.name_at));
                let names: Vec<_> = info.options.iter().map(|o| format!("`{}`", o.name)).collect();
                return Err(match names.as_slice() {
                    [] => error.note("it has none"),
                    _ => error.note(format!("it has {}", names.join(", "))),
                });
            };
            let fits = match setting.value {
                OptionValue::Bool(_) => known.is_bool,
                OptionValue::Int(n) => !known.is_bool && n > 0,
                _ => false,
            };
            if !fits {
                let takes = if known.is_bool { "`true` or `false`" } else { "a number above zero" };
                let error = Error::usage(format!("option `{}` takes {takes}, not {}", known.name, setting.value));
                return Err(error.code("bad-value").at(Span::new(source, setting.value_at)));
            }
            options.push((known.name, setting.value));
        }
        Ok(Self { info, place, options, text, span: Span::new(source, at) })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.info.name
    }

    /// How it is written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// An option that is a number, if it is given.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.options.iter().find(|(n, _)| *n == name).and_then(|(_, value)| match value {
            OptionValue::Int(n) => u64::try_from(*n).ok(),
            _ => None,
        })
    }

    /// An option that is `true` or `false`, if it is given.
    pub fn flag(&self, name: &str) -> Option<bool> {
        self.options.iter().find(|(n, _)| *n == name).and_then(|(_, value)| match value {
            OptionValue::Bool(b) => Some(*b),
            _ => None,
        })
    }
}
