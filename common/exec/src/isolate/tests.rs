//! Workers that succeed, and all ways in which they are lost.
use super::*;
use std::num::NonZeroUsize;

fn limits(jobs: usize) -> Limits {
    Limits {
        slots: Slots::new(NonZeroUsize::new(jobs)),
        time: Some(Duration::from_secs(20)),
        memory: None,
        keep_going: true,
        retry_killed: false,
    }
}

/// Item 1 of three goes wrong; the others must not.
fn lost(limits: &Limits, wrong: impl Fn()) -> Loss {
    let outcomes = isolated(3, limits, |i| {
        if i == 1 {
            wrong();
        }
        10 * i
    });
    let mut found = None;
    for (i, outcome) in outcomes.into_iter().enumerate() {
        match outcome {
            ItemOutcome::Done { value, .. } => assert_eq!(value, 10 * i),
            ItemOutcome::Lost(loss) if i == 1 => found = Some(loss),
            other => panic!("item {i}: {other:?}"),
        }
    }
    found.expect("item 1 is lost")
}

#[test]
fn results_come_in_order_and_workers_are_used_again() {
    for jobs in [1, 2, 5] {
        let outcomes = isolated(40, &limits(jobs), |i| (i, std::process::id()));
        let mut pids = std::collections::BTreeSet::new();
        for (i, outcome) in outcomes.into_iter().enumerate() {
            let ItemOutcome::Done { value, .. } = outcome else { panic!("{outcome:?}") };
            assert_eq!(value.0, i);
            assert_ne!(value.1, std::process::id());
            pids.insert(value.1);
        }
        assert!(pids.len() <= jobs, "{pids:?}");
    }
    assert!(isolated(0, &limits(2), |i| i).is_empty());
}

#[test]
#[allow(clippy::print_stderr, reason = "what the child says is what is tested")]
fn large_results_and_what_was_said() {
    let outcomes = isolated(2, &limits(2), |i| {
        eprintln!("about {i}");
        vec![i as u8; 3_000_000]
    });
    for (i, outcome) in outcomes.into_iter().enumerate() {
        let ItemOutcome::Done { value, said } = outcome else { panic!("{outcome:?}") };
        assert!(value.len() == 3_000_000 && value.iter().all(|&b| b == i as u8));
        // The test harness takes what `eprintln!` writes, unless the fork writes by itself.
        assert!(said.is_empty() || said.contains(&format!("about {i}")), "{said}");
    }
}

#[test]
fn signals_are_named() {
    let loss = lost(&limits(2), || {
        // SAFETY: sends a signal to this process.
        unsafe { libc::raise(libc::SIGSEGV) };
    });
    assert_eq!(loss.how, How::Signal(libc::SIGSEGV));
    assert_eq!(loss.how.words(), "crashed with SIGSEGV (11)");
    assert!(loss.said.lines().count() > 3, "a backtrace: {}", loss.said);
    let loss = lost(&limits(1), || std::process::abort());
    assert_eq!(loss.how, How::Signal(libc::SIGABRT));
    let loss = lost(&limits(1), || {
        // SAFETY: sends a signal to this process.
        unsafe { libc::raise(libc::SIGKILL) };
    });
    assert_eq!(loss.how, How::Signal(libc::SIGKILL));
}

#[test]
fn slow_items_are_told_while_they_run() {
    let mut slow = Vec::new();
    let work = |i: usize| std::thread::sleep(Duration::from_millis(if i == 1 { 1500 } else { 1 }));
    let told = |i: usize, time: Duration| slow.push((i, time.as_millis()));
    let outcomes = isolated_noting_slow(3, &limits(2), Duration::from_millis(200), work, told);
    assert!(outcomes.iter().all(|outcome| matches!(outcome, ItemOutcome::Done { .. })), "{outcomes:?}");
    slow.retain(|&(item, _)| item == 1);
    assert!(slow.starts_with(&[(1, 200), (1, 400)]), "{slow:?}");
}

#[test]
fn hanging_workers_are_ended() {
    let short = Limits { time: Some(Duration::from_millis(300)), ..limits(2) };
    let loss = lost(&short, || {
        loop {
            std::thread::sleep(Duration::from_secs(1));
        }
    });
    assert_eq!(loss.how, How::TooSlow(Duration::from_millis(300)));
}

#[test]
fn memory_is_limited() {
    let small = Limits { memory: Some(100 << 20), ..limits(2) };
    let loss = lost(&small, || {
        let mut all: Vec<Vec<u8>> = Vec::new();
        loop {
            all.push(vec![1; 1 << 20]);
            std::hint::black_box(&all);
        }
    });
    assert_eq!(loss.how, How::OutOfMemory(Some(100 << 20)), "{}", loss.said);
}

#[test]
fn a_null_pointer_of_an_allocator_without_memory_is_told_from_others() {
    let read_null = || {
        let null = std::hint::black_box(std::ptr::without_provenance::<u8>(24));
        // SAFETY: none; the process ends here, as where MLIR does not look at what `malloc` returns.
        unsafe { std::ptr::read_volatile(null) };
    };
    let small = Limits { memory: Some(100 << 20), ..limits(1) };
    let loss = lost(&small, || {
        // SAFETY: new maps, which nobody uses.
        while unsafe {
            let (protection, flags) = (libc::PROT_READ, libc::MAP_PRIVATE | libc::MAP_ANONYMOUS);
            libc::mmap(std::ptr::null_mut(), 1 << 20, protection, flags, -1, 0) != libc::MAP_FAILED
        } {}
        read_null();
    });
    assert_eq!(loss.how, How::OutOfMemory(Some(100 << 20)), "{}", loss.said);
    assert_eq!(lost(&small, read_null).how, How::Signal(libc::SIGSEGV));
}

