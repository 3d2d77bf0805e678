//! The generator protocol: any program that proposes candidates.
//!
//! The program is started once. For each executable it is asked, line by line of JSON, for candidates until it has none or the
//! budget is spent; each question says what became of the candidates before. `docs/tuning.md` describes both sides.
use crate::{
    assignment::Assignment,
    build::Builder,
    candidate::{Candidate, KernelSource},
    incumbent::Incumbent,
    subject::Subject,
    trial::TrialOutcome,
};
use halyard_diag::{Diagnostic, Error, Result, may_be_file};
use halyard_exec::{Coprocess, Scratch, Tool};
use halyard_ir::{Session, form::Program};
use serde_json::{Value, json};
use std::{ffi::OsString, path::Path, time::Duration};

/// The most candidates of one answer.
const MOST: usize = 256;

/// A generator's proposal.
#[derive(Debug, Clone)]
pub(crate) struct Proposal {
    /// Its name, given by the generator.
    pub(crate) id: String,
    pub(crate) source: KernelSource,
    /// The workgroup count, if it says one.
    pub(crate) workgroups: Option<[u32; 3]>,
}

/// A generator that is running.
#[derive(Debug)]
pub(crate) struct Generator {
    words: Vec<String>,
    process: Coprocess,
    scratch: Scratch,
    limit: Duration,
    /// Results of candidates that were not sent yet.
    news: Vec<Value>,
}

impl Generator {
    /// Starts a command. Errors: it cannot be found or started.
    pub(crate) fn start(command: &str, limit: Duration) -> Result<Self> {
        let words: Vec<String> = command.split_whitespace().map(str::to_owned).collect();
        let name = words.first().ok_or_else(|| Error::usage("`--generator` names no command"))?;
        let tool = Tool::find(name, "`--generator` names a command on PATH or a file")?;
        let args: Vec<OsString> = words[1..].iter().map(OsString::from).collect();
        let process = Coprocess::start(&tool, &args)?;
        Ok(Self { words, process, scratch: Scratch::new("tune")?, limit, news: Vec::new() })
    }

    /// Makes the questions about an executable. Errors: its files cannot be written.
    pub(crate) fn assign(
        &mut self,
        builder: Builder<'_>,
        program: Program,
        what: (&Subject, &Incumbent),
        facts: Value,
    ) -> Result<Assignment> {
        self.news.clear();
        Assignment::new(&self.scratch, builder, program, what, facts)
    }

    /// Sends the result of a candidate with the next question.
    pub(crate) fn tell(&mut self, id: &str, outcome: &TrialOutcome) {
        let mut line = json!({ "id": id, "outcome": outcome.word() });
        outcome.details().into_iter().for_each(|(key, value)| line[key] = value);
        self.news.push(line);
    }

    /// Asks for candidates; none ends the turn of this executable. The diagnostics are about proposals that are none. Errors: the generator ended, takes too long,
    /// or says something that is no answer.
    pub(crate) fn ask(
        &mut self,
        session: &Session,
        assignment: &Assignment,
        left: usize,
    ) -> Result<(Vec<Proposal>, Vec<Diagnostic>)> {
        let mut question = assignment.head.clone();
        question["request"] = json!("candidates");
        question["trials"] = Value::Array(std::mem::take(&mut self.news));
        if left != usize::MAX {
            question["left"] = json!(left);
        }
        let answer = self.process.ask(&question.to_string(), Some(self.limit)).map_err(|how| {
            let how = if how.is_success() { "ended without an answer".to_owned() } else { how.words() };
            Error::tool(format!("generator `{}` {how}", self.words.join(" "))).code("generator-failed")
        })?;
        let bad = |what: &str| {
            let shown: String = answer.chars().take(200).collect();
            Error::tool(format!("generator `{}` answers {what}", self.words.join(" ")))
                .code("generator-failed")
                .note(format!("it said `{shown}`"))
                .hint("an answer is a line such as `{\"candidates\": [{\"file\": \"a.c\"}]}`; none ends its turn")
        };
        let value: Value = serde_json::from_str(&answer).map_err(|_| bad("what is not JSON"))?;
        let list = value["candidates"].as_array().ok_or_else(|| bad("without a list of `candidates`"))?;
        if list.len() > MOST {
            return Err(bad(&format!("with {} candidates, more than {MOST}", list.len())));
        }
        let (mut proposals, mut warnings) = (Vec::new(), Vec::new());
        for (i, item) in list.iter().enumerate() {
            match proposal(session, &assignment.folder, item, i) {
                Ok(proposal) => proposals.push(proposal),
                Err(why) => {
                    let name = self.words.join(" ");
                    warnings.push(
                        Diagnostic::warning(format!("candidate {i} of generator `{name}`: {why}"))
                            .code("bad-candidate"),
                    );
                }
            }
        }
        // Invalid proposals count as an answer: asked again, the generator would repeat them.
        if proposals.is_empty() && !warnings.is_empty() {
            return Err(bad("with nothing that can be tried").note(warnings[0].message.clone()));
        }
        Ok((proposals, warnings))
    }
}

