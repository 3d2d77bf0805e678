//! Translation with a tuning database: what is taken, what is refused, and that nothing but the winners counts.
use hal_translate::{Options, pack_variant, parse_targets, tuning_target};
use halyard_ir::{
    Attr, Session,
    form::{Executable, ObjectData, Phase, Variant, content_key, load_program},
    names,
};
use halyard_tuning::{Database, Interval, Prune, Subject, Trial, TrialOutcome, TunedCode, Winner, machine};
use std::{
    fs,
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicBool, Ordering},
};

const TARGET: &str = "cpu:x86-64-v3@x86_64-unknown-linux-gnu";
const SCHEDULE: &str = "{workgroups = 3}";

/// Two executables that differ in nothing but names, and one that does.
const PROGRAM: &str = r#"
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
struct Place {
    folder: tempfile::TempDir,
}

/// What a run wrote and said.
struct Ran {
    ok: bool,
    output: String,
    said: String,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::TempDir::new().unwrap();
        fs::write(folder.path().join("program.mlir"), PROGRAM).unwrap();
        Self { folder }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn translate(&self, flags: &[&str]) -> Ran {
        self.translate_for(TARGET, flags)
    }

    fn translate_for(&self, target: &str, flags: &[&str]) -> Ran {
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

    /// A database with these winners.
    fn database(&self, name: &str, winners: &[Winner]) -> Database {
        let _ = fs::remove_file(self.path(name));
        let mut database = Database::open(&self.path(name)).unwrap();
        winners.iter().for_each(|w| database.set_best(w).unwrap());
        database
    }

    /// A run with one winner, for the first two executables.
    fn with(&self, code: TunedCode, flags: &[&str]) -> Ran {
        self.database("t.db", &[winner("first", code)]);
        self.translate(&[&["--tuning=t.db"], flags].concat())
    }
}

/// A winner for an executable of the program on this machine.
fn winner(executable: &str, code: TunedCode) -> Winner {
    let session = Session::new();
    let (_module, program) = load_program(&session, PROGRAM.as_bytes(), "program").unwrap();
    let [target] = parse_targets(&[TARGET.to_owned()]).unwrap().try_into().unwrap();
    let options = Options { opt_level: 3, fast_math: false, winograd: false, tf32: false };
    let subject = Subject {
        key: content_key(program.executable(executable).unwrap()),
        target: tuning_target(&target, options),
        machine: machine("cpu").unwrap(),
    };
    let ratio = Interval::new(1.5, 1.4, 1.6).unwrap();
    Winner { subject, code, ratio, trials: 7, version: "0.1.0".into(), origin: "Add_1".into() }
}

fn schedule(text: &str) -> TunedCode {
    TunedCode::Schedules(vec![Some(text.to_owned())])
}

fn trial(i: u8) -> Trial {
    let Winner { subject, version, .. } = winner("first", schedule(SCHEDULE));
    let outcome = TrialOutcome::Rejected("slower".into());
    Trial { subject, kind: "schedule".into(), candidate: vec![i; 300], outcome, details: String::new(), version }
}

/// The variant of an executable in an output, packed after a change.
fn packed(output: &str, executable: &str, change: impl FnOnce(&Session, Variant)) -> TunedCode {
    let session = Session::new();
    let (_module, program) = load_program(&session, output.as_bytes(), "output").unwrap();
    let executable: Executable = program.executable(executable).unwrap();
    let variant = executable.variants()[0];
    change(&session, variant);
    TunedCode::Variant(pack_variant(executable, variant).unwrap())
}

/// The object of an executable in an output.
fn object(output: &str, executable: &str) -> Vec<u8> {
    let session = Session::new();
    let (_module, program) = load_program(&session, output.as_bytes(), "output").unwrap();
    let variant = program.executable(executable).unwrap().variants()[0];
    match variant.objects().unwrap().remove(0).data {
        ObjectData::Embedded(bytes) => bytes,
        ObjectData::Path { .. } => unreachable!("it is in the program"),
    }
}

#[test]
fn nothing_but_the_winners_counts() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let winners = [winner("first", schedule(SCHEDULE)), winner("third", schedule("{workgroups = 2}"))];
    let one = place.database("one.db", &winners);
    let tuned = place.translate(&["--tuning=one.db", "-j1"]);
    assert!(tuned.ok, "{}", tuned.said);
    let note = "note[tuned]: 3 of 3 executables use winners of tuning database `one.db`";
    assert!(tuned.said.contains(note), "{}", tuned.said);
    assert!(tuned.said.contains(&format!("its hash is {}", one.hash().unwrap())), "{}", tuned.said);
    assert_ne!(tuned.output, plain.output);
    // In another order, over others, with trials, compacted; as JSON lines.
    let mut two = place.database("two.db", &[winner("third", schedule(SCHEDULE))]);
    (0..100).for_each(|i| two.record(&trial(i)).unwrap());
    winners.iter().rev().for_each(|w| two.set_best(w).unwrap());
    two.prune(&Prune { trials_only: true, ..Prune::default() }).unwrap();
    two.export(&mut fs::File::create(place.path("three.jsonl")).unwrap(), "three.jsonl").unwrap();
    for flags in [["--tuning=two.db", "-j4"], ["--tuning=three.jsonl", "-j2"]] {
        let again = place.translate(&flags);
        assert_eq!(again.output, tuned.output);
        assert!(again.said.contains(&one.hash().unwrap()), "{}", again.said);
    }
    // An entry of no executable changes the hash, and nothing else.
    let mut other = winners[0].clone();
    other.subject.key = "0123456789abcdef".into();
    two.set_best(&other).unwrap();
    let again = place.translate(&["--tuning=two.db"]);
    assert_eq!(again.output, tuned.output);
    assert!(!again.said.contains(&one.hash().unwrap()), "{}", again.said);
}

