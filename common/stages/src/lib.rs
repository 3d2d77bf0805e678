//! Stages: the values of `--stage` and related flags, in every tool.
//!
//! - How they are written is [`grammar`]'s (`halyard-grammar`): text becomes settings with places.
//! - [`Stages`] reads and checks them: [`Stages::parse`], before anything runs; they hold no IR.
//! - [`Stages::run`] runs them, on a module or on an executable as if it were one; an [`Observer`] sees each, such as
//!   [`Timing`], which notes how long they take.
//! - [`Watch`] is an observer that prints, compares, times and dumps, and writes reproducers of what fails. [`History`] has
//!   what each stage changed.
//! - The built-in stages are the folder `library`. Among them are the default pipelines of import and translation
//!   ([`Pipeline`]), whose [`Step`]s the tools bring ([`StepRunner`]).

mod pipeline;
mod stages;
mod steps;
mod suggest;
mod watch;

pub use halyard_grammar as grammar;
pub use halyard_grammar::{EntryKind, PipelineEntry, Variables, is_name};
pub use halyard_ir::PipelineOptions;
pub use pipeline::{CompiledPipeline, Pipeline, PipelineArgs, PipelineChoice};
pub use stages::{
    Matching, Observer, PackedFile, RunningStage, ScriptKnob, StageArgs, Stages, StandaloneStage, Timing,
};
pub use steps::{PIPELINE_SPECS, PipelineSpec, Step, StepInfo, StepOption, StepRunner};
pub use suggest::nearest_pass;
pub use watch::{History, Reproducers, StageReproducer, Watch, WatchArgs};
