//! `hal-cache store URL`: carries entries between a compiler tool, on standard input and output, and a shared store.
use crate::{
    fault::Fault,
    stores::{self, RemoteStore},
};
use halyard_cache::{StoreAddress, StoreGreeting, StoreReply, StoreRequest};
use halyard_diag::{Error, Result};
use std::{
    io::{self, Read, Write},
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

/// Requests at once.
const THREADS: usize = 16;
/// After so many requests without an answer, one after the other, the store is asked no more. Wrong answers do not count: they
/// cost little, and another entry may be sound.
const FAILURES: usize = 5;

/// A store that is given up after [`FAILURES`] in a row.
struct Breaker {
    store: Box<dyn RemoteStore>,
    failures: AtomicUsize,
}

impl Breaker {
    fn run<T>(
        &self,
        work: impl FnOnce(&dyn RemoteStore) -> std::result::Result<T, Fault>,
    ) -> std::result::Result<T, String> {
        if self.failures.load(Ordering::Relaxed) >= FAILURES {
            return Err(format!("not asked, after {FAILURES} failures in a row"));
        }
        let result = work(&*self.store);
        match &result {
            Err(fault) if !fault.wrong => {
                self.failures.fetch_add(1, Ordering::Relaxed);
            }
            _ => self.failures.store(0, Ordering::Relaxed),
        }
        result.map_err(|fault| fault.why)
    }
}

/// Serves until standard input ends. Errors: what comes there is no request.
pub(crate) fn serve(address: &StoreAddress) -> Result<()> {
    let (mut input, mut unread) = (io::stdin().lock(), Vec::new());
    let hello = loop {
        if let Some(end) = unread.iter().position(|b| *b == b'\n') {
            break unread.drain(..=end).collect::<Vec<u8>>();
        }
        if more(&mut input, &mut unread)? == 0 {
            return Err(Error::usage("`hal-cache store` serves `hal-translate` and `hal-compile`, and nobody asks")
                .hint("`--cache-remote=URL` starts it; `hal-cache probe URL` tests a store"));
        }
    };
    if hello != b"hello 1\n" {
        return Err(Error::input("the first message is not `hello 1`"));
    }
    let store = match stores::open(address) {
        Ok(store) => store,
        Err(why) => {
            send(format!("refused {why}\n").as_bytes());
            return Ok(());
        }
    };
    send(StoreGreeting { writes: !address.reads_only }.line().as_bytes());
    let breaker = Breaker { store, failures: AtomicUsize::new(0) };
    let (sender, receiver) = mpsc::channel::<(String, Option<Vec<u8>>)>();
    let receiver = Arc::new(Mutex::new(receiver));
    thread::scope(|scope| {
        for n in 0..THREADS {
            let (receiver, breaker) = (Arc::clone(&receiver), &breaker);
            let started = thread::Builder::new().spawn_scoped(scope, move || {
                // The lock is held while waiting, and not while working.
                while let Ok((key, entry)) = { receiver.lock().unwrap_or_else(|e| e.into_inner()).recv() } {
                    answer(breaker, &key, entry.as_deref());
                }
            });
            // Fewer of them take longer.
            if let (0, Err(e)) = (n, started) {
                return Err(Error::system("cannot start a thread", &e));
            }
        }
        let result = read_requests(&mut input, unread, &sender);
        drop(sender);
        result
    })
}

fn read_requests(
    input: &mut impl Read,
    mut unread: Vec<u8>,
    sender: &mpsc::Sender<(String, Option<Vec<u8>>)>,
) -> Result<()> {
    loop {
        let mut taken = 0;
        while let Some((request, end)) = StoreRequest::parse(&unread[taken..]).map_err(Error::input)? {
            let entry = match request {
                StoreRequest::Get(_) => None,
                StoreRequest::Put(_, entry) => Some(entry.to_vec()),
            };
            let _ = sender.send((request.key().to_owned(), entry));
            taken += end;
        }
        unread.drain(..taken);
        if more(input, &mut unread)? == 0 {
            return Ok(());
        }
    }
}

fn more(input: &mut impl Read, unread: &mut Vec<u8>) -> Result<usize> {
    let mut buffer = [0; 1 << 16];
    let count = loop {
        match input.read(&mut buffer) {
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            other => break other.map_err(|e| Error::io("read", "standard input", &e))?,
        }
    };
    unread.extend_from_slice(&buffer[..count]);
    Ok(count)
}

fn answer(breaker: &Breaker, key: &str, entry: Option<&[u8]>) {
    let mut bytes = Vec::new();
    match entry {
        None => match breaker.run(|store| store.get(key)) {
            Ok(Some(entry)) => StoreReply::Hit(key, &entry).write(&mut bytes),
            Ok(None) => StoreReply::Miss(key).write(&mut bytes),
            Err(why) => StoreReply::Failed(key, why).write(&mut bytes),
        },
        Some(entry) => match breaker.run(|store| store.put(key, entry)) {
            Ok(()) => StoreReply::Kept(key).write(&mut bytes),
            Err(why) => StoreReply::Failed(key, format!("not added: {why}")).write(&mut bytes),
        },
    }
    send(&bytes);
}

/// Sends a whole message. Errors are ignored: a tool that has ended needs no answer.
fn send(bytes: &[u8]) {
    let mut output = io::stdout().lock();
    let _ = output.write_all(bytes).and_then(|()| output.flush());
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Failing(Mutex<Vec<bool>>);

    impl RemoteStore for Failing {
        fn get(&self, _: &str) -> std::result::Result<Option<Vec<u8>>, Fault> {
            if self.0.lock().unwrap().pop().unwrap_or(false) { Ok(None) } else { Err("broken".to_owned().into()) }
        }

        fn put(&self, _: &str, _: &[u8]) -> std::result::Result<(), Fault> {
            unreachable!()
        }
    }

    #[test]
    fn a_store_that_fails_again_and_again_is_given_up() {
        // Read from the end: four failures, a success, then failures alone.
        let answers = vec![true, true, false, false, false, false, false, true, false, false, false, false];
        let breaker = Breaker { store: Box::new(Failing(Mutex::new(answers))), failures: AtomicUsize::new(0) };
        let said: Vec<_> = (0..12).map(|_| breaker.run(|store| store.get("k"))).collect();
        assert_eq!(said.iter().filter(|r| r.is_ok()).count(), 1);
        assert_eq!(said[9], Err("broken".into()));
        assert_eq!(said[10], Err("not asked, after 5 failures in a row".into()));
    }
}
