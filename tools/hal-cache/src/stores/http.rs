//! Plain HTTP: `GET` and `PUT` of `ac/KEY` and `cas/HASH`, as bazel-remote has them; any server that keeps files will do.
use super::{
    RemoteStore, action,
    client::{HttpClient, SMALL},
};
use crate::{fault::Fault, grpc::digest};
use halyard_cache::StoreAddress;
use prost::Message;

pub(super) struct HttpStore {
    client: HttpClient,
    base: String,
}

impl HttpStore {
    pub(super) fn new(address: &StoreAddress) -> Result<Self, String> {
        let base = address.to_string();
        url::Url::parse(&base).map_err(|e| format!("the address is not legal: {e}"))?;
        Ok(Self { client: HttpClient::new(address, true)?, base })
    }
}

impl RemoteStore for HttpStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Fault> {
        let Some(result) = self.client.get(&format!("{}/ac/{key}", self.base), SMALL)? else { return Ok(None) };
        let result = action::decode(&result)?;
        let digest = action::entry_of(&result)?;
        // The blob of a result may have been removed before it.
        let Some(blob) = self.client.get(&format!("{}/cas/{}", self.base, digest.hash), digest.size_bytes as usize)?
        else {
            return Ok(None);
        };
        action::check(&blob, digest)?;
        Ok(Some(blob))
    }

    fn put(&self, key: &str, entry: &[u8]) -> Result<(), Fault> {
        let hash = digest(entry).hash;
        self.client.put(&format!("{}/cas/{hash}", self.base), entry)?;
        // Last: who finds a result finds its blob.
        self.client.put(&format!("{}/ac/{key}", self.base), &action::result(entry).encode_to_vec())
    }
}
