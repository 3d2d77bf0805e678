//! Runs the inputs that the fuzzer of readers has kept through the same readers. See tests/fuzz/readers/README.md.
#[path = "../../../tests/fuzz/readers/src/compiler.rs"]
mod compiler;
#[path = "../../../tests/fuzz/readers/src/readers.rs"]
mod readers;

use std::{
    fs::File,
    io::Read,
    path::PathBuf,
    time::{Duration, Instant},
};

/// The longest that a reader may take for one input, in a debug build on a busy machine.
const LIMIT: Duration = Duration::from_secs(10);

/// The kept inputs of a reader, by name.
fn corpus(reader: &str) -> Vec<(String, Vec<u8>)> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(format!("../../tests/fuzz/corpora/{reader}.zip"));
    let file = File::open(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut archive = zip::ZipArchive::new(file).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    let mut inputs = Vec::new();
    for i in 0..archive.len() {
        let mut member = archive.by_index(i).expect("a member");
        let mut bytes = Vec::new();
        member.read_to_end(&mut bytes).expect("a whole member");
        inputs.push((member.name().to_owned(), bytes));
    }
    inputs
}

/// Runs a reader; returns how it fails, if it does.
fn failure(reader: fn(&[u8]) -> bool, bytes: &[u8]) -> Option<String> {
    let start = Instant::now();
    let ended = std::panic::catch_unwind(|| reader(bytes));
    let took = start.elapsed();
    match ended {
        Err(_) => Some("panics".into()),
        Ok(_) => (took > LIMIT).then(|| format!("takes {took:?}")),
    }
}

/// Numbers at the edges of what sizes and offsets are held in.
const EDGES: [u64; 8] = [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, 0x7fff_ffff_ffff_ffff, u64::MAX];

/// Makes one to four changes: bits, integers, ranges that are removed, repeated or copied from another input.
fn mutated(bytes: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        let length = 1 + random.below(16);
        let end = (at + length).min(bytes.len());
        match random.below(6) {
            0 if at < bytes.len() => bytes[at] ^= 1 << random.below(7),
            1 if at < bytes.len() => bytes[at] = random.below(255) as u8,
            2 => drop(bytes.drain(at..end)),
            3 => bytes.splice(at..at, bytes[at..end].to_vec()).for_each(drop),
            4 => bytes
                .splice(at..end, other.iter().skip(random.below(other.len())).take(length).copied().collect::<Vec<_>>())
                .for_each(drop),
            _ => {
                let number = EDGES[random.below(EDGES.len() - 1)].to_le_bytes();
                let width = 1 << random.below(3);
                bytes.iter_mut().skip(at).zip(&number[..width]).for_each(|(b, n)| *b = *n);
            }
        }
    }
    bytes
}

/// Xorshift: the same numbers everywhere.
struct Random(u64);

impl Random {
    /// Returns a random number from 0 to `most`.
    fn below(&mut self, most: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % (most as u64 + 1)) as usize
    }
}

/// The fuzzer does this better; without it a few changes of each input are tried. HALYARD_MUTATIONS says how many.
#[test]
fn readers_come_back_from_changed_inputs() {
    let count: usize = std::env::var("HALYARD_MUTATIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(10);
    let only = std::env::var("HALYARD_READER").unwrap_or_default();
    let mut failures = Vec::new();
    for (name, reader) in readers::READERS.iter().chain(compiler::COMPILER).filter(|r| only.is_empty() || r.0 == only) {
        let (inputs, mut random) = (corpus(name), Random(0x9e37_79b9_7f4a_7c15));
        for (input, bytes) in &inputs {
            for k in 0..count {
                let other = &inputs[random.below(inputs.len() - 1)].1;
                let changed = mutated(bytes, other, &mut random);
                let Some(how) = failure(*reader, &changed) else { continue };
                let kept = std::env::temp_dir().join(format!("halyard-{name}-{input}-{k}"));
                std::fs::write(&kept, &changed).expect("can be written");
                failures.push(format!("the reader `{name}` {how}: {}", kept.display()));
            }
        }
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

#[test]
fn readers_come_back_from_every_kept_input() {
    let mut failures = Vec::new();
    for (name, reader) in readers::READERS.iter().chain(compiler::COMPILER) {
        let inputs = corpus(name);
        assert!(!inputs.is_empty(), "the corpus of `{name}` is empty");
        let failed = inputs.iter().filter_map(|(input, bytes)| Some((input, failure(*reader, bytes)?)));
        failures.extend(
            failed.map(|(input, how)| {
                format!("the reader `{name}` {how} with `{input}` of tests/fuzz/corpora/{name}.zip")
            }),
        );
    }
    assert!(failures.is_empty(), "\n{}", failures.join("\n"));
}

/// What a reader refuses at the first byte tests nothing behind it: a change of a format needs new inputs (`seeds.py`).
#[test]
fn readers_accept_some_of_their_inputs() {
    let mut stale = Vec::new();
    for (name, reader) in readers::READERS.iter().chain(compiler::COMPILER) {
        let inputs = corpus(name);
        let accepted = inputs.iter().filter(|(_, bytes)| reader(bytes)).count();
        if accepted < inputs.len().min(3) {
            stale.push(format!("the reader `{name}` accepts {accepted} of {} inputs", inputs.len()));
        }
    }
    assert!(stale.is_empty(), "\n{}", stale.join("\n"));
}
