//! Requests and replies on standard streams, or in files.
//!
//! A request is the line `halyard-jobs 1 BUILD NONCE LENGTH HASH`, then so many bytes: what all items share and a list of
//! items, as postcard writes them. A reply is a line on its own, `halyard-reply NONCE STATUS LENGTH HASH MICROSECONDS HOST`,
//! then so many bytes, then `halyard-end NONCE` on a line of its own. STATUS is `done`, with a list of replies, or
//! `refused`, with a reason. HASH is blake3 in hex; NONCE is the hash of the request, so a reply to another request is none.
//! What stands before and after a reply is ignored: launchers print banners.
use serde::Serialize;
use std::{
    io::{self, BufRead, Read},
    time::Duration,
};

/// The version of this format. Programs of different builds read each other's first lines, and nothing else.
const FORMAT: &str = "halyard-jobs 1";
const REPLY: &[u8] = b"\nhalyard-reply ";
/// A first line is shorter than this.
const LINE: u64 = 1000;
/// A request or reply that is longer is no such thing.
const MOST: usize = 1 << 32;

/// A request, ready to be sent.
pub(super) struct Request {
    bytes: Vec<u8>,
    nonce: String,
}

/// A reply that arrived whole.
#[derive(Debug, PartialEq)]
pub(super) struct Reply {
    pub(super) refused: bool,
    pub(super) host: String,
    pub(super) work: Duration,
    pub(super) body: Vec<u8>,
}

#[derive(Serialize)]
struct Body<'a>(&'a [u8], &'a [&'a [u8]]);

impl Request {
    /// Writes a request for the program `build`.
    pub(super) fn new(build: &str, common: &[u8], items: &[&[u8]]) -> Self {
        let body = postcard::to_stdvec(&Body(common, items)).expect("bytes are plain data");
        let hash = blake3::hash(&body).to_hex();
        let nonce = hash[..16].to_owned();
        let mut bytes = format!("{FORMAT} {build} {nonce} {} {hash}\n", body.len()).into_bytes();
        bytes.extend_from_slice(&body);
        Self { bytes, nonce }
    }

    /// Returns what the worker reads.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Finds the reply in what the launcher wrote. Errors: why there is none.
    pub(super) fn answer(&self, stdout: &[u8]) -> Result<Reply, &'static str> {
        let mut why = if stdout.is_empty() { "no reply arrived" } else { "what arrived is no reply" };
        let mut from = 0;
        while let Some(at) = find(&stdout[from..], REPLY) {
            from += at + 1;
            match self.at(&stdout[from..]) {
                Ok(reply) => return Ok(reply),
                Err(reason) => why = reason,
            }
        }
        Err(why)
    }

    fn at(&self, text: &[u8]) -> Result<Reply, &'static str> {
        const CUT: &str = "the reply is cut off";
        const BROKEN: &str = "the reply is damaged";
        let end = text.iter().position(|&b| b == b'\n').ok_or(CUT)?;
        let line = std::str::from_utf8(&text[..end]).map_err(|_| BROKEN)?;
        let words: Vec<&str> = line.splitn(7, ' ').collect();
        let [_, nonce, status, length, hash, micros, host] = words[..] else { return Err(BROKEN) };
        if nonce != self.nonce {
            return Err("the reply belongs to another job");
        }
        let length: usize = length.parse().ok().filter(|&l| l <= MOST).ok_or(BROKEN)?;
        let rest = &text[end + 1..];
        let body = rest.get(..length).ok_or(CUT)?;
        let mark = format!("\nhalyard-end {}\n", self.nonce);
        if blake3::hash(body).to_hex().as_str() != hash {
            return Err(BROKEN);
        }
        match rest.get(length..length + mark.len()) {
            Some(end) if end == mark.as_bytes() => {}
            Some(_) => return Err(BROKEN),
            None => return Err(CUT),
        }
        let work = Duration::from_micros(micros.parse().map_err(|_| BROKEN)?);
        Ok(Reply { refused: status == "refused", host: host.to_owned(), work, body: body.to_vec() })
    }
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    // The first reply mostly stands at the very beginning.
    text.windows(what.len()).position(|w| w == what)
}

