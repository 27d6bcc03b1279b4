//! The worker program that the tests of the pool start. The `pipeline` binary brings its own.

fn main() -> std::process::ExitCode {
    ingest::worker_main()
}
