//! Errors of SQLite, in our words.
use halyard_diag::{Error, Result, read_error};
use rusqlite::{Connection, ErrorCode, Transaction, TransactionBehavior};
use std::{path::Path, time::Duration};

/// How long a writer waits for others. A change takes milliseconds; this is for machines that are very busy.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// Starts a change of a database.
pub(crate) fn begin<'c>(connection: &'c mut Connection, path: &Path) -> Result<Transaction<'c>> {
    connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(|e| failed(path, "write to", &e))
}

/// An error of SQLite's, in our words: ``cannot VERB the tuning database `PATH`: why``.
pub(crate) fn failed(path: &Path, verb: &str, error: &rusqlite::Error) -> Error {
    let shown = path.display();
    if error.sqlite_error_code() == Some(ErrorCode::DatabaseCorrupt)
        && let Some(cause) = read_error(path)
    {
        return Error::io("read the tuning database", path, &cause);
    }
    match error.sqlite_error_code() {
        Some(ErrorCode::NotADatabase) => Error::input(format!("`{shown}` is not a tuning database"))
            .code("bad-tuning")
            .hint("name another file; `hal-tune` creates it"),
        Some(ErrorCode::DatabaseCorrupt) => Error::input(format!("the tuning database `{shown}` is damaged"))
            .code("bad-tuning")
            .note(why(error))
            .hint("restore a copy, or delete the file and tune again"),
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
            let what = format!(
                "cannot {verb} the tuning database `{shown}`: another process has been using it for {} s",
                PATIENCE.as_secs()
            );
            Error::environment(what).hint("wait for it, or end it")
        }
        Some(ErrorCode::CannotOpen) => {
            Error::environment(format!("cannot {verb} the tuning database `{shown}`: {}", why(error)))
                .hint("its folder must have room for a journal beside it, and be one that can be written")
        }
        Some(ErrorCode::DiskFull) => {
            Error::environment(format!("cannot {verb} the tuning database `{shown}`: {}", why(error)))
                .hint("make room on the disk; what was there before is whole")
        }
        _ => Error::environment(format!("cannot {verb} the tuning database `{shown}`: {}", why(error))),
    }
}

/// What SQLite says, without its own prefixes.
fn why(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
        other => other.to_string(),
    }
}