/// A request as its worker reads it.
#[derive(Debug)]
pub(super) struct Asked {
    /// The build that it is for.
    pub(super) build: String,
    nonce: String,
    body: Vec<u8>,
}

impl Asked {
    /// Reads a request. Errors: it is cut off, damaged or none.
    pub(super) fn read(from: &mut impl BufRead) -> io::Result<Self> {
        let bad = |why: &str| io::Error::new(io::ErrorKind::InvalidData, why);
        let mut line = Vec::new();
        from.take(LINE).read_until(b'\n', &mut line)?;
        let text = std::str::from_utf8(&line).map_err(|_| bad("this is no request"))?;
        let rest = text.strip_prefix(FORMAT).ok_or_else(|| bad("this is no request"))?;
        let words: Vec<&str> = rest.split_whitespace().collect();
        let [build, nonce, length, hash] = words[..] else { return Err(bad("the first line of the request is wrong")) };
        let length: usize =
            length.parse().ok().filter(|&l| l <= MOST).ok_or_else(|| bad("the request has no length"))?;
        let mut body = Vec::new();
        from.take(length as u64).read_to_end(&mut body)?;
        if body.len() != length {
            return Err(bad(&format!("the request is cut off: {} bytes of {length}", body.len())));
        }
        if blake3::hash(&body).to_hex().as_str() != hash {
            return Err(bad("the request is damaged"));
        }
        Ok(Self { build: build.to_owned(), nonce: nonce.to_owned(), body })
    }

    /// What all items share, and the items.
    pub(super) fn parts(&self) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
        postcard::from_bytes(&self.body).ok()
    }

    /// The bytes of the reply.
    pub(super) fn reply(&self, status: &str, body: &[u8], work: Duration, host: &str) -> Vec<u8> {
        let (nonce, hash) = (&self.nonce, blake3::hash(body).to_hex());
        let mut bytes = REPLY.to_vec();
        bytes.extend(format!("{nonce} {status} {} {hash} {} {host}\n", body.len(), work.as_micros()).into_bytes());
        bytes.extend_from_slice(body);
        bytes.extend(format!("\nhalyard-end {nonce}\n").into_bytes());
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn exchange() -> (Request, Vec<u8>) {
        let request = Request::new("b1", b"all", &[b"one", b"two"]);
        let asked = Asked::read(&mut request.bytes()).unwrap();
        assert_eq!((asked.build.as_str(), asked.parts().unwrap().1.len()), ("b1", 2));
        let reply = asked.reply("done", b"\nhalyard-reply x\n", Duration::from_micros(7), "node 1");
        (request, reply)
    }

    #[test]
    fn replies_are_found_between_banners() {
        let (request, reply) = exchange();
        for (before, after) in [("", ""), ("Welcome!\n", "bye\n"), ("\nhalyard-reply 0 done 3 x 0 y\nabc", "x")] {
            let all = [before.as_bytes(), &reply, after.as_bytes()].concat();
            let found = request.answer(&all).unwrap();
            assert_eq!((found.body.as_slice(), found.host.as_str()), (&b"\nhalyard-reply x\n"[..], "node 1"));
        }
    }

    #[test]
    fn any_cut_and_any_changed_byte_is_found() {
        let (request, reply) = exchange();
        for cut in 0..reply.len() {
            assert!(request.answer(&reply[..cut]).is_err(), "{cut}");
        }
        let good = request.answer(&reply).unwrap();
        for i in 0..reply.len() {
            let mut bad = reply.clone();
            bad[i] ^= 1;
            // The time and the name of the machine are not hashed: they reach reports only.
            let same = request.answer(&bad).is_ok_and(|r| r.body == good.body && !r.refused);
            assert!(request.answer(&bad).is_err() || same, "{i}");
        }
    }

    #[test]
    fn requests_arrive_whole_or_not_at_all() {
        let request = Request::new("b1", b"all", &[b"one"]);
        for cut in 0..request.bytes().len() {
            assert!(Asked::read(&mut &request.bytes()[..cut]).is_err(), "{cut}");
        }
        let other = Request::new("b1", b"all", &[b"two"]);
        let asked = Asked::read(&mut other.bytes()).unwrap();
        let reply = asked.reply("done", b"", Duration::ZERO, "n");
        assert_eq!(request.answer(&reply).unwrap_err(), "the reply belongs to another job");
    }
}
