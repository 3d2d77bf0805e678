//! The description of an executable for generators and clients.
use crate::{build::Builder, incumbent::Incumbent, subject::Subject};
use hal_extract::{Extract, ExtractKind, Inputs, SiblingTools, extract};
use halyard_diag::{Error, Result};
use halyard_exec::Scratch;
use halyard_ir::form::{ExecutableOrigin, Export, Interface, Program};
use halyard_runtime::KERNEL_HEADER;
use halyard_verify::ContestPlace;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

/// The version of the protocol with generators and clients.
pub(crate) const VERSION: u64 = 1;

/// The description of an executable, and a folder with its files.
#[derive(Debug)]
pub(crate) struct Assignment {
    pub(crate) head: Value,
    pub(crate) folder: PathBuf,
}

impl Assignment {
    /// Makes a folder for an executable: its MLIR, a file in the language of the device that computes the same, the header of kernels in C.
    /// Errors: it cannot be written.
    pub(crate) fn new(
        scratch: &Scratch,
        builder: Builder<'_>,
        program: Program,
        (subject, incumbent): (&Subject, &Incumbent),
        facts: Value,
    ) -> Result<Self> {
        let folder = scratch.path().join(&subject.key);
        std::fs::create_dir_all(folder.join("halyard"))
            .map_err(|e| Error::io("write", folder.display().to_string(), &e))?;
        scratch.write(&format!("{}/halyard/kernel.h", subject.key), KERNEL_HEADER.as_bytes())?;
        let language = ExtractKind::language_of(builder.device());
        let tools = SiblingTools { target: Vec::new(), opt_level: 3, fast_math: Vec::new(), verify: None };
        let what = Extract {
            program,
            executables: &[subject.executable],
            kinds: &[ExtractKind::Mlir, language],
            generator: &tools,
            inputs: &Inputs::default(),
            reference: None,
            record: None,
            weights_path: &[],
            object_path: &[],
            lenient: true,
        };
        let (files, _) = extract(builder.session, &what)?;
        let mut names = BTreeMap::new();
        for file in files {
            scratch.write(&format!("{}/{}", subject.key, file.name), &file.bytes)?;
            let kind = Path::new(&file.name).extension().map_or_else(String::new, |e| e.to_string_lossy().into_owned());
            names.insert(kind, file.name);
        }
        let space = incumbent.built.space.as_ref();
        let exports = subject.executable.exports();
        let named = |e: &Export| json!({ "name": e.name(), "interface": interface(*e) });
        let place = |p: &ContestPlace| json!({ "export": p.export, "sizes": p.sizes, "weight": p.weight });
        let mut head = json!({
            "version": VERSION,
            "executable": subject.name(),
            "export": subject.export(),
            "key": subject.key,
            "origin": ExecutableOrigin::of(subject.executable.op).names(),
            "folder": folder,
            "files": names,
            "interface": exports.first().copied().map_or(Value::Null, interface),
            "exports": exports.iter().map(named).collect::<Vec<_>>(),
            "places": subject.places.iter().map(place).collect::<Vec<_>>(),
            "seconds": incumbent.seconds,
            "schedule": space.map(|s| s.schedule()),
            "space": incumbent.built.choices,
        });
        for (name, value) in facts.as_object().into_iter().flatten() {
            head[name] = value.clone();
        }
        Ok(Self { head, folder })
    }
}

/// The types and shapes of an export's arguments and results; dynamic sizes are null.
fn interface(export: Export) -> Value {
    let interface = Interface::of(export.op);
    let show = |ty: &halyard_ir::Type| json!({ "element": ty.element().to_string(), "shape": if ty.is_ranked_tensor() { ty.shape() } else { Vec::new() } });
    json!({
        "inputs": interface.inputs.iter().map(show).collect::<Vec<_>>(),
        "results": interface.results.iter().map(show).collect::<Vec<_>>(),
        "in_place": interface.tied,
    })
}
