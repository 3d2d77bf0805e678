//! Hashes of rows: what a row says, not how it lies in the file.
use crate::{Subject, Trial, TrialOutcome, Winner};

/// Hashes fields one after another, each with its length, so that no two lists of fields have the same bytes.
pub(crate) struct Digest(blake3::Hasher);

impl Digest {
    /// Starts one; `what` tells kinds of hashes apart.
    pub(crate) fn new(what: &str) -> Self {
        Self(blake3::Hasher::new()).add(what)
    }

    pub(crate) fn add(mut self, field: impl AsRef<[u8]>) -> Self {
        let field = field.as_ref();
        self.0.update(&(field.len() as u64).to_le_bytes());
        self.0.update(field);
        self
    }

    fn subject(self, subject: &Subject) -> Self {
        self.add(&subject.key).add(&subject.target).add(&subject.machine)
    }

    /// 64 hex digits.
    pub(crate) fn hex(&self) -> String {
        self.0.finalize().to_hex().to_string()
    }
}

/// Of the code of a winner.
pub(crate) fn content(kind: &str, bytes: &[u8]) -> String {
    Digest::new("content").add(kind).add(bytes).hex()
}

/// Of all that a winner says. `content` is the hash of its code.
pub(crate) fn winner(winner: &Winner, content: &str) -> String {
    let ratio: [f64; 3] = winner.ratio.into();
    let digest = Digest::new("winner").subject(&winner.subject).add(content);
    let digest = ratio.iter().fold(digest, |digest, x| digest.add(x.to_le_bytes()));
    digest.add(winner.trials.to_le_bytes()).add(&winner.version).add(&winner.origin).hex()
}

/// What identifies a trial: of its subject, kind and candidate.
pub(crate) fn trial_id(subject: &Subject, kind: &str, candidate: &[u8]) -> String {
    Digest::new("trial id").subject(subject).add(kind).add(candidate).hex()
}

/// Of all that a trial says. `id` is its identity.
pub(crate) fn trial(trial: &Trial, id: &str) -> String {
    let digest = Digest::new("trial").add(id);
    let digest = match &trial.outcome {
        TrialOutcome::Measured { time, ratio } => {
            let numbers = <[f64; 3]>::from(*time).into_iter().chain(<[f64; 3]>::from(*ratio));
            numbers.fold(digest.add("measured"), |digest, x| digest.add(x.to_le_bytes()))
        }
        TrialOutcome::Rejected(why) => digest.add("rejected").add(why),
    };
    digest.add(&trial.details).add(&trial.version).hex()
}
