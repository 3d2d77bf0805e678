//! The flags about tuning databases; the driver has them, too.
use std::path::PathBuf;

/// Which tuning database is used, and for which machine.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct TuningArgs {
    /// Use the winners of this tuning database
    ///
    /// For each executable that `hal-tune` measured for a target on this machine, its schedule or variant replaces the
    /// compiler's own choice, except where the program has a schedule. An entry that does not fit is reported and not
    /// used. The output depends on the winners alone, not on how the file came about.
    #[arg(long, value_name = "FILE", env = "HALYARD_TUNING", hide_env_values = true)]
    pub tuning: Option<PathBuf>,
    /// Use winners that were measured on the machine NAME, as the database calls it, or on any machine [default: this one]
    #[arg(long, value_name = "NAME|any", requires = "tuning")]
    pub tuning_machine: Option<String>,
}

/// A tuning database to use.
#[derive(Debug, Clone)]
pub struct Tuning {
    /// The file.
    pub path: PathBuf,
    /// The machine whose winners are used, or `any`; `None`: this machine.
    pub machine: Option<String>,
}

impl TuningArgs {
    /// What the flags ask for; an empty name, as of an environment variable without a value, asks for nothing.
    pub fn tuning(&self) -> Option<Tuning> {
        let path = self.tuning.clone().filter(|path| !path.as_os_str().is_empty())?;
        Some(Tuning { path, machine: self.tuning_machine.clone() })
    }

    /// The flags as they would be written.
    pub fn words(&self) -> Vec<String> {
        let Some(Tuning { path, machine }) = self.tuning() else { return Vec::new() };
        let machine = machine.map(|name| format!("--tuning-machine={name}"));
        std::iter::once(format!("--tuning={}", path.display())).chain(machine).collect()
    }
}
