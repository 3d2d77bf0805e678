//! Bazel's remote cache protocol (REAPI 2) over gRPC: `grpc://HOST:PORT/INSTANCE`, or `grpcs://` with TLS.
use super::{
    Fault, RemoteStore, action,
    client::{CONNECTIONS, credentials},
};
use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        ActionResult, BatchReadBlobsRequest, BatchUpdateBlobsRequest, Digest, GetActionResultRequest,
        UpdateActionResultRequest, action_cache_client::ActionCacheClient, batch_update_blobs_request,
        content_addressable_storage_client::ContentAddressableStorageClient,
    },
    google::bytestream::{ReadRequest, WriteRequest, byte_stream_client::ByteStreamClient},
};
use halyard_cache::{LARGEST, StoreAddress};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use tokio::runtime::{Builder, Runtime};
use tonic::{
    Code, IntoRequest, Request, Status,
    metadata::{Ascii, MetadataKey, MetadataValue},
    transport::{Channel, ClientTlsConfig, Endpoint},
};

/// Blobs up to this size go in one message, in bytes: servers refuse messages above 4 MiB.
const ONE_MESSAGE: usize = 3 << 20;
/// Pieces of larger ones.
const PIECE: usize = 1 << 20;

pub(super) struct GrpcStore {
    runtime: Runtime,
    channel: Channel,
    instance: String,
    timeout: Duration,
    headers: Vec<(MetadataKey<Ascii>, MetadataValue<Ascii>)>,
}

impl GrpcStore {
    pub(super) fn new(address: &StoreAddress) -> Result<Self, String> {
        let (host, instance) = address.rest().split_once('/').unwrap_or((address.rest(), ""));
        let secure = address.scheme() == "grpcs";
        let scheme = if secure { "https" } else { "http" };
        let legal = |e: &dyn std::fmt::Display| format!("the address is not legal: {e}");
        let endpoint = Endpoint::from_shared(format!("{scheme}://{host}"))
            .map_err(|e| legal(&e))?
            .connect_timeout(address.timeout)
            .concurrency_limit(CONNECTIONS);
        let endpoint = if secure {
            endpoint.tls_config(ClientTlsConfig::new().with_native_roots()).map_err(|e| legal(&e))?
        } else {
            endpoint
        };
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().map_err(|e| e.to_string())?;
        let channel = {
            let _inside = runtime.enter();
            endpoint.connect_lazy()
        };
        Ok(Self { runtime, channel, instance: instance.to_owned(), timeout: address.timeout, headers: headers()? })
    }

    /// A message with its limit on time and with credentials.
    fn request<T>(&self, message: impl IntoRequest<T>) -> Request<T> {
        let mut request = message.into_request();
        request.set_timeout(self.timeout);
        for (name, value) in &self.headers {
            request.metadata_mut().insert(name.clone(), value.clone());
        }
        request
    }

    /// Runs a call until the time is over, whatever the server does.
    fn run<T>(&self, call: impl Future<Output = Result<T, Failure>>) -> Result<T, Failure> {
        self.runtime.block_on(async {
            tokio::time::timeout(self.timeout, call)
                .await
                .unwrap_or_else(|_| Err(Failure::from(format!("no answer within {} s", self.timeout.as_secs_f64()))))
        })
    }

    /// The name of a blob for `ByteStream`, after an instance.
    fn resource(&self, name: &str) -> String {
        if self.instance.is_empty() { name.to_owned() } else { format!("{}/{name}", self.instance) }
    }

    fn blobs(&self) -> ContentAddressableStorageClient<Channel> {
        ContentAddressableStorageClient::new(self.channel.clone()).max_decoding_message_size(ONE_MESSAGE * 2)
    }

    async fn result(&self, key: &str) -> Result<ActionResult, Failure> {
        let message = GetActionResultRequest {
            instance_name: self.instance.clone(),
            action_digest: Some(name(key)),
            ..GetActionResultRequest::default()
        };
        let mut client = ActionCacheClient::new(self.channel.clone()).max_decoding_message_size(ONE_MESSAGE);
        Ok(client.get_action_result(self.request(message)).await?.into_inner())
    }

    async fn read(&self, digest: &Digest) -> Result<Vec<u8>, Failure> {
        if digest.size_bytes as usize <= ONE_MESSAGE {
            let message = BatchReadBlobsRequest {
                instance_name: self.instance.clone(),
                digests: vec![digest.clone()],
                ..BatchReadBlobsRequest::default()
            };
            let reply = self.blobs().batch_read_blobs(self.request(message)).await?.into_inner();
            let blob = reply.responses.into_iter().next().ok_or_else(|| Fault::wrong("the answer has no blob"))?;
            return match blob.status.filter(|status| status.code != 0) {
                Some(status) => Err(Status::new(Code::from_i32(status.code), status.message).into()),
                None => Ok(blob.data),
            };
        }
        let name = self.resource(&format!("blobs/{}/{}", digest.hash, digest.size_bytes));
        let message = ReadRequest { resource_name: name, ..ReadRequest::default() };
        let mut client = ByteStreamClient::new(self.channel.clone()).max_decoding_message_size(ONE_MESSAGE * 2);
        let mut pieces = client.read(self.request(message)).await?.into_inner();
        let mut blob = Vec::new();
        while let Some(piece) = pieces.message().await? {
            blob.extend_from_slice(&piece.data);
            if blob.len() > LARGEST {
                return Err(Fault::wrong("the blob has no end").into());
            }
        }
        Ok(blob)
    }

