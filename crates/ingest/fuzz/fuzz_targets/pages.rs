//! Characters in any place through layout, structure and chunking.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ingest::fuzzing::pages(data));
