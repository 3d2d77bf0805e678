//! Puts exports into executables: each different one once.
use super::{
    name::describe,
    outline::{Outline, PLACEHOLDER},
};
use crate::external;
use halyard_diag::Result;
use halyard_ir::{
    Attr, Builder, Op, Session, StructuralKey,
    form::{Executable, ExecutableOrigin, Export, Program},
    names, origins_of,
};
use std::collections::{BTreeSet, HashMap, HashSet};

/// The executables of a program so far.
pub(super) struct Executables<'s> {
    session: &'s Session,
    program: Program,
    formed: Vec<Formed>,
    /// Which of them has an export of this key.
    known: HashMap<ExportKey, usize>,
    /// Which of them a group of this key becomes.
    keys: HashMap<[u8; 32], usize>,
    /// Symbols that are taken.
    taken: BTreeSet<String>,
    /// How many executables each function has given its name to.
    numbers: HashMap<String, usize>,
    /// New operations go before this one.
    before: Op,
}

/// What tells an export that has the placeholder name from others.
#[derive(PartialEq, Eq, Hash)]
enum ExportKey {
    Structure([u8; 32]),
    /// Of exports with branches between blocks.
    Text(String),
}

impl ExportKey {
    fn of(export: Op) -> Self {
        debug_assert_eq!(export.symbol().as_deref(), Some(PLACEHOLDER));
        let mut key = StructuralKey::default();
        match key.add(export, &|_| false) {
            Some(()) => Self::Structure(key.finish()),
            None => Self::Text(export.to_string()),
        }
    }
}

/// An executable that has been formed.
struct Formed {
    executable: Executable,
    /// The entry of its export.
    entry: String,
    /// What it was formed of, each time: every name once, in order.
    origins: Vec<String>,
    seen: HashSet<String>,
}

impl Formed {
    /// Notes another group of operations that it was formed of.
    fn add(&mut self, group: &[Op]) {
        for name in group.iter().flat_map(|op| origins_of(*op)) {
            if self.seen.insert(name.clone()) {
                self.origins.push(name);
            }
        }
    }
}

impl<'s> Executables<'s> {
    /// Prepares to add executables to a program, before its first function.
    pub(super) fn new(session: &'s Session, program: Program) -> Option<Self> {
        let top = program.op.body()?.ops();
        let before = *top.iter().find(|op| op.is("func.func"))?;
        let taken = top.iter().filter_map(|op| op.symbol()).collect();
        let (formed, known, keys) = (Vec::new(), HashMap::new(), HashMap::new());
        Some(Self { session, program, formed, known, keys, taken, numbers: HashMap::new(), before })
    }

    /// Gives the name of the entry for a group of the host function `function`. The builder is where the group stands.
    pub(super) fn add(&mut self, builder: &Builder, outline: &Outline<'_>, function: &str) -> Result<String> {
        let key = outline.key();
        let at = match key.as_ref().and_then(|key| self.keys.get(key)) {
            Some(at) => *at,
            None => self.built(outline.build(builder), outline.ops, function)?,
        };
        if let Some(key) = key {
            self.keys.insert(key, at);
        }
        let formed = &mut self.formed[at];
        formed.add(outline.ops);
        Ok(formed.entry.clone())
    }

    /// The executable of an export, which was built of `group`: one of the same text, or a new one.
    fn built(&mut self, export: Op, group: &[Op], function: &str) -> Result<usize> {
        // Common subexpressions: copies of one cheap operation for several users of the group.
        self.session.run_pipeline_on(export, "func.func(cse)", false)?;
        let key = ExportKey::of(export);
        if let Some(at) = self.known.get(&key) {
            export.erase();
            return Ok(*at);
        }
        let (executable_name, export_name) = self.fresh(function, &describe(group));
        let context = export.context();
        export.set_attr("sym_name", Attr::string(context, &export_name));
        let executable = Executable::create(export.loc(), &executable_name);
        external::copy_called(self.program, export, executable.body());
        executable.body().append(export);
        self.program.op.body().expect("a program has a body").insert_before(self.before, executable.op);
        let export = Export::view(export).expect("it was made with the attribute");
        let entry = self.program.add_entry(&executable_name, export);
        entry.move_after(executable.op);
        debug_assert!(entry.has_attr(names::ENTRY));
        self.known.insert(key, self.formed.len());
        self.formed.push(Formed { executable, entry: export_name, origins: Vec::new(), seen: HashSet::new() });
        Ok(self.formed.len() - 1)
    }

    /// Writes to each executable what it was formed of.
    pub(super) fn finish(self) {
        for formed in self.formed {
            ExecutableOrigin::new(&formed.origins).set(formed.executable.op);
        }
    }

    /// The next free names: `main_dispatch_3` and `main_dispatch_3_conv_1x64x56x56_f32`.
    fn fresh(&mut self, function: &str, what: &str) -> (String, String) {
        let function: String = function.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
        let function =
            if function.starts_with(|c: char| c.is_ascii_digit()) { format!("_{function}") } else { function };
        let number = self.numbers.entry(function.clone()).or_default();
        loop {
            let executable = format!("{function}_dispatch_{number}");
            *number += 1;
            let export = format!("{executable}_{what}");
            if !self.taken.contains(&executable) && !self.taken.contains(&export) {
                self.taken.extend([executable.clone(), export.clone()]);
                return (executable, export);
            }
        }
    }
}
