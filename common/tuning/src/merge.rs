//! Merging databases. The result does not depend on the order in which they are merged.
use crate::{DamagedRow, Database, Trial, TrialOutcome, Winner, digest, trials, winners};
use halyard_diag::Result;
use rusqlite::Connection;

/// The result of a merge.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Merged {
    /// Winners that came in.
    pub winners: usize,
    /// Trials that came in.
    pub trials: usize,
    /// Entries that were as good or better here.
    pub kept: usize,
    /// Entries of the other database that were left out.
    pub damaged: Vec<DamagedRow>,
}

/// An entry on its way from one database to another.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Entry {
    Winner(Winner),
    Trial(Trial),
}

impl Database {
    /// Takes over all entries of another database, in one change. Of two winners of a subject the one with the higher lower end
    /// of its ratio stays; of two trials of a candidate a rejection. Errors: one of the files cannot be read or written.
    pub fn merge(&mut self, other: &Self) -> Result<Merged> {
        let winners = other.winners()?.into_iter().map(|w| w.map(Entry::Winner));
        let trials = other.all_trials()?.into_iter().map(|t| t.map(Entry::Trial));
        self.take(winners.chain(trials))
    }

    /// Takes over entries, in one change.
    pub(crate) fn take(&mut self, entries: impl Iterator<Item = Result<Entry, DamagedRow>>) -> Result<Merged> {
        let change = self.change()?;
        let take_all = || -> rusqlite::Result<Merged> {
            let mut merged = Merged::default();
            for entry in entries {
                match entry {
                    Ok(Entry::Winner(winner)) if take_winner(&change, &winner)? => merged.winners += 1,
                    Ok(Entry::Trial(trial)) if take_trial(&change, &trial)? => merged.trials += 1,
                    Ok(_) => merged.kept += 1,
                    Err(damaged) => merged.damaged.push(damaged),
                }
            }
            Ok(merged)
        };
        let done = take_all().and_then(|merged| change.commit().map(|()| merged));
        done.map_err(|e| self.failed("write to", &e))
    }
}

fn take_winner(connection: &Connection, new: &Winner) -> rusqlite::Result<bool> {
    if let Some(Ok(old)) = winners::best(connection, &new.subject)? {
        let checksum = |w: &Winner| digest::winner(w, &digest::content(w.code.kind(), &w.code.bytes()));
        let order = new.ratio.low().total_cmp(&old.ratio.low()).then(new.ratio.value().total_cmp(&old.ratio.value()));
        // Any order will do, as long as both sides agree.
        if order.then_with(|| checksum(new).cmp(&checksum(&old))).is_le() {
            return Ok(false);
        }
    }
    winners::put(connection, new).map(|()| true)
}

fn take_trial(connection: &Connection, new: &Trial) -> rusqlite::Result<bool> {
    let id = digest::trial_id(&new.subject, &new.kind, &new.candidate);
    if let Some(Ok(old)) = trials::by_id(connection, &id)? {
        let rank = |t: &Trial| (matches!(t.outcome, TrialOutcome::Rejected(_)), digest::trial(t, &id));
        if rank(new) <= rank(&old) {
            return Ok(false);
        }
    }
    trials::put(connection, new).map(|()| true)
}
