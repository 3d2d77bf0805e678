//! The protocol between a compiler tool and the process that talks to a shared store, `hal-cache store URL`, on its standard
//! input and output. docs/cache.md describes it.
//!
//! Each message is a line of words, of UTF-8; those with a SIZE are followed by so many bytes.
use crate::LARGEST;

/// The first word of the process, with the version.
const GREETING: &str = "halyard-store 1";
/// Lines are no longer than this, in bytes.
const LONGEST: usize = 4096;

/// The first message of the process.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoreGreeting {
    /// Whether entries may be added.
    pub writes: bool,
}

impl StoreGreeting {
    /// Its line.
    pub fn line(&self) -> String {
        format!("{GREETING} {}\n", if self.writes { "write" } else { "read" })
    }

    /// Reads a line. Errors: the process is of another version, or says why it cannot serve.
    pub fn parse(line: &str) -> Result<Self, String> {
        match line.split_once(' ') {
            Some(("refused", why)) => return Err(why.to_owned()),
            _ => match line.strip_prefix(GREETING).map(str::trim) {
                Some("write") => return Ok(Self { writes: true }),
                Some("read") => return Ok(Self { writes: false }),
                _ => {}
            },
        }
        Err(format!("`hal-cache` is of another version: it says `{line}` in place of `{GREETING} …`"))
    }
}

/// A message to the process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StoreRequest<'a> {
    /// Asks for an entry: `get KEY`.
    Get(&'a str),
    /// Adds an entry: `put KEY SIZE`.
    Put(&'a str, &'a [u8]),
}

impl StoreRequest<'_> {
    /// The key.
    pub fn key(&self) -> &str {
        match self {
            Self::Get(key) | Self::Put(key, _) => key,
        }
    }

    /// Appends its bytes.
    pub fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Get(key) => to.extend(format!("get {key}\n").into_bytes()),
            Self::Put(key, entry) => {
                to.extend(format!("put {key} {}\n", entry.len()).into_bytes());
                to.extend_from_slice(entry);
            }
        }
    }

    /// Reads the first message, and how many bytes it takes; `None`: it is not whole. Errors: it is none.
    pub fn parse(bytes: &[u8]) -> Result<Option<(StoreRequest<'_>, usize)>, String> {
        let Some((words, end)) = words(bytes)? else { return Ok(None) };
        match words[..] {
            ["get", key] if is_key(key) => Ok(Some((StoreRequest::Get(key), end))),
            ["put", key, size] if is_key(key) => {
                let (body, end) = match body(bytes, end, size)? {
                    Some(found) => found,
                    None => return Ok(None),
                };
                Ok(Some((StoreRequest::Put(key, body), end)))
            }
            _ => Err(format!("`{}` is no request", words.join(" "))),
        }
    }
}