#[test]
fn memory_that_was_freed_before_counts() {
    // Small pieces, of which the first and the last stay: the allocator keeps what lies between.
    let mut all: Vec<Box<[u8; 4000]>> = (0..20_000).map(|i| Box::new([i as u8; 4000])).collect();
    all.drain(1..19_999);
    let work = |count: usize| {
        let pieces: Vec<Box<[u8; 4000]>> = (0..count).map(|i| Box::new([i as u8; 4000])).collect();
        std::hint::black_box(pieces).len()
    };
    let small = Limits { memory: Some(20 << 20), ..limits(1) };
    let outcomes = isolated(2, &small, |i| work(if i == 0 { 1000 } else { 12_000 }));
    assert!(matches!(outcomes[0], ItemOutcome::Done { value: 1000, .. }), "{outcomes:?}");
    assert!(matches!(&outcomes[1], ItemOutcome::Lost(l) if l.how == How::OutOfMemory(Some(20 << 20))), "{outcomes:?}");
    drop(all);
}

#[test]
#[allow(unconditional_recursion, reason = "that is what is tested")]
fn deep_recursion_is_told_from_other_crashes() {
    fn deeper(n: u64) -> u64 {
        let room = std::hint::black_box([n; 512]);
        deeper(n + 1) + room[n as usize % 512]
    }
    let loss = lost(&limits(2), || {
        std::hint::black_box(deeper(0));
    });
    assert_eq!(loss.how, How::StackOverflow, "{}", loss.said);
}

#[test]
fn panics_and_silent_ends() {
    let loss = lost(&limits(2), || panic!("on purpose"));
    assert_eq!(loss.how, How::Panicked);
    for code in [0, 7] {
        // SAFETY: ends this process.
        let loss = lost(&limits(2), || unsafe { libc::_exit(code) });
        assert_eq!(loss.how, How::NoResult(code));
    }
    // SAFETY: as above.
    assert_eq!(lost(&limits(1), || unsafe { libc::_exit(EXIT_GAVE_UP) }).how, How::GaveUp);
}

#[test]
fn without_keep_going_the_rest_is_skipped() {
    let stop = Limits { keep_going: false, ..limits(1) };
    let outcomes = isolated(5, &stop, |i| if i == 1 { std::process::abort() } else { i });
    assert!(matches!(outcomes[0], ItemOutcome::Done { value: 0, .. }));
    assert!(matches!(outcomes[1], ItemOutcome::Lost(_)));
    assert!(outcomes[2..].iter().all(|o| matches!(o, ItemOutcome::Skipped)));
}

#[test]
fn a_worker_that_dies_while_idle_is_replaced() {
    let outcomes = isolated(6, &limits(1), |i| {
        if i % 2 == 0 {
            // SAFETY: a timer ends this process after it has answered.
            unsafe {
                libc::signal(libc::SIGALRM, libc::SIG_DFL);
                let soon = libc::itimerval {
                    it_interval: libc::timeval { tv_sec: 0, tv_usec: 0 },
                    it_value: libc::timeval { tv_sec: 0, tv_usec: 20_000 },
                };
                libc::setitimer(libc::ITIMER_REAL, &raw const soon, std::ptr::null_mut());
            }
        } else {
            std::thread::sleep(Duration::from_millis(60));
        }
        i
    });
    // Item 0 is answered; its worker dies with item 1, or before it gets that.
    assert!(matches!(outcomes[0], ItemOutcome::Done { value: 0, .. }));
    assert!(
        outcomes
            .iter()
            .all(|o| matches!(o, ItemOutcome::Done { .. } | ItemOutcome::Lost(Loss { how: How::Signal(_), .. }))),
        "{outcomes:?}"
    );
}

#[test]
fn what_was_killed_from_outside_is_done_again_once() {
    let folder = tempfile::tempdir().unwrap();
    let again = Limits { retry_killed: true, ..limits(2) };
    let mut told = Vec::new();
    isolated_each(
        4,
        &again,
        |i| {
            // The first time, and item 3 each time.
            let mark = folder.path().join(i.to_string());
            if i % 2 == 1 && (std::fs::File::create_new(mark).is_ok() || i == 3) {
                // SAFETY: sends a signal to this process.
                unsafe { libc::raise(libc::SIGKILL) };
            }
            i
        },
        |i, outcome| told.push((i, outcome)),
    );
    told.sort_by_key(|(i, _)| *i);
    let done: Vec<bool> =
        told.iter().map(|(i, o)| matches!(o, ItemOutcome::Done { value, .. } if value == i)).collect();
    assert_eq!(done, [true, true, true, false]);
    assert!(matches!(&told[3].1, ItemOutcome::Lost(loss) if loss.how == How::Signal(libc::SIGKILL)));
}
