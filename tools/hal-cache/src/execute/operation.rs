//! Follows one execution to its end, through lost streams.
use super::end::End;
use crate::grpc::{GrpcConnection, ONE_MESSAGE};
use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        ExecuteRequest, ExecuteResponse, WaitExecutionRequest, execution_client::ExecutionClient,
    },
    google::longrunning::{Operation, operation},
};
use prost::Message;
use std::{
    sync::{Arc, Mutex, PoisonError},
    time::{Duration, Instant},
};
use tonic::{Code, Status, Streaming, transport::Channel};

/// How often a request is repeated to which there was no answer, or not now: a server may be started anew.
pub(super) const REPEATS: u32 = 5;
/// A stream that lasted for so long was sound: that it is lost is the first failure again.
const SOUND: Duration = Duration::from_secs(10);

/// The server's name of an execution, as soon as it is known. Clones share it.
#[derive(Debug, Clone, Default)]
pub(super) struct OperationName(Arc<Mutex<Option<String>>>);

impl OperationName {
    /// The name.
    pub(super) fn get(&self) -> Option<String> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub(super) fn set(&self, name: Option<String>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }
}

/// Waits before a request is repeated for the `count`-th time: 0.1 s, then three times as long each time, 12 s in all.
pub(super) async fn pause(count: u32) {
    tokio::time::sleep(Duration::from_millis(100) * 3_u32.pow(count - 1)).await;
}

/// Executes an action on a channel. A stream that is lost is taken up again (`WaitExecution`); an execution that the server has forgotten
/// is started again.
pub(super) async fn follow(
    grpc: &GrpcConnection,
    channel: &Channel,
    request: &ExecuteRequest,
    name: &OperationName,
) -> Result<ExecuteResponse, End> {
    let mut client = ExecutionClient::new(channel.clone()).max_decoding_message_size(ONE_MESSAGE * 2);
    let (mut failures, mut forgotten, mut since) = (0, 0, Instant::now());
    loop {
        let known = name.get();
        let started = match &known {
            None => client.execute(grpc.request_without_end(request.clone())).await,
            Some(name) => {
                client.wait_execution(grpc.request_without_end(WaitExecutionRequest { name: name.clone() })).await
            }
        };
        let status = match started {
            Ok(stream) => match listen(stream.into_inner(), name).await {
                Ok(response) => return Ok(response),
                Err(status) => status,
            },
            Err(status) => status,
        };
        if status.code() == Code::NotFound && known.is_some() && forgotten < REPEATS {
            // It answers, and may have been started anew itself.
            name.set(None);
            (failures, forgotten) = (0, forgotten + 1);
            continue;
        }
        match End::of(&status) {
            End::Away(why) => {
                failures = if since.elapsed() > SOUND { 1 } else { failures + 1 };
                if failures > REPEATS {
                    return Err(End::Lost(why));
                }
            }
            end => return Err(end),
        }
        pause(failures).await;
        since = Instant::now();
    }
}

/// Waits for the end of an operation.
async fn listen(mut stream: Streaming<Operation>, name: &OperationName) -> Result<ExecuteResponse, Status> {
    while let Some(operation) = stream.message().await? {
        if !operation.done {
            name.set(Some(operation.name).filter(|name| !name.is_empty()));
            continue;
        }
        // It has ended: there is nothing to take up again, or to call off.
        name.set(None);
        return match operation.result {
            Some(operation::Result::Response(any)) => {
                ExecuteResponse::decode(&*any.value).map_err(|_| Status::data_loss("the response cannot be read"))
            }
            Some(operation::Result::Error(status)) => {
                Err(Status::with_details(Code::from_i32(status.code), &status.message, status.encode_to_vec().into()))
            }
            None => Err(Status::data_loss("the operation ended without a response")),
        };
    }
    Err(Status::unavailable("the stream ended before the operation did"))
}