    async fn write(&self, digest: &Digest, blob: &[u8]) -> Result<(), Failure> {
        if blob.len() <= ONE_MESSAGE {
            let one = batch_update_blobs_request::Request {
                digest: Some(digest.clone()),
                data: blob.to_vec(),
                ..batch_update_blobs_request::Request::default()
            };
            let message = BatchUpdateBlobsRequest {
                instance_name: self.instance.clone(),
                requests: vec![one],
                ..BatchUpdateBlobsRequest::default()
            };
            let reply = self.blobs().batch_update_blobs(self.request(message)).await?.into_inner();
            let status = reply.responses.into_iter().next().and_then(|r| r.status).filter(|s| s.code != 0);
            return status.map_or(Ok(()), |s| Err(Status::new(Code::from_i32(s.code), s.message).into()));
        }
        let upload = self.resource(&format!("uploads/{}/blobs/{}/{}", unique(), digest.hash, digest.size_bytes));
        let count = blob.len().div_ceil(PIECE);
        let pieces: Vec<WriteRequest> = blob
            .chunks(PIECE)
            .enumerate()
            .map(|(i, data)| WriteRequest {
                resource_name: upload.clone(),
                write_offset: (i * PIECE) as i64,
                finish_write: i + 1 == count,
                data: data.to_vec(),
            })
            .collect();
        let mut client = ByteStreamClient::new(self.channel.clone());
        client.write(self.request(tokio_stream::iter(pieces))).await?;
        Ok(())
    }
}

impl RemoteStore for GrpcStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Fault> {
        let found = self.run(async {
            let result = self.result(key).await?;
            let digest = action::entry_of(&result)?;
            let blob = self.read(digest).await?;
            action::check(&blob, digest)?;
            Ok(blob)
        });
        match found {
            Ok(blob) => Ok(Some(blob)),
            Err(Failure::Missing) => Ok(None),
            Err(Failure::Other(why)) => Err(why),
        }
    }

    fn put(&self, key: &str, entry: &[u8]) -> Result<(), Fault> {
        let digest = action::digest(entry);
        let added = self.run(async {
            self.write(&digest, entry).await?;
            let message = UpdateActionResultRequest {
                instance_name: self.instance.clone(),
                action_digest: Some(name(key)),
                action_result: Some(action::result(entry)),
                ..UpdateActionResultRequest::default()
            };
            ActionCacheClient::new(self.channel.clone()).update_action_result(self.request(message)).await?;
            Ok(())
        });
        added.map_err(|failure| match failure {
            Failure::Missing => "the store does not know this instance".to_owned().into(),
            Failure::Other(why) => why,
        })
    }
}

/// Why a call has no result.
enum Failure {
    Missing,
    Other(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Other(fault)
    }
}

impl From<String> for Failure {
    fn from(why: String) -> Self {
        Self::Other(why.into())
    }
}

impl From<Status> for Failure {
    fn from(status: Status) -> Self {
        let hint = match status.code() {
            Code::NotFound => return Self::Missing,
            Code::Unauthenticated | Code::PermissionDenied => ": are the credentials in the environment right?",
            Code::ResourceExhausted => ": the store is full, or the entry too large for it",
            _ => "",
        };
        let code = format!("{:?}", status.code());
        let said = if status.message().is_empty() { String::new() } else { format!(", `{}`", status.message()) };
        format!("the answer is {code}{said}{hint}").into()
    }
}

/// The digest under which a result lies. Servers look at its hash; there is no action of this size.
fn name(key: &str) -> Digest {
    Digest { hash: key.to_owned(), size_bytes: key.len() as i64 }
}

fn headers() -> Result<Vec<(MetadataKey<Ascii>, MetadataValue<Ascii>)>, String> {
    credentials()?
        .into_iter()
        .map(|(name, value)| {
            let mut legal: MetadataValue<Ascii> =
                value.parse().map_err(|_| format!("the value of header `{name}` is not legal"))?;
            legal.set_sensitive(true);
            let key =
                MetadataKey::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is no name of a header"))?;
            Ok((key, legal))
        })
        .collect()
}

/// A UUID that no other upload has: the protocol wants one.
fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let thread = format!("{:?}", std::thread::current().id());
    let hash = action::digest(format!("{now} {} {thread}", std::process::id()).as_bytes()).hash;
    format!("{}-{}-4{}-8{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}
