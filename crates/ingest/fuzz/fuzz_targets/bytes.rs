//! Any bytes as a frame, as a file, as the answer of the OCR program.
#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| ingest::fuzzing::bytes(data));
