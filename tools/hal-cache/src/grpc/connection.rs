//! A connection to a server, as its address and the environment describe it.
use crate::{credentials::credentials, tls};
use halyard_cache::StoreAddress;
use std::{
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};
use tonic::{
    IntoRequest, Request,
    metadata::{Ascii, MetadataKey, MetadataValue},
    transport::{Channel, ClientTlsConfig, Endpoint},
};

/// A server whose computer is gone is noticed after some of these, when nothing else is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(30);
/// Messages are shorter than this, in bytes: servers refuse those above 4 MiB.
pub(crate) const ONE_MESSAGE: usize = 3 << 20;
/// What a message spends on a blob beside its bytes, and on itself.
pub(super) const AROUND: usize = 200;
/// The least speed of large blobs, in bytes a second: they get more time than other requests.
const SLOWEST: u64 = 1 << 20;

/// A connection to a server; the first request opens it.
pub(crate) struct GrpcConnection {
    pub(crate) channel: Channel,
    endpoint: Endpoint,
    /// The blobs of one message have so many bytes at most.
    batch: AtomicUsize,
    /// The part of the server; empty for that which has no name.
    pub(crate) instance: String,
    timeout: Duration,
    headers: Vec<(MetadataKey<Ascii>, MetadataValue<Ascii>)>,
}

impl GrpcConnection {
    /// With at most so many requests at once. It must be called inside a runtime of tokio. Errors: the address, a credential or
    /// the file of certificates is not legal.
    pub(crate) fn new(address: &StoreAddress, most: usize) -> Result<Self, String> {
        let (host, instance) = address.rest().split_once('/').unwrap_or((address.rest(), ""));
        let secure = address.scheme() == "grpcs";
        let scheme = if secure { "https" } else { "http" };
        let legal = |e: &dyn std::fmt::Display| format!("the address is not legal: {e}");
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{host}"))
            .map_err(|e| legal(&e))?
            .connect_timeout(address.timeout)
            .tcp_keepalive(Some(KEEP_ALIVE));
        if secure {
            tls::roots()?;
            endpoint = endpoint.tls_config(ClientTlsConfig::new().with_native_roots()).map_err(|e| legal(&e))?;
        }
        // What waits for its turn here has not started, and its time neither.
        let channel = endpoint.clone().concurrency_limit(most).connect_lazy();
        let (instance, batch) = (instance.to_owned(), AtomicUsize::new(ONE_MESSAGE));
        Ok(Self { channel, endpoint, batch, instance, timeout: address.timeout, headers: headers()? })
    }

    /// A channel of its own, without a limit on requests at once.
    pub(crate) fn another(&self) -> Channel {
        self.endpoint.connect_lazy()
    }

    /// Bounds the blobs of one message by what the server announces; 0: nothing.
    pub(crate) fn bound_batches(&self, most: i64) {
        if let Some(most) = usize::try_from(most).ok().filter(|most| *most > 0) {
            self.batch.store(most.saturating_sub(AROUND).min(ONE_MESSAGE), Ordering::Relaxed);
        }
    }

    pub(super) fn batch(&self) -> usize {
        self.batch.load(Ordering::Relaxed)
    }

    /// A message with credentials and a limit on time.
    pub(crate) fn request<T>(&self, message: impl IntoRequest<T>) -> Request<T> {
        self.request_of(message, 0)
    }

    /// The same for one that carries so many bytes.
    pub(crate) fn request_of<T>(&self, message: impl IntoRequest<T>, bytes: u64) -> Request<T> {
        let mut request = self.request_without_end(message);
        request.set_timeout(self.timeout + Duration::from_secs(bytes / SLOWEST));
        request
    }

    /// A message with credentials, whose answer may take any time.
    pub(crate) fn request_without_end<T>(&self, message: impl IntoRequest<T>) -> Request<T> {
        let mut request = message.into_request();
        for (name, value) in &self.headers {
            request.metadata_mut().insert(name.clone(), value.clone());
        }
        request
    }

    /// The name of a blob for `ByteStream`, after the instance.
    pub(crate) fn resource(&self, name: &str) -> String {
        if self.instance.is_empty() { name.to_owned() } else { format!("{}/{name}", self.instance) }
    }
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
