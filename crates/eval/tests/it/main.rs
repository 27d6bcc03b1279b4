//! The crate from outside: the run loop, reports out of runs and logs.

mod controls;
mod failing_runs;
mod old_log;
mod phase2;
mod query_sets;
mod reports;
mod run_loop;
mod trec_eval;
mod world;
