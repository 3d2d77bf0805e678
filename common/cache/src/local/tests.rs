use super::*;

fn key(name: &str) -> CacheKey {
    CacheKey::of(name).with("target", "cpu")
}

fn cache() -> (tempfile::TempDir, ObjectCache) {
    let folder = tempfile::tempdir().unwrap();
    let cache = ObjectCache::open(&folder.path().join("new/objects.db")).unwrap();
    (folder, cache)
}

#[test]
fn what_was_put_is_there_for_all() {
    let (folder, mut cache) = cache();
    assert_eq!(cache.get(&key("a")).unwrap(), None);
    cache.add(&[(key("a"), b"one".to_vec()), (key("b"), Vec::new())]).unwrap();
    let other = ObjectCache::open(&folder.path().join("new/objects.db")).unwrap();
    assert_eq!(other.get(&key("a")).unwrap().as_deref(), Some(&b"one"[..]));
    assert_eq!(other.get(&key("b")).unwrap().as_deref(), Some(&b""[..]));
    assert_eq!(other.get(&key("a").with("options", "x")).unwrap(), None);
    assert_eq!(other.statistics().unwrap(), CacheStatistics { entries: 2, bytes: 3, bound: BOUND });
}

#[test]
fn what_is_there_stays() {
    let (_folder, mut cache) = cache();
    cache.add(&[(key("a"), b"one".to_vec())]).unwrap();
    cache.add(&[(key("a"), b"two".to_vec())]).unwrap();
    assert_eq!(cache.get(&key("a")).unwrap().as_deref(), Some(&b"one"[..]));
}

#[test]
fn damaged_entries_go() {
    let (_folder, mut cache) = cache();
    cache.add(&[(key("a"), b"one".to_vec()), (key("b"), b"two".to_vec()), (key("c"), b"three".to_vec())]).unwrap();
    cache.connection.execute("UPDATE entry SET content = x'6f6e66' WHERE key = ?", [key("a").hash()]).unwrap();
    assert_eq!(cache.get(&key("a")).unwrap(), None);
    assert_eq!(cache.statistics().unwrap().entries, 2);
    // The content of another entry, with its checksum.
    let swap =
        "UPDATE entry SET (checksum, content) = (SELECT checksum, content FROM entry WHERE key = ?) WHERE key = ?";
    cache.connection.execute(swap, [key("c").hash(), key("b").hash()]).unwrap();
    assert_eq!(cache.verify().unwrap(), [key("b").hash()]);
    assert_eq!(cache.statistics().unwrap().entries, 1);
}

#[test]
fn the_least_recently_used_entries_go_first() {
    let (_folder, cache) = cache();
    let mut cache = cache.bounded(100);
    for (i, name) in ["a", "b", "c"].into_iter().enumerate() {
        cache.add(&[(key(name), vec![0; 30])]).unwrap();
        cache
            .connection
            .execute("UPDATE entry SET used = ? WHERE key = ?", params![i as i64, key(name).hash()])
            .unwrap();
    }
    // A hit counts as a use.
    assert!(cache.get(&key("a")).unwrap().is_some());
    cache.add(&[(key("d"), vec![0; 30])]).unwrap();
    let left = ["a", "b", "c", "d"].map(|name| cache.get(&key(name)).unwrap().is_some());
    assert_eq!(left, [true, false, true, true]);
    assert_eq!(cache.prune(0).unwrap(), 3);
    assert_eq!(cache.statistics().unwrap().entries, 0);
}

#[test]
fn entries_are_found_by_their_source() {
    let (_folder, mut cache) = cache();
    cache.add(&[(key("a"), b"one".to_vec())]).unwrap();
    let found = cache.entries(&key("a").with("options", "O0").source()).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((found[0].key.as_str(), found[0].parts.as_str()), (&*key("a").hash(), "format = 1\ntarget = cpu\n"));
    assert_eq!(cache.entries(&key("b").source()).unwrap(), []);
    cache.add(&[(key("b"), b"two".to_vec())]).unwrap();
    for (name, length) in [("a", 0), ("a", 1), ("a", 12), ("b", 12), ("b", 64)] {
        let prefix = key(name).source()[..length].to_owned();
        let expected = ["a", "b"].into_iter().filter(|n| key(n).source().starts_with(&prefix)).count();
        assert_eq!(cache.entries(&prefix).unwrap().len(), expected, "{prefix}");
    }
}

#[test]
fn entries_of_a_source_are_found_without_a_look_at_all() {
    let (_folder, cache) = cache();
    let plan: String = cache
        .connection
        .query_row(&format!("EXPLAIN QUERY PLAN {BY_SOURCE}"), ["ab"], |row| row.get("detail"))
        .unwrap();
    assert!(plan.contains("SEARCH entry USING INDEX by_source"), "{plan}");
}

#[test]
fn other_files_are_refused_and_left_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("objects.db");
    let refused = |path: &Path| ObjectCache::open(path).unwrap_err().diagnostics[0].message.clone();
    fs::write(&path, "not a database, and long enough to be told from an empty file").unwrap();
    assert!(refused(&path).ends_with("is damaged, or no cache"));
    assert_eq!(fs::read(&path).unwrap().len(), 61);
    fs::remove_file(&path).unwrap();
    Connection::open(&path).unwrap().execute_batch("CREATE TABLE other (x)").unwrap();
    assert!(refused(&path).ends_with("is no cache"));
    fs::remove_file(&path).unwrap();
    drop(ObjectCache::open(&path).unwrap());
    Connection::open(&path).unwrap().pragma_update(None, "user_version", 2).unwrap();
    assert!(refused(&path).ends_with("is of another version of Halyard"));
}

#[test]
fn several_writers_lose_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("objects.db");
    std::thread::scope(|scope| {
        for writer in 0..4 {
            let path = &path;
            scope.spawn(move || {
                let mut cache = ObjectCache::open(path).unwrap();
                for i in 0..20 {
                    let name = format!("{writer} {i}");
                    cache.add(&[(key(&name), name.clone().into_bytes()), (key("same"), b"same".to_vec())]).unwrap();
                }
            });
        }
    });
    let cache = ObjectCache::open(&path).unwrap();
    assert_eq!(cache.statistics().unwrap().entries, 81);
    for name in (0..4).flat_map(|w| (0..20).map(move |i| format!("{w} {i}"))) {
        assert_eq!(cache.get(&key(&name)).unwrap(), Some(name.into_bytes()));
    }
}