#[test]
fn illegal_schedules_are_reported_and_not_used() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let (deep, long) = (format!("{}{}", "[".repeat(900), "]".repeat(900)), "[".repeat(100_000));
    for (text, why) in [
        ("{workgroups = 0}", "`workgroups` is `0"),
        ("{tile = [7, 7, 7]}", "nest 0 cannot have `tile = [7, 7, 7]`"),
        ("{family = \"winograd\"}", "`family`"),
        ("{wrkgroups = 1}", "`wrkgroups` is not a key of a schedule; did you mean `workgroups`?"),
        ("{cpu = {workgroups = 1}}", "is for several targets"),
        ("{workgroups = 1", "`{workgroups = 1` is not a schedule"),
        ("dense<0> : tensor<1xi8>", "not a dictionary of choices"),
        (&long, "its schedule is too long to be one"),
        (&deep, "schedule"),
    ] {
        let ran = place.with(schedule(text), &[]);
        assert!(ran.ok, "{}", ran.said);
        let place = "executable `@first` for `cpu:x86-64-v3` in tuning database `t.db`";
        let warning = format!("warning[tuning-entry]: the winner of {place} cannot be used: ");
        assert!(ran.said.contains(&warning) && ran.said.contains(why), "{text}: {}", ran.said);
        assert!(ran.said.contains("executable `@second`") && !ran.said.contains("note[tuned]"), "{}", ran.said);
        assert_eq!(ran.output, plain.output, "{text}");
    }
    let ran = place.with(TunedCode::Schedules(vec![None, None]), &[]);
    assert!(ran.said.contains("it is for 2 exports, and the executable has 1"), "{}", ran.said);
    assert_eq!(ran.output, plain.output);
}

