//! Blobs in content-addressable storage: in one message where they fit, else in pieces.
use super::{
    Failure, GrpcConnection,
    connection::{AROUND, ONE_MESSAGE},
};
use crate::fault::Fault;
use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        BatchReadBlobsRequest, BatchUpdateBlobsRequest, Digest, FindMissingBlobsRequest, batch_update_blobs_request,
        content_addressable_storage_client::ContentAddressableStorageClient,
    },
    google::bytestream::{ReadRequest, WriteRequest, byte_stream_client::ByteStreamClient},
};
use bytes::Bytes;
use sha2::{Digest as _, Sha256};
use std::time::{SystemTime, UNIX_EPOCH};
use tonic::{Code, Status, transport::Channel};

/// Pieces of blobs that are too large for one message, in bytes.
const PIECE: usize = 1 << 20;
/// Digests in one question.
const DIGESTS: usize = 10_000;

/// Bytes with their digest. Clones share them.
#[derive(Debug, Clone)]
pub(crate) struct Blob {
    pub(crate) digest: Digest,
    bytes: Bytes,
}

impl Blob {
    pub(crate) fn new(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self { digest: digest(&bytes), bytes }
    }

    /// Bytes whose hash is known; `None`: it is no hash.
    pub(crate) fn known(hash: &str, bytes: Bytes) -> Option<Self> {
        let legal = hash.len() == 64 && hash.bytes().all(|b| b.is_ascii_hexdigit());
        legal.then(|| Self { digest: Digest { hash: hash.to_owned(), size_bytes: bytes.len() as i64 }, bytes })
    }
}

/// The digest of a blob.
pub(crate) fn digest(blob: &[u8]) -> Digest {
    let hash = Sha256::digest(blob).iter().map(|byte| format!("{byte:02x}")).collect();
    Digest { hash, size_bytes: blob.len() as i64 }
}

impl GrpcConnection {
    fn blobs(&self) -> ContentAddressableStorageClient<Channel> {
        ContentAddressableStorageClient::new(self.channel.clone()).max_decoding_message_size(ONE_MESSAGE * 2)
    }

    /// Reads a blob of at most `most` bytes. Errors: it is not there, or another one than its digest says.
    pub(crate) async fn read(&self, wanted: &Digest, most: usize) -> Result<Vec<u8>, Failure> {
        let blob = self.read_unchecked(wanted, most).await?;
        if digest(&blob) == *wanted {
            Ok(blob)
        } else {
            Err(Fault::wrong("the blob is another one than its hash says").into())
        }
    }

    async fn read_unchecked(&self, digest: &Digest, most: usize) -> Result<Vec<u8>, Failure> {
        let size = usize::try_from(digest.size_bytes).ok().filter(|size| *size <= most);
        let size = size.ok_or_else(|| Fault::wrong("the blob has an impossible size"))?;
        if size <= self.batch() {
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
        let mut pieces = client.read(self.request_of(message, size as u64)).await?.into_inner();
        let mut blob = Vec::new();
        while let Some(piece) = pieces.message().await? {
            blob.extend_from_slice(&piece.data);
            if blob.len() > size {
                return Err(Fault::wrong("the blob has no end").into());
            }
        }
        Ok(blob)
    }

    /// Writes blobs, as many as fit in each message.
    pub(crate) async fn write(&self, blobs: &[Blob]) -> Result<(), Failure> {
        let most = self.batch();
        let (small, large): (Vec<_>, Vec<_>) = blobs.iter().partition(|blob| blob.bytes.len() <= most);
        let mut rest = &small[..];
        while !rest.is_empty() {
            let mut size = 0;
            let fits = rest.iter().take_while(|blob| {
                size += blob.bytes.len() + AROUND;
                size <= most + AROUND
            });
            let (now, later) = rest.split_at(fits.count());
            self.write_small(now).await?;
            rest = later;
        }
        for blob in large {
            self.write_large(blob).await?;
        }
        Ok(())
    }

    async fn write_small(&self, blobs: &[&Blob]) -> Result<(), Failure> {
        let one = |blob: &&Blob| batch_update_blobs_request::Request {
            digest: Some(blob.digest.clone()),
            data: blob.bytes.to_vec(),
            ..batch_update_blobs_request::Request::default()
        };
        let message = BatchUpdateBlobsRequest {
            instance_name: self.instance.clone(),
            requests: blobs.iter().map(one).collect(),
            ..BatchUpdateBlobsRequest::default()
        };
        let reply = self.blobs().batch_update_blobs(self.request(message)).await?.into_inner();
        match reply.responses.into_iter().find_map(|r| r.status.filter(|s| s.code != 0)) {
            Some(status) => Err(Status::new(Code::from_i32(status.code), status.message).into()),
            None => Ok(()),
        }
    }

    async fn write_large(&self, blob: &Blob) -> Result<(), Failure> {
        let Digest { hash, size_bytes } = &blob.digest;
        let resource_name = self.resource(&format!("uploads/{}/blobs/{hash}/{size_bytes}", unique()));
        let bytes = blob.bytes.clone();
        // One piece after the other: the whole is often as large as the compiler's libraries.
        let pieces = (0..bytes.len()).step_by(PIECE).map(move |start| {
            let end = bytes.len().min(start + PIECE);
            WriteRequest {
                resource_name: resource_name.clone(),
                write_offset: start as i64,
                finish_write: end == bytes.len(),
                data: bytes[start..end].to_vec(),
            }
        });
        let mut client = ByteStreamClient::new(self.channel.clone());
        client.write(self.request_of(tokio_stream::iter(pieces), blob.bytes.len() as u64)).await?;
        Ok(())
    }

    /// Those of the blobs that the server does not have.
    pub(crate) async fn missing(&self, blobs: &[Blob]) -> Result<Vec<Blob>, Failure> {
        let mut missing = Vec::new();
        for some in blobs.chunks(DIGESTS) {
            let message = FindMissingBlobsRequest {
                instance_name: self.instance.clone(),
                blob_digests: some.iter().map(|blob| blob.digest.clone()).collect(),
                ..FindMissingBlobsRequest::default()
            };
            let reply = self.blobs().find_missing_blobs(self.request(message)).await?.into_inner();
            let named = |blob: &&Blob| reply.missing_blob_digests.contains(&blob.digest);
            missing.extend(some.iter().filter(named).cloned());
        }
        Ok(missing)
    }
}

/// A UUID that no other upload has: the protocol wants one.
fn unique() -> String {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |t| t.as_nanos());
    let thread = format!("{:?}", std::thread::current().id());
    let hash = digest(format!("{now} {} {thread}", std::process::id()).as_bytes()).hash;
    format!("{}-{}-4{}-8{}-{}", &hash[..8], &hash[8..12], &hash[13..16], &hash[17..20], &hash[20..32])
}
