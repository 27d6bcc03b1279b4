//! The query sets that ship with the project are usable as they are.

use eval::QuerySet;
use std::path::Path;

#[test]
fn every_set_of_the_repository_loads() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../queries");
    let Ok(entries) = std::fs::read_dir(&folder) else {
        eprintln!("skipped: there is no folder of query sets");
        return;
    };
    let mut paths: Vec<_> = entries.filter_map(|entry| entry.ok().map(|e| e.path())).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    paths.sort();
    for path in paths {
        let set = QuerySet::load(&path).unwrap_or_else(|error| panic!("{error}"));
        assert!(set.warnings.is_empty(), "{}: {:?}", path.display(), set.warnings);
        assert!(
            set.queries.iter().any(|q| q.expected_no_evidence),
            "{}: nothing unanswerable",
            path.display()
        );
    }
}
