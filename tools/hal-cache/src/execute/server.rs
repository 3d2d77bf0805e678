//! A server that executes: sends what it lacks, and fetches what came out.
use super::{
    end::End,
    inputs::Inputs,
    operation::{OperationName, REPEATS, follow, pause},
};
use crate::grpc::{Blob, GrpcConnection, digest, first_words};
use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        ActionResult, ExecuteRequest, ExecuteResponse, GetCapabilitiesRequest, capabilities_client::CapabilitiesClient,
        digest_function,
    },
    google::longrunning::{CancelOperationRequest, operations_client::OperationsClient},
};
use halyard_cache::StoreAddress;
use halyard_exec::ExecutorSetup;
use prost::Message;
use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};
use tokio::{
    runtime::Builder,
    sync::{Mutex, OnceCell},
    task::spawn_blocking,
};
use tonic::{Code, Status, transport::Channel};

/// A reply that is longer is none, in bytes.
const LARGEST_REPLY: usize = 1 << 30;
/// What a command printed is shown up to so many bytes, and lines.
const SAID: usize = 64 << 10;
const SHOWN: usize = 8;
/// Requests at once, beside executions.
const AT_ONCE: usize = 16;
/// Executions on one connection.
const ON_ONE: usize = 50;
/// Time for calling off an operation.
const CALL_OFF: Duration = Duration::from_secs(1);

/// What became of a job.
#[derive(Debug)]
pub(super) enum Outcome {
    /// What the command wrote, and what the server calls the machine.
    Done(Vec<u8>, Option<String>),
    Lost(String),
    Refused(String),
}

/// A server that executes jobs.
pub(super) struct JobServer {
    grpc: GrpcConnection,
    /// Connections of their own for executions, which last: servers bound the requests of one connection.
    channels: Vec<Channel>,
    started: AtomicUsize,
    setup: ExecutorSetup,
    inputs: OnceCell<Arc<Inputs>>,
    /// Whether the server executes, and has what jobs share, as far as is known.
    ready: Mutex<bool>,
    /// Whether the server has ever answered.
    answered: AtomicBool,
}

impl JobServer {
    /// Errors: the address or a credential is not legal.
    pub(super) fn new(address: &StoreAddress, setup: ExecutorSetup) -> Result<Self, String> {
        let grpc = GrpcConnection::new(address, AT_ONCE)?;
        let channels = (0..setup.jobs.max(1).div_ceil(ON_ONE)).map(|_| grpc.another()).collect();
        Ok(Self {
            grpc,
            channels,
            started: AtomicUsize::new(0),
            setup,
            inputs: OnceCell::new(),
            ready: Mutex::new(false),
            answered: AtomicBool::new(false),
        })
    }

    /// The hashes of the files that are sent, once they are known.
    pub(super) fn hashes(&self) -> Option<Vec<String>> {
        self.inputs.get().map(|inputs| inputs.hashes.clone())
    }

    /// Executes a job, within its time.
    pub(super) async fn run(&self, job: Vec<u8>, name: &OperationName) -> Outcome {
        let job = spawn_blocking(|| Blob::new(job)).await;
        let Ok(job) = job else { return Outcome::Lost("`hal-cache` failed".into()) };
        let why = match tokio::time::timeout(self.setup.time, self.attempts(&job, name)).await {
            Ok(Ok((reply, worker))) => return Outcome::Done(reply, worker),
            Ok(Err(End::Refused(why))) => return Outcome::Refused(why),
            Ok(Err(end)) => end.why(),
            Err(_) => {
                self.call_off(name).await;
                format!("it had no result within {} s", self.setup.time.as_secs_f64())
            }
        };
        // Not all servers say that blobs are why.
        *self.ready.lock().await = false;
        Outcome::Lost(why)
    }

    /// Ends the execution of a job whose result is not needed, if the server can.
    pub(super) async fn call_off(&self, name: &OperationName) {
        let Some(name) = name.get() else { return };
        let request = self.grpc.request(CancelOperationRequest { name });
        let mut client = OperationsClient::new(self.grpc.channel.clone());
        let _ = tokio::time::timeout(CALL_OFF, client.cancel_operation(request)).await;
    }

    /// A server that has removed what was sent to it is sent it once more; one that has answered before, and does not now, is
    /// asked again for a while.
    async fn attempts(&self, job: &Blob, name: &OperationName) -> Result<(Vec<u8>, Option<String>), End> {
        let (mut away, mut sent) = (0, false);
        loop {
            match self.attempt(job, name).await {
                Err(End::Absent(_)) if !sent => sent = true,
                Err(End::Away(_)) if away < REPEATS && self.answered.load(Ordering::Relaxed) => {
                    away += 1;
                    pause(away).await;
                }
                other => return other,
            }
            *self.ready.lock().await = false;
        }
    }

