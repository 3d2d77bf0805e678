//! Which certificates are trusted, and why one is not.
use rustls_native_certs::load_native_certs;
use std::{error::Error, io};

/// Variables that name other certificates than the system's.
const VARIABLES: [&str; 2] = ["SSL_CERT_FILE", "SSL_CERT_DIR"];

/// The roots of trust of this machine, or those that `SSL_CERT_FILE` and `SSL_CERT_DIR` name, as DER. Errors: there are none.
pub(crate) fn roots() -> Result<Vec<Vec<u8>>, String> {
    let found = load_native_certs();
    if !found.certs.is_empty() {
        return Ok(found.certs.iter().map(|c| c.to_vec()).collect());
    }
    let why = found.errors.first().map(|e| format!(": {e}")).unwrap_or_default();
    Err(match VARIABLES.into_iter().find_map(|name| Some((name, std::env::var(name).ok()?))) {
        Some((name, path)) => format!("`{name}` names `{path}`, which has no certificates{why}"),
        None => format!(
            "this machine has no certificates{why}: install the package `ca-certificates`, or name a file by `SSL_CERT_FILE`"
        ),
    })
}

/// What TLS has against a connection, in words, if that is why it failed.
pub(crate) fn in_chain(error: &(dyn Error + 'static)) -> Option<String> {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(why) = words(&error.to_string()) {
            return Some(why);
        }
        // An error that wraps another one may have the source of that, and not it.
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        next = inner.map(|e| e as &(dyn Error + 'static)).or_else(|| error.source());
    }
    None
}

/// Explains what rustls says.
fn words(text: &str) -> Option<String> {
    if let Some((_, why)) = text.split_once("invalid peer certificate: ") {
        let hint = if why.contains("UnknownIssuer") {
            "its certificate is of an authority that is not known here: `SSL_CERT_FILE=FILE` names the authority's certificate"
                .to_owned()
        } else if why.contains("not valid for name") || why.contains("NotValidForName") {
            let names = why.split_once("valid for ").map_or(why, |(_, names)| names);
            format!("its certificate is for another host: use the name that it is for in the URL ({names})")
        } else if why.contains("expired") || why.contains("Expired") {
            "its certificate has expired".to_owned()
        } else {
            format!("its certificate is not valid: {why}")
        };
        return Some(format!("the server is not trusted: {hint}"));
    }
    // What a server without TLS answers is no record of TLS.
    if text.contains("InvalidContentType") || text.contains("corrupt message") {
        return Some("the server does not speak TLS: use `grpc://` or `http://`".into());
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_are_found_in_chains() {
        let of = |text: &str| in_chain(&io::Error::other(io::Error::other(text.to_owned())));
        assert!(of("invalid peer certificate: UnknownIssuer").unwrap().contains("`SSL_CERT_FILE=FILE`"));
        let other =
            of("invalid peer certificate: certificate not valid for name \"a\"; certificate is only valid for b");
        assert!(other.unwrap().contains("another host"));
        assert!(of("invalid peer certificate: Expired").unwrap().ends_with("has expired"));
        assert_eq!(of("connection refused"), None);
    }
}
