//! Runs a script on executables, in worker processes: one that crashes MLIR is a candidate that cannot be made.
use super::Script;
use crate::{
    subject::bare,
    unbuilt::{Unbuilt, reason},
};
use hal_translate::Translation;
use halyard_exec::{EXIT_MEMORY, ItemOutcome, Limits, Slots, isolated};
use halyard_ir::{
    Op, PipelineOptions, Session, exit_without_memory,
    form::{Executable, check_replacement, single_executable, write_standalone},
};
use halyard_stages::{StageArgs, Stages};

impl Script {
    /// What stages make of executables, as MLIR, or why they make nothing. Each has the time of a translation.
    pub(super) fn run(
        session: &Session,
        what: &[(Executable, String)],
        translation: &Translation,
    ) -> Vec<Result<String, Unbuilt>> {
        let limits = Limits {
            slots: Slots::new(translation.jobs),
            time: translation.containment.executable_timeout,
            memory: None,
            keep_going: true,
            retry_killed: true,
        };
        let outcomes = isolated(what.len(), &limits, |i| {
            exit_without_memory(EXIT_MEMORY);
            let (executable, stage) = &what[i];
            // What a script makes of a kernel, no schedule can change.
            let copy = bare(*executable);
            let stages = Stages::parse_with(session, &StageArgs::default(), "--candidate", std::slice::from_ref(stage));
            let ran = stages.and_then(|s| s.run(session, copy.op, PipelineOptions::default(), &mut ()));
            ran.map(|()| write_standalone(copy, false)).map_err(|e| reason(&e))
        });
        outcomes
            .into_iter()
            .map(|outcome| match outcome {
                ItemOutcome::Done { value, .. } => {
                    value.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).map_err(Unbuilt::from)
                }
                ItemOutcome::Lost(loss) => Err(Unbuilt {
                    why: format!("the script {}", loss.how.words()),
                    is_passing: loss.how.is_from_outside(),
                }),
                ItemOutcome::Skipped => Err("it was not tried".into()),
            })
            .collect()
    }
}

/// The executable of a text, in no program. Errors: it is none, or cannot take the place of the other one.
pub(super) fn taken(session: &Session, original: Executable, text: &str) -> Result<Executable, Unbuilt> {
    let module = session.parse(text.as_bytes(), "<script>")?;
    let made = single_executable(session, Op::from(&module), "the result")?;
    check_replacement(session, original, made)?;
    Ok(Executable { op: made.op.duplicate() })
}
