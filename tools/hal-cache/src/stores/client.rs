//! HTTP requests with bounds: on their time, on the size of answers, on where they lead.
use crate::{credentials::credentials, fault::Fault, tls};
use halyard_cache::StoreAddress;
use std::{sync::Arc, time::Duration};
use ureq::{
    Agent, Body,
    http::{HeaderName, HeaderValue, Response},
    tls::{Certificate, RootCerts, TlsConfig},
};

/// At once, for each store.
pub(crate) const CONNECTIONS: usize = 16;
/// Longer ones are no entries of ours: bytes of an `ActionResult`.
pub(super) const SMALL: usize = 64 << 10;

/// What sends requests.
pub(super) struct HttpClient {
    agent: Agent,
    timeout: Duration,
    /// Sent with each request; never in messages.
    headers: Vec<(HeaderName, HeaderValue)>,
}

impl HttpClient {
    /// With the headers that the environment asks for. Errors: one of them is not legal.
    pub(super) fn new(address: &StoreAddress, with_headers: bool) -> Result<Self, String> {
        let config = Agent::config_builder()
            .timeout_global(Some(address.timeout))
            // Credentials are for this host alone.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("halyard/", env!("CARGO_PKG_VERSION")))
            .max_response_header_size(SMALL)
            .max_idle_connections(CONNECTIONS)
            .max_idle_connections_per_host(CONNECTIONS);
        let config = match (tls::roots(), address.scheme()) {
            (_, "http") => config,
            // It may be an endpoint without TLS.
            (Err(_), "s3") => config,
            (roots, _) => {
                let roots = roots?.into_iter().map(|c| Certificate::from_der(&c).to_owned()).collect();
                config.tls_config(TlsConfig::builder().root_certs(RootCerts::Specific(Arc::new(roots))).build())
            }
        };
        let headers = if with_headers { headers()? } else { Vec::new() };
        Ok(Self { agent: config.build().into(), timeout: address.timeout, headers })
    }

    /// The body of an answer, of at most `most` bytes; `None`: there is none at this place.
    pub(super) fn get(&self, url: &str, most: usize) -> Result<Option<Vec<u8>>, Fault> {
        let mut request = self.agent.get(url);
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut answer = request.call().map_err(|e| self.words(e))?;
        match answer.status().as_u16() {
            200 => {}
            404 | 410 => return Ok(None),
            _ => return Err(refusal(&answer).into()),
        }
        let length = answer.body().content_length();
        if length.is_some_and(|n| n > most as u64) {
            let length = length.unwrap_or_default();
            return Err(Fault::wrong(format!("the answer has {length} bytes, and not {most} at most")));
        }
        // The limit is a bound that may not be reached.
        let body = answer.body_mut().with_config().limit(most as u64 + 1).read_to_vec().map_err(|e| self.words(e))?;
        if body.len() > most {
            return Err(Fault::wrong(format!("the answer has more than {most} bytes")));
        }
        Ok(Some(body))
    }

    pub(super) fn put(&self, url: &str, body: &[u8]) -> Result<(), Fault> {
        let mut request = self.agent.put(url).header("content-type", "application/octet-stream");
        for (name, value) in &self.headers {
            request = request.header(name, value);
        }
        let mut answer = request.send(body).map_err(|e| self.words(e))?;
        if !answer.status().is_success() {
            return Err(refusal(&answer).into());
        }
        // Read to its end, so that the connection is of further use.
        let _ = answer.body_mut().with_config().limit(SMALL as u64).read_to_vec();
        Ok(())
    }

    /// Says what failed, without the address: one of S3 has a signature in it.
    fn words(&self, error: ureq::Error) -> String {
        if let Some(why) = tls::in_chain(&error) {
            return why;
        }
        match error {
            ureq::Error::Timeout(_) => format!("no answer within {} s", self.timeout.as_secs_f64()),
            ureq::Error::BadUri(_) => "the address is not legal".into(),
            ureq::Error::HostNotFound => "the host is not known".into(),
            ureq::Error::BodyExceedsLimit(most) => format!("the answer has more than {most} bytes"),
            ureq::Error::Io(e) => format!("the connection failed: {e}"),
            ureq::Error::ConnectionFailed => "the connection failed".into(),
            other => other.to_string(),
        }
    }
}

fn refusal(answer: &Response<Body>) -> String {
    let status = answer.status();
    let why = match status.as_u16() {
        401 | 403 => ": are the credentials in the environment right?",
        300..=399 => ": redirections are not followed",
        405 => ": is it read-only? `?mode=read` adds nothing to it",
        413 | 507 => ": the store is full, or the entry too large for it",
        _ => "",
    };
    format!("the answer is HTTP {status}{why}")
}

/// `HALYARD_CACHE_TOKEN`; `HALYARD_CACHE_USER` and `HALYARD_CACHE_PASSWORD`; `HALYARD_CACHE_HEADER`, as `name: value`.
fn headers() -> Result<Vec<(HeaderName, HeaderValue)>, String> {
    credentials()?
        .into_iter()
        .map(|(name, value)| {
            let mut value =
                HeaderValue::from_str(&value).map_err(|_| format!("the value of header `{name}` is not legal"))?;
            value.set_sensitive(true);
            let name =
                HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("`{name}` is no name of a header"))?;
            Ok((name, value))
        })
        .collect()
}
