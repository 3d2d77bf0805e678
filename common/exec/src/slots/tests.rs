use super::*;
use std::sync::atomic::AtomicUsize;

#[test]
fn no_more_at_once_than_slots() {
    let slots = Slots::new(NonZeroUsize::new(2));
    let (running, most) = (AtomicUsize::new(0), AtomicUsize::new(0));
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| {
                let _slot = slots.acquire();
                most.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                std::thread::sleep(Duration::from_millis(20));
                running.fetch_sub(1, Ordering::SeqCst);
            });
        }
    });
    assert_eq!(most.into_inner(), 2);
}

#[test]
fn gives_up_when_told() {
    let slots = Slots::new(NonZeroUsize::new(1));
    let _taken = slots.acquire();
    assert!(slots.acquire_unless(|| true).is_none());
}

#[test]
fn a_job_server_adds_its_tokens_to_the_slot_of_the_process() {
    let two = Slots::with(Server::None, 2, false);
    assert!(two.acquire().token.is_none() && two.acquire().token.is_none());
    for server in [Server::Above(Client::new(1).unwrap()), Server::Own(Arc::new(JobServer::new(1).unwrap()))] {
        let slots = Slots::with(server, 8, false);
        let (first, second) = (slots.acquire(), slots.acquire());
        assert!(first.token.is_none() && second.token.is_some());
        assert!(slots.acquire_unless(|| true).is_none());
        drop(second);
        assert!(slots.acquire().token.is_some());
    }
}
