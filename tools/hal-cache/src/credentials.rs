//! Credentials for servers, read from environment variables only.
use base64::{Engine, engine::general_purpose::STANDARD};

/// The value of an environment variable that is not empty.
pub(crate) fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|text| !text.is_empty())
}

/// The names and values of headers that the environment asks for. Errors: they contradict each other.
pub(crate) fn credentials() -> Result<Vec<(String, String)>, String> {
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