/// Reads a candidate. Errors: why it is none.
pub(crate) fn proposal(session: &Session, folder: &Path, item: &Value, number: usize) -> Result<Proposal, String> {
    let known = ["id", "file", "schedule", "workgroups"];
    if let Some(other) = item.as_object().ok_or("it is no object")?.keys().find(|k| !known.contains(&k.as_str())) {
        return Err(format!("`{other}` is none of {}", known.map(|k| format!("`{k}`")).join(", ")));
    }
    let source = match (item["file"].as_str(), item["schedule"].as_str()) {
        (Some(file), None) => {
            let path = folder.join(file);
            if !may_be_file(&path) {
                return Err(format!("there is no file `{}`", path.display()));
            }
            KernelSource::File(path, None)
        }
        (None, Some(text)) => {
            let candidate = Candidate::read(session, text).ok_or_else(|| format!("`{text}` is no schedule"))?;
            KernelSource::Schedule(candidate)
        }
        _ => return Err("it needs a `file` or a `schedule`".into()),
    };
    let workgroups = match &item["workgroups"] {
        Value::Null => None,
        count => Some(workgroups(count).ok_or_else(|| format!("`{count}` is no number of workgroups, nor three"))?),
    };
    let id = match &item["id"] {
        Value::Null => number.to_string(),
        Value::String(id) => id.clone(),
        other => other.to_string(),
    };
    Ok(Proposal { id, source, workgroups })
}

fn workgroups(count: &Value) -> Option<[u32; 3]> {
    let number = |v: &Value| v.as_u64().and_then(|n| u32::try_from(n).ok()).filter(|n| *n > 0);
    if let Some(x) = number(count) {
        return Some([x, 1, 1]);
    }
    let list: Vec<u32> = count.as_array()?.iter().map(number).collect::<Option<_>>()?;
    let mut all = [1; 3];
    if list.is_empty() || list.len() > 3 {
        return None;
    }
    all[..list.len()].copy_from_slice(&list);
    Some(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proposals_are_read() {
        let session = Session::new();
        let read = |item: Value| proposal(&session, Path::new("/"), &item, 3);
        let one = read(json!({"schedule": "{lanes = 8}"})).unwrap();
        assert_eq!((one.id.as_str(), one.source.text().as_str()), ("3", "{lanes = 8}"));
        for (item, why) in [
            (json!(1), "it is no object"),
            (json!({}), "it needs a `file` or a `schedule`"),
            (json!({"file": "a", "schedule": "b"}), "it needs a `file` or a `schedule`"),
            (json!({"file": "absent.c"}), "there is no file `/absent.c`"),
            (json!({"schedule": "{"}), "`{` is no schedule"),
            (json!({"schedule": "{lanes = 8}", "workgroups": 0}), "`0` is no number of workgroups, nor three"),
            (json!({"schedul": "{lanes = 8}"}), "`schedul` is none of `id`, `file`, `schedule`, `workgroups`"),
        ] {
            assert_eq!(read(item).unwrap_err(), why);
        }
        assert_eq!(workgroups(&json!([2, 3])), Some([2, 3, 1]));
        assert_eq!(workgroups(&json!([])), None);
    }
}
