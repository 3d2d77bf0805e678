//! A folder that several machines have mounted (NFS, SMB): a file for each entry. SQLite is not made for that.
use super::RemoteStore;
use crate::fault::Fault;
use halyard_cache::{LARGEST, StoreAddress};
use halyard_diag::may_be_folder;
use std::{
    fs, io,
    io::{Read, Write},
    path::PathBuf,
};

pub(super) struct FolderStore {
    folder: PathBuf,
}

impl FolderStore {
    pub(super) fn new(address: &StoreAddress) -> Self {
        Self { folder: address.rest().into() }
    }

    fn file(&self, key: &str) -> PathBuf {
        self.folder.join(&key[..2]).join(key)
    }

    /// Fails if the folder is not there; what is asked for next says if it cannot be looked at.
    fn is_there(&self) -> Result<(), Fault> {
        match may_be_folder(&self.folder) {
            true => Ok(()),
            false => Err(format!("the folder `{}` is not there", self.folder.display()).into()),
        }
    }
}

impl RemoteStore for FolderStore {
    fn get(&self, key: &str) -> Result<Option<Vec<u8>>, Fault> {
        let mut entry = Vec::new();
        let read = fs::File::open(self.file(key)).and_then(|f| f.take(LARGEST as u64 + 1).read_to_end(&mut entry));
        match read {
            Ok(_) if entry.len() > LARGEST => Err(Fault::wrong("the file is too large")),
            Ok(_) => Ok(Some(entry)),
            // A stale handle is that of a file which somebody else has replaced or removed.
            Err(e) if e.kind() == io::ErrorKind::NotFound || e.kind() == io::ErrorKind::StaleNetworkFileHandle => {
                self.is_there().map(|()| None)
            }
            Err(e) => Err(format!("the file cannot be read: {e}").into()),
        }
    }

    fn put(&self, key: &str, entry: &[u8]) -> Result<(), Fault> {
        let file = self.file(key);
        self.is_there()?;
        let written = (|| {
            let folder = file.parent().unwrap_or(&self.folder);
            fs::create_dir_all(folder)?;
            // Beside its place, then moved: nobody sees half of it.
            let mut new = tempfile::Builder::new().prefix(".new").permissions(everyone()).tempfile_in(folder)?;
            new.write_all(entry)?;
            new.persist(&file).map_err(|e| e.error)
        })();
        written.map(drop).map_err(|e| format!("the file cannot be written: {e}").into())
    }
}

/// As any file: others read it.
fn everyone() -> fs::Permissions {
    std::os::unix::fs::PermissionsExt::from_mode(0o666)
}