    async fn attempt(&self, job: &Blob, name: &OperationName) -> Result<(Vec<u8>, Option<String>), End> {
        let inputs = self.prepared().await?;
        let (digest, blobs) = inputs.action(job);
        self.grpc.write(&blobs).await?;
        let request = ExecuteRequest {
            instance_name: self.grpc.instance.clone(),
            action_digest: Some(digest),
            skip_cache_lookup: true,
            digest_function: digest_function::Value::Sha256.into(),
            inline_output_files: vec![ExecutorSetup::REPLY.into()],
            ..ExecuteRequest::default()
        };
        let channel = &self.channels[self.started.fetch_add(1, Ordering::Relaxed) % self.channels.len()];
        let response = follow(&self.grpc, channel, &request, name).await?;
        self.reply(response).await
    }

    /// What jobs share, after the server has it.
    async fn prepared(&self) -> Result<Arc<Inputs>, End> {
        let mut ready = self.ready.lock().await;
        let setup = self.setup.clone();
        let read = || async move {
            let read = spawn_blocking(move || Inputs::read(&setup)).await.map_err(|e| End::Lost(e.to_string()))?;
            read.map(Arc::new).map_err(End::Refused)
        };
        let inputs = Arc::clone(self.inputs.get_or_try_init(read).await?);
        if !*ready {
            executes(&self.grpc).await?;
            self.answered.store(true, Ordering::Relaxed);
            let missing = self.grpc.missing(&inputs.blobs).await?;
            self.grpc.write(&missing).await?;
            *ready = true;
        }
        Ok(inputs)
    }

    /// What the command wrote.
    async fn reply(&self, response: ExecuteResponse) -> Result<(Vec<u8>, Option<String>), End> {
        if let Some(status) = response.status.as_ref().filter(|status| status.code != 0) {
            let code = Code::from_i32(status.code);
            let status = Status::with_details(code, &status.message, status.encode_to_vec().into());
            let why = first_words(&status);
            // Nothing else is looked for.
            return Err(match End::of(&status) {
                _ if code == Code::NotFound => End::Absent(why),
                // The execution failed, and not the request.
                End::Away(why) => End::Lost(why),
                end => end,
            });
        }
        let result = response.result.ok_or_else(|| End::Lost("the response has no result".into()))?;
        if result.exit_code != 0 {
            let said = self.failure_output(&result).await;
            return Err(End::Lost(format!("the command failed with exit code {}{said}", result.exit_code)));
        }
        let output = result.output_files.into_iter().find(|file| file.path == ExecutorSetup::REPLY);
        let output = output.ok_or_else(|| End::Lost("the command wrote no reply".into()))?;
        let wanted = output.digest.ok_or_else(|| End::Lost("the reply has no digest".into()))?;
        let reply = if output.contents.is_empty() {
            self.grpc.read(&wanted, LARGEST_REPLY).await.map_err(|e| match End::from(e) {
                End::Lost(why) => End::Lost(format!("the reply: {why}")),
                end => end,
            })?
        } else if digest(&output.contents) == wanted {
            output.contents
        } else {
            return Err(End::Lost("the reply is another one than its hash says".into()));
        };
        let worker = result.execution_metadata.map(|m| m.worker).filter(|worker| !worker.is_empty());
        Ok((reply, worker))
    }

    /// What a command printed that failed, as the end of a sentence.
    async fn failure_output(&self, result: &ActionResult) -> String {
        let bytes = match &result.stderr_digest {
            _ if !result.stderr_raw.is_empty() => result.stderr_raw.clone(),
            Some(digest) => self.grpc.read(digest, SAID).await.unwrap_or_default(),
            None => Vec::new(),
        };
        let text = String::from_utf8_lossy(&bytes);
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let last = lines[lines.len().saturating_sub(SHOWN)..].join("\n");
        if last.is_empty() { last } else { format!("; it printed:\n{last}") }
    }
}

/// Whether a server executes. Errors: it does not, or cannot be asked.
async fn executes(grpc: &GrpcConnection) -> Result<(), End> {
    let request = GetCapabilitiesRequest { instance_name: grpc.instance.clone() };
    let mut client = CapabilitiesClient::new(grpc.channel.clone());
    let answer = client.get_capabilities(grpc.request(request)).await.map_err(|status| {
        if matches!(status.code(), Code::NotFound | Code::InvalidArgument) && !grpc.instance.is_empty() {
            return End::Refused(format!("it has no instance `{}`", grpc.instance));
        }
        End::of(&status)
    })?;
    let answer = answer.into_inner();
    grpc.bound_batches(answer.cache_capabilities.map_or(0, |cache| cache.max_batch_total_size_bytes));
    let execution = answer.execution_capabilities.filter(|e| e.exec_enabled);
    let execution = execution.ok_or_else(|| End::Refused("it is a cache alone".into()))?;
    let sha256 = i32::from(digest_function::Value::Sha256);
    // One that names no function is of a version that had one field.
    if execution.digest_function != sha256 && !execution.digest_functions.contains(&sha256) {
        return Err(End::Refused("it does not know blobs by their SHA-256".into()));
    }
    Ok(())
}

/// Whether the server at an address executes. Errors: why not.
pub(crate) fn check(address: &StoreAddress) -> Result<(), String> {
    let runtime = Builder::new_current_thread().enable_all().build().map_err(|e| e.to_string())?;
    runtime.block_on(async {
        let grpc = GrpcConnection::new(address, AT_ONCE)?;
        executes(&grpc).await.map_err(End::why)
    })
}
