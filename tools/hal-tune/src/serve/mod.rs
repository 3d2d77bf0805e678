//! `--serve`: a client drives. It sends lines of JSON to standard input, and each is answered by one on standard output;
//! `docs/tuning.md` describes both.
mod lines;
mod request;
mod session;

use crate::{assignment::VERSION, ready::Ready, tune::Tuner};
use halyard_cli::Printer;
use halyard_diag::{Error, Result};
use lines::{Came, Lines};
use request::Request;
use serde_json::{Value, json};
use session::Session;
use std::io::Write;

/// What a client did wrong: the code, and what.
type Refused = (&'static str, String);

/// Answers a client until it ends or leaves. `write` writes the program. Errors: what ends the session: files that cannot be written, a client that does not read.
pub(crate) fn serve(
    tuner: &mut Tuner<'_>,
    ready: Ready,
    write: &dyn Fn() -> Result<()>,
    printer: &Printer,
) -> Result<()> {
    let mut session = Session::new(tuner, ready, write)?;
    let lines = Lines::of_stdin()?;
    loop {
        let line = match lines.next(session.tuner.interrupt) {
            Came::Line(line) => line,
            Came::TooLong => {
                return Err(Error::input("a request is longer than 16 MiB"));
            }
            Came::End => {
                if session.is_open() {
                    printer.note("the client disconnected without `commit`: candidates tried since the last commit are not in the program");
                }
                return Ok(());
            }
        };
        if line.trim_ascii().is_empty() {
            continue;
        }
        let (id, answer, is_end) = match answer(&mut session, &line) {
            (id, Ok(None)) => (id, json!({ "ended": true }), true),
            (id, Ok(Some(answer))) => (id, answer, false),
            (id, Err(Stop::Refused((code, why)))) => (id, json!({ "error": { "code": code, "message": why } }), false),
            (_, Err(Stop::Failed(error))) => return Err(error),
        };
        send(id, answer)?;
        if is_end {
            return Ok(());
        }
    }
}

/// Why a request has no answer.
pub(crate) enum Stop {
    /// The client may go on.
    Refused(Refused),
    /// The session ends.
    Failed(Error),
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// Answers a line: the `id` of the request, and the answer, or `None` at the end.
fn answer(session: &mut Session<'_, '_>, line: &[u8]) -> (Option<Value>, Result<Option<Value>, Stop>) {
    let bad = |why: String| Err(Stop::Refused(("bad-request", why)));
    let object = match serde_json::from_slice::<Value>(line) {
        Ok(Value::Object(object)) => object,
        Ok(_) => return (None, bad("a request is an object, such as {\"request\": \"list\"}".into())),
        Err(e) => return (None, bad(format!("the line is not JSON: {e}"))),
    };
    let id = object.get("id").cloned();
    let answer = match Request::read(&object) {
        Err(why) => bad(why),
        Ok(Request::End) => Ok(None),
        Ok(request) => session.answer(request).map(Some),
    };
    (id, answer)
}

/// Writes an answer. Errors: the client does not read.
fn send(id: Option<Value>, mut answer: Value) -> Result<()> {
    answer["version"] = json!(VERSION);
    if let Some(id) = id {
        answer["id"] = id;
    }
    let mut out = std::io::stdout().lock();
    let written = out.write_all(format!("{answer}\n").as_bytes()).and_then(|()| out.flush());
    written.map_err(|e| Error::io("write", "<stdout>", &e))
}
