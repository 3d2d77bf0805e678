//! Variants of winners.
use crate::place::{PROGRAM, Place, SCHEDULE, schedule, winner};
use hal_translate::{pack_variant, parse_targets};
use halyard_ir::{
    Attr, Session,
    form::{ObjectData, Phase, Variant, load_program},
    names,
};
use halyard_tuning::TunedCode;

/// The variant of an executable in an output, packed after a change.
fn packed(output: &str, executable: &str, change: impl FnOnce(&Session, Variant)) -> TunedCode {
    let session = Session::new();
    let (_module, program) = load_program(&session, output.as_bytes(), "output").unwrap();
    let executable = program.executable(executable).unwrap();
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
            Box::new(|_, variant| assert!(variant.exports()[0].op.remove_attr(names::WORKGROUPS))),
            "its variant has no workgroup count for export `@first_sum`",
        ),
        (Box::new(|_, variant| variant.exports()[0].op.erase()), "its variant has 0 exports, the executable 1"),
        (
            Box::new(|_, variant| assert!(variant.op.remove_attr(names::OBJECTS))),
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
fn kernels_for_gpus_are_taken_under_other_names() {
    let place = Place::new();
    for target in ["vulkan", "cuda:sm_80"] {
        let plain = place.translate_for(target, &[]);
        let mut entry = winner("first", packed(&plain.output, "first", |_, _| {}));
        entry.subject.target = parse_targets(&[target.to_owned()]).unwrap()[0].to_string();
        entry.subject.machine = "some GPU".into();
        place.database("t.db", &[entry]);
        let ran = place.translate_for(target, &["--tuning=t.db", "--tuning-machine=any"]);
        assert!(ran.ok && ran.said.contains("note[tuned]: 2 of 3 executables use winners"), "{target}: {}", ran.said);
        assert_eq!(object(&ran.output, "first"), object(&plain.output, "first"), "{target}");
        // The code is what the compiler makes, under the names that it gives, but for parameters and comments of PTX.
        let second = object(&ran.output, "second");
        match target {
            "vulkan" => assert_eq!(second, object(&plain.output, "second")),
            _ => assert!(String::from_utf8(second).unwrap().contains(".entry second_sum(")),
        }
    }
}
