//! What a compiler tool and `hal-cache execute`, the process that talks to an execution server, say to each other on its
//! standard input and output. Each message is its length, four bytes with the lowest first, and what postcard makes of it.
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::{
    io::{self, ErrorKind, Read, Write},
    path::PathBuf,
    time::Duration,
};

/// Changes with the messages.
const VERSION: u32 = 1;
/// A longer message is none.
const MOST: u32 = 1 << 30;

/// How jobs are executed: the first message to the process.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutorSetup {
    /// The version of the messages.
    pub version: u32,
    /// The words of the command. It reads [`ExecutorSetup::JOB`] in its folder and writes [`ExecutorSetup::REPLY`] there.
    pub command: Vec<String>,
    /// What it needs in its folder beside the job.
    pub files: Vec<ExecutorFile>,
    /// What the machine is to have, in words of the server.
    pub properties: Vec<(String, String)>,
    /// The time of one job, with the time that it waits for a machine.
    pub time: Duration,
    /// The most jobs at once.
    pub jobs: usize,
    /// The hashes of the files, as an earlier process found them.
    pub hashes: Option<Vec<String>>,
}

/// A file that a command needs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutorFile {
    /// Its path in the command's folder, of at most one folder and a name.
    pub name: String,
    /// Where it is here.
    pub path: PathBuf,
}

/// A further message to the process.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutorRequest {
    /// Executes a job: its number, and the bytes that the command reads.
    Job(u64, Vec<u8>),
    /// The result of this job is needed no more.
    Cancel(u64),
}

/// A message of the process.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ExecutorReply {
    /// What the command wrote for a job, and what the server calls the machine, if it says so.
    Done(u64, Vec<u8>, Option<String>),
    /// Why a job has no result.
    Lost(u64, String),
    /// Why no job will ever have one.
    Refused(String),
    /// The hashes of the files, for [`ExecutorSetup::hashes`].
    Hashed(Vec<String>),
}

impl ExecutorSetup {
    /// The file that a command reads.
    pub const JOB: &'static str = "job";
    /// The file that it writes.
    pub const REPLY: &'static str = "reply";

    /// How jobs of a command are executed, with a limit on the time of each; one at once.
    pub fn new(command: Vec<String>, files: Vec<ExecutorFile>, time: Duration) -> Self {
        Self { version: VERSION, command, files, properties: Vec::new(), time, jobs: 1, hashes: None }
    }

    /// Reads the first message. Errors: there is none; it is of another version.
    pub fn read(from: &mut impl Read) -> io::Result<Self> {
        let setup: Option<Self> = read(from)?;
        setup.filter(|setup| setup.version == VERSION).ok_or_else(|| invalid("the first message is of another version"))
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        bytes(self)
    }
}

impl ExecutorRequest {
    /// Reads a message; `None`: they have ended. Errors: what comes is none.
    pub fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        read(from)
    }

    pub(super) fn bytes(&self) -> Vec<u8> {
        bytes(self)
    }
}

impl ExecutorReply {
    /// Writes a message. Errors: nobody reads.
    pub fn write(&self, to: &mut impl Write) -> io::Result<()> {
        to.write_all(&bytes(self))?;
        to.flush()
    }

    pub(super) fn read(from: &mut impl Read) -> io::Result<Option<Self>> {
        read(from)
    }
}

fn bytes(message: &impl Serialize) -> Vec<u8> {
    let mut bytes = postcard::to_extend(message, vec![0; 4]).expect("messages are plain data");
    let length = u32::try_from(bytes.len() - 4).expect("jobs are small");
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

fn read<T: DeserializeOwned>(from: &mut impl Read) -> io::Result<Option<T>> {
    let mut length = [0; 4];
    match from.read_exact(&mut length) {
        Err(e) if e.kind() == ErrorKind::UnexpectedEof => return Ok(None),
        other => other?,
    }
    let length = u32::from_le_bytes(length);
    if length > MOST {
        return Err(invalid("a message is too long"));
    }
    let mut body = Vec::new();
    from.take(length.into()).read_to_end(&mut body)?;
    if body.len() != length as usize {
        return Err(invalid("a message is cut off"));
    }
    postcard::from_bytes(&body).map(Some).map_err(|_| invalid("a message cannot be read"))
}

fn invalid(why: &str) -> io::Error {
    io::Error::new(ErrorKind::InvalidData, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_written() {
        let file = ExecutorFile { name: "bin/tool".into(), path: "/opt/tool".into() };
        let setup = ExecutorSetup {
            properties: vec![("OS".into(), "x".into())],
            hashes: Some(vec!["h".into()]),
            ..ExecutorSetup::new(vec!["a".into()], vec![file], Duration::from_secs(7))
        };
        assert_eq!(ExecutorSetup::read(&mut &setup.bytes()[..]).unwrap(), setup);
        let other = ExecutorSetup { version: VERSION + 1, ..setup };
        assert!(ExecutorSetup::read(&mut &other.bytes()[..]).unwrap_err().to_string().contains("another version"));
        let mut written = Vec::new();
        let replies = [
            ExecutorReply::Done(1, vec![0; 300], Some("n1".into())),
            ExecutorReply::Lost(1 << 40, "gone".into()),
            ExecutorReply::Refused(String::new()),
        ];
        replies.iter().for_each(|reply| reply.write(&mut written).unwrap());
        let mut rest = &written[..];
        for reply in replies {
            assert_eq!(ExecutorReply::read(&mut rest).unwrap(), Some(reply));
        }
        assert_eq!(ExecutorReply::read(&mut rest).unwrap(), None);
    }

    #[test]
    fn cut_and_foreign_messages_are_refused() {
        let request = ExecutorRequest::Job(7, b"abc".to_vec()).bytes();
        for cut in 4..request.len() {
            assert!(ExecutorRequest::read(&mut &request[..cut]).is_err(), "{cut}");
        }
        assert!(ExecutorRequest::read(&mut &b"Usage: hal-cache"[..]).is_err());
    }
}