#[test]
fn variants_are_taken_under_other_names() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let tuned = place.with(schedule(SCHEDULE), &[]);
    let entry = packed(&tuned.output, "first", |_, _| {});
    let ran = place.with(entry.clone(), &["--verify", "--explain"]);
    assert!(ran.ok, "{}", ran.said);
    assert!(ran.said.contains("note[tuned]: 2 of 3 executables use winners"), "{}", ran.said);
    for name in ["first", "second"] {
        let line =
            format!("@{name} for cpu:x86-64-v3: variant of the tuning database, 1.50 times as fast (1.40 to 1.60) on ");
        assert!(ran.said.contains(&line), "{}", ran.said);
        // Compared with the source: it computes the same.
        assert!(ran.said.contains(&format!("@{name}_sum")), "{}", ran.said);
    }
    assert_ne!(ran.output, plain.output);
    let session = Session::new();
    let (_module, program) = load_program(&session, ran.output.as_bytes(), "output").unwrap();
    assert_eq!(program.phase().unwrap(), Phase::Objects);
    let exports = program.executable("second").unwrap().variants()[0].exports();
    assert_eq!(exports.iter().map(|e| e.name()).collect::<Vec<_>>(), ["second_sum"]);
    let ran = place.with(entry, &["--emit=asm", "--executable=second"]);
    let why = "from the tuning database, with objects; there is no code to write";
    assert!(!ran.ok && ran.said.contains(why), "{}", ran.said);
}

#[test]
fn variants_that_do_not_fit_are_reported_and_not_used() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let set = |bytes: Vec<u8>| -> Change {
        Box::new(move |session, variant| {
            variant.set_objects(&[("elf".into(), Variant::embed(session.raw(), "o", &bytes))]);
        })
    };
    type Change = Box<dyn FnOnce(&Session, Variant)>;
    let other_arch = place.translate_for("cpu:generic@aarch64-unknown-linux-gnu", &[]);
    let cases: Vec<(Change, &str)> = vec![
        (set(b"\x7fELF garbage that is no object".to_vec()), "object"),
        (set(vec![0; 64]), "object"),
        (set(object(&other_arch.output, "first")), "its object is for `aarch64`, the target for `x86_64`"),
        (set(object(&plain.output, "third")), "its objects define no function for export `@first_sum`"),
        (
            Box::new(|session, variant| {
                let other = "#llvm.target<triple = \"x86_64-unknown-linux-gnu\", chip = \"x86-64\">";
                variant.op.set_attr(names::TARGET, Attr::parse(session.raw(), other).unwrap());
            }),
            "its variant is for another target",
        ),
        (
            Box::new(|session, variant| {
                let other = Attr::string(session.raw(), "0123456789abcdef");
                variant.exports()[0].op.set_attr(names::FINGERPRINT, other);
            }),
            "its variant was made for another interface of export `@first_sum`",
        ),
        (
            Box::new(|_, variant| drop(variant.exports()[0].op.remove_attr(names::WORKGROUPS))),
            "its variant has no workgroup count for export `@first_sum`",
        ),
        (Box::new(|_, variant| variant.exports()[0].op.erase()), "its variant has 0 exports, the executable 1"),
        (
            Box::new(|_, variant| drop(variant.op.remove_attr(names::OBJECTS))),
            "its variant has neither code nor objects",
        ),
    ];
    for (change, why) in cases {
        let ran = place.with(packed(&plain.output, "first", change), &[]);
        assert!(ran.ok, "{}", ran.said);
        assert!(ran.said.contains("warning[tuning-entry]") && ran.said.contains(why), "{why}: {}", ran.said);
        assert_eq!(ran.output, plain.output, "{why}");
    }
    for bytes in [&b"garbage"[..], b"module {}", PROGRAM.as_bytes(), b"ML\xefRgarbage", &[0; 4096]] {
        let ran = place.with(TunedCode::Variant(bytes.to_vec()), &[]);
        let shown = String::from_utf8_lossy(bytes);
        assert!(ran.ok && ran.said.contains("warning[tuning-entry]"), "{shown}: {}", ran.said);
        assert_eq!(ran.output, plain.output, "{shown}");
    }
}

