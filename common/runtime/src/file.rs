//! The file of a linked program, mapped and checked.
use crate::{
    commands::{self, ArchivePlace, HostProgram},
    container::{self, Container},
    device_modules::DeviceModules,
};
use halyard_diag::{Error, Result};
use memmap2::Mmap;
use std::{fs::File, path::Path, sync::Arc, time::SystemTime};

/// A linked program's file.
pub(crate) struct ProgramFile {
    pub(crate) map: Arc<Mmap>,
    /// When it was written, if the system knows.
    pub(crate) written: Option<SystemTime>,
    pub(crate) contents: ProgramContents,
}

impl ProgramFile {
    /// Maps a file of any machine and checks it. Errors: it cannot be read, it is empty, what [`ProgramContents::parse`] says.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = File::open(path).map_err(|e| Error::io("read", path, &e))?;
        let about = file.metadata().map_err(|e| Error::io("read", path, &e))?;
        if about.is_dir() {
            return Err(Error::io("read", path, &std::io::ErrorKind::IsADirectory.into()));
        }
        if about.len() == 0 {
            return Err(Error::input("the file is empty").code("empty-input").hint("was it written completely?"));
        }
        // SAFETY: the map is read only. A file that others change in place while it is mapped is beyond what we can check;
        // our tools replace files as a whole.
        let map = unsafe { Mmap::map(&file) }.map_err(|e| Error::io("map", path, &e))?;
        let contents = ProgramContents::parse(&map)?;
        Ok(Self { map: Arc::new(map), written: about.modified().ok(), contents })
    }
}

/// The parts of a linked program's file.
pub(crate) struct ProgramContents {
    pub(crate) container: Container,
    pub(crate) host_program: HostProgram,
    pub(crate) modules: DeviceModules,
}

impl ProgramContents {
    /// Parses a file and checks its parts, but for the contents of embedded weights. Errors: it is no linked program, or
    /// damaged.
    pub(crate) fn parse(file: &[u8]) -> Result<Self> {
        let container = container::open(file)?;
        let host_program = commands::decode(&file[container.program.clone()])?;
        commands::validate(&host_program)?;
        let embedded = host_program.archives.iter().find(|a| a.place == ArchivePlace::Embedded).map_or(0, |a| a.bytes);
        let found = container.embedded.len() as u64;
        if embedded != found {
            let message =
                format!("the file is damaged: {found} bytes of weights follow the program instead of {embedded}");
            return Err(Error::input(message).code("damaged-program").hint("link it again, or copy it again"));
        }
        let modules = DeviceModules::new(&file[container.modules.clone()], &host_program)?;
        Ok(Self { container, host_program, modules })
    }
}
