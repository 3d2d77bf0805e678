//! The encoding of the section `.hal.program`: a magic number, a version, a length, and the host commands in postcard.
use super::HostProgram;
use halyard_diag::{Error, Result};

const MAGIC: [u8; 8] = *b"HALYARD\0";
const HEADER: usize = 20;

/// The version that this crate writes and reads. It changes with every change of the types.
pub const FORMAT_VERSION: u32 = 10;

/// Encodes a host program.
pub fn encode(host_program: &HostProgram) -> Vec<u8> {
    let body = postcard::to_stdvec(host_program).expect("plain data can be encoded");
    let mut bytes = Vec::with_capacity(HEADER + body.len());
    bytes.extend_from_slice(&MAGIC);
    bytes.extend_from_slice(&FORMAT_VERSION.to_le_bytes());
    bytes.extend_from_slice(&(body.len() as u64).to_le_bytes());
    bytes.extend_from_slice(&body);
    bytes
}

/// Reads what [`encode`] wrote. Errors: another magic number, version or length; bytes that are no host program.
pub fn decode(bytes: &[u8]) -> Result<HostProgram> {
    let damaged = |why: &str| Error::input(format!("the host program is damaged: {why}")).code("damaged-program");
    if bytes.len() < HEADER || bytes[..8] != MAGIC {
        return Err(damaged("it has no magic number"));
    }
    let version = u32::from_le_bytes(bytes[8..12].try_into().expect("four bytes"));
    if version != FORMAT_VERSION {
        return Err(Error::input(format!(
            "the program was linked as version {version}, this runtime reads version {FORMAT_VERSION}"
        ))
        .code("wrong-version")
        .hint("link it again with the `hal-link` of this release"));
    }
    let length = u64::from_le_bytes(bytes[12..20].try_into().expect("eight bytes"));
    let body = &bytes[HEADER..];
    if length != body.len() as u64 {
        return Err(damaged("it is cut short"));
    }
    match postcard::take_from_bytes(body) {
        Ok((host_program, [])) => Ok(host_program),
        Ok(_) => Err(damaged("bytes are left over")),
        Err(e) => Err(damaged(&e.to_string())),
    }
}
