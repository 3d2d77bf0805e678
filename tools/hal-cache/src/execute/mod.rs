//! `hal-cache execute URL`: carries jobs between a compiler tool, on standard input and output, and a server that executes
//! commands on other machines, by Bazel's Remote Execution API 2.
mod end;
mod inputs;
mod operation;
mod server;

pub(crate) use server::check as check_execution;

use halyard_cache::StoreAddress;
use halyard_diag::{Error, Result};
use halyard_exec::{ExecutorReply, ExecutorRequest, ExecutorSetup, Interrupt};
use operation::OperationName;
use server::{JobServer, Outcome};
use std::{
    collections::HashMap,
    io::{stdin, stdout},
    sync::{
        Arc,
        mpsc::{RecvTimeoutError, channel},
    },
    thread,
    time::Duration,
};
use tokio::{runtime::Builder, task::JoinHandle};

/// How often signals are looked for.
const TICK: Duration = Duration::from_millis(20);
/// Time to call off operations before this process ends: whoever ends it waits little longer.
const FAREWELL: Duration = Duration::from_millis(400);

/// What happens to this process.
enum Event {
    Asked(ExecutorRequest),
    Ended(u64),
    /// Nobody asks any more.
    Over,
}

struct Running {
    task: JoinHandle<()>,
    name: OperationName,
}

/// Serves until standard input ends or a signal comes. Errors: nobody asks.
pub(crate) fn execute(address: &StoreAddress) -> Result<()> {
    let interrupt = Interrupt::watch();
    let setup = ExecutorSetup::read(&mut stdin().lock()).map_err(|e| {
        Error::usage(format!("`hal-cache execute` serves `hal-translate`, and what asks is not it: {e}"))
            .hint("`--launcher=URL` starts it; `hal-cache probe URL` tests a server")
    })?;
    let runtime = Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .map_err(|e| Error::system("cannot start a thread", &e))?;
    let _inside = runtime.enter();
    let server = match JobServer::new(address, setup) {
        Ok(server) => Arc::new(server),
        Err(why) => {
            answer(&ExecutorReply::Refused(why));
            return Ok(());
        }
    };
    let (sender, events) = channel();
    let asked = sender.clone();
    // It is not waited for: it may hang in a read when a signal comes.
    let reader = thread::Builder::new().spawn(move || {
        while let Ok(Some(request)) = ExecutorRequest::read(&mut stdin().lock()) {
            let _ = asked.send(Event::Asked(request));
        }
        let _ = asked.send(Event::Over);
    });
    reader.map_err(|e| Error::system("cannot start a thread", &e))?;
    let mut running: HashMap<u64, Running> = HashMap::new();
    let mut told = false;
    while !interrupt.came() {
        match events.recv_timeout(TICK) {
            Ok(Event::Asked(ExecutorRequest::Job(number, job))) => {
                let (server, name, sender) = (Arc::clone(&server), OperationName::default(), sender.clone());
                let mine = name.clone();
                let task = runtime.spawn(async move {
                    answer(&match server.run(job, &mine).await {
                        Outcome::Done(reply, worker) => ExecutorReply::Done(number, reply, worker),
                        Outcome::Lost(why) => ExecutorReply::Lost(number, why),
                        Outcome::Refused(why) => ExecutorReply::Refused(why),
                    });
                    let _ = sender.send(Event::Ended(number));
                });
                running.insert(number, Running { task, name });
            }
            Ok(Event::Asked(ExecutorRequest::Cancel(number))) => {
                if let Some(Running { task, name }) = running.remove(&number) {
                    let server = Arc::clone(&server);
                    task.abort();
                    runtime.spawn(async move { server.call_off(&name).await });
                }
            }
            Ok(Event::Ended(number)) => {
                drop(running.remove(&number));
                if let Some(hashes) = server.hashes().filter(|_| !std::mem::replace(&mut told, true)) {
                    answer(&ExecutorReply::Hashed(hashes));
                }
            }
            Ok(Event::Over) | Err(RecvTimeoutError::Disconnected) => break,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
    runtime.block_on(async {
        running.values().for_each(|r| r.task.abort());
        let all: Vec<_> = running
            .into_values()
            .map(|r| {
                let server = Arc::clone(&server);
                runtime.spawn(async move { server.call_off(&r.name).await })
            })
            .collect();
        let _ = tokio::time::timeout(FAREWELL, async {
            for one in all {
                let _ = one.await;
            }
        })
        .await;
    });
    runtime.shutdown_background();
    Ok(())
}

/// Sends a whole message. Errors are ignored: a tool that has ended needs no answer.
fn answer(reply: &ExecutorReply) {
    let _ = reply.write(&mut stdout().lock());
}
