//! What jobs share, as blobs: the files of the command, their folders, and the command itself; and the action of a job.
use crate::grpc::Blob;
use bazel_remote_apis::{
    build::bazel::remote::execution::v2::{
        Action, Command, Digest, Directory, DirectoryNode, FileNode, Platform, platform::Property,
    },
    google::protobuf::Duration,
};
use halyard_exec::{ExecutorFile, ExecutorSetup};
use prost::Message;
use std::{collections::BTreeMap, fs::File, thread};

/// All that jobs share.
pub(super) struct Inputs {
    /// The files, the folders and the command.
    pub(super) blobs: Vec<Blob>,
    /// The hashes of the files.
    pub(super) hashes: Vec<String>,
    folders: Vec<DirectoryNode>,
    files: Vec<FileNode>,
    command: Digest,
    platform: Option<Platform>,
    time: Duration,
}

impl Inputs {
    /// Reads and hashes the files. Errors: one cannot be read.
    pub(super) fn read(setup: &ExecutorSetup) -> Result<Self, String> {
        let mut blobs = read_all(setup)?;
        let hashes = blobs.iter().map(|blob| blob.digest.hash.clone()).collect();
        let mut by_folder: BTreeMap<&str, Vec<FileNode>> = BTreeMap::new();
        for (file, blob) in setup.files.iter().zip(&blobs) {
            let (folder, name) = file.name.rsplit_once('/').unwrap_or(("", &file.name));
            let digest = Some(blob.digest.clone());
            let node = FileNode { name: name.to_owned(), digest, is_executable: true, ..FileNode::default() };
            by_folder.entry(folder).or_default().push(node);
        }
        let files = by_folder.remove("").unwrap_or_default();
        let mut folders = Vec::new();
        for (name, mut files) in by_folder {
            files.sort_by(|a, b| a.name.cmp(&b.name));
            let folder = encoded(&Directory { files, ..Directory::default() });
            folders.push(DirectoryNode { name: name.to_owned(), digest: Some(folder.digest.clone()) });
            blobs.push(folder);
        }
        let platform = platform(&setup.properties);
        let command = command(setup, platform.as_ref());
        let digest = command.digest.clone();
        blobs.push(command);
        let seconds = i64::try_from(setup.time.as_secs().max(1)).unwrap_or(i64::MAX);
        let time = Duration { seconds, nanos: 0 };
        Ok(Self { blobs, hashes, folders, files, command: digest, platform, time })
    }

    /// The digest of the action of a job, and the blobs that are its own.
    pub(super) fn action(&self, job: &Blob) -> (Digest, Vec<Blob>) {
        let digest = Some(job.digest.clone());
        let mut files = self.files.clone();
        files.push(FileNode { name: ExecutorSetup::JOB.into(), digest, ..FileNode::default() });
        files.sort_by(|a, b| a.name.cmp(&b.name));
        let root = encoded(&Directory { files, directories: self.folders.clone(), ..Directory::default() });
        let action = encoded(&Action {
            command_digest: Some(self.command.clone()),
            input_root_digest: Some(root.digest.clone()),
            timeout: Some(self.time),
            // A job that is sent again, or to another place, too, is to be executed again. What was translated before is in the
            // cache of executables.
            do_not_cache: true,
            platform: self.platform.clone(),
            ..Action::default()
        });
        (action.digest.clone(), vec![job.clone(), root, action])
    }
}

fn encoded(message: &impl Message) -> Blob {
    Blob::new(message.encode_to_vec())
}

/// The properties in the order that the protocol wants.
fn platform(properties: &[(String, String)]) -> Option<Platform> {
    let mut sorted = properties.to_vec();
    sorted.sort();
    let properties = sorted.into_iter().map(|(name, value)| Property { name, value }).collect::<Vec<_>>();
    (!properties.is_empty()).then_some(Platform { properties })
}

#[expect(deprecated, reason = "servers of the first versions of the protocol know these fields alone")]
fn command(setup: &ExecutorSetup, platform: Option<&Platform>) -> Blob {
    let reply = vec![ExecutorSetup::REPLY.to_owned()];
    encoded(&Command {
        arguments: setup.command.clone(),
        output_files: reply.clone(),
        output_paths: reply,
        platform: platform.cloned(),
        ..Command::default()
    })
}

/// The contents of files, hashed by a thread for each, unless that was done: two of them are far larger than the others.
fn read_all(setup: &ExecutorSetup) -> Result<Vec<Blob>, String> {
    let known = |i: usize| setup.hashes.as_ref().and_then(|hashes| hashes.get(i));
    let read = |i: usize, file: &ExecutorFile| {
        let bytes = File::open(&file.path).and_then(|f| halyard_cli::map_file(&f));
        let bytes =
            bytes.map_err(|e| format!("`{}`, which is to be sent, cannot be read: {e}", file.path.display()))?;
        Ok(known(i).and_then(|hash| Blob::known(hash, bytes.clone())).unwrap_or_else(|| Blob::new(bytes)))
    };
    thread::scope(|scope| {
        let files = setup.files.iter().enumerate();
        let threads: Vec<_> = files.map(|(i, file)| (i, file, scope.spawn(move || read(i, file)))).collect();
        threads.into_iter().map(|(i, file, thread)| thread.join().unwrap_or_else(|_| read(i, file))).collect()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_setups_have_equal_actions() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("t"), "tool").unwrap();
        let file = |name: &str| ExecutorFile { name: name.into(), path: folder.path().join("t") };
        let files = [file("lib/b"), file("bin/t"), file("lib/a")];
        let inputs = |properties: &[(&str, &str)]| {
            let properties = properties.iter().map(|(n, v)| ((*n).to_owned(), (*v).to_owned())).collect::<Vec<_>>();
            let time = std::time::Duration::from_secs(9);
            let setup = ExecutorSetup::new(vec!["bin/t".into()], files.to_vec(), time);
            Inputs::read(&ExecutorSetup { properties, ..setup }).unwrap()
        };
        let job = Blob::new(b"job".to_vec());
        let (digest, blobs) = inputs(&[("b", "1"), ("a", "2")]).action(&job);
        assert_eq!(inputs(&[("a", "2"), ("b", "1")]).action(&job).0, digest);
        assert_ne!(inputs(&[]).action(&job).0, digest);
        assert_ne!(inputs(&[("b", "1"), ("a", "2")]).action(&Blob::new(b"other".to_vec())).0, digest);
        assert_eq!((blobs.len(), &blobs[2].digest), (3, &digest));
        let known = ExecutorSetup {
            hashes: Some(inputs(&[]).hashes),
            ..ExecutorSetup::new(vec!["bin/t".into()], files.to_vec(), std::time::Duration::from_secs(9))
        };
        assert_eq!(Inputs::read(&known).unwrap().action(&job).0, inputs(&[]).action(&job).0);
        assert_eq!(inputs(&[]).folders.iter().map(|f| &*f.name).collect::<Vec<_>>(), ["bin", "lib"]);
    }
}
