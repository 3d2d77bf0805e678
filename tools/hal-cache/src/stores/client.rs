//! HTTP requests with bounds: on their time, on the size of answers, on where they lead.
use super::{Fault, variable};
use base64::{Engine, engine::general_purpose::STANDARD};
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
        let config = match roots().filter(|_| address.scheme() != "http") {
            Some(roots) => config.tls_config(TlsConfig::builder().root_certs(roots).build()),
            None => config,
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

/// The roots of trust of this machine, or those of the file that `SSL_CERT_FILE` names; `None`: none are known.
fn roots() -> Option<RootCerts> {
    let found = rustls_native_certs::load_native_certs().certs;
    let certificates: Vec<Certificate<'static>> = found.iter().map(|c| Certificate::from_der(c).to_owned()).collect();
    (!certificates.is_empty()).then(|| RootCerts::Specific(Arc::new(certificates)))
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

/// The names and values of headers that the environment asks for. Errors: they contradict each other.
pub(super) fn credentials() -> Result<Vec<(String, String)>, String> {
    let mut found = Vec::new();
    match (variable("HALYARD_CACHE_TOKEN"), variable("HALYARD_CACHE_USER"), variable("HALYARD_CACHE_PASSWORD")) {
        (None, None, None) => {}
        (Some(token), None, None) => found.push(("authorization".to_owned(), format!("Bearer {token}"))),
        (None, Some(user), password) => {
            let both = format!("{user}:{}", password.unwrap_or_default());
            found.push(("authorization".to_owned(), format!("Basic {}", STANDARD.encode(both))));
        }
        (Some(_), ..) => {
            return Err("`HALYARD_CACHE_TOKEN` goes without `HALYARD_CACHE_USER` and `HALYARD_CACHE_PASSWORD`".into());
        }
        (None, None, Some(_)) => return Err("`HALYARD_CACHE_PASSWORD` goes with `HALYARD_CACHE_USER`".into()),
    }
    if let Some(header) = variable("HALYARD_CACHE_HEADER") {
        let (name, value) = header.split_once(':').ok_or("`HALYARD_CACHE_HEADER` is not `name: value`")?;
        found.push((name.trim().to_lowercase(), value.trim().to_owned()));
    }
    Ok(found)
}
