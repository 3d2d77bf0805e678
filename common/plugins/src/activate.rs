//! Enables plugins in tools that read programs: those of the command line, and those that programs request.
use crate::{Active, active::Plugin, compiled_in};
use halyard_diag::{Error, ErrorKind, Result};
use halyard_ir::{Attr, Op, Session, form::Program, names};
use halyard_manifest::{By, PluginArgs, ProgramPluginArgs, WantedPlugin, check_off, chosen, resolve};

impl Active {
    /// Switches plugins on for a tool that reads no programs. Errors: as [`Active::for_program`].
    pub fn new(args: &PluginArgs) -> Result<Self> {
        let (wanted, off) = chosen(args)?;
        check_off(&off)?;
        Self::of(args, wanted)
    }

    /// Switches plugins on: those of the environment, of the command line, and what programs (bytes and names) ask for,
    /// in this order. Libraries are loaded, so that sessions made afterwards have their dialects. Errors: a plugin that
    /// is nowhere, malformed, given twice, or asked for by a program without permission; one that is switched off and was
    /// never on; options that it does not have, or that do not fit; a library that cannot be loaded.
    pub fn for_program<'i>(
        args: &ProgramPluginArgs,
        inputs: impl IntoIterator<Item = (&'i [u8], &'i str)>,
    ) -> Result<Self> {
        let (mut wanted, mut off) = chosen(&args.chosen)?;
        for (bytes, name) in inputs {
            for request in requests(bytes, name)? {
                let known = |w: &WantedPlugin| w.name.text == request.name.text;
                if let Some(i) = off.iter().position(|(name, _)| *name == request.name.text) {
                    // Several programs may ask for it.
                    off[i].1 = true;
                } else if !wanted.iter().any(known) {
                    if !args.allow_program_plugins {
                        check_safe(&request, &args.chosen)?;
                    }
                    wanted.push(request);
                }
            }
        }
        check_off(&off)?;
        Self::of(&args.chosen, wanted)
    }

    fn of(args: &PluginArgs, wanted: Vec<WantedPlugin>) -> Result<Self> {
        let mut plugins = Vec::new();
        for chosen in resolve(args, wanted)? {
            let manifest = &chosen.manifest;
            let code = if manifest.folder.is_none() { compiled_in::code(&manifest.name) } else { None };
            let libraries = &manifest.libraries;
            halyard_ir::load_plugins(&libraries.passes, &libraries.dialects)
                .map_err(|e| e.note(format!("plugin `{}` brings it", manifest.name)))?;
            plugins.push(Plugin { manifest: chosen.manifest, values: chosen.values, code });
        }
        Ok(Self { plugins })
    }
}

/// Returns the plugins that a program requests. Other errors in the input are reported when it is parsed properly.
/// Fails if the attribute has the wrong kind.
fn requests(bytes: &[u8], name: &str) -> Result<Vec<WantedPlugin>> {
    if !halyard_cli::contains(bytes, names::PLUGINS.as_bytes()) {
        return Ok(Vec::new());
    }
    let session = Session::new();
    session.allow_unregistered_dialects(true);
    let Ok(module) = session.parse(bytes, name) else { return Ok(Vec::new()) };
    let op = Op::from(&module);
    let Some(attr) = op.attr(names::PLUGINS) else { return Ok(Vec::new()) };
    let texts = attr.as_array().and_then(|list| list.into_iter().map(Attr::as_string).collect::<Option<Vec<String>>>());
    let Some(texts) = texts else {
        let e = Error::input(format!("`{}` has to be an array of strings", names::PLUGINS)).code("bad-plugin");
        return Err(e.in_file(name).hint("write `hal.plugins = [\"name{option=value}\"]`"));
    };
    let program = format!("{} of `@{}`", names::PLUGINS, Program { op }.name());
    // It is the program that is wrong, not the command line.
    let input = |e: Error| Error { kind: ErrorKind::Input, ..e };
    texts.iter().map(|text| WantedPlugin::read(By::Program, &program, text).map_err(input)).collect()
}

/// Errors: a program asks for a plugin that is not marked safe.
fn check_safe(request: &WantedPlugin, args: &PluginArgs) -> Result<()> {
    let found = request.find(args)?;
    if found.safe && !request.name.text.contains('/') {
        return Ok(());
    }
    let name = &request.name.text;
    Err(Error::input(format!("the program asks for plugin `{name}`, which is not marked safe"))
        .code("plugin-not-allowed")
        .at(request.span())
        .note("plugins can run commands and load libraries; `safe = true` in the manifest says that any program may use one")
        .hint(format!(
            "`--allow-program-plugins` allows it, `--plugin={name}` asks for it, `--plugin=-{name}` leaves it out"
        )))
}
