//! The clients of shared stores, a file for each kind. They carry bytes; what compiles decides whether an entry is sound.
mod action;
mod client;
mod folder;
mod grpc;
mod http;
mod s3;

use crate::fault::Fault;
use halyard_cache::StoreAddress;

/// A store that others use, too. Its methods run in several threads at once.
pub(crate) trait RemoteStore: Send + Sync {
    /// The entry of a key of 64 hex digits; `None`: there is none. Errors: it is not known whether there is one.
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Fault>;

    /// Adds an entry. Errors: it may not be there.
    fn put(&self, key: &str, entry: &[u8]) -> Result<(), Fault>;
}

/// Makes the client of a store; sends nothing yet. Errors: credentials are missing, the address is not legal for its kind.
pub(crate) fn open(address: &StoreAddress) -> Result<Box<dyn RemoteStore>, String> {
    Ok(match address.scheme() {
        "file" => Box::new(folder::FolderStore::new(address)),
        "s3" => Box::new(s3::S3Store::new(address)?),
        "grpc" | "grpcs" => Box::new(grpc::GrpcStore::new(address)?),
        _ => Box::new(http::HttpStore::new(address)?),
    })
}
