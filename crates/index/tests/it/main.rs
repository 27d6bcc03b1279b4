//! The index from outside: generations, readers, crashes, search. One binary, so that tantivy is linked once.

mod common;
mod contract;
mod crash;
mod damage;
mod exact;
mod fields;
mod flips;
mod generations;
mod graph;
mod readers;
mod recovery;
mod scores;
mod search;
mod segments;
mod upkeep;
