//! A program that is translated with databases.
use hal_translate::{Options, parse_targets, tuning_target};
use halyard_ir::{
    Session,
    form::{content_key, load_program},
};
use halyard_tuning::{Database, Interval, Subject, Trial, TrialOutcome, TunedCode, Winner, machine};
use std::{fs, path::PathBuf, process::Command};

pub(crate) const TARGET: &str = "cpu:x86-64-v3@x86_64-unknown-linux-gnu";
pub(crate) const SCHEDULE: &str = "{workgroups = 3}";

/// Two executables that differ in nothing but names, and one that does.
pub(crate) const PROGRAM: &str = r#"
module attributes {hal.phase = "executables", hal.version = 1 : i32} {
  module @first attributes {hal.executable} {
    func.func @first_sum(%a: tensor<64x96xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x96xf32>
      %r = linalg.add ins(%a, %b : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
      return %r : tensor<64x96xf32>
    }
  }
  module @second attributes {hal.executable} {
    func.func @second_sum(%a: tensor<64x96xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x96xf32>
      %r = linalg.add ins(%a, %b : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
      return %r : tensor<64x96xf32>
    }
  }
  module @third attributes {hal.executable} {
    func.func @third_product(%a: tensor<64x96xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {hal.export} {
      %e = tensor.empty() : tensor<64x96xf32>
      %r = linalg.mul ins(%a, %b : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
      return %r : tensor<64x96xf32>
    }
  }
}
"#;

/// A folder with the program.
pub(crate) struct Place {
    folder: tempfile::TempDir,
}

/// The output and messages of a run.
pub(crate) struct Ran {
    pub(crate) ok: bool,
    pub(crate) output: String,
    pub(crate) said: String,
}

impl Place {
    pub(crate) fn new() -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("program.mlir"), PROGRAM).unwrap();
        Self { folder }
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    pub(crate) fn translate(&self, flags: &[&str]) -> Ran {
        self.translate_for(TARGET, flags)
    }

    pub(crate) fn translate_for(&self, target: &str, flags: &[&str]) -> Ran {
        let _ = fs::remove_file(self.path("out.mlir"));
        let ran = Command::new(env!("CARGO_BIN_EXE_hal-translate"))
            .args(["program.mlir", "-o", "out.mlir", &format!("--target={target}")])
            .args(flags)
            .current_dir(self.folder.path())
            .env_remove("HALYARD_TUNING")
            .output()
            .unwrap();
        let said = String::from_utf8_lossy(&ran.stderr).into_owned();
        Ran { ok: ran.status.success(), output: fs::read_to_string(self.path("out.mlir")).unwrap_or_default(), said }
    }

    /// Makes a database with these winners.
    pub(crate) fn database(&self, name: &str, winners: &[Winner]) -> Database {
        let _ = fs::remove_file(self.path(name));
        let mut database = Database::open(&self.path(name)).unwrap();
        winners.iter().for_each(|w| database.set_best(w).unwrap());
        database
    }

    /// A run with one winner, for the first two executables.
    pub(crate) fn with(&self, code: TunedCode, flags: &[&str]) -> Ran {
        self.database("t.db", &[winner("first", code)]);
        self.translate(&[&["--tuning=t.db"], flags].concat())
    }
}

/// A winner for an executable of the program on this machine.
pub(crate) fn winner(executable: &str, code: TunedCode) -> Winner {
    let session = Session::new();
    let (_module, program) = load_program(&session, PROGRAM.as_bytes(), "program").unwrap();
    let [target] = parse_targets(&[TARGET.to_owned()]).unwrap().try_into().unwrap();
    let options = Options { opt_level: 3, fast_math: false, winograd: false, tf32: false, activations: false };
    let subject = Subject {
        key: content_key(program.executable(executable).unwrap()),
        target: tuning_target(&target, options),
        machine: machine("cpu").unwrap(),
    };
    let ratio = Interval::new(1.5, 1.4, 1.6).unwrap();
    Winner { subject, code, ratio, trials: 7, version: "0.1.0".into(), origin: "Add_1".into() }
}

pub(crate) fn schedule(text: &str) -> TunedCode {
    TunedCode::Schedules(vec![Some(text.to_owned())])
}

pub(crate) fn trial(i: u8) -> Trial {
    let Winner { subject, version, .. } = winner("first", schedule(SCHEDULE));
    let outcome = TrialOutcome::Rejected("slower".into());
    Trial { subject, kind: "schedule".into(), candidate: vec![i; 300], outcome, details: String::new(), version }
}
