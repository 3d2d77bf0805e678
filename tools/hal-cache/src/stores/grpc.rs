//! Bazel's remote cache protocol (REAPI 2) over gRPC: `grpc://HOST:PORT/INSTANCE`, or `grpcs://` with TLS.
use super::{RemoteStore, action, client::CONNECTIONS};
use crate::{
    fault::Fault,
    grpc::{Blob, Failure, GrpcConnection, ONE_MESSAGE},
};
use bazel_remote_apis::build::bazel::remote::execution::v2::{
    ActionResult, Digest, GetActionResultRequest, UpdateActionResultRequest, action_cache_client::ActionCacheClient,
};
use halyard_cache::{LARGEST, StoreAddress};
use std::time::Duration;
use tokio::runtime::{Builder, Runtime};

pub(super) struct GrpcStore {
    runtime: Runtime,
    grpc: GrpcConnection,
    timeout: Duration,
}

impl GrpcStore {
    pub(super) fn new(address: &StoreAddress) -> Result<Self, String> {
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|e| e.to_string())?;
        let grpc = {
            let _inside = runtime.enter();
            GrpcConnection::new(address, CONNECTIONS)?
        };
        Ok(Self { runtime, grpc, timeout: address.timeout })
    }

    /// Runs a call until the time is over, whatever the server does.
    fn run<T>(&self, call: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        self.runtime.block_on(async {
            tokio::time::timeout(self.timeout, call)
                .await
                .unwrap_or_else(|_| Err(Failure::from(format!("no answer within {} s", self.timeout.as_secs_f64()))))
        })
    }

    async fn result(&self, key: &str) -> Result<ActionResult, Failure> {
        let message = GetActionResultRequest {
            instance_name: self.grpc.instance.clone(),
            action_digest: Some(name(key)),
            ..GetActionResultRequest::default()
        };
        let mut client = ActionCacheClient::new(self.grpc.channel.clone()).max_decoding_message_size(ONE_MESSAGE);
        Ok(client.get_action_result(self.grpc.request(message)).await?.into_inner())
    }
}

impl RemoteStore for GrpcStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Fault> {
        let found = self.run(async {
            let result = self.result(key).await?;
            self.grpc.read(action::entry_of(&result)?, LARGEST).await
        });
        match found {
            Ok(blob) => Ok(Some(blob)),
            Err(Failure::Missing) => Ok(None),
            Err(failure) => Err(failure.fault()),
        }
    }

    fn put(&self, key: &str, entry: &[u8]) -> Result<(), Fault> {
        let added = self.run(async {
            self.grpc.write(&[Blob::new(entry.to_vec())]).await?;
            let message = UpdateActionResultRequest {
                instance_name: self.grpc.instance.clone(),
                action_digest: Some(name(key)),
                action_result: Some(action::result(entry)),
                ..UpdateActionResultRequest::default()
            };
            let mut client = ActionCacheClient::new(self.grpc.channel.clone());
            client.update_action_result(self.grpc.request(message)).await?;
            Ok(())
        });
        added.map_err(|failure| match failure {
            Failure::Missing => "the store does not know this instance".to_owned().into(),
            other => other.fault(),
        })
    }
}

/// The digest under which a result lies. Servers look at its hash; there is no action of this size.
fn name(key: &str) -> Digest {
    Digest { hash: key.to_owned(), size_bytes: key.len() as i64 }
}
