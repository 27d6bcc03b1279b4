//! Hybrid search over the store in memory.

use testkit::store::MemoryStore;

#[tokio::test]
async fn the_store_in_memory_passes_the_suite_for_stores() {
    let held = testkit::store::check(&|| Box::new(MemoryStore::default())).await;
    assert!(!held.is_empty());
}
