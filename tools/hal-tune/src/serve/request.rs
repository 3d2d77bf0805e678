//! What a client may ask.
use serde_json::{Map, Value};

/// A request that is well-formed.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Request {
    List,
    Describe { executable: String },
    Try { executable: String, candidates: Vec<Value> },
    Search { executable: String, candidates: usize },
    Commit { executables: Option<Vec<String>> },
    End,
}

/// The requests, with their keys beside `request`, `id` and `version`.
const REQUESTS: [(&str, &[&str]); 6] = [
    ("list", &[]),
    ("describe", &["executable"]),
    ("try", &["executable", "candidates"]),
    ("search", &["executable", "candidates"]),
    ("commit", &["executables"]),
    ("end", &[]),
];

/// As many candidates are taken from one request.
const MOST: usize = 256;

impl Request {
    /// Reads a request. Errors: what is wrong with it.
    pub(super) fn read(object: &Map<String, Value>) -> Result<Self, String> {
        let name = object.get("request").and_then(Value::as_str).ok_or("it has no `request`, a string")?;
        let known = || REQUESTS.map(|(name, _)| format!("`{name}`")).join(", ");
        let (_, keys) = REQUESTS
            .into_iter()
            .find(|(n, _)| *n == name)
            .ok_or_else(|| format!("`{name}` is no request; there are {}", known()))?;
        if let Some(version) = object.get("version").filter(|v| v.as_u64() != Some(crate::assignment::VERSION)) {
            return Err(format!("it is of version {version}, and this is version {}", crate::assignment::VERSION));
        }
        let common = ["request", "id", "version"];
        if let Some(other) = object.keys().find(|k| !common.contains(&&***k) && !keys.contains(&&***k)) {
            let all: Vec<String> = keys.iter().chain(&common).map(|k| format!("`{k}`")).collect();
            return Err(format!("`{name}` has no `{other}`; it has {}", all.join(", ")));
        }
        let executable = || {
            let named = object.get("executable").and_then(Value::as_str).map(str::to_owned);
            named.ok_or_else(|| format!("`{name}` needs `executable`, a name"))
        };
        Ok(match name {
            "list" => Self::List,
            "describe" => Self::Describe { executable: executable()? },
            "try" => {
                let list =
                    object.get("candidates").and_then(Value::as_array).ok_or("it has no list of `candidates`")?;
                if list.is_empty() || list.len() > MOST {
                    return Err(format!("it has {} candidates; there may be 1 to {MOST}", list.len()));
                }
                Self::Try { executable: executable()?, candidates: list.clone() }
            }
            "search" => {
                let count = object.get("candidates").and_then(Value::as_u64).and_then(|n| usize::try_from(n).ok());
                let count = count.ok_or("it does not say how many `candidates`, a number")?;
                Self::Search { executable: executable()?, candidates: count }
            }
            "commit" => {
                let names = |list: &Value| {
                    let list = list.as_array()?.iter().map(|n| n.as_str().map(str::to_owned));
                    list.collect::<Option<Vec<String>>>()
                };
                let executables = match object.get("executables") {
                    None => None,
                    Some(list) => Some(names(list).ok_or("`executables` is no list of names")?),
                };
                Self::Commit { executables }
            }
            _ => Self::End,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(value: Value) -> Result<Request, String> {
        Request::read(value.as_object().unwrap())
    }

    #[test]
    fn requests_are_read() {
        assert_eq!(read(json!({"request": "list", "id": 7})), Ok(Request::List));
        assert_eq!(read(json!({"request": "commit"})), Ok(Request::Commit { executables: None }));
        let search = Request::Search { executable: "e".into(), candidates: 3 };
        assert_eq!(read(json!({"version": 1, "request": "search", "executable": "e", "candidates": 3})), Ok(search));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (value, why) in [
            (json!({}), "it has no `request`, a string"),
            (
                json!({"request": "lst"}),
                "`lst` is no request; there are `list`, `describe`, `try`, `search`, `commit`, `end`",
            ),
            (json!({"request": "list", "version": 2}), "it is of version 2, and this is version 1"),
            (json!({"request": "end", "now": true}), "`end` has no `now`; it has `request`, `id`, `version`"),
            (json!({"request": "describe"}), "`describe` needs `executable`, a name"),
            (json!({"request": "try", "executable": "e"}), "it has no list of `candidates`"),
            (
                json!({"request": "try", "executable": "e", "candidates": []}),
                "it has 0 candidates; there may be 1 to 256",
            ),
            (
                json!({"request": "search", "executable": "e", "candidates": -1}),
                "it does not say how many `candidates`, a number",
            ),
            (json!({"request": "commit", "executables": "e"}), "`executables` is no list of names"),
        ] {
            assert_eq!(read(value).unwrap_err(), why);
        }
    }
}
