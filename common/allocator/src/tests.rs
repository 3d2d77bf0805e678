use halyard_exec::{How, ItemOutcome, Limits, Slots, isolated};

/// What a worker frees before a piece of work, or its parent freed before, is not memory that the piece may use beyond its limit.
#[test]
fn memory_that_was_freed_before_counts() {
    super::install();
    // Small pieces, of which the first and the last stay: the allocator keeps what lies between.
    let mut all: Vec<Box<[u8; 4000]>> = (0..20_000).map(|i| Box::new([i as u8; 4000])).collect();
    all.drain(1..19_999);
    let work = |count: usize| {
        let pieces: Vec<Box<[u8; 4000]>> = (0..count).map(|i| Box::new([i as u8; 4000])).collect();
        std::hint::black_box(pieces).len()
    };
    let slots = Slots::new(std::num::NonZero::new(1));
    let small = Limits { slots, time: None, memory: Some(20 << 20), keep_going: true, retry_killed: true };
    let outcomes = isolated(2, &small, |i| work(if i == 0 { 1000 } else { 12_000 }));
    assert!(matches!(outcomes[0], ItemOutcome::Done { value: 1000, .. }), "{outcomes:?}");
    assert!(matches!(&outcomes[1], ItemOutcome::Lost(l) if l.how == How::OutOfMemory(Some(20 << 20))), "{outcomes:?}");
    drop(all);
}