#[test]
fn code_of_a_variant_is_generated_and_given_up() {
    let place = Place::new();
    let plain = place.translate(&[]);
    let code = |schedule: &str| {
        let text = format!(
            r#"module @e attributes {{hal.executable, hal.version = 1 : i32}} {{
              module @v attributes {{hal.variant, hal.target = #llvm.target<triple = "x86_64-unknown-linux-gnu", chip = "x86-64-v3">}} {{
                func.func @k(%a: tensor<64x96xf32>, %b: tensor<64x96xf32>) -> tensor<64x96xf32> attributes {{hal.export, hal.schedule = {schedule}}} {{
                  %e = tensor.empty() : tensor<64x96xf32>
                  %r = linalg.add ins(%b, %a : tensor<64x96xf32>, tensor<64x96xf32>) outs(%e : tensor<64x96xf32>) -> tensor<64x96xf32>
                  return %r : tensor<64x96xf32>
                }}
              }}
            }}"#
        );
        TunedCode::Variant(text.into_bytes())
    };
    let ran = place.with(code("{workgroups = 5}"), &["--verify"]);
    assert!(ran.ok && ran.said.contains("note[tuned]: 2 of 3 executables use winners"), "{}", ran.said);
    assert_ne!(ran.output, plain.output);
    let ran = place.with(code("{tile = [7, 7, 7]}"), &[]);
    assert!(
        ran.ok && ran.said.contains("warning[tuning-entry]") && ran.said.contains("cannot have `tile = [7, 7, 7]`"),
        "{}",
        ran.said
    );
    assert_eq!(ran.output, plain.output);
}

#[test]
fn a_damaged_database_gives_the_tuned_program_a_warning_or_an_error() {
    let place = Place::new();
    let plain = place.translate(&[]).output;
    place.database("t.db", &[winner("first", schedule(SCHEDULE)), winner("third", schedule("{workgroups = 2}"))]);
    let whole = fs::read(place.path("t.db")).unwrap();
    let tuned = place.translate(&["--tuning=t.db"]).output;
    let (mut errors, mut warned) = (0, 0);
    let content = whole.windows(SCHEDULE.len()).position(|w| w == SCHEDULE.as_bytes()).unwrap();
    for at in [20, 60, 100, 105, content + 2, content + 14, whole.len() / 2, whole.len() - 5] {
        let mut damaged = whole.clone();
        damaged[at] ^= 1;
        fs::write(place.path("t.db"), &damaged).unwrap();
        let ran = place.translate(&["--tuning=t.db"]);
        if !ran.ok {
            assert!(ran.said.contains("`t.db`"), "byte {at}: {}", ran.said);
            errors += 1;
        } else if ran.output != tuned {
            // The other winner stays.
            assert!(ran.said.contains("warning[tuning-entry]") && ran.output != plain, "byte {at}: {}", ran.said);
            warned += 1;
        }
    }
    assert!(errors > 0 && warned > 0, "{errors} {warned}");
    fs::write(place.path("t.db"), &whole[..whole.len() / 2]).unwrap();
    let ran = place.translate(&["--tuning=t.db"]);
    assert!(!ran.ok && ran.said.contains("tuning database `t.db`"), "{}", ran.said);
}

#[test]
fn a_compilation_reads_while_others_write() {
    let place = Place::new();
    let mut database = place.database("t.db", &[winner("first", schedule(SCHEDULE))]);
    let tuned = place.translate(&["--tuning=t.db"]).output;
    let trials: Vec<Trial> = (0..=255).map(trial).collect();
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let more = trials.iter().cycle().take_while(|_| !done.load(Ordering::Relaxed));
            more.for_each(|trial| database.record(trial).unwrap());
        });
        for _ in 0..3 {
            let ran = place.translate(&["--tuning=t.db"]);
            done.store(!ran.ok, Ordering::Relaxed);
            assert!(ran.ok && ran.output == tuned, "{}", ran.said);
        }
        done.store(true, Ordering::Relaxed);
    });
}

#[test]
fn twins_have_one_key() {
    let key = |name| winner(name, schedule(SCHEDULE)).subject.key;
    assert_eq!(key("first"), key("second"));
    assert_ne!(key("first"), key("third"));
}
