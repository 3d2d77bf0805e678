//! From stages as they are written to stages that are known to be well-formed.
use super::{
    Stage, Stages,
    condition::Condition,
    file::FileStage,
    pass::Pass,
    pipeline_file,
    python::{self, Made},
    reading::{Found, Reading},
};
use crate::{
    grammar::{self, FileKind, PipelineElement, StageText},
    steps::{self, Step},
};
use halyard_diag::Result;
use halyard_ir::Session;
use std::ops::Range;

impl Stages {
    /// Reads one stage in part of a text, and what it leads to.
    pub(super) fn add(&mut self, session: &Session, reading: &Reading<'_>, range: Range<usize>) -> Result<()> {
        let stage = grammar::stage(reading.source, range)?;
        self.add_stage(session, reading, stage)
    }

    pub(super) fn add_stage(&mut self, session: &Session, reading: &Reading<'_>, stage: StageText) -> Result<()> {
        let text = match stage {
            StageText::Passes(elements) => return self.add_passes(session, reading, elements),
            StageText::When(conditional) => {
                let mut inner = Self::default();
                for range in conditional.stages {
                    inner.add(session, reading, range)?;
                }
                return self.add_conditional(session, reading, conditional.condition, inner);
            }
            StageText::File(text) => text,
        };
        let found = reading.find(&text.path.text, text.path.at.clone())?;
        let flat = format!("{}{}", flat_path(&found), &reading.source.text[text.path.at.end..text.at.end]);
        match text.kind {
            FileKind::Mlir => {
                let file = FileStage::new(reading, &text, found.path);
                self.push(flat, file.load(session, found.bytes.into_owned())?);
                Ok(())
            }
            FileKind::Python => {
                let stage = match python::make(reading.python, reading, &text, &found)? {
                    Made::TransformScript(file, bytes) => file.load(session, bytes)?,
                    Made::Whole(whole) => Stage::Whole(whole),
                };
                self.push(flat, stage);
                Ok(())
            }
            FileKind::Pipeline => pipeline_file::add(self, session, reading, &text, &found),
        }
    }

    /// Adds passes, and the steps between them.
    fn add_passes(&mut self, session: &Session, reading: &Reading<'_>, elements: Vec<PipelineElement>) -> Result<()> {
        let is_step = |e: &PipelineElement| matches!(e, PipelineElement::Pass { name, .. } if steps::find(name, None).is_some() && !halyard_ir::is_pass(name));
        let has_steps = elements.iter().any(is_step);
        for run in split(elements, is_step) {
            match &*run {
                [PipelineElement::Pass { name, text, at, braces, .. }] if has_steps && is_step(&run[0]) => {
                    let found = steps::find(name, reading.scope.place).expect("it is a step");
                    reading.check_step(found.0, name, at)?;
                    let group = braces.clone().map(|b| grammar::options(reading.source, b, name)).transpose()?;
                    let step = Step::new(found, reading.source, at.clone(), group.unwrap_or_default(), text.clone())?;
                    self.push(text.clone(), Stage::Step(step));
                }
                _ => {
                    for pass in Pass::collect(session, reading, run)? {
                        self.push(pass.name(), Stage::Pass(pass));
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds stages that run where a condition holds.
    pub(super) fn add_conditional(
        &mut self,
        session: &Session,
        reading: &Reading<'_>,
        condition: grammar::Condition,
        inner: Self,
    ) -> Result<()> {
        let condition = Condition::check(session, reading, condition)?;
        let flat = match inner.flat.as_slice() {
            [one] => format!("when[{condition}]:{one}"),
            all => format!("when[{condition}]:({})", all.join("; ")),
        };
        self.push(flat, Stage::When(condition, inner));
        Ok(())
    }

    fn push(&mut self, flat: String, stage: Stage) {
        self.flat.push(flat);
        self.stages.push(stage);
    }
}

/// Lists each step by itself, and what stands between steps together.
fn split(elements: Vec<PipelineElement>, is_step: impl Fn(&PipelineElement) -> bool) -> Vec<Vec<PipelineElement>> {
    let mut runs: Vec<Vec<PipelineElement>> = Vec::new();
    // Nothing is a list, too: what is wrong with it is told of it.
    if elements.is_empty() {
        return vec![elements];
    }
    for element in elements {
        match runs.last_mut() {
            Some(run) if !is_step(&element) && !is_step(&run[0]) => run.push(element),
            _ => runs.push(vec![element]),
        }
    }
    runs
}

/// The path of a file as a stage names it.
fn flat_path(found: &Found) -> String {
    let path = found.path.display().to_string();
    let plain = !path.contains(['[', ']', '{', '}', '(', ',', '"', '\'', ' ']);
    if plain && grammar::names_file(&path) {
        return path;
    }
    if plain { format!("file:{path}") } else { format!("file:{}", grammar::quoted(&path)) }
}
