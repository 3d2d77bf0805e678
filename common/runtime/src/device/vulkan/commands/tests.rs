use super::*;

fn span(address: u64, bytes: u64) -> DeviceRange {
    DeviceRange { address, bytes }
}

/// Applies commands to zeroed memory and returns it.
fn run(commands: &Commands, size: usize) -> Vec<u8> {
    let (mut memory, mut data) = (vec![0; size], &*commands.data);
    for command in &commands.list {
        match command {
            Command::Fill { target, word } => {
                assert!(target.address % 4 == 0 && target.bytes % 4 == 0 && target.bytes > 0);
                let bytes = &mut memory[target.address as usize..target.end() as usize];
                bytes.chunks_mut(4).for_each(|c| c.copy_from_slice(&word.to_le_bytes()));
            }
            Command::Write { target, unit } => {
                let (piece, rest) = data.split_at(*unit as usize);
                data = rest;
                let bytes = &mut memory[target.address as usize..target.end() as usize];
                bytes.chunks_mut(piece.len()).for_each(|c| c.copy_from_slice(&piece[..c.len()]));
            }
            _ => unreachable!(),
        }
    }
    memory
}

#[test]
fn fills_are_right_at_any_place_and_size() {
    let elements: [&[u8]; 5] = [&[7], &[1, 2], &[1, 2, 3, 4], &[1, 2, 3, 4, 1, 2, 3, 4], &[1, 2, 3, 4, 5, 6, 7, 8]];
    for element in elements {
        for start in 0..9u64 {
            for count in (0..40).chain([600, 9000, 70_001]) {
                let bytes = count * element.len() as u64;
                let mut commands = Commands::default();
                commands.fill(span(start, bytes), element);
                let mut expected = vec![0; (start + bytes + 5) as usize];
                expected[start as usize..(start + bytes) as usize]
                    .chunks_mut(element.len())
                    .for_each(|c| c.copy_from_slice(element));
                assert_eq!(run(&commands, expected.len()), expected, "{element:?} at {start}, {count} times");
            }
        }
    }
}

#[test]
fn commands_wait_for_those_that_touch_the_same() {
    let mut hazards = Hazards::default();
    assert!(!hazards.add(&[(span(0, 64), false), (span(64, 64), true)]));
    assert!(!hazards.add(&[(span(0, 64), false), (span(128, 64), true)]));
    // Reads what was written.
    assert!(hazards.add(&[(span(100, 4), false), (span(192, 64), true)]));
    // The others were waited for, too.
    assert!(!hazards.add(&[(span(128, 64), false)]));
    // Writes what is read, then what is written.
    assert!(hazards.add(&[(span(128, 4), true)]));
    assert!(hazards.add(&[(span(131, 4), true)]));
}