/// What a request came to. Replies come in any order, one for each request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StoreReply<'a> {
    /// An entry: `hit KEY SIZE`.
    Hit(&'a str, &'a [u8]),
    /// There is none: `miss KEY`.
    Miss(&'a str),
    /// The entry was added: `kept KEY`.
    Kept(&'a str),
    /// It is not known whether there is one, or it was not added: `failed KEY WHY`.
    Failed(&'a str, String),
}

impl StoreReply<'_> {
    /// Appends its bytes.
    pub fn write(&self, to: &mut Vec<u8>) {
        match self {
            Self::Hit(key, entry) => {
                to.extend(format!("hit {key} {}\n", entry.len()).into_bytes());
                to.extend_from_slice(entry);
            }
            Self::Miss(key) => to.extend(format!("miss {key}\n").into_bytes()),
            Self::Kept(key) => to.extend(format!("kept {key}\n").into_bytes()),
            Self::Failed(key, why) => {
                let why: String = why.chars().map(|c| if c.is_control() { ' ' } else { c }).take(600).collect();
                to.extend(format!("failed {key} {}\n", why.trim()).into_bytes());
            }
        }
    }

    /// Reads the first message, and how many bytes it takes; `None`: it is not whole. Errors: it is none.
    pub fn parse(bytes: &[u8]) -> Result<Option<(StoreReply<'_>, usize)>, String> {
        let Some((words, end)) = words(bytes)? else { return Ok(None) };
        let reply = match words[..] {
            ["miss", key] if is_key(key) => StoreReply::Miss(key),
            ["kept", key] if is_key(key) => StoreReply::Kept(key),
            ["failed", key, ..] if is_key(key) => StoreReply::Failed(key, words[2..].join(" ")),
            ["hit", key, size] if is_key(key) => {
                return Ok(body(bytes, end, size)?.map(|(body, end)| (StoreReply::Hit(key, body), end)));
            }
            _ => return Err(format!("`{}` is no reply", words.join(" "))),
        };
        Ok(Some((reply, end)))
    }
}

/// Whether a word is the hash of a key: nothing else becomes a part of a path.
fn is_key(word: &str) -> bool {
    word.len() == 64 && word.bytes().all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

/// The words of the first line, and where it ends.
fn words(bytes: &[u8]) -> Result<Option<(Vec<&str>, usize)>, String> {
    match bytes.iter().take(LONGEST).position(|&b| b == b'\n') {
        Some(end) => {
            let line = std::str::from_utf8(&bytes[..end]).map_err(|_| "a line is no text".to_owned())?;
            Ok(Some((line.split(' ').collect(), end + 1)))
        }
        None if bytes.len() >= LONGEST => Err("a line is too long".into()),
        None => Ok(None),
    }
}

/// The bytes after a line, and where they end; `None`: not all of them are there.
fn body<'a>(bytes: &'a [u8], start: usize, size: &str) -> Result<Option<(&'a [u8], usize)>, String> {
    let size = size.parse().ok().filter(|size: &usize| *size <= LARGEST).ok_or(format!("`{size}` is no size"))?;
    Ok(bytes.get(start..start + size).map(|body| (body, start + size)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_written() {
        let key = &"0f".repeat(32);
        let mut bytes = Vec::new();
        let requests = [StoreRequest::Get(key), StoreRequest::Put(key, b"a\nb"), StoreRequest::Put(key, b"")];
        requests.iter().for_each(|request| request.write(&mut bytes));
        let mut rest = &bytes[..];
        for request in requests {
            let (read, end) = StoreRequest::parse(rest).unwrap().unwrap();
            assert_eq!(read, request);
            assert!((0..end).all(|cut| StoreRequest::parse(&rest[..cut]) == Ok(None)));
            rest = &rest[end..];
        }
        let replies = [
            StoreReply::Hit(key, b"\n"),
            StoreReply::Miss(key),
            StoreReply::Kept(key),
            StoreReply::Failed(key, "no route to host".into()),
        ];
        let mut bytes = Vec::new();
        replies.iter().for_each(|reply| reply.write(&mut bytes));
        let mut rest = &bytes[..];
        for reply in replies {
            let (read, end) = StoreReply::parse(rest).unwrap().unwrap();
            assert_eq!(read, reply);
            rest = &rest[end..];
        }
    }

    #[test]
    fn other_messages_are_refused() {
        for text in ["get ../../etc\n", "put 0 1\n", "\n", "hello\n", &"x".repeat(LONGEST)] {
            assert!(StoreRequest::parse(text.as_bytes()).is_err(), "{text}");
            assert!(StoreReply::parse(text.as_bytes()).is_err(), "{text}");
        }
        let huge = format!("hit {} 99999999999\n", "0".repeat(64));
        assert!(StoreReply::parse(huge.as_bytes()).is_err());
        let mut bytes = Vec::new();
        StoreReply::Failed(&"0".repeat(64), "a\nkept x".into()).write(&mut bytes);
        assert_eq!(bytes.iter().filter(|b| **b == b'\n').count(), 1);
        assert!(StoreGreeting::parse("halyard-store 2 write").is_err());
        assert_eq!(StoreGreeting::parse("refused no bucket"), Err("no bucket".into()));
        for writes in [true, false] {
            let greeting = StoreGreeting { writes };
            assert_eq!(StoreGreeting::parse(greeting.line().trim_end()), Ok(greeting));
        }
    }
}
