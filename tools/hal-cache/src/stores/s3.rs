//! S3, of Amazon or of others: an object for each entry, `PREFIX/KE/KEY`.
use super::{RemoteStore, client::HttpClient};
use crate::{credentials::variable, fault::Fault};
use halyard_cache::{LARGEST, StoreAddress};
use rusty_s3::{Bucket, Credentials, S3Action, UrlStyle};
use std::time::Duration;

/// How long a signature is good; it is used at once.
const SIGNED: Duration = Duration::from_secs(300);

pub(super) struct S3Store {
    client: HttpClient,
    bucket: Bucket,
    /// `None`: the bucket is read by anybody.
    credentials: Option<Credentials>,
    prefix: String,
}

impl S3Store {
    /// Region, endpoint and credentials are those that Amazon's tools take from the environment.
    pub(super) fn new(address: &StoreAddress) -> Result<Self, String> {
        let (name, prefix) = address.rest().split_once('/').unwrap_or((address.rest(), ""));
        let region = variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")).unwrap_or("us-east-1".into());
        let given = variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL"));
        let amazon = format!("https://s3.{region}.amazonaws.com");
        let endpoint = given.as_deref().unwrap_or(&amazon);
        let endpoint = url::Url::parse(endpoint).map_err(|e| format!("`AWS_ENDPOINT_URL` is no address: {e}"))?;
        let credentials = Credentials::from_env();
        if credentials.is_none() && !address.reads_only {
            return Err("`AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY` are not set; without them a store is only read, with `?mode=read`".into());
        }
        let bucket = Bucket::new(endpoint, UrlStyle::Path, name.to_owned(), region).map_err(|e| e.to_string())?;
        let prefix = if prefix.is_empty() { String::new() } else { format!("{prefix}/") };
        Ok(Self { client: HttpClient::new(address, false)?, bucket, credentials, prefix })
    }

    fn object(&self, key: &str) -> String {
        format!("{}{}/{key}", self.prefix, &key[..2])
    }
}

impl RemoteStore for S3Store {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Fault> {
        let object = self.object(key);
        let url = self.bucket.get_object(self.credentials.as_ref(), &object).sign(SIGNED);
        self.client.get(url.as_str(), LARGEST)
    }

    fn put(&self, key: &str, entry: &[u8]) -> Result<(), Fault> {
        let object = self.object(key);
        let url = self.bucket.put_object(self.credentials.as_ref(), &object).sign(SIGNED);
        self.client.put(url.as_str(), entry)
    }
}
